"""Writes the C++ declarations of the PJRT C API from the layouts that the package `pypjrt` carries.

Input:  the pinned module `pypjrt._abi.pjrt_0_114` (ctypes structs, enums, slot numbers, checked there against libclang).
Output: OUT/pjrt_abi.h          structs, enums and the typed function table, every offset under a static_assert
        OUT/pjrt_functions.def  one line FUNCTION(name) per slot, in slot order
`pypjrt` types every pointer as `void*`; the tables below give the pointers that the plugin uses their C types back.
Usage: generate_pjrt_abi.py OUT
"""

import ctypes
import importlib
import inspect
import pathlib
import re
import sys

ABI_MODULE = "pypjrt._abi.pjrt_0_114"

# The two functions that cannot fail, because they are what one calls after a failure.
VOID_FUNCTIONS = {"PJRT_Error_Destroy", "PJRT_Error_Message"}

# Handles: a plugin defines what they point to.
OPAQUE = [
    "Error", "Event", "Client", "Device", "DeviceDescription", "Memory", "Executable", "LoadedExecutable", "Buffer",
    "TopologyDescription", "ExecuteContext", "SerializedExecutable", "SerializedTopology", "SerializedDeviceAssignment",
    "SerializedCompileOptions", "DeviceAttributes", "CopyToDeviceStream", "Layouts_MemoryLayout", "Layouts_SerializedLayout",
]  # fmt: skip

# C type of a pointer or enum field, by its name alone.
FIELD_TYPES = {
    "extension_start": "PJRT_Extension_Base*",
    "next": "PJRT_Extension_Base*",
    "error": "PJRT_Error*",
    "code": "PJRT_Error_Code",
    "error_code": "PJRT_Error_Code",
    "message": "const char*",
    "error_message": "const char*",
    "event": "PJRT_Event*",
    "done_with_host_buffer": "PJRT_Event*",
    "device_complete_events": "PJRT_Event**",
    "client": "PJRT_Client*",
    "device": "PJRT_Device*",
    "dst_device": "PJRT_Device*",
    "execute_device": "PJRT_Device*",
    "addressable_device": "PJRT_Device*",
    "devices": "PJRT_Device* const*",
    "addressable_devices": "PJRT_Device* const*",
    "device_description": "PJRT_DeviceDescription*",
    "descriptions": "PJRT_DeviceDescription* const*",
    "memory": "PJRT_Memory*",
    "dst_memory": "PJRT_Memory*",
    "memories": "PJRT_Memory* const*",
    "addressable_memories": "PJRT_Memory* const*",
    "buffer": "PJRT_Buffer*",
    "dst_buffer": "PJRT_Buffer*",
    "out_buffer": "PJRT_Buffer*",
    "argument_lists": "PJRT_Buffer* const* const*",
    "output_lists": "PJRT_Buffer** const*",
    "executable": "PJRT_Executable*",
    "loaded_executable": "PJRT_LoadedExecutable*",
    "topology": "PJRT_TopologyDescription*",
    "context": "PJRT_ExecuteContext*",
    "options": "PJRT_ExecuteOptions*",
    "program": "const PJRT_Program*",
    "layout": "PJRT_Buffer_MemoryLayout*",
    "device_layout": "PJRT_Buffer_MemoryLayout*",
    "host_layout": "PJRT_Buffer_MemoryLayout*",
    "shape_layout": "PJRT_Buffer_MemoryLayout*",
    "attributes": "const PJRT_NamedValue*",
    "properties": "const PJRT_NamedValue*",
    "create_options": "const PJRT_NamedValue*",
    "element_type": "PJRT_Buffer_Type",
    "shape_element_type": "PJRT_Buffer_Type",
    "output_types": "PJRT_Buffer_Type*",
    "host_buffer_semantics": "PJRT_HostBufferSemantics",
    "dims": "const int64_t*",
    "shape_dims": "const int64_t*",
    "unpadded_dims": "const int64_t*",
    "byte_strides": "const int64_t*",
    "minor_to_major": "const int64_t*",
    "tile_dims": "const int64_t*",
    "tile_dim_sizes": "const size_t*",
    "dim_sizes": "const size_t*",
    "dynamic_dim_indices": "const size_t*",
    "non_donatable_input_indices": "const int64_t*",
    "addressable_device_logical_ids": "PJRT_LogicalDeviceIds*",
    "default_assignment": "int*",
    "data": "const void*",
    "name": "const char*",
    "string_value": "const char*",
    "int64_array_value": "const int64_t*",
    "platform_name": "const char*",
    "platform_version": "const char*",
    "device_kind": "const char*",
    "debug_string": "const char*",
    "to_string": "const char*",
    "kind": "const char*",
    "memory_kinds": "const char* const*",
    "memory_kind_sizes": "const size_t*",
    "shardings": "const char* const*",
    "sharding_sizes": "const size_t*",
    "executable_name": "const char*",
    "executable_fingerprint": "const char*",
    "compile_options": "const char*",
    "serialized_bytes": "const char*",
    "format": "const char*",
    "topology_name": "const char*",
    "user_arg": "void*",
    "visitor": "PJRT_Error_PayloadVisitor",
    "serialized_device_assignment": "PJRT_SerializedDeviceAssignment*",
    "serialized_device_assignment_deleter": "PJRT_SerializedDeviceAssignment_Deleter",
    "serialized_compile_options": "PJRT_SerializedCompileOptions*",
    "serialized_compile_options_deleter": "PJRT_SerializedCompileOptions_Deleter",
    "serialized_topology": "PJRT_SerializedTopology*",
    "serialized_topology_deleter": "PJRT_SerializedTopology_Deleter",
    "device_attributes": "PJRT_DeviceAttributes*",
    "attributes_deleter": "PJRT_DeviceAttributes_Deleter",
    "on_delete_callback": "PJRT_OnDeleteCallback",
    "layouts": "PJRT_Layouts_MemoryLayout* const*",
    "serialized_layout": "PJRT_Layouts_SerializedLayout*",
    "serialized_layout_deleter": "PJRT_Layouts_SerializedLayout_Deleter",
}

# Exceptions to FIELD_TYPES: the same name means something else in these structs.
STRUCT_FIELD_TYPES = {
    ("PJRT_Event_OnReady_Args", "callback"): "PJRT_Event_OnReadyCallback",
    ("PJRT_Client_BufferFromHostBuffer_Args", "type"): "PJRT_Buffer_Type",
    ("PJRT_Buffer_ElementType_Args", "type"): "PJRT_Buffer_Type",
    ("PJRT_Buffer_MemoryLayout", "type"): "PJRT_Buffer_MemoryLayout_Type",
    ("PJRT_NamedValue", "type"): "PJRT_NamedValue_Type",
    ("PJRT_Program", "code"): "char*",
    ("PJRT_Chunk", "data"): "void*",
    ("PJRT_Client_Compile_Args", "executable"): "PJRT_LoadedExecutable*",
    ("PJRT_Buffer_ToHostBuffer_Args", "src"): "PJRT_Buffer*",
    ("PJRT_Executable_OptimizedProgram_Args", "program"): "PJRT_Program*",
    ("PJRT_Buffer_GetMemoryLayout_Args", "layout"): "PJRT_Buffer_MemoryLayout",
    ("PJRT_Error_FunctionTable", "message"): "void*",
    ("PJRT_Extension_Base", "type"): "PJRT_Extension_Type",
    ("PJRT_FFI_UserData", "data"): "void*",
    ("PJRT_FFI_Type_Info", "deleter"): "PJRT_FFI_TypeDeleter",
    ("PJRT_FFI_Type_Register_Args", "type_name"): "const char*",
    ("PJRT_FFI_Type_Register_Args", "type_info"): "PJRT_FFI_Type_Info*",
    ("PJRT_FFI_Register_Handler_Args", "target_name"): "const char*",
    ("PJRT_Layouts_MemoryLayout_Destroy_Args", "layout"): "PJRT_Layouts_MemoryLayout*",
    ("PJRT_Layouts_MemoryLayout_Serialize_Args", "layout"): "PJRT_Layouts_MemoryLayout*",
    ("PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args", "layout"): "PJRT_Layouts_MemoryLayout*",
    ("PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args", "layout"): "PJRT_Layouts_MemoryLayout*",
    ("PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args", "layout"): "PJRT_Layouts_MemoryLayout*",
}

LAYOUT_FUNCTIONS = [
    "PJRT_Layouts_MemoryLayout_Destroy", "PJRT_Layouts_MemoryLayout_Serialize", "PJRT_Layouts_PJRT_Client_GetDefaultLayout",
    "PJRT_Layouts_PJRT_Buffer_MemoryLayout", "PJRT_Layouts_PJRT_Topology_GetDefaultLayout",
    "PJRT_Layouts_PJRT_Executable_GetOutputLayouts", "PJRT_Layouts_PJRT_Executable_GetParameterLayouts",
]  # fmt: skip

# The functions of the extensions that the plugin offers, and the structs of their arguments.
EXTENSION_FUNCTIONS = {
    "PJRT_Shardings_PJRT_Executable_ParameterShardings": "PJRT_Shardings_PJRT_Executable_ParameterShardings_Args",
    "PJRT_Shardings_PJRT_Executable_OutputShardings": "PJRT_Shardings_PJRT_Executable_OutputShardings_Args",
    "type_register": "PJRT_FFI_Type_Register_Args",
    "user_data_add": "PJRT_FFI_UserData_Add_Args",
    "register_handler": "PJRT_FFI_Register_Handler_Args",
} | {function: f"{function}_Args" for function in LAYOUT_FUNCTIONS}

ENUMS = [
    "PJRT_Error_Code", "PJRT_Buffer_Type", "PJRT_HostBufferSemantics", "PJRT_Buffer_MemoryLayout_Type", "PJRT_NamedValue_Type",
    "PJRT_Extension_Type",
]  # fmt: skip

# Structs that no function takes by itself, but that arguments point to.
POINTED_TO = [
    "PJRT_ExecuteOptions", "PJRT_Program", "PJRT_NamedValue", "PJRT_Buffer_MemoryLayout", "PJRT_Error_FunctionTable",
    "PJRT_Shardings_PJRT_Executable_ParameterShardings_Args", "PJRT_Shardings_PJRT_Executable_OutputShardings_Args",
    "PJRT_Shardings_Extension", "PJRT_FFI_Type_Info", "PJRT_FFI_Type_Register_Args", "PJRT_FFI_UserData_Add_Args",
    "PJRT_FFI_Register_Handler_Args", "PJRT_FFI_Extension",
    *(f"{function}_Args" for function in LAYOUT_FUNCTIONS), "PJRT_Layouts_Extension",
]  # fmt: skip

SCALARS = {
    ctypes.c_void_p: "void*",
    ctypes.c_ulong: "size_t",
    ctypes.c_long: "int64_t",
    ctypes.c_int: "int32_t",
    ctypes.c_uint: "uint32_t",
    ctypes.c_bool: "bool",
    ctypes.c_float: "float",
}

PRELUDE = """\
// Generated by scripts/generate_pjrt_abi.py from {module} (PJRT {major}.{minor}). Do not edit.
#pragma once

#include <cstddef>
#include <cstdint>

{opaque}
// Ids of an addressable device in the device assignment.
struct PJRT_LogicalDeviceIds {{
  int replica;
  int partition;
}};

// Function types that the layouts do not carry.
using PJRT_Event_OnReadyCallback = void (*)(PJRT_Error* error, void* user_arg);
using PJRT_OnDeleteCallback = void (*)(void* device_buffer_ptr, void* user_arg);
using PJRT_Error_PayloadVisitor = void (*)(const char* key, size_t key_size, const char* value, size_t value_size, void* user_arg);
using PJRT_SerializedDeviceAssignment_Deleter = void (*)(PJRT_SerializedDeviceAssignment*);
using PJRT_SerializedCompileOptions_Deleter = void (*)(PJRT_SerializedCompileOptions*);
using PJRT_SerializedTopology_Deleter = void (*)(PJRT_SerializedTopology*);
using PJRT_DeviceAttributes_Deleter = void (*)(PJRT_DeviceAttributes*);
using PJRT_Layouts_SerializedLayout_Deleter = void (*)(PJRT_Layouts_SerializedLayout*);
using PJRT_FFI_TypeDeleter = void (*)(void* object);

"""


def args_struct(function):
    return f"{function}_Args"


class HeaderWriter:
    """Emits each struct once, the structs it contains first."""

    def __init__(self, abi):
        self.abi = abi
        self.lines = []
        self.done = set()

    def emit_enum(self, name):
        source = inspect.getsource(self.abi)
        body = re.search(rf"^# enum {name}\n((?:\w+ = -?\d+\n)+)", source, re.MULTILINE).group(1)
        values = "".join(f"  {line},\n" for line in body.splitlines())
        self.lines.append(f"enum {name} : uint32_t {{\n{values}}};\n")

    def field_type(self, struct, field, ctype):
        if inspect.isclass(ctype) and issubclass(ctype, ctypes.Structure):
            return ctype.__name__
        special = STRUCT_FIELD_TYPES.get((struct, field))
        if special:
            return special
        if "LoadedExecutable_" in struct and field == "executable" and "GetExecutable" not in struct:
            return "PJRT_LoadedExecutable*"
        named = FIELD_TYPES.get(field)
        scalar = SCALARS[ctype]
        same_kind = scalar == ("uint32_t" if named in ENUMS else "void*")
        return named if named and same_kind else scalar

    def emit_fields(self, struct, cls, indent):
        for field, ctype in cls._fields_:
            if inspect.isclass(ctype) and issubclass(ctype, ctypes.Union):
                self.lines.append(f"{indent}union {{\n")
                self.emit_fields(struct, ctype, indent + "  ")
                self.lines.append(f"{indent}}};\n")
            elif field in EXTENSION_FUNCTIONS:
                self.lines.append(f"{indent}PJRT_Error* (*{field})({EXTENSION_FUNCTIONS[field]}*);\n")
            else:
                self.lines.append(f"{indent}{self.field_type(struct, field, ctype)} {field};\n")

    def emit_contained(self, cls):
        for _, ctype in cls._fields_:
            if inspect.isclass(ctype) and issubclass(ctype, ctypes.Union):
                self.emit_contained(ctype)
            elif inspect.isclass(ctype) and issubclass(ctype, ctypes.Structure):
                self.emit_struct(ctype.__name__)

    def emit_struct(self, name):
        if name in self.done:
            return
        self.done.add(name)
        cls = getattr(self.abi, name)
        self.emit_contained(cls)
        self.lines.append(f"struct {name} {{\n")
        self.emit_fields(name, cls, "  ")
        self.lines.append("};\n")
        self.emit_checks(name, cls)

    def emit_checks(self, name, cls):
        self.lines.append(f"static_assert(sizeof({name}) == {ctypes.sizeof(cls)});\n")
        for field, _ in cls._fields_:
            if not field.startswith("_"):
                self.lines.append(f"static_assert(offsetof({name}, {field}) == {getattr(cls, field).offset});\n")
        size = getattr(self.abi, f"{name}_STRUCT_SIZE", ctypes.sizeof(cls))
        self.lines.append(f"constexpr size_t PjrtStructSize(const {name}*) {{ return {size}; }}\n\n")

    def emit_api(self):
        slots = sorted(self.abi.SLOT, key=self.abi.SLOT.get)
        self.emit_struct("PJRT_Api_Version")
        self.lines.append("struct PJRT_Api {\n  size_t struct_size;\n  PJRT_Extension_Base* extension_start;\n")
        self.lines.append("  PJRT_Api_Version pjrt_api_version;\n")
        for function in slots:
            result = "void" if function in VOID_FUNCTIONS else "PJRT_Error*"
            self.lines.append(f"  {result} (*{function})({args_struct(function)}*);\n")
        self.lines.append("};\n")
        self.emit_checks("PJRT_Api", self.abi.PJRT_Api)
        return slots


def main():
    out = pathlib.Path(sys.argv[1])
    abi = importlib.import_module(ABI_MODULE)
    writer = HeaderWriter(abi)
    for enum in ENUMS:
        writer.emit_enum(enum)
    for function in abi.SLOT:
        writer.emit_struct(args_struct(function))
    for struct in POINTED_TO:
        writer.emit_struct(struct)
    slots = writer.emit_api()
    declared = OPAQUE + ["ExecuteOptions", "Program", "Buffer_MemoryLayout", "NamedValue", "Extension_Base"]
    prelude = PRELUDE.format(
        module=ABI_MODULE,
        major=abi.PJRT_API_MAJOR,
        minor=abi.PJRT_API_MINOR,
        opaque="".join(f"struct PJRT_{name};\n" for name in declared),
    )
    out.mkdir(parents=True, exist_ok=True)
    (out / "pjrt_abi.h").write_text(prelude + "".join(writer.lines))
    (out / "pjrt_functions.def").write_text("".join(f"FUNCTION({name})\n" for name in slots))


if __name__ == "__main__":
    main()
