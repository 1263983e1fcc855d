"""Arrays whose elements lie in another order than row major: placed, taken and given by programs, read back."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.layout import Format, Layout, with_layout_constraint
from jax.sharding import SingleDeviceSharding

ON_ONE = SingleDeviceSharding(jax.devices("stead")[0])
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ORDER = (2, 0, 1)


def in_order(order, sharding=ON_ONE):
    return Format(Layout(major_to_minor=order), sharding)


def order_of(array):
    return array.format.layout.major_to_minor


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_an_array_lies_as_it_is_placed(order):
    placed = jax.device_put(X, in_order(order))
    assert order_of(placed) == order
    values = np.asarray(placed)
    np.testing.assert_array_equal(values, X)
    # What is slowest in memory has the largest stride.
    assert tuple(np.argsort(values.strides)[::-1]) == order


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, jnp.bfloat16, np.float64, np.complex64])
def test_elements_of_any_size(dtype):
    with jax.enable_x64(True):
        values = X.astype(dtype)
        placed = jax.device_put(values, in_order(ORDER))
        np.testing.assert_array_equal(np.asarray(placed), values)
        np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: x[1])(placed)), values[1])


def test_a_program_takes_and_gives_orders():
    program = jax.jit(
        lambda x, y: (x + 1, y.sum(axis=0), jnp.transpose(x, (1, 2, 0))),
        in_shardings=(in_order(ORDER), in_order((1, 0))),
        out_shardings=(in_order((1, 2, 0)), ON_ONE, in_order((2, 1, 0))),
    )
    compiled = program.lower(X, X[0]).compile()
    assert [one.layout.major_to_minor for one in compiled.input_formats[0]] == [ORDER, (1, 0)]
    results = program(jax.device_put(X, in_order(ORDER)), jax.device_put(X[0], in_order((1, 0))))
    assert [order_of(result) for result in results] == [(1, 2, 0), (0,), (2, 1, 0)]
    for result, expected in zip(results, (X + 1, X[0].sum(axis=0), X.transpose(1, 2, 0)), strict=True):
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_an_order_that_is_left_open_moves_nothing():
    compiled = jax.jit(jnp.transpose, out_shardings=Format(Layout.AUTO)).lower(jax.device_put(X, ON_ONE)).compile()
    assert compiled.output_formats.layout.major_to_minor == (2, 1, 0)
    assert "transpose(" not in compiled.as_text()
    np.testing.assert_array_equal(np.asarray(compiled(jax.device_put(X, ON_ONE))), X.T)


def test_a_constraint_says_how_an_open_result_lies():
    constrained = jax.jit(lambda x: with_layout_constraint(x.T, Layout(major_to_minor=(1, 0, 2))))
    result = constrained(jax.device_put(X, ON_ONE))
    np.testing.assert_array_equal(np.asarray(result), X.T)


def test_later_programs_read_the_order_of_their_arguments():
    placed = jax.device_put(X, in_order(ORDER))
    doubled = jax.jit(lambda x: x * 2)(placed)
    np.testing.assert_array_equal(np.asarray(doubled), X * 2)
    np.testing.assert_array_equal(np.asarray(placed), X)
    np.testing.assert_array_equal(np.asarray(jax.device_put(placed, ON_ONE)), X)


def test_a_donated_array_in_another_order():
    program = jax.jit(lambda x: x + 1, in_shardings=in_order(ORDER), out_shardings=in_order(ORDER), donate_argnums=0)
    given = jax.device_put(X, in_order(ORDER))
    result = program(given)
    assert given.is_deleted()
    np.testing.assert_array_equal(np.asarray(result), X + 1)


def test_dlpack_keeps_the_order():
    placed = jax.device_put(X, in_order(ORDER))
    np.testing.assert_array_equal(np.from_dlpack(placed), X)
    back = jax.dlpack.from_dlpack(placed)
    np.testing.assert_array_equal(np.asarray(back), X)
