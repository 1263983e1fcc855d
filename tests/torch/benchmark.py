"""Step times of the programs of programs.py on Stead and on torch_xla's own CPU device, turn by turn in two processes.

Prints medians of milliseconds per step, the median ratio of the pairs (above 1: Stead is faster), and the ratio of the fastest
steps, which other programs on the machine disturb least. Exit status 1 when the fastest step on Stead is slower than torch_xla's
own by more than what repeated measurements differ by.
"""

import argparse
import os
import statistics
import sys

import device_process
from programs import PROGRAMS

STEPS = 5
SLOWER = 0.9


def summary(seconds):
    """The median and the fastest of all steps, in milliseconds."""
    steps = [second * 1e3 for measurement in seconds for second in measurement]
    return statistics.median(steps), min(steps)


def compare(workers, name, mode, scale, rounds):
    """Seconds of every step, one list of measurements per worker, measured in alternation."""
    for worker in workers:
        worker.ask(do="start", program=name, mode=mode, scale=scale)
    seconds = ([], [])
    for _ in range(rounds):
        for worker, times in zip(workers, seconds, strict=True):
            times.append(worker.ask(do="time", steps=STEPS)["seconds"])
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs whose name starts so; default: all")
    parser.add_argument("--scale", type=int, default=4, help="sizes in multiples of those of the tests")
    parser.add_argument("--rounds", type=int, default=9, help=f"measurements of each, {STEPS} steps long")
    options = parser.parse_args()
    names = [name for name in PROGRAMS if not options.names or name.startswith(tuple(options.names))]
    workers = [device_process.Worker(road) for road in (device_process.XLA_CPU, device_process.STEAD)]
    print(f"{os.cpu_count()} CPUs, {options.rounds} interleaved measurements of {STEPS} steps, medians, scale {options.scale}")
    print(f"{'program':22} {'mode':9} {'XLA ms':>9} {'Stead ms':>9} {'ratio':>8} {'fastest':>8}")
    slower = []
    for name in names:
        for mode in ("lazy", "compiled"):
            theirs, ours = compare(workers, name, mode, options.scale, options.rounds)
            pairs = zip(theirs, ours, strict=True)
            ratio = statistics.median(statistics.median(their) / statistics.median(our) for their, our in pairs)
            (their_median, their_best), (our_median, our_best) = summary(theirs), summary(ours)
            best_ratio = their_best / our_best
            print(f"{name:22} {mode:9} {their_median:9.2f} {our_median:9.2f} {ratio:7.2f}x {best_ratio:7.2f}x", flush=True)
            if best_ratio < SLOWER:
                slower.append(f"{name} ({mode})")
    for worker in workers:
        worker.close()
    if slower:
        print(f"slower than torch_xla's own device: {', '.join(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
