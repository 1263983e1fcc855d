"""Handlers of custom calls as a user has them: ffi_handlers.cpp, compiled and registered once per process."""

import ctypes
import functools
import pathlib
import subprocess
import tempfile

import jax


@functools.cache
def user_handlers():
    """The library of handlers, registered after the backends exist."""
    source = pathlib.Path(__file__).parent / "ffi_handlers.cpp"
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/handlers.so"
        subprocess.run(["g++", "-std=c++17", "-w", "-shared", "-fPIC", f"-I{jax.ffi.include_dir()}", source, "-o", library], check=True)
        handlers = ctypes.CDLL(library)
    call_count_type = {}
    for part in ("type_id", "type_info"):
        function = handlers[f"CallCount_{part}"]
        function.restype = ctypes.c_void_p
        call_count_type[part] = jax.ffi.pycapsule(ctypes.c_void_p(function()))
    jax.ffi.register_ffi_type("CallCount", call_count_type)
    jax.ffi.register_ffi_target("weighted_sum", jax.ffi.pycapsule(handlers.WeightedSum))
    jax.ffi.register_ffi_target("my_ffi_target", jax.ffi.pycapsule(handlers.ScaleInPlace))
    stages = {"instantiate": jax.ffi.pycapsule(handlers.NewCount), "execute": jax.ffi.pycapsule(handlers.CountCalls)}
    jax.ffi.register_ffi_target("count_calls", stages)
    return handlers
