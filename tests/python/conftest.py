"""Lets the tests import the helpers that lie beside them: tests/golden.py and the scripts of ./dev."""

import os
import pathlib
import sys

import jax
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "scripts")]

# Both backends in one process, for tests that compare them; tests of discovery start processes of their own.
os.environ["JAX_PLATFORMS"] = "stead,cpu"


@pytest.fixture(scope="session")
def stead_device():
    return jax.devices("stead")[0]


@pytest.fixture(scope="session")
def cpu_device():
    return jax.devices("cpu")[0]
