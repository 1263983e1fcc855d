"""`./dev test harness`: JAX's primitive harnesses (jax._src.internal_test_util.test_harnesses, in the jax wheel) on Stead.

Each is run by a worker process (worker.py) on Stead and on jaxlib's CPU backend. What may fail, and why, is the table of
docs/coverage.md: a failure that it does not name fails the run, and so does a row that names none. `--sample` takes a tenth
and everything in once_failed.txt, the names of all that have ever failed.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import queue
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from answering_process import AnsweringProcess  # noqa: E402

COVERAGE = HERE.parent.parent / "docs" / "coverage.md"
ONCE_FAILED = HERE / "once_failed.txt"
# `| pattern | outcome | reason |`
ROW = re.compile(r"^\| `([^`]+)` \| (refused|different|larger) \| (.+) \|$")
SAMPLE_STEP = 10
SECONDS_FOR_ONE = 300
FAILURES = ("refused", "different", "larger", "crashed", "hung")


def list_names():
    """The full names of all harnesses, in the order of the workers' indices."""
    done = subprocess.run([sys.executable, str(HERE / "worker.py"), "--names"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"harness: a worker cannot start:\n{done.stderr}")
    return done.stdout.split()


def choose(names, options):
    if options.match:
        return [index for index, name in enumerate(names) if fnmatch.fnmatch(name, options.match)]
    if options.sample:
        once = set(ONCE_FAILED.read_text().split())
        return [index for index, name in enumerate(names) if index % SAMPLE_STEP == 0 or name in once]
    return list(range(len(names)))


def run_all(chosen, names, count):
    """One result per chosen index; a bar on a terminal."""
    workers = queue.SimpleQueue()
    for _ in range(count):
        workers.put(AnsweringProcess([sys.executable, str(HERE / "worker.py")], SECONDS_FOR_ONE))

    def run_one(index):
        worker = workers.get()
        try:
            return {"index": index, "name": names[index]} | worker.ask(index)
        finally:
            workers.put(worker)

    results = []
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for result in pool.map(run_one, chosen):
            results.append(result)
            if sys.stderr.isatty():
                done = 40 * len(results) // len(chosen)
                print(f"\r[{'#' * done}{'.' * (40 - done)}] {len(results)}/{len(chosen)}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    while not workers.empty():
        workers.get().close()
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("match", nargs="?", help="only harnesses whose name matches, for example 'sort_*'")
    parser.add_argument("--sample", action="store_true", help="a tenth, and all that have ever failed")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N")
    options = parser.parse_args()
    names = list_names()
    rows = [row.groups() for row in map(ROW.match, COVERAGE.read_text().splitlines()) if row]
    results = run_all(choose(names, options), names, options.workers)

    unexplained, used = [], set()
    for result in results:
        if result["outcome"] in FAILURES:
            row = next((r for r in rows if fnmatch.fnmatch(result["name"], r[0]) and r[1] == result["outcome"]), None)
            used.add(row)
            if row is None:
                unexplained.append(result)
                print(f"{result['name']}: {result['outcome']}: {result['message']}")
    stale = [row for row in rows if row not in used] if not (options.sample or options.match) else []
    for pattern, outcome, _ in stale:
        print(f"{COVERAGE.name}: no harness `{pattern}` is {outcome} any more")
    counts = collections.Counter(result["outcome"] for result in results)
    ran = len(results) - counts["not in JAX"]
    print(", ".join(f"{outcome}: {count}" for outcome, count in counts.most_common()))
    listed = ran - counts["ok"] - len(unexplained)
    print(f"harness: {counts['ok']} of {ran} passed, {listed} failed as docs/coverage.md says, {len(unexplained) + len(stale)} failed")
    return 1 if unexplained or stale else 0


if __name__ == "__main__":
    sys.exit(main())
