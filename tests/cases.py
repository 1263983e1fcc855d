"""Runs public reports about copies, written as JAX programs, on Stead and counts the checks that pass.

Input: a folder of scripts `NN_name.py`, each of which prints one line per check,

    12 vmap while: copies=0 (loop=0) temp=136 ... -> PASS

The folder is `../shared/cases` beside the repository, or what STEAD_CASES names; where it is missing the run is skipped, which
is said and is no failure. Output: the lines of the checks that fail, of the scripts that stop, then `cases: N passed, N failed`.
`--table FILE` also writes the table of all checks with what XLA:CPU answered (`xla_cpu_*.txt` in the same folder).
"""

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
PLUGIN = REPOSITORY / "python" / "stead" / "lib" / "pjrt_stead.so"
SCRIPT_SECONDS = 300

CHECK = re.compile(r"^(?P<name>\d\d [^:]*): copies=(?P<copies>\S+)(?: \(loop=(?P<loop>\d+)\))? .*-> (?P<verdict>PASS|FAIL)")
BOTH_BACKENDS = {"JAX_PLATFORMS": "stead,cpu"}
# The one script that asks for `jax.devices("cpu")` by name, which is jaxlib's own backend when both are there.
ONLY_STEAD = {"JAX_PLATFORMS": "cpu", "PJRT_NAMES_AND_LIBRARY_PATHS": f"cpu:{PLUGIN}"}
ENVIRONMENTS = {"14_device_put_aliases_numpy.py": ONLY_STEAD}
XLA_COLUMNS = {"XLA:CPU": "xla_cpu_default.txt", "XLA:CPU, region analysis": "xla_cpu_region_analysis.txt"}


@dataclasses.dataclass
class Check:
    """One line that a script printed."""

    name: str
    copies: str
    passed: bool
    line: str


def checks_in(text):
    found = (CHECK.match(line) for line in text.splitlines())
    return [Check(match["name"], match["copies"], match["verdict"] == "PASS", match.string) for match in found if match]


def run_script(script):
    """The checks of one script, and the last line it printed if it stopped with an error."""
    environment = {**os.environ, **ENVIRONMENTS.get(script.name, BOTH_BACKENDS)}
    try:
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, timeout=SCRIPT_SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return [], f"no end within {SCRIPT_SECONDS} s"
    last = (done.stderr.strip() or "no output").splitlines()[-1]
    return checks_in(done.stdout), "" if done.returncode == 0 else f"exit status {done.returncode}: {last}"


def cell(check):
    if check is None:
        return "no answer"
    copies = "" if check.copies == "n/a" else f", {check.copies} cop{'y' if check.copies == '1' else 'ies'}"
    return f"{'pass' if check.passed else 'FAIL'}{copies}"


def table(folder, checks):
    """The table as Markdown: a line per check, a column per compiler, and the counts of those that pass."""
    columns = {"Stead": checks}
    columns |= {title: checks_in((folder / name).read_text()) for title, name in XLA_COLUMNS.items()}
    by_name = {title: {check.name: check for check in column} for title, column in columns.items()}
    lines = ["| check | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]
    # The names in the order of the scripts; XLA's lists hold all of them, also those of a script that stops here.
    names = sorted({check.name: None for column in columns.values() for check in column}, key=lambda name: name[:2])
    lines += [f"| {name} | " + " | ".join(cell(found.get(name)) for found in by_name.values()) + " |" for name in names]
    totals = [f"{sum(check.passed for check in column)} of {len(names)}" for column in columns.values()]
    return "\n".join([*lines, "| **pass** | " + " | ".join(totals) + " |"]) + "\n"


def write_table(path, folder, checks):
    """Replaces the table at the end of a page, after its last line of prose."""
    kept = [line for line in path.read_text().splitlines() if not line.startswith("|")]
    path.write_text("\n".join(kept).rstrip() + "\n\n" + table(folder, checks))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="numbers of scripts, for example 01 12; all by default")
    parser.add_argument("--table", type=pathlib.Path, metavar="FILE", help="rewrite the table of this page")
    options = parser.parse_args()
    folder = pathlib.Path(os.environ.get("STEAD_CASES", REPOSITORY.parent / "shared" / "cases"))
    scripts = sorted(folder.glob("[0-9][0-9]_*.py"))
    scripts = [script for script in scripts if not options.names or script.name[:2] in options.names]
    if not scripts:
        print("cases: skipped, no scripts found (STEAD_CASES names their folder)")
        return 0

    # One after the other: some measure time.
    results = [run_script(script) for script in scripts]
    checks = [check for found, _ in results for check in found]
    failed = [check for check in checks if not check.passed]
    stopped = [f"{script.name}: {error}" for script, (_, error) in zip(scripts, results, strict=True) if error]
    for line in [check.line for check in failed] + stopped:
        print(line)
    if options.table:
        write_table(options.table, folder, checks)
    print(f"cases: {len(checks) - len(failed)} passed, {len(failed) + len(stopped)} failed")
    return 1 if failed or stopped else 0


if __name__ == "__main__":
    sys.exit(main())
