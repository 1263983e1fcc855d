"""Python callbacks (`jax.pure_callback`, `io_callback`, `jax.debug`) as a handler of custom calls, written in Python.

JAX lowers a callback to a custom call that names it by number, and hands the list of callables to each run. jaxlib has a
handler for its own CPU backend only; this one reads the call frame of the XLA FFI with ctypes (`xla/ffi/api/c_api.h`, 0.3)
and works with any runtime that speaks that interface.
"""

import ctypes
import traceback

import ml_dtypes
import numpy as np

TARGETS = ("xla_ffi_python_cpu_callback", "xla_ffi_partitioned_python_cpu_callback")

# The type under which jaxlib adds the callables to a run: xla::FfiLoadedHostCallbacks.
_CALLABLES_TYPE_ID = 7357244197867843242

_STATUS_INTERNAL = 13
_TOKEN = 17
# XLA_FFI_DataType, numbered as xla_data.proto does.
_DTYPES = {
    1: np.bool_,
    2: np.int8,
    3: np.int16,
    4: np.int32,
    5: np.int64,
    6: np.uint8,
    7: np.uint16,
    8: np.uint32,
    9: np.uint64,
    10: np.float16,
    11: np.float32,
    12: np.float64,
    15: np.complex64,
    16: ml_dtypes.bfloat16,
    18: np.complex128,
    19: ml_dtypes.float8_e5m2,
    20: ml_dtypes.float8_e4m3fn,
    21: ml_dtypes.int4,
    22: ml_dtypes.uint4,
    23: ml_dtypes.float8_e4m3b11fnuz,
    24: ml_dtypes.float8_e5m2fnuz,
    25: ml_dtypes.float8_e4m3fnuz,
    26: ml_dtypes.int2,
    27: ml_dtypes.uint2,
    28: ml_dtypes.float8_e4m3,
    29: ml_dtypes.float8_e3m4,
    32: ml_dtypes.float4_e2m1fn,
    33: ml_dtypes.float8_e8m0fnu,
}


class _ApiVersion(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("major_version", ctypes.c_int),
        ("minor_version", ctypes.c_int),
    ]


class _Metadata(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("api_version", _ApiVersion)]


class _MetadataExtension(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(_Metadata)),
    ]


class _ErrorCreateArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    ]


class _ContextGetArgs(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("type_id", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    ]


class _Api(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("api_version", _ApiVersion),
        ("internal_api", ctypes.c_void_p),
        ("error_create", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_ErrorCreateArgs))),
        ("error_get_message", ctypes.c_void_p),
        ("error_destroy", ctypes.c_void_p),
        ("handler_register", ctypes.c_void_p),
        ("stream_get", ctypes.c_void_p),
        ("type_register", ctypes.c_void_p),
        ("context_get", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_ContextGetArgs))),
    ]


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("dtype", ctypes.c_int),
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_int64),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
    ]


class _Buffers(ctypes.Structure):
    """XLA_FFI_Args and XLA_FFI_Rets."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("buffers", ctypes.POINTER(ctypes.POINTER(_Buffer))),
    ]


class _Scalar(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("value", ctypes.POINTER(ctypes.c_uint64))]


class _Attributes(ctypes.Structure):
    """Only one is there: the scalar `index`."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("size", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("values", ctypes.POINTER(ctypes.POINTER(_Scalar))),
    ]


class _CallFrame(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(_MetadataExtension)),
        ("api", ctypes.POINTER(_Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("operands", _Buffers),
        ("results", _Buffers),
        ("attributes", _Attributes),
    ]


class _Callables(ctypes.Structure):
    _fields_ = [("functions", ctypes.POINTER(ctypes.py_object)), ("count", ctypes.c_uint32)]


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_CallFrame))
def handler(frame):
    """The handler for TARGETS. An exception of the callback becomes the error of the run, with its traceback."""
    frame = frame.contents
    if frame.extension_start:
        version = frame.extension_start.contents.metadata.contents.api_version
        version.major_version, version.minor_version = 0, 3
        return None
    api = frame.api.contents
    try:
        callables = _Callables.from_address(_user_data(api, frame.context, _CALLABLES_TYPE_ID))
        index = frame.attributes.values[0].contents.value[0]
        results = callables.functions[index](*[_array(buffer) for buffer in _each(frame.operands)])
        for buffer, result in zip(_each(frame.results), results, strict=True):
            if buffer.dtype != _TOKEN:
                np.copyto(_view(buffer), result)
    except BaseException:  # also KeyboardInterrupt: no exception may cross into C
        message = f"Python callback failed: {traceback.format_exc()}".encode()
        arguments = _ErrorCreateArgs(ctypes.sizeof(_ErrorCreateArgs), None, message, _STATUS_INTERNAL)
        return api.error_create(arguments)
    return None


def _user_data(api, context, type_id):
    arguments = _ContextGetArgs(ctypes.sizeof(_ContextGetArgs), None, context, ctypes.pointer(ctypes.c_int64(type_id)), None)
    if api.context_get(arguments):
        raise RuntimeError("the caller of the program gave no callables to it")
    return arguments.data


def _each(buffers):
    return [buffers.buffers[number].contents for number in range(buffers.size)]


def _view(buffer):
    """The buffer's memory as an array."""
    dtype = np.dtype(_DTYPES[buffer.dtype])
    shape = buffer.dims[: buffer.rank]
    byte_count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if byte_count == 0:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_byte * byte_count).from_address(buffer.data), dtype).reshape(shape)


def _array(buffer):
    """An operand for the callback: a copy, because the memory is used again after the call; None for a token."""
    if buffer.dtype == _TOKEN:
        return None
    array = _view(buffer).copy()
    array.flags.writeable = False
    return array
