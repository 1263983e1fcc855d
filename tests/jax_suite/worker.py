"""Runs the tests of one of JAX's own test files, each when asked for, on the backends that JAX_PLATFORMS names.

Arguments: the file. Input: the name of one test (`Class.method`) per line, as a JSON string, for names may hold anything. Output: per line a JSON object {outcome, message},
where the outcome is `passed`, `skipped` or `failed`, and the message the first lines of the error.

`--names` prints the names of all tests of the file instead, one JSON string per line.
"""

import importlib.util
import json
import os
import pathlib
import sys
import unittest

LONGEST_MESSAGE = 300


class Outcome(unittest.TestResult):
    """What became of one test: the first thing that went wrong decides."""

    def __init__(self):
        super().__init__()
        self.outcome = "passed"
        self.message = ""

    def _decide(self, outcome, message):
        if self.outcome != "failed":
            self.outcome, self.message = outcome, message

    def addError(self, test, err):
        self._decide("failed", first_lines(err[1]))

    def addFailure(self, test, err):
        self._decide("failed", first_lines(err[1]))

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._decide("failed", first_lines(err[1]))

    def addSkip(self, test, reason):
        self._decide("skipped", reason)

    def addUnexpectedSuccess(self, test):
        self._decide("failed", "it was expected to fail")


def first_lines(error):
    """The type of the error and its first lines in one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' / '.join(lines)}"[:LONGEST_MESSAGE]


def load_tests(path):
    """{name: test} of a file, in the order of JAX's own loader."""
    # Files import others that lie beside them, and find their data there.
    sys.path.insert(0, str(path.parent))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    found = {}
    pending = [unittest.defaultTestLoader.loadTestsFromModule(module)]
    while pending:
        suite = pending.pop()
        if isinstance(suite, unittest.TestSuite):
            pending.extend(suite)
        else:
            # What absl's own `id` adds, a description, is no part of the name.
            found[unittest.TestCase.id(suite).removeprefix(f"{path.stem}.")] = suite
    return dict(sorted(found.items()))


def main():
    path = pathlib.Path(sys.argv[1])
    # What tests and libraries print must not get into the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    only_names = sys.argv[2:] == ["--names"]
    # The flags of JAX and absl are read from the arguments when the file is loaded; the file's name is none of them.
    del sys.argv[1:]
    tests = load_tests(path)
    if only_names:
        print("\n".join(map(json.dumps, tests)), file=answers)
        return
    # JAX finds plugins when it first looks for a backend; tests that swap its table of backends meanwhile would lose them.
    from jax._src import xla_bridge

    xla_bridge._discover_and_register_pjrt_plugins()
    for line in sys.stdin:
        result = Outcome()
        tests[json.loads(line)].run(result)
        print(json.dumps({"outcome": result.outcome, "message": result.message}), file=answers)


if __name__ == "__main__":
    main()
