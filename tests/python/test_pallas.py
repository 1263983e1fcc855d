"""Pallas kernels on Stead, through the TPU rule of JAX, against `pallas_call(interpret=True)` on the built-in CPU."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from pallas_kernels import KERNELS, make_arguments

import stead.pallas

TOLERANCE = 2e-5


def expected_results(kernel, arguments, cpu_device):
    interpreted = jax.jit(functools.partial(kernel.function, functools.partial(pl.pallas_call, interpret=True)))
    with jax.default_device(cpu_device):
        return jax.tree.leaves(interpreted(*arguments))


def compiled_for_tpu(kernel, arguments, device):
    donated = () if kernel.in_place is None else (kernel.in_place,)
    traced = jax.jit(functools.partial(kernel.function, pl.pallas_call), donate_argnums=donated).trace(
        *[jax.device_put(argument, device) for argument in arguments]
    )
    return traced.lower(lowering_platforms=("tpu",)).compile()


def full_copies(text):
    return [line for line in text.splitlines() if " copy(" in line]


def assert_close(actual, expected):
    assert len(actual) == len(expected)
    for got, wanted in zip(actual, expected, strict=True):
        got, wanted = np.asarray(got), np.asarray(wanted)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        if np.issubdtype(wanted.dtype, np.integer):
            np.testing.assert_array_equal(got, wanted)
        else:
            got, wanted = got.astype(np.float32), wanted.astype(np.float32)
            np.testing.assert_allclose(got, wanted, rtol=TOLERANCE, atol=TOLERANCE * max(1.0, np.abs(wanted).max()))


def compiled_when_enabled(kernel, arguments, device):
    donated = () if kernel.in_place is None else (kernel.in_place,)
    program = jax.jit(functools.partial(kernel.function, pl.pallas_call), donate_argnums=donated)
    with stead.pallas.enabled():
        return program.lower(*[jax.device_put(argument, device) for argument in arguments]).compile()


@pytest.mark.parametrize("road", [compiled_for_tpu, compiled_when_enabled])
@pytest.mark.parametrize("name", KERNELS)
def test_agrees_with_the_interpreter(name, road, stead_device, cpu_device):
    kernel = KERNELS[name]
    arguments = make_arguments(kernel)
    expected = expected_results(kernel, arguments, cpu_device)
    compiled = road(kernel, arguments, stead_device)
    arrays = [jax.device_put(argument, stead_device) for argument in arguments]
    pointer = None if kernel.in_place is None else arrays[kernel.in_place].unsafe_buffer_pointer()
    results = jax.tree.leaves(compiled(*arrays))
    assert_close(results, expected)
    if kernel.in_place is not None:
        assert full_copies(compiled.as_text()) == []
        assert results[0].unsafe_buffer_pointer() == pointer


def plus_one(x):
    return KERNELS["declared_alias"].function(pl.pallas_call, x)


def test_plain_calls_run_on_stead_once_enabled(stead_device):
    x = jax.device_put(jnp.arange(256 * 128, dtype=jnp.int32).reshape(256, 128), stead_device)
    with stead.pallas.enabled():
        result = jax.jit(lambda x: plus_one(x) * 2)(x)
    np.testing.assert_array_equal(result, (np.arange(256 * 128).reshape(256, 128) + 1) * 2)


def test_the_built_in_cpu_stays_as_it_was(cpu_device):
    x = jax.device_put(jnp.zeros((256, 128), jnp.int32), cpu_device)
    with stead.pallas.enabled(), pytest.raises(ValueError, match="interpret mode"):
        jax.jit(plus_one)(x)


def test_plain_calls_are_refused_unless_enabled(stead_device):
    x = jax.device_put(jnp.zeros((256, 128), jnp.int32), stead_device)
    with pytest.raises(ValueError, match="interpret mode"):
        jax.jit(lambda x: plus_one(x) + 3)(x)


def test_an_op_outside_the_set_is_named(stead_device):
    def body(x, o):
        o[...] = jax.lax.cumsum(x[...], axis=0)

    def program(x):
        return pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32))(x)

    x = jax.device_put(jnp.zeros((8, 128), jnp.float32), stead_device)
    with pytest.raises(Exception, match="mosaic op '.*' in kernel 'body'|not implemented|Unimplemented"):
        jax.jit(program).trace(x).lower(lowering_platforms=("tpu",)).compile()
