"""Elements of 2 and 4 bits: several in each byte of memory, as on XLA:CPU, moved as bytes and updated in place."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from jax.experimental import serialize_executable
from jaxlib import _hlo

TYPES = [ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]
by_name = pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)


def numbers(dtype, *shape, seed=0):
    info = ml_dtypes.iinfo(dtype)
    return np.random.default_rng(seed).integers(info.min, int(info.max) + 1, shape).astype(dtype)


def compile_for(device, function, *arguments, **options):
    arguments = [jax.device_put(argument, device) for argument in arguments]
    return arguments, jax.jit(function, **options).lower(*arguments).compile()


def run(device, function, *arguments, **options):
    arguments = [jax.device_put(argument, device) for argument in arguments]
    return [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function, **options)(*arguments))]


def expect_as_on_xla(stead_device, cpu_device, function, *arguments, widened=False, **options):
    """`widened`: XLA:CPU, which aborts on many programs of 2-bit elements, gets bytes; only their lowest bits count."""
    ours = run(stead_device, function, *arguments, **options)
    if widened:
        arguments = [x.astype(np.int8) if x.dtype in TYPES else x for x in arguments]
    theirs = run(cpu_device, function, *arguments, **options)
    for our, their in zip(ours, theirs, strict=True):
        assert widened or our.dtype == their.dtype
        np.testing.assert_array_equal(our.astype(np.float32), their.astype(our.dtype).astype(np.float32))


def is_of_two_bits(dtype):
    return ml_dtypes.iinfo(dtype).bits == 2


def packed_bytes(count, dtype):
    return -(-count * ml_dtypes.iinfo(dtype).bits // 8)


# --- between host and device


@by_name
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (8,), (3, 5), (2, 4), (4, 3, 2)])
def test_memory_holds_several_in_a_byte(dtype, shape, stead_device):
    value = numbers(dtype, *shape)
    array = jax.device_put(value, stead_device)
    assert array.on_device_size_in_bytes() == packed_bytes(value.size, dtype)
    np.testing.assert_array_equal(np.asarray(array), value)


def test_the_first_element_has_the_lowest_bits(stead_device):
    bits = jax.jit(lambda x: lax.bitcast_convert_type(x.reshape(2, 2), jnp.uint8))
    x = jax.device_put(np.array([1, -2, 3, 4], ml_dtypes.int4), stead_device)
    np.testing.assert_array_equal(np.asarray(bits(x)), [0xE1, 0x43])


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::2], np.asfortranarray])
def test_host_arrays_with_strides(view, stead_device):
    value = view(numbers(ml_dtypes.int4, 4, 6))
    np.testing.assert_array_equal(np.asarray(jax.device_put(value, stead_device)), value)


# --- values


def arithmetic(x, y):
    return x + y, x * y, x - y, jnp.maximum(x, y), x & y, ~x, x < y


def conversions(x, y):
    return x.astype(jnp.float32), x.astype(jnp.int32) + y.astype(jnp.int32), (x.astype(jnp.bfloat16) * 2).astype(x.dtype)


def movements(x, y):
    return x.T, x[::-1], x[:, ::-1], x[1:, 1:], x[:, 2:], jnp.concatenate([x, y]), jnp.concatenate([x, y], axis=1)


def reductions(x, y):
    return x.astype(jnp.int32).sum(0), jnp.max(x, axis=1), jnp.min(y), jnp.sort(x, axis=1)


def products(x, y):
    return x.astype(jnp.float32) @ y.astype(jnp.float32).T, x.astype(jnp.int32) @ y.T.astype(jnp.int32)


def selections(x, y):
    return jnp.where(x < y, x, y), x[jnp.array([1, 0, 1])], x[:, jnp.array([1, 0])], x.at[1].set(y[0]), x.at[:, 1].set(y[:, 0])


def unchanged(x, y):
    return y, x, x


@by_name
@pytest.mark.parametrize("shape", [(4, 8), (3, 5), (5, 130)], ids=str)
@pytest.mark.parametrize(
    "function", [arithmetic, conversions, movements, reductions, products, selections, unchanged], ids=lambda f: f.__name__
)
def test_values(function, shape, dtype, stead_device, cpu_device):
    arguments = numbers(dtype, *shape), numbers(dtype, *shape, seed=1)
    expect_as_on_xla(stead_device, cpu_device, function, *arguments, widened=is_of_two_bits(dtype) and function in (movements, reductions))


@by_name
def test_scalars(dtype, stead_device, cpu_device):
    expect_as_on_xla(stead_device, cpu_device, lambda x: (x + x, x.astype(jnp.float32)), numbers(dtype))


UPDATES = {
    "row": lambda x, u, i: lax.dynamic_update_slice(x, u[:1], (i, 0)),
    "rows": lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0)),
    "part of a row": lambda x, u, i: lax.dynamic_update_slice(x, u[:1, :5], (1, i)),
    "one element": lambda x, u, i: lax.dynamic_update_slice(x, u[:1, :1], (2, i)),
    "several rows": lambda x, u, i: x.at[jnp.array([3, 0])].set(u),
    "a column": lambda x, u, i: x.at[:, i].set(u[0, 0]),
    "added": lambda x, u, i: x.at[i].add(u[0]),
    "in a loop": lambda x, u, i: lax.fori_loop(0, 4, lambda k, x: lax.dynamic_update_slice(x, u[:1] + k.astype(x.dtype), (k, 0)), x),
    "parts in a loop": lambda x, u, i: lax.fori_loop(0, 7, lambda k, x: lax.dynamic_update_slice(x, u[:, :3], (1, k)), x),
    "in two loops": lambda x, u, i: lax.fori_loop(
        0, 2, lambda j, x: lax.fori_loop(0, 3, lambda k, x: lax.dynamic_update_slice(x, u[:1] + k.astype(x.dtype), (k + j, 0)), x), x
    ),
    "in a branch": lambda x, u, i: lax.cond(i > 2, lambda x: lax.dynamic_update_slice(x, u, (i, 0)), lambda x: x, x),
    "state of two kinds": lambda x, u, i: lax.fori_loop(0, 3, lambda k, s: (s[1], s[0] + u[0, 0]), (x, x + u[0, 1])),
    "scanned": lambda x, u, i: lax.scan(lambda c, row: (c + row, c[::-1]), x[0], x),
    "transposed and back": lambda x, u, i: jnp.moveaxis(jnp.moveaxis(x.reshape(2, 2, -1), 0, 1), 0, 1),
}


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint2], ids=["int4", "uint2"])
@pytest.mark.parametrize("columns", [8, 9, 14])
@pytest.mark.parametrize("donate", [(), (0,)], ids=["kept", "donated"])
@pytest.mark.parametrize("name", UPDATES)
def test_updates(name, donate, columns, dtype, stead_device, cpu_device):
    arguments = numbers(dtype, 4, columns), numbers(dtype, 2, columns, seed=1)
    for start in (-1, 3, 100):
        expect_as_on_xla(
            stead_device, cpu_device, UPDATES[name], *arguments, np.int32(start), donate_argnums=donate, widened=is_of_two_bits(dtype)
        )


# --- memory

CACHE = (512, 64)

IN_PLACE = {
    "elementwise": lambda x, u, i: x + x,
    "row": UPDATES["row"],
    "rows": UPDATES["rows"],
    "part of a row": UPDATES["part of a row"],
    "several rows": UPDATES["several rows"],
    "in a loop": UPDATES["in a loop"],
    "parts in a loop": UPDATES["parts in a loop"],
    "in two loops": UPDATES["in two loops"],
    "in a branch": UPDATES["in a branch"],
}


@by_name
@pytest.mark.parametrize("name", IN_PLACE)
def test_donated_arrays_are_updated_in_place(name, dtype, stead_device):
    arguments = numbers(dtype, *CACHE), numbers(dtype, 2, CACHE[1]), np.int32(3)
    arguments = [jax.device_put(argument, stead_device) for argument in arguments]
    compiled = jax.jit(IN_PLACE[name], donate_argnums=0).lower(*arguments).compile(compiler_options={"stead_count_copies": True})
    pointer = arguments[0].unsafe_buffer_pointer()
    result = compiled(*arguments)
    assert result.unsafe_buffer_pointer() == pointer
    assert compiled.cost_analysis()["copied bytes"] == 0
    stats = compiled.memory_analysis()
    assert stats.alias_size_in_bytes == packed_bytes(CACHE[0] * CACHE[1], dtype)
    assert stats.temp_size_in_bytes < 1024


@by_name
@pytest.mark.parametrize("shape", [(7,), (8,), (3, 5), (64, 33)], ids=str)
def test_sizes_are_those_of_xla(shape, dtype, stead_device, cpu_device):
    x = numbers(dtype, *shape)
    stats = [compile_for(device, lambda x: x + x, x)[1].memory_analysis() for device in (stead_device, cpu_device)]
    ours, theirs = stats
    assert ours.argument_size_in_bytes == theirs.argument_size_in_bytes == packed_bytes(x.size, dtype)
    assert ours.output_size_in_bytes == theirs.output_size_in_bytes
    assert ours.temp_size_in_bytes == 0


# --- what others see


def test_the_final_program_says_that_arrays_are_packed(stead_device):
    x = numbers(ml_dtypes.int4, 4, 6)
    _, compiled = compile_for(stead_device, lambda x: (x + x, x.T), x)
    text = compiled.as_text()
    assert "(s4[4,6]{1,0:E(4)})->(s4[4,6]{1,0:E(4)}, s4[6,4]{1,0:E(4)})" in text
    assert "s4[4,6]{1,0:E(4)} bitcast(" in _hlo.hlo_module_from_text(text).to_string()


@by_name
def test_saved_programs(dtype, stead_device):
    x = numbers(dtype, 5, 3)
    arguments, compiled = compile_for(stead_device, lambda x: x[:, :2] + x[:, 1:], x)
    saved = serialize_executable.serialize(compiled)
    loaded = serialize_executable.deserialize_and_load(*saved, backend="stead", execution_devices=[stead_device])
    np.testing.assert_array_equal(np.asarray(loaded(*arguments)), np.asarray(compiled(*arguments)))


def test_host_callbacks_see_elements(stead_device):
    def on_host(x):
        assert x.dtype == ml_dtypes.int4
        return np.asarray(x).astype(np.int32) * 2

    def function(x):
        return jax.pure_callback(on_host, jax.ShapeDtypeStruct((3, 4), np.int32), x)

    x = numbers(ml_dtypes.int4, 3, 4)
    np.testing.assert_array_equal(run(stead_device, function, x)[0], x.astype(np.int32) * 2)
