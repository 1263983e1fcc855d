"""Python callbacks from programs on the plugin: their values, their errors, and the order of their effects."""

import concurrent.futures

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.experimental import io_callback
from jax.experimental.buffer_callback import buffer_callback

STEAD = jax.devices("stead")[0]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def run(function, *arguments):
    results = jax.jit(function)(*jax.device_put(arguments, STEAD))
    jax.effects_barrier()
    return results


def like(array):
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


def test_results_of_a_callback_go_on_in_the_program():
    def function(x):
        total, turned = jax.pure_callback(lambda x: (x.sum(), x.T), (like(X[0, 0]), like(X.T)), x + 1)
        return total * 2, turned + 1

    total, turned = run(function, X)
    assert total == (X + 1).sum() * 2
    np.testing.assert_array_equal(turned, (X + 1).T + 1)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int32, np.float16, jnp.bfloat16, np.float32])
def test_element_types(dtype):
    seen = []

    def callback(x):
        seen.append(x.dtype)
        return x[::-1]

    x = np.array([0, 1, 1], dtype)
    np.testing.assert_array_equal(run(lambda x: jax.pure_callback(callback, like(x), x), x), x[::-1])
    assert seen == [np.dtype(dtype)]


def test_arrays_without_elements_and_without_dimensions():
    def function(x):
        return jax.pure_callback(lambda x: x, like(X[:0]), x[:0]), jax.pure_callback(lambda x: x * 2, like(X[0, 1]), x[0, 1])

    empty, scalar = run(function, X)
    assert empty.shape == (0, 3) and scalar == 2


def test_operand_outlives_its_memory():
    kept = []

    def function(x):
        io_callback(kept.append, None, x)
        return x.at[0, 0].set(7)

    x = jax.device_put(X, STEAD)
    jax.jit(function, donate_argnums=0)(x)
    np.testing.assert_array_equal(kept[0], X)


def test_exception_of_a_callback_is_the_error_of_the_run():
    def callback(_):
        raise ValueError("no moon tonight")

    function = jax.jit(lambda x: jax.pure_callback(callback, like(X), x))
    with pytest.raises(jax.errors.JaxRuntimeError, match="ValueError: no moon tonight") as failure:
        function(jax.device_put(X, STEAD))
    assert f"{__file__}:" in str(failure.value)


def test_wrong_shape_is_an_error():
    with pytest.raises(jax.errors.JaxRuntimeError, match="Incorrect output shape"):
        run(lambda x: jax.pure_callback(lambda x: x.T, like(X), x), X)


def test_ordered_effects_keep_their_order_through_loops_and_runs():
    seen = []

    def note(*values):
        seen.append(tuple(int(value) for value in values))

    def function(x):
        io_callback(note, None, 0, x, ordered=True)
        x = lax.fori_loop(0, 3, lambda i, x: (io_callback(note, None, 1, i, x, ordered=True), x * 2)[1], x)
        io_callback(note, None, 2, x, ordered=True)
        return x

    function = jax.jit(function)
    one_run = [(0, 5), (1, 0, 5), (1, 1, 10), (1, 2, 20), (2, 40)]
    for _ in range(2):
        assert function(jax.device_put(np.int32(5), STEAD)) == 40
    jax.effects_barrier()
    assert seen == one_run * 2


def test_callback_in_the_branch_that_is_taken():
    seen = []

    def function(x):
        def taken(x):
            return io_callback(lambda x: (seen.append(1), x + 1)[1], like(X), x)

        return lax.cond(x.sum() > 3, taken, lambda x: x, x)

    np.testing.assert_array_equal(run(function, X), X + 1)
    np.testing.assert_array_equal(run(function, X * 0), X * 0)
    assert seen == [1]


def test_debug_print(capfd):
    run(lambda x: jax.debug.print("the sum is {}", x.sum()), X)
    run(lambda x: jax.debug.print("in order {}", x[0], ordered=True), X)
    assert capfd.readouterr().out == "the sum is 15.0\nin order [0. 1. 2.]\n"


def test_callback_that_runs_a_program_itself():
    inner = jax.jit(lambda x: x * 3)
    result = run(lambda x: jax.pure_callback(lambda x: np.asarray(inner(jax.device_put(x, STEAD))), like(X), x), X)
    np.testing.assert_array_equal(result, X * 3)


def test_callbacks_of_a_batch():
    def function(x):
        return jax.vmap(lambda row: jax.pure_callback(np.sum, like(X[0, 0]), row, vmap_method="sequential"))(x)

    np.testing.assert_array_equal(run(function, X), X.sum(axis=1))


def test_callback_on_the_memory_itself():
    def double(context, out, x):
        # CPUs have none; jaxlib's handler reads our error as an object of its own.
        with pytest.raises(jax.errors.JaxRuntimeError, match="UNIMPLEMENTED: .*a CPU has no streams"):
            _ = context.stream
        np.asarray(out)[...] = np.asarray(x) * 2

    result = run(lambda x: buffer_callback(double, like(X))(x + 1), X)
    np.testing.assert_array_equal(result, (X + 1) * 2)


def test_many_threads_at_once():
    function = jax.jit(lambda x: jax.pure_callback(lambda x: x + 1, like(X[0, 0]), x) * 2)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda number: float(function(jax.device_put(np.float32(number), STEAD))), range(100)))
    assert results == [(number + 1) * 2 for number in range(100)]
