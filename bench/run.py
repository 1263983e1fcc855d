"""`./dev bench [NAME...]`: every program on Stead and on jaxlib's CPU compiler in one process, turn by turn.

Prints medians of milliseconds per call, the median ratio of the pairs (above 1: Stead is faster), the copy instructions of
each compiled program, and the largest relative difference of the results. Exit status 1 when results differ too much.
"""

import argparse
import os
import sys

os.environ.setdefault("JAX_PLATFORMS", "stead,cpu")

import array_programs  # noqa: E402
import jax  # noqa: E402
import measure  # noqa: E402
import pallas_kernel  # noqa: E402
import programs  # noqa: E402

TOLERANCE = 1e-4  # after a few dozen training steps in f32, whose sums two compilers order differently
NARROW_TOLERANCE = 1e-2  # where results have 8 or 11 bits


def bench(program, rounds):
    """One line of the table and whether the results agree."""
    baseline = measure.Runner(program, jax.devices("cpu")[0])
    ours = measure.Runner(program, jax.devices("stead")[0])
    comparison = measure.compare(baseline, ours, rounds)
    theirs, mine = comparison.medians()
    line = (
        f"{program.name:26} {theirs * 1e3:10.3f} {mine * 1e3:10.3f} {comparison.ratio():8.2f}x"
        f" {baseline.facts().copies:8} {ours.facts().copies:8} {comparison.difference:12.1e}"
    )
    is_narrow = any(leaf.dtype.itemsize == 2 for leaf in jax.tree.leaves(ours.result))
    return line, comparison.difference <= (NARROW_TOLERANCE if is_narrow else TOLERANCE)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench", description="Measure Stead against XLA:CPU in interleaved pairs.")
    parser.add_argument(
        "names",
        nargs="*",
        help="programs whose name starts so; or `pallas`: the kernel of pytorch/xla#8385; or `arrays`, alone or before such names: "
        "single ops and idioms; default: all programs but these",
    )
    parser.add_argument("--rounds", type=int, default=15, help="timed calls of each")
    options = parser.parse_args()
    if options.names == ["pallas"]:
        return pallas_kernel.main(options.rounds)
    of_arrays = options.names[:1] == ["arrays"]
    names = tuple(options.names[of_arrays:])
    offered = array_programs.array_programs() if of_arrays else programs.all_programs()
    selected = [p for p in offered if not names or p.name.startswith(names)]
    if not selected:
        raise SystemExit(f"bench: no program of that name; there are {', '.join(p.name for p in offered)}")
    print(f"JAX {jax.__version__}, {os.cpu_count()} CPUs, {options.rounds} interleaved pairs, medians")
    print(f"{'program':26} {'XLA ms':>10} {'Stead ms':>10} {'ratio':>9} {'XLA cp':>8} {'Stead cp':>8} {'difference':>12}")
    agree = True
    for program in selected:
        line, same = bench(program, options.rounds)
        agree &= same
        print(line + ("" if same else "  RESULTS DIFFER"), flush=True)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
