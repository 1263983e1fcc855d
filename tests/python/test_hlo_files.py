"""HLO text that others wrote: every .hlo file below the folder STEAD_HLO_FILES, such as a checkout of XLA's repository.

What jaxlib reads, we read, and what we print of it jaxlib reads as the same module. A file that jaxlib refuses is skipped, with its
message. Programs that are MLIR assembly in spite of their names must only be read. No such file is kept in this repository.
"""

import os
import pathlib

import pytest
import stead_tool
from hlo_text import print_options, structure

FOLDER = os.environ.get("STEAD_HLO_FILES")
FILES = sorted(pathlib.Path(FOLDER).rglob("*.hlo")) if FOLDER else []


@pytest.mark.skipif(not FOLDER, reason="STEAD_HLO_FILES is not set: it names a folder with .hlo files")
def test_the_folder_has_files():
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_jaxlib_reads_back_the_same_module(path):
    # XLA prints the negative zero in this way, and then takes it for the integer.
    text = path.read_text(errors="replace").replace("constant(-0)", "constant(-0.0)")
    try:
        expected = structure(text, print_options(text))
    except Exception as error:  # noqa: BLE001 jaxlib's parser has no error type of its own
        pytest.skip(f"jaxlib refuses it too: {str(error).splitlines()[0]}")
    assert structure(stead_tool.output("convert", path), print_options(text)) == expected
