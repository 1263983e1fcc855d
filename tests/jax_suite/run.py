"""`./dev test jax [FILE...]`: JAX's own test files on Stead, counted against what of them passes on XLA:CPU.

STEAD_JAX_TESTS names the folder `tests` of JAX's repository at the tag of the pinned version; without it the run is skipped, which is
said and is no failure. FILE is the name of a test file without `.py`; the default is the list in files.txt. Each file is run
by a worker process (worker.py) on Stead and on XLA:CPU; XLA:CPU's outcomes are kept in build/jax_suite, so that it runs each
test once. Output: the tests that pass on XLA:CPU and not on Stead with their first lines of error, and counts per file.

Tests are told that they run on a CPU, as those of XLA:CPU are. What this measures is written down in docs/coverage.md.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from answering_process import AnsweringProcess  # noqa: E402

KEPT_OUTCOMES = REPOSITORY / "build" / "jax_suite"
PLATFORMS = {"stead": "stead,cpu", "xla_cpu": "cpu"}
SECONDS_FOR_ONE = 300
# A fresh process after so many tests: JAX keeps what it compiled.
TESTS_PER_PROCESS = 100
SAVE_EVERY = 20


class File:
    """One of JAX's test files, with the outcomes of its tests per platform."""

    def __init__(self, path, options):
        self.path = path
        self.environment = {"JAX_ENABLE_X64": str(int(options.x64))}
        self.kept = {platform: options.keep / f"{path.stem}{'.x64' if options.x64 else ''}.{platform}.json" for platform in PLATFORMS}

    def names(self):
        """The names of all its tests; none where the file cannot be loaded, which is said."""
        command = [sys.executable, str(HERE / "worker.py"), str(self.path), "--names"]
        environment = os.environ | self.environment | {"JAX_PLATFORMS": PLATFORMS["xla_cpu"]}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{self.path.stem}: cannot be loaded: {done.stderr.strip().splitlines()[-1]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def outcomes(self, platform):
        """{name: {outcome, message}} as last kept."""
        kept = self.kept[platform]
        return json.loads(kept.read_text()) if kept.exists() else {}

    def run(self, platform, names):
        """Runs tests and keeps their outcomes beside those of others."""
        outcomes = self.outcomes(platform)
        process = AnsweringProcess(
            [sys.executable, str(HERE / "worker.py"), str(self.path)],
            SECONDS_FOR_ONE,
            self.environment | {"JAX_PLATFORMS": PLATFORMS[platform]},
        )
        for count, name in enumerate(names, start=1):
            outcomes[name] = process.ask(json.dumps(name))
            if count % TESTS_PER_PROCESS == 0:
                process.close()
            if count % SAVE_EVERY == 0 or count == len(names):
                self.kept[platform].write_text(json.dumps(outcomes, indent=1))
            if sys.stderr.isatty():
                print(f"\r{self.path.stem} on {platform}: {count}/{len(names)}", end="", file=sys.stderr)
        process.close()
        if sys.stderr.isatty():
            print(file=sys.stderr)


def choose(names, every, match):
    """Those that `match` names, and of these one in `every`, the same ones in every run."""
    return [name for name in names if match in name and zlib.crc32(name.encode()) % every == 0]


def passed(outcomes, name, unknown=False):
    """Whether a test passed; `unknown` for one that did not run."""
    return outcomes[name]["outcome"] == "passed" if name in outcomes else unknown


def compare(file, options):
    """(passed on XLA:CPU, of these passed on Stead) of one file."""
    names = choose(file.names(), options.every, options.match)

    def run_on_xla(wanted):
        known = file.outcomes("xla_cpu")
        file.run("xla_cpu", [name for name in wanted if name not in known])
        return file.outcomes("xla_cpu")

    theirs = file.outcomes("xla_cpu") if options.quick else run_on_xla(names)
    candidates = [name for name in names if passed(theirs, name, unknown=True)]
    before = file.outcomes("stead") if options.again else {}
    file.run("stead", [name for name in candidates if not passed(before, name)])
    ours = file.outcomes("stead")
    theirs = run_on_xla([name for name in candidates if not passed(ours, name)])
    counted = [name for name in candidates if passed(theirs, name, unknown=True)]
    failing = [name for name in counted if not passed(ours, name)]
    for name in failing:
        print(f"{file.path.stem} {name}: {ours[name]['outcome']}: {ours[name]['message']}")
    passing = len(counted) - len(failing)
    print(f"{file.path.stem}: {passing} of {len(counted)} that pass on XLA:CPU, of {len(names)}", flush=True)
    return len(counted), passing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="for example lax_test; default: those in files.txt")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one test in N, chosen by their names")
    parser.add_argument("--match", default="", metavar="TEXT", help="only tests whose name (Class.method) contains it")
    parser.add_argument("--again", action="store_true", help="on Stead only what did not pass in the last run")
    parser.add_argument("--quick", action="store_true", help="on XLA:CPU only what does not pass on Stead; the rest is taken to pass")
    parser.add_argument("--x64", action="store_true", help="with 64-bit types on")
    parser.add_argument("--keep", type=pathlib.Path, default=KEPT_OUTCOMES, metavar="FOLDER", help="where outcomes are kept")
    options = parser.parse_args()
    folder = os.environ.get("STEAD_JAX_TESTS")
    if not folder:
        print("jax: skipped: STEAD_JAX_TESTS names no folder with JAX's test files")
        return 0
    options.keep.mkdir(parents=True, exist_ok=True)
    files = options.files or (HERE / "files.txt").read_text().split()
    counts = [compare(File(pathlib.Path(folder).resolve() / f"{file}.py", options), options) for file in files]
    counted, passing = (sum(column) for column in zip(*counts, strict=True))
    share = 100 * passing / counted if counted else 0
    print(f"jax: {passing} of {counted} tests that pass on XLA:CPU pass on Stead, {share:.2f} %")
    return 0 if passing == counted else 1


if __name__ == "__main__":
    sys.exit(main())
