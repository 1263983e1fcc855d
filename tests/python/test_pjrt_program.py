"""Compiled programs as the framework sees them: final HLO, memory and costs, options, and errors that name what is wrong."""

import ctypes
from functools import partial

import hlo_door
import jax
import numpy as np
import pypjrt
import pytest
from jax import lax
from jaxlib import _hlo
from pypjrt import errors

import stead

STEAD = jax.devices("stead")[0]
SIDE = 256
BYTES = SIDE * SIDE * 4


def on_stead(value):
    return jax.device_put(value, STEAD)


@partial(jax.jit, donate_argnums=0)
def plain(x):
    y = x[0, 0]
    return x.at[0, 0].add(1), y


@partial(jax.jit, donate_argnums=0)
def reverse(x):
    z = x.at[0, 0].add(1)
    z, x = lax.optimization_barrier((z, x))
    return z, x[0, 0]


def compiled(function, **options):
    return function.lower(on_stead(np.ones((SIDE, SIDE), np.float32))).compile(**options)


def instructions_of(text):
    return [line.strip() for line in text.splitlines() if " = " in line]


def instructions_named(text, opcode):
    return [line for line in text.splitlines() if f" {opcode}(" in line]


def test_final_hlo_is_scheduled_and_names_its_donation():
    text = compiled(plain).as_text()
    header = text.splitlines()[0]
    assert header.startswith("HloModule jit_plain, is_scheduled=true, input_output_alias={ {0}: (0, {}, ")
    assert instructions_named(text, "copy") == []


def test_final_hlo_shows_every_copy_that_runs():
    copies = instructions_named(compiled(reverse).as_text(), "copy")
    assert len(copies) == 1
    assert f"f32[{SIDE},{SIDE}]" not in copies[0]
    assert 'stead_copy_reason="C02"' in copies[0]


def test_final_hlo_is_text_that_jaxlib_reads_back():
    text = compiled(reverse).as_text()
    again = _hlo.hlo_module_from_text(text).to_string()
    assert instructions_of(again) == instructions_of(text)
    assert len(instructions_of(text)) > 4


def test_memory_analysis_is_true():
    memory = compiled(plain).memory_analysis()
    assert memory.argument_size_in_bytes == BYTES
    assert memory.alias_size_in_bytes == BYTES
    assert memory.output_size_in_bytes == BYTES + 4
    assert memory.temp_size_in_bytes < 1024


def test_cost_analysis_counts_multiplications():
    a = on_stead(np.ones((8, 16), np.float32))
    b = on_stead(np.ones((16, 4), np.float32))
    costs = jax.jit(lambda a, b: a @ b).lower(a, b).compile().cost_analysis()
    assert costs["flops"] == 2 * 8 * 16 * 4
    assert costs["bytes accessed"] >= (8 * 16 + 16 * 4 + 8 * 4) * 4


def test_unknown_compile_option_is_named():
    with pytest.raises(Exception, match="No such compile option: 'made_up'"):
        compiled(plain, compiler_options={"made_up": True})


def test_options_of_xla_are_accepted():
    assert "HloModule" in compiled(plain, compiler_options={"xla_cpu_enable_fast_math": True}).as_text()


def test_option_with_a_value_of_the_wrong_kind_is_refused():
    with pytest.raises(Exception, match="stead_always_copy"):
        compiled(plain, compiler_options={"stead_always_copy": "perhaps"})


def test_option_to_write_down_each_pass(tmp_path):
    compiled(plain, compiler_options={"stead_dump_to": str(tmp_path)})
    assert list(tmp_path.glob("*in-place.hlo"))


def test_environment_asks_for_each_pass_of_each_program(tmp_path, monkeypatch):
    monkeypatch.setenv("STEAD_DUMP_TO", str(tmp_path))
    # Functions that no other test has had compiled.
    compiled(jax.jit(lambda first: first - 7))
    compiled(jax.jit(lambda second: second - 8))
    names = [folder.name.split("-", 1)[1] for folder in tmp_path.iterdir()]
    assert names == ["jit__lambda"] * 2
    assert len(list(tmp_path.glob("*/00-given.hlo"))) == 2
    assert all(path.read_bytes().startswith(b"ML\xefR") for path in tmp_path.glob("*/program.mlirbc"))
    assert len(list(tmp_path.glob("*/program.mlirbc"))) == 2


@pytest.fixture(scope="module")
def client():
    return pypjrt.Client(pypjrt.Plugin(stead.library_path()))


def test_mlir_text_compiles(client):
    assert client.compile(plain.lower(on_stead(np.ones((SIDE, SIDE), np.float32))).as_text())


def test_mlir_text_that_is_wrong_is_refused_with_its_place(client):
    with pytest.raises(errors.InvalidArgument, match="`%0` is used before it is defined"):
        client.compile("module @m { func.func public @main() { return %0 : tensor<f32> } }")


def test_cut_off_bytecode_is_refused(client):
    with pytest.raises(errors.PjrtError):
        client.compile(b"ML\xefR\x0dStableHLO_v1.17.0\x00\x01\x02")


def test_hlo_proto_compiles(client):
    module = plain.lower(on_stead(np.ones((SIDE, SIDE), np.float32))).compiler_ir("hlo")
    assert hlo_door.compile_hlo(client, module.as_serialized_hlo_module_proto())


def test_cut_off_hlo_proto_is_refused(client):
    module = plain.lower(on_stead(np.ones((SIDE, SIDE), np.float32))).compiler_ir("hlo")
    with pytest.raises(errors.InvalidArgument, match="HloModuleProto"):
        hlo_door.compile_hlo(client, module.as_serialized_hlo_module_proto()[:-7])


def test_options_that_are_no_message_are_refused(client):
    plugin = client._plugin
    code = b"ML\xefR"
    program = plugin.args("PJRT_Program")
    text, form, options = ctypes.create_string_buffer(code), ctypes.create_string_buffer(b"mlir"), ctypes.create_string_buffer(b"\x1f\xff")
    program.code, program.code_size = ctypes.addressof(text), len(code)
    program.format, program.format_size = ctypes.addressof(form), 4
    arguments = plugin.args("PJRT_Client_Compile_Args", client=client.address, program=ctypes.addressof(program))
    arguments.compile_options, arguments.compile_options_size = ctypes.addressof(options), 2
    with pytest.raises(errors.InvalidArgument, match="CompileOptionsProto"):
        plugin.call("PJRT_Client_Compile", arguments)


@jax.jit
def calls_nobody(x):
    return jax.ffi.ffi_call("made_up_target", jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


def test_call_of_a_function_that_nobody_knows_is_named():
    with pytest.raises(Exception, match="made_up_target"):
        calls_nobody(on_stead(np.ones(8, np.float32)))


def test_lack_of_memory_names_the_peak_and_the_largest_buffers():
    x = on_stead(np.ones(3000, np.float32))
    with pytest.raises(jax.errors.JaxRuntimeError) as refusal:
        jax.jit(lambda x: lax.sort(x[:, None, None] * x[None, :, None] * x, dimension=0) * 2)(x)
    message = str(refusal.value)
    assert message.startswith("RESOURCE_EXHAUSTED: out of memory")
    assert "the program needs 108000012000 bytes at its peak; its largest buffers are `" in message
    assert "f32[3000,3000,3000] 108000000000 bytes" in message
    assert (x + 1).sum() == 6000


def test_layouts_that_say_row_major_are_accepted():
    reference = jax.new_ref(on_stead(np.zeros((2, 3), np.float32)))

    @jax.jit
    def add(x):
        reference[...] += x

    add(on_stead(np.ones((2, 3), np.float32)))
    assert reference[...].tolist() == [[1, 1, 1], [1, 1, 1]]


def test_process_and_data_live_on_after_errors():
    x = on_stead(np.arange(4, dtype=np.float32))
    for _ in range(3):
        with pytest.raises(Exception, match="made_up_target"):
            calls_nobody(x)
    assert (x + 1).tolist() == [1, 2, 3, 4]


def test_the_final_program_goes_where_xla_would_put_it(tmp_path):
    options = {"xla_dump_to": str(tmp_path), "xla_dump_hlo_as_proto": True, "xla_dump_hlo_as_text": True}
    text = compiled(plain, compiler_options=options).as_text()
    (written,) = tmp_path.glob("module_*.jit_plain.*after_optimizations.txt")
    assert written.read_text().count("\n  ROOT ") == text.count("\n  ROOT ")
    (proto,) = tmp_path.glob("*after_optimizations.hlo.pb")
    assert b"jit_plain" in proto.read_bytes()
    with pytest.raises(Exception, match="xla_dump_hlo_as_proto"):
        compiled(plain, compiler_options={"xla_dump_hlo_as_proto": "perhaps"})
