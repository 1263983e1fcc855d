"""Runs the command line tool `stead` in tests."""

import json
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = REPOSITORY / "tests" / "data" / "programs"
STEAD = pathlib.Path(sys.executable).parent / "stead"


def run(*arguments, text=None, timeout=120):
    """The finished process; `text` goes to standard input."""
    command = [str(STEAD), *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout, check=False)


def output(*arguments, text=None):
    """Standard output of a command that must succeed."""
    process = run(*arguments, text=text)
    assert process.returncode == 0, process.stderr
    return process.stdout


def explain(name, *arguments):
    """The JSON report on one of the stored programs."""
    return json.loads(output("explain", PROGRAMS / name, "--format=json", *arguments))


def remarks(report, scope):
    return [remark for remark in report["remarks"] if remark["scope"] == scope]
