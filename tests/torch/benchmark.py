"""Step times of the programs of programs.py on Stead and on torch_xla's own CPU device, turn by turn in two processes.

Prints medians of milliseconds per step and the median ratio of the pairs (above 1: Stead is faster).
Exit status 1 when a step on Stead is slower than torch_xla's own by more than what repeated measurements differ by.
"""

import argparse
import os
import statistics
import sys

import device_process
from programs import PROGRAMS

SLOWER = 0.95


def compare(workers, name, mode, scale, rounds):
    """Seconds per step, one list per worker, measured in alternation."""
    for worker in workers:
        worker.ask(do="start", program=name, mode=mode, scale=scale)
    seconds = ([], [])
    for _ in range(rounds):
        for worker, times in zip(workers, seconds, strict=True):
            times.append(statistics.median(worker.ask(do="time", steps=5)["seconds"]))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs whose name starts so; default: all")
    parser.add_argument("--scale", type=int, default=4, help="sizes in multiples of those of the tests")
    parser.add_argument("--rounds", type=int, default=9, help="measurements of each, 5 steps long")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if not options.names or name.startswith(tuple(options.names))]
    workers = [device_process.Worker(road) for road in (device_process.XLA_CPU, device_process.STEAD)]
    print(f"{os.cpu_count()} CPUs, {options.rounds} interleaved measurements of 5 steps, medians, scale {options.scale}")
    print(f"{'program':22} {'mode':9} {'XLA ms':>9} {'Stead ms':>9} {'ratio':>8}")
    slower = []
    for name in names:
        for mode in ("lazy", "compiled"):
            theirs, ours = compare(workers, name, mode, options.scale, options.rounds)
            ratio = statistics.median(their / our for their, our in zip(theirs, ours, strict=True))
            times = [f"{statistics.median(times) * 1e3:9.2f}" for times in (theirs, ours)]
            print(f"{name:22} {mode:9} {times[0]} {times[1]} {ratio:7.2f}x", flush=True)
            if ratio < SLOWER:
                slower.append(f"{name} ({mode})")
    for worker in workers:
        worker.close()
    if slower:
        print(f"slower than torch_xla's own device: {', '.join(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
