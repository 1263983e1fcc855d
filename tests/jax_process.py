"""Runs small JAX programs in processes of their own: which backends exist is decided once per process."""

import os
import subprocess
import sys

# What the test's own environment says about backends must not reach the program.
_DECIDING = ("JAX_PLATFORMS", "JAX_PLATFORM_NAME", "PJRT_NAMES_AND_LIBRARY_PATHS", "XLA_FLAGS")


def run_jax(program, **environment):
    """Runs the text of a program and returns (exit status, standard output, standard error)."""
    inherited = {name: value for name, value in os.environ.items() if name not in _DECIDING}
    done = subprocess.run(
        [sys.executable, "-c", program], env=inherited | environment, capture_output=True, text=True, timeout=600, check=False
    )
    return done.returncode, done.stdout, done.stderr


def output_of(program, **environment):
    """The standard output of a program that must succeed."""
    status, output, errors = run_jax(program, **environment)
    assert status == 0, errors
    return output.strip()
