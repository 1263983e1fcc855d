"""`./dev test libraries`: programs on JAX's well-known libraries (programs.py), on Stead and on XLA:CPU in one process.

Each is run with 64-bit floats, where both must agree, and with 32-bit ones, where Stead may be no farther from the 64-bit results
than XLA:CPU is: adaptive steps, samplers and gradients through many layers make much of the last bits. Prints a line per program:
the milliseconds of a call, measured turn by turn, and what the compiled programs need in memory. Ends with `libraries: N passed, N failed`.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time
import warnings

# Before JAX starts.
os.environ["JAX_PLATFORMS"] = "stead,cpu"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
warnings.filterwarnings("ignore")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from memory import peak_bytes  # noqa: E402
from programs import PROGRAMS  # noqa: E402

# Relative to the largest number of each result. Keras computes with 32 bits whatever it is given.
AGREEMENT, NARROW = 1e-9, {"keras_mobilenet": 1e-5}
# How far from the 64-bit results: a multiple of XLA:CPU's distance, and a few roundings.
DISTANCE, ROUNDINGS = 3, 1e-5
ROUNDS = 7
SECONDS_TO_MEASURE = 10


class OnDevice:
    """A program compiled for one device, with 32- or 64-bit floats."""

    def __init__(self, program, device, is_wide):
        self.program, self.device, self.is_wide = program, device, is_wide
        self.function = jax.jit(program.function, donate_argnums=program.donated) if program.is_compiled else program.function

    def arguments(self):
        def widened(array):
            return array.astype(np.float64) if self.is_wide and array.dtype == np.float32 else array

        return jax.block_until_ready(jax.device_put(jax.tree.map(widened, self.program.arguments), self.device))

    def run(self):
        """The results, and the seconds that the call took."""
        with jax.enable_x64(self.is_wide), jax.default_device(self.device):
            arguments = self.arguments()
            start = time.perf_counter()
            results = jax.block_until_ready(self.function(*arguments))
            seconds = time.perf_counter() - start
        return [np.asarray(leaf) for leaf in jax.tree.leaves(results)], seconds

    def peak_bytes(self):
        if not self.program.is_compiled:
            return None
        with jax.default_device(self.device):
            return peak_bytes(self.function.lower(*self.arguments()).compile().memory_analysis())


def distance(actual, expected):
    """The largest difference, relative to the largest number of the same result."""
    largest = 0.0
    for got, wanted in zip(actual, expected, strict=True):
        if got.shape != wanted.shape or not np.array_equal(np.isfinite(got), np.isfinite(wanted)):
            return np.inf
        scale = max(np.abs(wanted).max(initial=0), np.finfo(np.float32).tiny)
        largest = max(largest, float(np.abs(got.astype(np.float64) - wanted).max(initial=0) / scale))
    return largest


def milliseconds(runs):
    """Medians of a call on each, turn by turn."""
    seconds, end = [[] for _ in runs], time.perf_counter() + SECONDS_TO_MEASURE
    while len(seconds[0]) < ROUNDS and (not seconds[0] or time.perf_counter() < end):
        for run, times in zip(runs, seconds, strict=True):
            times.append(run.run()[1])
    return [statistics.median(times) * 1e3 for times in seconds]


def judge(name, devices):
    """(row of the table, what is wrong or nothing)."""
    with jax.default_device(devices[1]):
        program = PROGRAMS[name]()
    wide = [OnDevice(program, device, True).run()[0] for device in devices]
    runs = [OnDevice(program, device, False) for device in devices]
    narrow = [run.run()[0] for run in runs]
    agreement, own, theirs = distance(*wide), distance(narrow[0], wide[1]), distance(narrow[1], wide[1])
    times, peaks = milliseconds(runs), [run.peak_bytes() for run in runs]
    cells = [f"{agreement:.0e}", f"{own:.0e}", f"{theirs:.0e}", *(f"{value:,.2f}" for value in times), f"{times[0] / times[1]:.2f}"]
    cells += ["" if value is None else f"{value:,}" for value in peaks]
    wrong = []
    if not agreement <= NARROW.get(name, AGREEMENT):
        wrong.append(f"64-bit results differ by {agreement:.1e}")
    if not own <= DISTANCE * theirs + ROUNDINGS:
        wrong.append(f"32-bit results are off by {own:.1e}, XLA:CPU's by {theirs:.1e}")
    return f"| {name} | {' | '.join(cells)} |", "; ".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs whose name starts so; default: all")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if not options.names or name.startswith(tuple(options.names))]
    devices = jax.devices("stead")[0], jax.devices("cpu")[0]
    print("| program | 64 bits: apart | 32 bits: Stead off | XLA:CPU off | Stead ms | XLA:CPU ms | ratio | Stead peak | XLA:CPU peak |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
    failures = {}
    for name in names:
        try:
            row, failures[name] = judge(name, devices)
            print(row, flush=True)
        except Exception as error:  # Whatever a library or a compiler says no with.
            failures[name] = str(error).splitlines()[0]
    failures = {name: message for name, message in failures.items() if message}
    for name, message in failures.items():
        print(f"{name}: {message}")
    print(f"libraries: {len(names) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
