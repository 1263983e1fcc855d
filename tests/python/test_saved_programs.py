"""Compiled programs that are saved and loaded again: by hand, by JAX's compilation cache, and when the bytes are bad."""

from functools import partial

import jax
import numpy as np
import pytest
from jax.experimental import serialize_executable
from jax_process import output_of, run_jax
from jaxlib import xla_client

import stead

STEAD = jax.devices("stead")[0]
DEVICES = xla_client.DeviceList((STEAD,))


@partial(jax.jit, donate_argnums=0)
def update(state, step):
    return state.at[step].add(2), state[0]


def arguments():
    return jax.device_put((np.arange(6, dtype=np.float32), np.int32(3)), STEAD)


def test_loaded_program_gives_the_same_results_in_place():
    compiled = update.lower(*arguments()).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), backend="stead")
    assert loaded.as_text() == compiled.as_text()
    state, step = arguments()
    address = state.unsafe_buffer_pointer()
    updated, first = loaded(state, step)
    assert (updated.tolist(), first.item()) == ([0, 1, 2, 5, 4, 5], 0)
    assert updated.unsafe_buffer_pointer() == address
    assert state.is_deleted()


def test_large_constants_are_saved():
    table = np.arange(5000, dtype=np.int32)
    compiled = jax.jit(lambda index: jax.numpy.asarray(table)[index]).lower(jax.device_put(np.int32(7), STEAD)).compile()
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), backend="stead")
    assert loaded(jax.device_put(np.int32(4321), STEAD)).item() == 4321


@pytest.fixture(scope="module")
def saved():
    """The bytes of a program and the position in them at which those of the plugin begin."""
    executable = update.lower(*arguments()).compile().runtime_executable()
    saved_bytes = STEAD.client.serialize_executable(executable)
    assert STEAD.client.deserialize_executable(saved_bytes, DEVICES, None).fingerprint == executable.fingerprint
    return saved_bytes, saved_bytes.index(b"STEADEXECUTABLE1")


def refusal_of(damaged):
    with pytest.raises(jax.errors.JaxRuntimeError) as refusal:
        STEAD.client.deserialize_executable(damaged, DEVICES, None)
    return str(refusal.value)


def test_every_damaged_byte_is_noticed(saved):
    good, start = saved
    for position in range(start + 16, len(good), 7):
        damaged = good[:position] + bytes([good[position] ^ 0x20]) + good[position + 1 :]
        assert "damaged" in refusal_of(damaged)


def test_every_cut_is_noticed(saved):
    good, start = saved
    for length in range(start, len(good), 11):
        message = refusal_of(good[:length])
        assert "cut off" in message or "damaged" in message or "no executable that Stead saved" in message


def test_other_format_is_named(saved):
    good, _ = saved
    message = refusal_of(good.replace(b"STEADEXECUTABLE1", b"STEADEXECUTABLE7"))
    assert "the saved executable is of `format 7`, this is `format 1`" in message
    assert "fix: compile the program again" in message


SAVE = """
import sys, jax, numpy as np
executable = jax.jit(lambda x: x + 1).lower(np.ones(3)).compile().runtime_executable()
sys.stdout.write(jax.devices()[0].client.serialize_executable(executable).hex())
"""


def test_other_version_of_the_plugin_is_named(tmp_path):
    version = f"stead {stead.__version__}".encode()
    other_plugin = tmp_path / "pjrt_stead.so"
    other_plugin.write_bytes(stead.library_path().read_bytes().replace(version + b"\0", b"stead 9.9.9"[: len(version)] + b"\0"))
    written = output_of(SAVE, JAX_PLATFORMS="stead,cpu", STEAD_PLUGIN=str(other_plugin))
    message = refusal_of(bytes.fromhex(written))
    assert "FAILED_PRECONDITION" in message
    assert "`stead 9.9.9`" in message


CACHED = """
import jax, numpy as np
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
counts = {}
def count(event, **_):
    counts[event.rsplit("/", 1)[-1]] = counts.get(event.rsplit("/", 1)[-1], 0) + 1
jax.monitoring.register_event_listener(count)
print(jax.jit(lambda x: x * 3)(np.arange(3)).tolist(), counts.get("cache_hits", 0), counts.get("cache_misses", 0))
"""


def test_second_process_loads_from_the_compilation_cache(tmp_path):
    environment = {"JAX_PLATFORMS": "stead,cpu", "JAX_COMPILATION_CACHE_DIR": str(tmp_path)}
    assert output_of(CACHED, **environment) == "[0, 3, 6] 0 1"
    assert output_of(CACHED, **environment) == "[0, 3, 6] 1 0"


def test_damaged_cache_entry_is_compiled_again_with_a_warning(tmp_path):
    environment = {"JAX_PLATFORMS": "stead,cpu", "JAX_COMPILATION_CACHE_DIR": str(tmp_path)}
    output_of(CACHED, **environment)
    (entry,) = tmp_path.glob("*-cache")
    entry.write_bytes(entry.read_bytes()[:-40])
    status, output, complaints = run_jax(CACHED, **environment)
    assert (status, output.strip()[:9]) == (0, "[0, 3, 6]"), complaints
    assert "Error reading persistent compilation cache entry" in complaints
