"""Hands the handlers of custom calls that JAX knows to the plugin: jaxlib's LAPACK routines and `jax.ffi` targets of users.

jaxlib keeps every registration in Python and gives each to one function per platform, the earlier ones included. `install`
puts itself there and passes everything on to both the built-in CPU backend and the plugin.
"""

import ctypes
import os

from stead import callbacks

_TYPED_FFI = 1
_BUFFER_CALLBACK = "xla_buffer_python_cpu_callback"
_ADOPT_ERROR_MAKER = "stead_adopt_error_maker"
_STAGES = ("instantiate", "prepare", "initialize", "execute")

ctypes.pythonapi.PyCapsule_GetName.restype = ctypes.c_char_p
ctypes.pythonapi.PyCapsule_GetName.argtypes = [ctypes.py_object]
ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def install(library_path: str | os.PathLike[str]) -> None:
    """From now on the plugin at `library_path` knows every handler and type that is registered for CPUs."""
    from jaxlib import xla_client

    plugin = _Plugin(library_path)

    def register_target(name, target, platform, api_version, traits):
        xla_client._xla.register_custom_call_target(name, target, platform, api_version, traits)
        # Handlers of the older, untyped interface have no call frame; programs that call them are refused by name.
        if api_version == _TYPED_FFI:
            plugin.register_handler(name, target if isinstance(target, dict) else {"execute": target})

    def register_type(name, registration):
        xla_client._xla.register_custom_type(name, registration)
        plugin.register_type(name, registration)

    # jaxlib shows its own errors to each handler that it gets.
    xla_client._xla.register_custom_call_target(_ADOPT_ERROR_MAKER, plugin.adopt_error_maker(), "cpu", _TYPED_FFI, 0)
    # Registered inside jaxlib, so it passes through no function of Python. That of the other callbacks serves the built-in
    # backend alone.
    buffer_callback = xla_client.custom_call_targets("Host").get(_BUFFER_CALLBACK)
    if buffer_callback is not None:
        plugin.register_handler(_BUFFER_CALLBACK, buffer_callback)
    for name in callbacks.TARGETS:
        plugin.register_function(name, callbacks.handler)
    xla_client.register_custom_type_handler("cpu", register_type)
    xla_client.register_custom_call_handler("cpu", register_target)


class _Plugin:
    """The functions that the plugin exports for this module."""

    def __init__(self, library_path):
        library = ctypes.CDLL(os.fspath(library_path))
        self._library = library
        self._register_handler = library.stead_register_ffi_handler
        self._register_handler.restype = ctypes.c_char_p
        self._register_handler.argtypes = [ctypes.c_char_p] + [ctypes.c_void_p] * len(_STAGES)
        self._register_type = library.stead_register_ffi_type
        self._register_type.restype = ctypes.c_char_p
        self._register_type.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]

    def adopt_error_maker(self):
        """A handler through which the plugin's errors become those of the runtime that gets it."""
        from jax import ffi

        return ffi.pycapsule(getattr(self._library, _ADOPT_ERROR_MAKER))

    def register_handler(self, name, capsule_of_stage):
        pointers = [_pointer(capsule_of_stage.get(stage)) for stage in _STAGES]
        _check(self._register_handler(_bytes(name), *pointers))

    def register_function(self, name, function):
        """`function`: of ctypes, for the stage `execute`."""
        pointers = {"execute": ctypes.cast(function, ctypes.c_void_p).value}
        _check(self._register_handler(_bytes(name), *[pointers.get(stage) for stage in _STAGES]))

    def register_type(self, name, registration):
        type_info = _pointer(registration.get("type_info"))
        deleter = _TypeInfo.from_address(type_info).deleter if type_info else None
        _check(self._register_type(_bytes(name), _pointer(registration["type_id"]), deleter))


class _TypeInfo(ctypes.Structure):
    """XLA_FFI_TypeInfo of xla/ffi/api/c_api.h."""

    _fields_ = [("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def _pointer(capsule):
    if capsule is None:
        return None
    return ctypes.pythonapi.PyCapsule_GetPointer(capsule, ctypes.pythonapi.PyCapsule_GetName(capsule))


def _bytes(name):
    return name if isinstance(name, bytes) else name.encode()


def _check(failure):
    if failure is not None:
        raise ValueError(failure.decode())
