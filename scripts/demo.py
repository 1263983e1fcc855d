"""`./dev demo`: what Stead is for, on this machine, in about two minutes.

First the three programs of openxla/xla#20440 (bench/programs.py) on XLA:CPU and on Stead in one process, turn by turn; then
what `stead explain` says about the dumps of two public reports. Exit status 1 when Stead does not keep its word: no copy in
`plain` and `barrier`, one copy of one element in `reverse`, the same buffer, the old value, and at least 50 times as fast.
"""

import argparse
import os
import pathlib
import subprocess
import sys

os.environ["JAX_PLATFORMS"] = "stead,cpu"
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "bench"))

import jax  # noqa: E402
import measure  # noqa: E402
import numpy as np  # noqa: E402
import programs  # noqa: E402

DUMPS = REPOSITORY / "tests" / "data" / "programs"
EXPLANATIONS = (
    ("XLA:CPU's own dump of `plain`, with its two copies", ["seed2_plain.xla_cpu_default.hlo"]),
    ("the same program without copies, as XLA's region analysis leaves it", ["seed2_plain.xla_cpu_region.hlo"]),
    ("`reverse`: the one copy that the program itself demands", ["seed2_reverse.before.hlo"]),
    ("an in-place TPU kernel from torch_xla (pytorch/xla#8385), donated", ["seed1_torch_xla.before.hlo"]),
    ("the same after XLA:TPU inserted two copies", ["seed1_torch_xla.after_copy_insertion.hlo"]),
    ("the same kernel, if it declared its alias", ["--assume-alias", "custom-call.2:0", "seed1_torch_xla.before.hlo"]),
)
LEAST_SPEED_UP = 50


def call_and_check(runner):
    """One call: whether the state kept its buffer, and whether the second result is the value from before the update."""
    pointers = runner.pointers()
    old = float(runner.state[0, 0])
    runner.call()
    return runner.pointers() == pointers, float(runner.result) == old and float(runner.state[0, 0]) == old + 1


def show(name, compiler, runner, seconds, ratio):
    facts = runner.facts()
    kept, old_value = call_and_check(runner)
    print(
        f"{name:8} {compiler:8} {facts.copies:6} {facts.bytes_copied:13,} {facts.temp_bytes:13,} {'kept' if kept else 'new':>7}"
        f" {'old value' if old_value else 'WRONG':>10} {seconds * 1e3:11.3f}  {ratio}"
    )
    return facts, kept and old_value


def demo_program(program, rounds):
    """Runs one program on both; returns what is wrong with it on Stead."""
    xla = measure.Runner(program, jax.devices("cpu")[0])
    stead = measure.Runner(program, jax.devices("stead")[0])
    comparison = measure.compare(xla, stead, rounds)
    xla_seconds, stead_seconds = comparison.medians()
    show(program.name, "XLA:CPU", xla, xla_seconds, "")
    facts, good = show(program.name, "Stead", stead, stead_seconds, f"{comparison.ratio():,.0f} times as fast")
    element = np.dtype(np.float32).itemsize
    allowed = (1, element) if program.name == "reverse" else (0, 0)
    wrong = []
    if (facts.copies, facts.bytes_copied) != allowed:
        wrong.append(f"{program.name}: {facts.copies} copies of {facts.bytes_copied} bytes, expected {allowed[0]} of {allowed[1]}")
    if not good:
        wrong.append(f"{program.name}: the buffer moved or a value is wrong")
    if comparison.ratio() < LEAST_SPEED_UP:
        wrong.append(f"{program.name}: {comparison.ratio():.1f} times as fast as XLA:CPU, expected at least {LEAST_SPEED_UP}")
    return wrong


def explain():
    wrong = []
    for title, arguments in EXPLANATIONS:
        print(f"\n=== {title}\n$ stead explain {' '.join(arguments)}\n", flush=True)
        done = subprocess.run([REPOSITORY / ".venv" / "bin" / "stead", "explain", *arguments], cwd=DUMPS)
        if done.returncode != 0:
            wrong.append(f"stead explain {' '.join(arguments)} ended with status {done.returncode}")
    return wrong


def main():
    parser = argparse.ArgumentParser(prog="./dev demo", description="Donated updates in place, and copies explained.")
    parser.add_argument("--size", type=int, default=10000, help="rows and columns of the donated f32 array")
    parser.add_argument("--rounds", type=int, default=9, help="timed calls of each program")
    options = parser.parse_args()
    size = options.size
    print(f"A donated f32[{size},{size}] ({size * size * 4:,} bytes): read one element, add 1 to it, return both.")
    print(f"JAX {jax.__version__}; XLA:CPU and Stead in one process, turn by turn; median of {options.rounds} calls each.\n")
    print("program  compiler copies  bytes copied    temp bytes  buffer       read ms per call")
    wrong = [line for program in programs.donated_updates(size) for line in demo_program(program, options.rounds)]
    wrong += explain()
    for line in wrong:
        print(f"demo: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
