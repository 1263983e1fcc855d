"""What torch_xla asks of the PJRT door: programs of format `hlo` with donors and tupled parameters, its structs, its buffers."""

import ctypes

import hlo_door
import numpy as np
import pytest
from jaxlib import _hlo
from pypjrt import errors
from pypjrt.client import Buffer

# CompileOptionsProto with parameter_is_tupled_arguments.
TUPLED = b"\x10\x01"
# The structs of PJRT 0.75, with which torch_xla 2.9 is built, where later versions have longer ones.
OLDER_SIZES = {"PJRT_ExecuteOptions": 80, "PJRT_Executable_GetCompiledMemoryStats_Args": 112}


@pytest.fixture(scope="module")
def client():
    return hlo_door.new_client()


def compiled(client, text, options=b""):
    return hlo_door.compile_hlo(client, _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto(), options)


def run(client, executable, *arrays):
    return [hlo_door.to_host(result) for result in executable(*(hlo_door.to_device(client, array) for array in arrays))]


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


# XLA's builder gives a transpose the layout in which nothing would move; before layouts are assigned that means nothing.
def test_layouts_of_results_are_row_major_whatever_the_module_says(client):
    program = compiled(
        client,
        """HloModule m
        ENTRY e {
          p = f32[2,3]{1,0} parameter(0)
          t = f32[3,2]{0,1} transpose(p), dimensions={1,0}
          n = f32[3,2]{0,1} negate(t)
          ROOT r = (f32[3,2]{0,1}, f32[3,2]{0,1}) tuple(t, n)
        }""",
    )
    array = floats(2, 3)
    transposed, negated = run(client, program, array)
    np.testing.assert_array_equal(transposed, array.T)
    np.testing.assert_array_equal(negated, -array.T)


MOMENTUM = """HloModule SyncTensorsGraph, buffer_donor={ (0, {}), (2, {}) }
ENTRY e {
  p = f32[64] parameter(0)
  g = f32[64] parameter(1)
  m = f32[64] parameter(2)
  decay = f32[] constant(0.5)
  decays = f32[64] broadcast(decay), dimensions={}
  old = f32[64] multiply(m, decays)
  new_m = f32[64] add(old, g)
  new_p = f32[64] subtract(p, new_m)
  ROOT r = (f32[64], f32[64]) tuple(new_m, new_p)
}"""


def test_each_donor_is_overwritten_by_what_is_computed_from_it(client):
    program = compiled(client, MOMENTUM)
    arrays = [floats(64, seed=seed) for seed in range(3)]
    buffers = [hlo_door.to_device(client, array) for array in arrays]
    pointers = [buffer.unsafe_pointer() for buffer in buffers]
    moved, stepped = program(*buffers)
    assert [moved.unsafe_pointer(), stepped.unsafe_pointer()] == [pointers[2], pointers[0]]
    assert [buffer.is_deleted for buffer in buffers] == [True, False, True]
    np.testing.assert_array_equal(hlo_door.to_host(moved), arrays[2] / 2 + arrays[1])
    np.testing.assert_array_equal(hlo_door.to_host(stepped), arrays[0] - (arrays[2] / 2 + arrays[1]))


# Beyond 3200 parameters torch_xla wraps them in one tuple, and still hands over one buffer each.
def test_tupled_parameters_are_handed_over_one_by_one(client):
    count = 3300
    kinds = ", ".join(["f32[4]"] * count)
    program = compiled(
        client,
        f"""HloModule m, buffer_donor={{ (0, {{7}}) }}
        ENTRY e {{
          all = ({kinds}) parameter(0)
          first = f32[4] get-tuple-element(all), index=7
          last = f32[4] get-tuple-element(all), index={count - 1}
          ROOT sum = f32[4] add(first, last)
        }}""",
        TUPLED,
    )
    buffers = [hlo_door.to_device(client, np.full(4, number, np.float32)) for number in range(count)]
    pointer = buffers[7].unsafe_pointer()
    (result,) = program(*buffers)
    assert result.unsafe_pointer() == pointer
    assert [number for number, buffer in enumerate(buffers) if buffer.is_deleted] == [7]
    np.testing.assert_array_equal(hlo_door.to_host(result), np.full(4, 7 + count - 1, np.float32))


def test_dynamic_shapes_are_named(client):
    with pytest.raises(errors.Unimplemented, match="(?s)set-dimension-size.*sizes must be known when the program is compiled"):
        compiled(
            client,
            """HloModule m
            ENTRY e {
              p = f32[8] parameter(0)
              n = s32[] parameter(1)
              ROOT d = f32[<=8] set-dimension-size(p, n), dimensions={0}
            }""",
        )


@pytest.mark.parametrize("semantics", ["ImmutableOnlyDuringCall", "ImmutableUntilTransferCompletes", "ImmutableZeroCopy"])
def test_buffers_keep_what_the_host_array_held(client, semantics):
    plugin = client._plugin
    array = floats(3, 4)
    host = array.copy()
    dimensions = (ctypes.c_int64 * 2)(3, 4)
    arguments = plugin.args(
        "PJRT_Client_BufferFromHostBuffer_Args",
        client=client.address,
        data=host.ctypes.data,
        type=plugin.abi.PJRT_Buffer_Type_F32,
        dims=ctypes.addressof(dimensions),
        num_dims=2,
        host_buffer_semantics=getattr(plugin.abi, f"PJRT_HostBufferSemantics_k{semantics}"),
        device=client._addressable()[0],
    )
    plugin.call("PJRT_Client_BufferFromHostBuffer", arguments)
    done = plugin.args("PJRT_Event_IsReady_Args", event=arguments.done_with_host_buffer)
    plugin.call("PJRT_Event_IsReady", done)
    assert done.is_ready
    # The event says that the host array is the caller's again.
    host[:] = 0
    buffer = Buffer(plugin, arguments.buffer)
    assert buffer.unpadded_dimensions == (3, 4)
    assert buffer.dynamic_dimension_indices == ()
    np.testing.assert_array_equal(hlo_door.to_host(buffer), array)


def test_structs_of_older_callers_are_neither_overread_nor_overrun(client):
    plugin = client._plugin
    program = compiled(client, MOMENTUM)
    buffers = [hlo_door.to_device(client, floats(64, seed=seed)) for seed in range(3)]
    options = plugin.args("PJRT_ExecuteOptions")
    older = OLDER_SIZES["PJRT_ExecuteOptions"]
    # What lies behind an older struct is somebody else's.
    ctypes.memset(ctypes.addressof(options) + older, 0xA5, ctypes.sizeof(options) - older)
    options.struct_size = older
    handles = (ctypes.c_void_p * 3)(*(buffer.address for buffer in buffers))
    lists = (ctypes.c_void_p * 1)(ctypes.addressof(handles))
    results = (ctypes.c_void_p * 2)()
    result_lists = (ctypes.c_void_p * 1)(ctypes.addressof(results))
    arguments = plugin.args(
        "PJRT_LoadedExecutable_Execute_Args",
        executable=program.address,
        options=ctypes.addressof(options),
        argument_lists=ctypes.addressof(lists),
        num_devices=1,
        num_args=3,
        output_lists=ctypes.addressof(result_lists),
        execute_device=client._addressable()[0],
    )
    plugin.call("PJRT_LoadedExecutable_Execute", arguments)
    assert all(results)


def test_the_final_program_says_what_is_aliased(client):
    program = compiled(client, MOMENTUM)
    plugin = client._plugin
    text = plugin.args("PJRT_Program")
    arguments = plugin.args("PJRT_Executable_OptimizedProgram_Args", executable=program._executable(), program=ctypes.addressof(text))
    plugin.call("PJRT_Executable_OptimizedProgram", arguments)
    room = ctypes.create_string_buffer(text.code_size)
    text.code = ctypes.addressof(room)
    plugin.call("PJRT_Executable_OptimizedProgram", arguments)
    assert ctypes.string_at(text.format, text.format_size) == b"hlo_with_config"
    # HloModuleProtoWithConfig: field 1 is the module, of this length.
    length, position = 0, 1
    while True:
        byte = room.raw[position]
        length |= (byte & 0x7F) << (7 * (position - 1))
        position += 1
        if byte < 0x80:
            break
    assert room.raw[:1] == b"\x0a"
    module = _hlo.HloModule.from_serialized_hlo_module_proto(room.raw[position : position + length])
    header = module.to_string().splitlines()[0]
    assert "input_output_alias={ {0}: (2, {}, may-alias), {1}: (0, {}, may-alias) }" in header
