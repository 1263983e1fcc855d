"""Stead: an in-place-first HLO compiler and CPU runtime.

JAX finds the plugin by itself once this package is installed:

    JAX_PLATFORMS=stead,cpu python program.py

`library_path()` names the PJRT plugin for other frameworks, and for the road without this package:

    PJRT_NAMES_AND_LIBRARY_PATHS=cpu:/path/to/pjrt_stead.so python program.py
"""

import os
import pathlib

__all__ = ["__version__", "library_path"]

__version__ = "0.1.0"


def library_path() -> pathlib.Path:
    """Returns the path of the PJRT plugin: that of the environment variable STEAD_PLUGIN, else the one in this package.

    Raises FileNotFoundError, saying where it looked, when there is no such file.
    """
    chosen = os.environ.get("STEAD_PLUGIN")
    path = pathlib.Path(chosen) if chosen else pathlib.Path(__file__).parent / "lib" / "pjrt_stead.so"
    if not path.is_file():
        hint = "STEAD_PLUGIN names it" if chosen else "build it with ./dev build, or name another one with STEAD_PLUGIN"
        raise FileNotFoundError(f"no Stead plugin at {path} ({hint})")
    return path
