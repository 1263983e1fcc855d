"""Arrays in and out of the plugin: every type, strides, views by numpy and dlpack, deletion."""

import gc

import jax
import ml_dtypes
import numpy as np
import pytest
from jax_process import output_of

import stead

STEAD = jax.devices("stead")[0]
TYPES = [
    np.bool_, np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32, np.float16, np.float32, np.complex64,
    ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4, ml_dtypes.uint4,
]  # fmt: skip


def on_stead(value):
    return jax.device_put(value, STEAD)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_round_trip_of_each_type(dtype):
    value = np.array([[0, 1, 2], [3, 1, 0]]).astype(dtype)
    returned = np.asarray(on_stead(value))
    assert returned.dtype == value.dtype
    assert returned.tobytes() == value.tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1), (5,), (2, 3, 4)])
def test_round_trip_of_each_rank(shape):
    value = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    np.testing.assert_array_equal(np.asarray(on_stead(value)), value)


STRIDED = {
    "transposed": lambda base: base.transpose(2, 0, 1),
    "fortran": np.asfortranarray,
    "backwards": lambda base: base[::-1, :, ::-1],
    "every_second": lambda base: base[:, ::2, 1::2],
    "broadcast": lambda base: np.broadcast_to(base[:1], base.shape),
}


@pytest.mark.parametrize("view", STRIDED.values(), ids=STRIDED.keys())
def test_elements_keep_their_places_whatever_the_strides(view):
    value = view(np.arange(4 * 6 * 5, dtype=np.int32).reshape(4, 6, 5))
    np.testing.assert_array_equal(np.asarray(on_stead(value)), value)


def test_host_memory_may_change_after_the_transfer():
    value = np.zeros(1000, np.float32)
    array = on_stead(value)
    value[:] = 7
    assert not np.asarray(array).any()


def test_numpy_looks_at_the_memory_itself():
    array = on_stead(np.arange(10, dtype=np.float32))
    assert np.asarray(array).ctypes.data == array.unsafe_buffer_pointer()
    assert array.unsafe_buffer_pointer() % 64 == 0


def test_numpy_view_outlives_the_array():
    array = on_stead(np.arange(1000, dtype=np.float32))
    view = np.asarray(array)
    array.delete()
    del array
    gc.collect()
    others = [on_stead(np.full(1000, 9.0, np.float32)) for _ in range(20)]
    np.testing.assert_array_equal(view, np.arange(1000, dtype=np.float32))
    assert len(others) == 20


def test_deleted_array_says_so():
    array = on_stead(np.ones(3))
    array.delete()
    assert array.is_deleted()
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(array)


def test_arrays_move_between_the_backends():
    array = on_stead(np.arange(6.0).reshape(2, 3))
    cpu = jax.devices("cpu")[0]
    there = jax.device_put(array, cpu)
    back = jax.device_put(there, STEAD)
    assert (there.devices(), back.devices()) == ({cpu}, {STEAD})
    np.testing.assert_array_equal(np.asarray(back), np.asarray(array))


def test_memory_is_counted_and_given_back():
    gc.collect()
    before = STEAD.memory_stats()["bytes_in_use"]
    array = on_stead(np.zeros(1 << 20, np.uint8))
    assert STEAD.memory_stats()["bytes_in_use"] - before >= 1 << 20
    del array
    gc.collect()
    assert STEAD.memory_stats()["bytes_in_use"] == before


def test_dlpack_export_shares_memory():
    array = on_stead(np.arange(8, dtype=np.float32))
    assert np.from_dlpack(array).ctypes.data == array.unsafe_buffer_pointer()


def test_dlpack_import_shares_memory_and_lets_go_of_it():
    # dlpack arrays of the host go to the backend named `cpu`: the plugin is put in its place.
    program = """
import gc, weakref
import jax, numpy as np
class Owner(np.ndarray): pass
memory = np.zeros(1024 + 64, np.uint8)
start = -memory.ctypes.data % 64
owner = memory[start:start + 1024].view(np.float32).view(Owner)
owner[:] = np.arange(256)
gone = weakref.ref(owner)
pointer = owner.ctypes.data
array = jax.dlpack.from_dlpack(owner)
del owner, memory
gc.collect()
print(array.unsafe_buffer_pointer() == pointer, gone() is not None, np.asarray(array)[255])
del array
gc.collect()
print(gone() is None)
"""
    output = output_of(program, PJRT_NAMES_AND_LIBRARY_PATHS=f"cpu:{stead.library_path()}", JAX_PLATFORMS="cpu")
    assert output.split("\n") == ["True True 255.0", "True"]
