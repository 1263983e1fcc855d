"""Lets the tests import the helpers that lie beside them: tests/golden.py and the scripts of ./dev."""

import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(REPOSITORY / "tests"), str(REPOSITORY / "scripts")]
