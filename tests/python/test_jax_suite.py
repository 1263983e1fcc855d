"""The runner of JAX's own test files, on a file of tests in which everything happens that can happen."""

import json
import os
import subprocess
import sys

import pytest
from conftest import REPOSITORY

RUNNER = REPOSITORY / "tests" / "jax_suite" / "run.py"

# The platform that JAX_PLATFORMS names first stands for the backend, so that nothing need be built.
EVERYTHING = """
import os, unittest

ON_STEAD = os.environ["JAX_PLATFORMS"].startswith("stead")

class Some(unittest.TestCase):
    def test_agrees(self):
        pass
    def test_differs(self):
        with open(os.path.join(os.path.dirname(__file__), "runs.txt"), "a") as runs:
            runs.write("stead " if ON_STEAD else "xla ")
        self.assertFalse(ON_STEAD, "values differ")
    def test_dies(self):
        if ON_STEAD:
            os.abort()
    def test_fails_on_both(self):
        self.fail()
    def test_in_parts(self):
        for part in range(3):
            with self.subTest(part):
                self.assertFalse(ON_STEAD and part == 1, "part differs")
    def test_skips_on_stead(self):
        if ON_STEAD:
            self.skipTest("no such device")

# Names that parameters are part of may hold anything.
setattr(Some, "test_shape_[1\\n 2]", lambda self: None)
"""


@pytest.fixture
def run_suite(tmp_path):
    (tmp_path / "some_test.py").write_text(EVERYTHING)

    def run(*arguments):
        command = [sys.executable, str(RUNNER), "some_test", "--keep", str(tmp_path / "kept"), *arguments]
        environment = os.environ | {"STEAD_JAX_TESTS": str(tmp_path)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        return done.returncode, done.stdout.splitlines()

    return run


def test_counts_what_passes_on_xla_cpu_and_names_what_does_not_on_stead(run_suite):
    assert run_suite() == (
        1,
        [
            "some_test Some.test_dies: crashed: exit status -6",
            "some_test Some.test_differs: failed: AssertionError: True is not false : values differ",
            "some_test Some.test_in_parts: failed: AssertionError: True is not false : part differs",
            "some_test Some.test_skips_on_stead: skipped: no such device",
            "some_test: 2 of 6 that pass on XLA:CPU, of 7",
            "jax: 2 of 6 tests that pass on XLA:CPU pass on Stead, 33.33 %",
        ],
    )


def test_runs_xla_cpu_once(run_suite, tmp_path):
    run_suite("--match", "differs")
    run_suite("--match", "differs")
    assert (tmp_path / "runs.txt").read_text().split() == ["xla", "stead", "stead"]


def test_quick_asks_xla_cpu_only_about_what_does_not_pass(run_suite, tmp_path):
    _, lines = run_suite("--quick")
    assert lines[-2] == "some_test: 2 of 6 that pass on XLA:CPU, of 7"
    asked = json.loads((tmp_path / "kept" / "some_test.xla_cpu.json").read_text())
    assert "Some.test_agrees" not in asked
    assert len(asked) == 5


def test_parts_of_a_file_are_the_same_in_every_run(run_suite):
    _, first = run_suite("--every", "2")
    _, second = run_suite("--every", "2")
    assert first == second
    assert "of 7" not in first[-2]


def test_without_test_files_it_is_skipped():
    environment = {name: value for name, value in os.environ.items() if name != "STEAD_JAX_TESTS"}
    done = subprocess.run([sys.executable, str(RUNNER)], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "jax: skipped: STEAD_JAX_TESTS names no folder with JAX's test files\n")
