"""Runs JAX functions on the interpreter, from their HLO text, and compares the results with XLA:CPU or with NumPy."""

import pathlib

import jax
import ml_dtypes
import numpy as np
import stead_tool
from hlo_on_xla import run_module_on_xla
from jaxlib import _hlo

INTEGERS = ["int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16", "uint32", "uint64"]
NARROW_FLOATS = [
    "float16",
    "bfloat16",
    "float8_e5m2",
    "float8_e4m3",
    "float8_e4m3fn",
    "float8_e4m3b11fnuz",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "float8_e3m4",
    "float8_e8m0fnu",
    "float4_e2m1fn",
]
COMPLEX = ["complex64", "complex128"]


def dtype_of(name):
    return np.dtype(getattr(ml_dtypes, name, name))


def is_float(dtype):
    return np.issubdtype(dtype, np.floating) or "float" in dtype.name


def is_inexact(dtype):
    return is_float(dtype) or dtype.kind == "c"


def hlo_text(function, arguments):
    with jax.enable_x64(True):
        return jax.jit(function, keep_unused=True).lower(*arguments).as_text("hlo")


def run_xla(function, arguments):
    """The results as a flat list of numpy arrays."""
    with jax.enable_x64(True):
        return [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*arguments))]


def run_text(text, arguments, folder: pathlib.Path, dtypes, backend="interpreter"):
    """The results of HLO text on a backend of `stead run`, viewed as the given types."""
    module = folder / "module.hlo"
    module.write_text(text)
    inputs = []
    for number, argument in enumerate(map(np.asarray, arguments)):
        path = folder / f"in{number}.npy"
        # Types that NumPy lacks are written as raw bytes, which is what the tool reads.
        own = argument.dtype.type.__module__ == "numpy"
        np.save(path, argument if own else argument.view(f"V{argument.dtype.itemsize}"))
        inputs.append(f"--input={path}")
    stead_tool.output("run", module, f"--backend={backend}", *inputs, f"--output-dir={folder}")
    results = [np.load(folder / f"{number}.npy") for number in range(len(dtypes))]
    return [array.view(dtype) if array.dtype.kind == "V" else array for array, dtype in zip(results, dtypes, strict=True)]


def run_text_on_xla(text, arguments):
    with jax.enable_x64(True):
        return run_module_on_xla(_hlo.hlo_module_from_text(text), arguments)


def ulps_apart(actual, expected):
    """Distances in units in the last place of the expected type; equal NaNs, infinities and zeros are 0 apart.

    Numbers below the smallest normal one count as zero, which is what XLA:CPU makes of them. The parts of a complex number
    are measured in ulps of the larger part.
    """
    if expected.dtype.kind == "c":
        sizes = np.maximum(abs(expected.real), abs(expected.imag))
        parts = [_ulps(actual.real, expected.real, sizes), _ulps(actual.imag, expected.imag, sizes)]
        return np.maximum(*parts)
    return _ulps(actual, expected, abs(expected.astype(np.float64)))


def _ulps(actual, expected, sizes):
    information = ml_dtypes.finfo(expected.dtype)
    tiny, epsilon = float(information.smallest_normal), float(information.eps)
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        flushed = (abs(actual) <= tiny) & (abs(expected) <= tiny)
        same = (actual == expected) | (np.isnan(actual) & np.isnan(expected)) | flushed
        sizes = np.clip(np.where(np.isfinite(sizes), sizes, 1), tiny, None).astype(np.float64)
        unit = np.exp2(np.floor(np.log2(sizes))) * epsilon
        distances = np.where(same, 0, abs(actual - expected) / unit)
    return np.nan_to_num(distances, nan=np.inf, posinf=np.inf)


def difference(actual, expected, ulps):
    """None, or what differs first."""
    if actual.shape != expected.shape:
        return f"shape {actual.shape} instead of {expected.shape}"
    wrong = ulps_apart(actual, expected) > ulps if is_inexact(expected.dtype) else actual != expected
    if not np.any(wrong):
        return None
    index = tuple(np.argwhere(wrong)[0])
    values = f"{actual[index]!r} instead of {expected[index]!r}"
    return f"{np.count_nonzero(wrong)} of {expected.size} elements differ, the first at {index}: {values}"


def compare(actual, expected, ulps=0, names=None, ulps_by_name=None):
    """Asserts that floats agree within `ulps` and everything else exactly; `names` label the results."""
    problems = []
    for number, (left, right) in enumerate(zip(actual, expected, strict=True)):
        name = names[number] if names else f"result {number}"
        if found := difference(left, right, (ulps_by_name or {}).get(name, ulps)):
            problems.append(f"{name}: {found}")
    assert not problems, "\n".join(problems)


def check(function, arguments, folder, ulps=0, names=None, ulps_by_name=None):
    """Asserts that the interpreter agrees with XLA:CPU."""
    expected = run_xla(function, arguments)
    actual = run_text(hlo_text(function, arguments), arguments, folder, [array.dtype for array in expected])
    compare(actual, expected, ulps, names, ulps_by_name)
