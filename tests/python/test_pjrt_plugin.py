"""The plugin as JAX meets it: found by itself, beside the built-in CPU backend or in its place, every function there."""

import ctypes
import subprocess

import pypjrt
import pytest
from jax_process import output_of, run_jax
from pypjrt import errors

import stead

PLUGIN = str(stead.library_path())


@pytest.fixture(scope="module")
def plugin():
    return pypjrt.Plugin(PLUGIN)


def test_jax_finds_the_plugin_beside_the_builtin_cpu_backend():
    program = """
import jax
stead, cpu = jax.devices("stead")[0], jax.devices("cpu")[0]
print(jax.default_backend(), stead.platform, stead.client.platform_version.split()[-2], cpu.client is stead.client)
print(jax.device_put(jax.device_put(1.0, stead), cpu).devices() == {cpu})
"""
    assert output_of(program, JAX_PLATFORMS="stead,cpu").split("\n") == ["cpu cpu stead False", "True"]


def test_programs_that_do_not_ask_for_it_stay_on_the_builtin_cpu_backend():
    program = 'import jax; x = jax.numpy.ones(3) + 1; print(x.devices() == {jax.devices("cpu")[0]}, len(jax.devices("stead")))'
    assert output_of(program) == "True 1"


def test_environment_variable_alone_puts_it_in_place_of_the_cpu_backend():
    program = "import jax; x = jax.numpy.arange(3) * 2; print(x.device.client.platform_version.split()[-2], x.tolist())"
    output = output_of(program, PJRT_NAMES_AND_LIBRARY_PATHS=f"cpu:{PLUGIN}", JAX_PLATFORMS="cpu")
    assert output == "stead [0, 2, 4]"


def test_lapack_and_callbacks_run_in_place_of_the_cpu_backend():
    program = """
import jax, jax.numpy as jnp
print(jnp.linalg.cholesky(4 * jnp.eye(2))[1, 1], jax.pure_callback(lambda x: x + 1, jnp.float32(0), jnp.float32(1)))
"""
    assert output_of(program, PJRT_NAMES_AND_LIBRARY_PATHS=f"cpu:{PLUGIN}", JAX_PLATFORMS="cpu") == "2.0 2.0"


def test_a_wrong_number_of_threads_is_named():
    _, _, complaints = run_jax("import jax; jax.devices()", STEAD_NUM_THREADS="two", JAX_PLATFORMS="stead,cpu")
    assert "STEAD_NUM_THREADS is `two`" in complaints
    assert "from 1 to 1024" in complaints


def test_results_do_not_depend_on_the_number_of_threads():
    program = """
import hashlib, jax, jax.numpy as jnp, numpy as np
x = jnp.asarray(np.random.default_rng(0).normal(size=(700, 900)).astype(np.float32))
f = jax.jit(lambda x: (jnp.exp(x) @ x.T, x.sum(1), jnp.fft.fft(x), jax.nn.softmax(x), x.T.copy()))
print([hashlib.sha256(np.asarray(y).tobytes()).hexdigest()[:8] for y in f(x)])
"""
    outputs = {output_of(program, STEAD_NUM_THREADS=str(threads), JAX_PLATFORMS="stead,cpu") for threads in (1, 2, 5)}
    assert len(outputs) == 1


def test_missing_library_is_no_trouble_for_other_programs():
    program = "import jax; print(jax.numpy.ones(2).sum())"
    status, output, complaints = run_jax(program, STEAD_PLUGIN="/nowhere/pjrt_stead.so")
    assert (status, output.strip(), complaints) == (0, "2.0", "")


def test_missing_library_is_named_to_programs_that_ask_for_it():
    _, _, complaints = run_jax("import jax; jax.devices()", STEAD_PLUGIN="/nowhere/pjrt_stead.so", JAX_PLATFORMS="stead,cpu")
    assert "/nowhere/pjrt_stead.so" in complaints


def test_exports_nothing_but_the_door():
    symbols = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == [
        "GetPjrtApi",
        "stead_adopt_error_maker",
        "stead_register_ffi_handler",
        "stead_register_ffi_type",
    ]


def test_every_slot_is_filled(plugin):
    assert plugin.n_slots == len(plugin.abi.SLOT)
    assert [name for name, slot in plugin.abi.SLOT.items() if not plugin._vtable[slot]] == []


def test_functions_that_are_not_offered_name_themselves(plugin):
    arguments = plugin.args("PJRT_Client_DmaMap_Args")
    with pytest.raises(errors.Unimplemented, match="PJRT_Client_DmaMap"):
        plugin.call("PJRT_Client_DmaMap", arguments)


def test_older_callers_structs_are_neither_overread_nor_overrun(plugin):
    client = pypjrt.Client(plugin)
    arguments = plugin.args("PJRT_Device_MemoryStats_Args", device=client._addressable()[0])
    last_known = plugin.abi.PJRT_Device_MemoryStats_Args.peak_bytes_in_use.offset
    arguments.struct_size = last_known
    ctypes.memset(ctypes.addressof(arguments) + last_known, 0x5A, ctypes.sizeof(arguments) - last_known)
    plugin.call("PJRT_Device_MemoryStats", arguments)
    rest = ctypes.string_at(ctypes.addressof(arguments) + last_known, ctypes.sizeof(arguments) - last_known)
    assert rest == b"\x5a" * len(rest)
    assert arguments.bytes_in_use >= 0


def test_struct_too_small_to_name_its_object_is_refused(plugin):
    arguments = plugin.args("PJRT_Device_MemoryStats_Args")
    arguments.struct_size = 16
    with pytest.raises(errors.InvalidArgument, match="too small"):
        plugin.call("PJRT_Device_MemoryStats", arguments)


def test_claims_the_stablehlo_version_that_its_reader_is_tested_with(plugin):
    assert plugin.attributes["stablehlo_current_version"] == (1, 17, 0)


def test_unknown_client_options_are_ignored(plugin):
    assert pypjrt.Client(plugin, options={"made_up": 1, "node_id": 0}).platform_name == "cpu"


def test_lookup_of_a_device_that_is_not_there(plugin):
    client = pypjrt.Client(plugin)
    arguments = plugin.args("PJRT_Client_LookupDevice_Args", client=client.address, id=7)
    with pytest.raises(errors.InvalidArgument, match="no device with id 7"):
        plugin.call("PJRT_Client_LookupDevice", arguments)
