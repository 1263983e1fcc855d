"""The PJRT door as torch_xla uses it, without torch: programs of format `hlo`, buffers from NumPy arrays and back."""

import ctypes

import numpy as np
import pypjrt
from pypjrt.client import Executable

import stead

# PJRT_Buffer_Type by the name of the NumPy type. bfloat16 is what ml_dtypes calls it.
_BUFFER_TYPES = {
    name: getattr(pypjrt.Plugin(stead.library_path()).abi, f"PJRT_Buffer_Type_{spelled}")
    for name, spelled in {
        "bool": "PRED",
        **{f"{kind}{bits}": f"{letter}{bits}" for kind, letter in (("int", "S"), ("uint", "U")) for bits in (8, 16, 32, 64)},
        **{"float16": "F16", "bfloat16": "BF16", "float32": "F32", "float64": "F64", "complex64": "C64", "complex128": "C128"},
    }.items()
}


def new_client():
    return pypjrt.Client(pypjrt.Plugin(stead.library_path()))


def address_of(data):
    """The address of the bytes, and what must be kept alive meanwhile."""
    kept = ctypes.create_string_buffer(data, len(data))
    return ctypes.addressof(kept), kept


def compile_hlo(client, module, options=b""):
    """A serialised HloModuleProto, with a serialised CompileOptionsProto, as an executable."""
    plugin = client._plugin
    code, _keep_code = address_of(module)
    form, _keep_form = address_of(b"hlo")
    wishes, _keep_wishes = address_of(options)
    program = plugin.args("PJRT_Program", code=code, code_size=len(module), format=form, format_size=3)
    arguments = plugin.args(
        "PJRT_Client_Compile_Args",
        client=client.address,
        program=ctypes.addressof(program),
        compile_options=wishes,
        compile_options_size=len(options),
    )
    plugin.call("PJRT_Client_Compile", arguments)
    return Executable(plugin, arguments.executable, client)


def to_device(client, array):
    array = np.asarray(array, order="C")
    # An array of no elements has no bytes, and the helper wants at least one.
    data = bytearray(array.tobytes() or b"\0")
    with client.device() as device:
        return client.buffer_from_host(data, _BUFFER_TYPES[array.dtype.name], array.shape, device)


def to_host(buffer):
    name = next(name for name, kind in _BUFFER_TYPES.items() if kind == buffer.element_type)
    data = buffer.to_host() if buffer.nbytes else b""
    return np.frombuffer(data, np.dtype(name)).reshape(buffer.dimensions)
