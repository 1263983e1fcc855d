"""Runs JAX's primitive harnesses on Stead and on jaxlib's CPU backend, one at a time, and compares.

Input: one index of `all_harnesses` per line. Output: per line a JSON object {index, name, outcome, message}, where the outcome is one of

    ok            both run and agree within JAX's tolerances, and Stead needs no more memory
    not in JAX    the harness says that JAX does not implement it on CPUs, or jaxlib's backend refuses it too
    refused       Stead answers with an error, which is the message
    different     types, shapes or values differ
    larger        the values agree, but the peak of memory is above that of jaxlib's backend

`--names` prints the names of all harnesses instead, once both backends are there.
"""

import json
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "stead,cpu"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import jax  # noqa: E402
import numpy  # noqa: E402

jax.config.update("jax_enable_x64", True)

from jax._src.internal_test_util import test_harnesses  # noqa: E402
from jax._src.public_test_util import _assert_numpy_allclose, tolerance  # noqa: E402
from memory import peak_bytes  # noqa: E402

# JAX's own test of these harnesses (export_harnesses_multi_platform_test.py) says so.
CONVOLUTION_TOLERANCE = 1e-4
# The outcome is not unique: vectors may change sign, equal values their order. JAX skips these too.
NOT_UNIQUE = ("eigh_",)


def close_enough(harness, got, wanted):
    """None, or what differs."""
    if len(got) != len(wanted):
        return f"{len(got)} results, not {len(wanted)}"
    fixed = CONVOLUTION_TOLERANCE if "conv_general_dilated" in harness.fullname and harness.dtype == numpy.float32 else None
    for ours, theirs in zip(got, wanted, strict=True):
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            return f"{ours.dtype}{list(ours.shape)}, not {theirs.dtype}{list(theirs.shape)}"
        allowed = tolerance(theirs.dtype, fixed)
        try:
            _assert_numpy_allclose(ours, theirs, atol=allowed, rtol=allowed)
        except AssertionError as error:
            return " ".join(line.strip() for line in str(error).splitlines() if "difference" in line or "Mismatched" in line)
    return None


def run_on(device, harness, arguments):
    """The results, and the bytes that they and what they are made of need at once."""
    with jax.default_device(device):
        compiled = jax.jit(harness.dyn_fun).lower(*arguments).compile()
        results = [numpy.asarray(leaf) for leaf in jax.tree.leaves(compiled(*arguments))]
        return results, peak_bytes(compiled.memory_analysis())


def judge(harness):
    """(outcome, message) of one harness."""
    if not harness.filter("cpu"):
        return "not in JAX", "unimplemented by JAX on CPUs"
    arguments = harness.dyn_args_maker(numpy.random.RandomState(0))
    try:
        wanted, allowed = run_on(jax.devices("cpu")[0], harness, arguments)
    except Exception as error:  # Whatever it is that jaxlib's backend says no with.
        return "not in JAX", str(error).splitlines()[0]
    try:
        got, needed = run_on(jax.devices("stead")[0], harness, arguments)
    except Exception as error:
        return "refused", str(error).splitlines()[0]
    difference = None if harness.fullname.startswith(NOT_UNIQUE) else close_enough(harness, got, wanted)
    if difference is not None:
        return "different", difference
    return ("ok", "") if needed <= allowed else ("larger", f"{needed} bytes, not {allowed}")


def main():
    if sys.argv[1:] == ["--names"]:
        jax.devices("stead")
        print("\n".join(harness.fullname for harness in test_harnesses.all_harnesses))
        return
    # What libraries print must not get into the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        index = int(line)
        harness = test_harnesses.all_harnesses[index]
        outcome, message = judge(harness)
        print(json.dumps({"index": index, "name": harness.fullname, "outcome": outcome, "message": message}), file=answers)


if __name__ == "__main__":
    main()
