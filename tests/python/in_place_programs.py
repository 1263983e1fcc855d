"""JAX programs whose donated arrays can be updated in place, after public reports about copies.

PROGRAMS maps a name to an InPlace record: what to run, which arguments are donated, how many copies of a whole array are forced,
and how many bytes of temporary memory are enough. The numbers are worked out by hand: a copy is forced only where an old value is
read after a barrier or returned beside the new one.
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = {}
LENGTH = 1 << 14
ARRAY_BYTES = 4 * LENGTH
# Scalars, rows and index vectors are small beside an array.
SMALL_BYTES = ARRAY_BYTES // 8
LAYER_BYTES = ARRAY_BYTES // 8


@dataclasses.dataclass
class InPlace:
    """A program and what it may cost."""

    function: Callable
    make_arguments: Callable
    donate: tuple
    copies: int
    temp_bytes: int


def program(make_arguments, donate=(0,), copies=0, temp_bytes=SMALL_BYTES):
    def add(function):
        PROGRAMS[function.__name__] = InPlace(function, make_arguments, donate, copies, temp_bytes)
        return function

    return add


def vector(seed=0):
    return np.random.default_rng(seed).standard_normal(LENGTH).astype(np.float32)


def matrix(seed=0):
    return vector(seed).reshape(128, 128)


def one_matrix():
    return (matrix(),)


def one_vector():
    return (vector(),)


def two_vectors():
    return vector(), vector(1)


# --- reads around an update


@program(one_matrix)
def read_then_update(x):
    return x.at[0, 0].add(1), x[0, 0]


@program(one_matrix)
def read_before_a_barrier(x):
    x, y = lax.optimization_barrier((x, x[0, 0]))
    return x.at[0, 0].add(1), y


@program(one_matrix)
def read_behind_a_barrier_saves_one_element(x):
    z, x = lax.optimization_barrier((x.at[0, 0].add(1), x))
    return z, x[0, 0]


@program(one_matrix, copies=1, temp_bytes=ARRAY_BYTES)
def old_and_new_value_are_both_results(x):
    z, x = lax.optimization_barrier((x.at[0, 0].add(1), x))
    return x, x[0, 0], z


@program(one_matrix)
def many_reads_of_the_old_value(x):
    return x.at[0, 0].add(1.0), x[0, 0], x[1], x.max(), x[:, 3], x.sum()


@program(one_matrix)
def product_with_the_old_value(x):
    return x.at[0, 0].add(1.0), x @ jnp.ones(128)


@program(one_matrix)
def row_that_the_update_does_not_touch(x):
    return x.at[0].set(0.0), x[5]


@program(one_matrix)
def updates_in_a_row(x):
    y = x.at[0, 0].add(1.0)
    return y.at[1, 1].set(x[0, 0]), y[0, 0]


# --- rows, gathers and scatters


@program(lambda: (matrix(), np.int32(3), np.int32(5)))
def swapped_rows(x, i, j):
    a, b = x[i], x[j]
    return x.at[i].set(b).at[j].set(a)


@program(lambda: (matrix(), np.int32(3), np.int32(5)))
def swapped_rows_by_one_scatter(x, i, j):
    return x.at[jnp.stack([i, j])].set(x[jnp.stack([j, i])])


@program(lambda: (vector(), np.arange(50, dtype=np.int32), np.arange(10, 60, dtype=np.int32)))
def gather_and_scatter_of_one_array(x, to, source):
    return x.at[to].add(x[source]), x[source]


@program(lambda: (np.bool_(True), vector(), np.int32(3), np.float32(9)), donate=(1,))
def select_of_an_update(p, x, i, value):
    return jnp.where(p, x.at[i].set(value), x)


@program(lambda: (np.arange(12, dtype=np.float32).reshape(4, 3),))
def overlapping_rows_move_down(x):
    return lax.dynamic_update_slice(x, x[:3], (1, 0))


# --- parts of the old value that an update leaves alone, read when it has run


# The rows that are written are filled first, half an array.
@program(one_matrix, temp_bytes=ARRAY_BYTES // 2)
def every_other_row(x):
    z, x = lax.optimization_barrier((x.at[1::2].set(0.0), x))
    return z, x[::2].sum(0)


@program(one_matrix)
def rows_by_constant_indices(x):
    z, x = lax.optimization_barrier((x.at[jnp.array([1, 3])].set(2.0), x))
    return z, x[jnp.array([0, 2, -1])]


@program(one_matrix)
def rows_that_change_places_by_constant_indices(x):
    z, x = lax.optimization_barrier((x.at[jnp.array([1, 3])].set(x[jnp.array([3, 1])]), x))
    return z, x[5]


@program(one_matrix)
def reversed_rows(x):
    z, x = lax.optimization_barrier((x.at[20:40].set(1.0), x))
    return z, x[10:2:-1]


@program(one_matrix)
def piece_of_the_flat_array(x):
    z, x = lax.optimization_barrier((x.reshape(-1).at[300:500].set(0.0).reshape(128, 128), x))
    return z, x[1], x[4]


@program(one_matrix)
def columns_as_rows_of_the_transpose(x):
    z, x = lax.optimization_barrier((x.at[:, 7].set(0.0), x))
    return z, x.T[3:5]


@program(lambda: (np.bool_(True), matrix()), donate=(1,))
def row_beside_the_one_that_a_branch_updates(p, x):
    z = lax.cond(p, lambda x: x.at[0].set(1.0), lambda x: x, x)
    z, x = lax.optimization_barrier((z, x))
    return z, x[5]


@program(lambda: (np.int32(1), matrix()), donate=(1,))
def row_beside_those_that_three_branches_update(which, x):
    branches = [lambda x: x.at[0].set(1.0), lambda x: x.at[2:4].multiply(2.0), lambda x: x.at[0, 1].add(3.0)]
    z, x = lax.optimization_barrier((lax.switch(which, branches, x), x))
    return z, x[1], x[4:100]


@program(one_matrix)
def rows_behind_those_that_a_loop_writes(x):
    z = lax.fori_loop(0, 20, lambda i, x: x.at[i].set(x[i + 1] * 2), x)
    z, x = lax.optimization_barrier((z, x))
    return z, x[20:24]


@program(lambda: (np.bool_(False), matrix()), donate=(1,))
def rows_behind_those_that_a_loop_in_a_branch_writes(p, x):
    def loop(x):
        return lax.fori_loop(3, 20, lambda i, x: x.at[i - 2, 5].add(1.0), x)

    z, x = lax.optimization_barrier((lax.cond(p, loop, lambda x: x.at[0].set(0.0), x), x))
    return z, x[18:24], x[3, 6:]


# --- other ops that need no second array


@program(one_matrix)
def transposed_square(x):
    return (x * 2 + 1).T


@program(one_matrix)
def symmetric_part(x):
    return x + x.T


@program(one_vector)
def reversed_vector(x):
    return x[::-1] * 3


@program(one_vector)
def other_shape(x):
    return (x + 1).reshape(128, 128)


@program(one_vector)
def other_type_of_equal_width(x):
    return (x * 3).astype(jnp.int32)


# --- several donated arrays


@program(two_vectors, donate=(0, 1))
def results_in_the_other_order(a, b):
    return b + 1, a * 2


@program(two_vectors, donate=(0, 1))
def updates_of_crossed_arrays(a, b):
    return b.at[0].set(5.0), a.at[1].set(6.0)


@program(lambda: (vector(), vector(1), vector(2)), donate=(0, 1, 2))
def rotated_arrays(a, b, c):
    return b, c, a


@program(two_vectors, donate=(0, 1))
def sum_and_difference(a, b):
    return a + b, a - b


@program(lambda: ({"m": vector(), "p": vector(1), "v": vector(2)}, vector(3)))
def adam(state, gradient):
    m = 0.9 * state["m"] + 0.1 * gradient
    v = 0.99 * jnp.abs(state["v"]) + 0.01 * gradient**2
    return {"v": v, "m": m, "p": state["p"] - m / (jnp.sqrt(v) + 1e-3)}


# --- loops


@program(one_vector)
def roll_by_a_loop(x):
    last = x[-1]
    x, last = lax.optimization_barrier((x, last))
    x = lax.fori_loop(1, 200, lambda i, x: x.at[200 - i].set(x[199 - i]), x)
    return x.at[0].set(last)


@program(one_vector)
def pop_and_shift(x):
    def pop(x, i):
        return lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i + 1,), (64,)), (i,)), x[i]

    return lax.scan(pop, x, jnp.arange(10, dtype=jnp.int32) * 7)


@program(two_vectors, donate=(0, 1))
def state_that_changes_places(a, b):
    return lax.fori_loop(0, 7, lambda _, state: (state[1], state[0]), (a, b))


@program(two_vectors, donate=(0, 1), temp_bytes=2 * ARRAY_BYTES + SMALL_BYTES)
def leapfrog(a, b):
    return lax.fori_loop(0, 7, lambda _, state: (1.5 * state[0] - state[1], state[0]), (a, b))


@program(lambda: (vector(),), donate=())
def loop_that_writes_a_kept_array_whole(x):
    return lax.fori_loop(0, 7, lambda i, state: 1.5 * state + i, x)


@program(two_vectors, donate=(0, 1), temp_bytes=2 * ARRAY_BYTES + SMALL_BYTES)
def stencil(a, b):
    def step(_, state):
        return 0.5 * (jnp.roll(state[0], 1) + jnp.roll(state[0], -1)), state[0]

    return lax.fori_loop(0, 7, step, (a, b))


@program(lambda: (np.array([3, 5], np.int32), vector().reshape(2, -1)), donate=(1,))
def batched_loop(start, x):
    def loop(i, x):
        return lax.while_loop(lambda state: state[0] < 9, lambda state: (state[0] + 1, state[1].at[state[0]].set(1.0)), (i, x))

    return jax.vmap(loop)(start, x)


@program(lambda: (np.array([3, 5], np.int32), vector().reshape(2, -1)), donate=(1,))
def batched_loop_that_adds(start, x):
    def loop(i, x):
        return lax.while_loop(lambda state: state[0] < 9, lambda state: (state[0] + 1, state[1].at[2].add(1.5)), (i, x))

    return jax.vmap(loop)(start, x)


@program(
    lambda: (vector().reshape(8, 64, 32), vector(1).reshape(8, 64, 32), vector(2)[:32], np.int32(7)),
    donate=(0, 1),
    temp_bytes=SMALL_BYTES + LAYER_BYTES,
)
def cache_of_all_layers_as_state(keys, values, x, position):
    def layer(state, number):
        keys, values, x = state
        keys = lax.dynamic_update_slice(keys, x[None, None], (number, position, 0))
        values = lax.dynamic_update_slice(values, 2 * x[None, None], (number, position, 0))
        return (keys, values, x + jax.nn.softmax(keys[number] @ x) @ values[number]), None

    return lax.scan(layer, (keys, values, x), jnp.arange(8, dtype=jnp.int32))[0]


@program(
    lambda: (vector().reshape(8, 64, 32), vector(1).reshape(8, 64, 32), vector(2)[:32], np.int32(7)),
    donate=(0, 1),
    temp_bytes=SMALL_BYTES + LAYER_BYTES,
)
def cache_layer_by_layer(keys, values, x, position):
    def layer(x, cache):
        keys = lax.dynamic_update_slice(cache[0], x[None], (position, 0))
        values = lax.dynamic_update_slice(cache[1], 2 * x[None], (position, 0))
        return x + jax.nn.softmax(keys @ x) @ values, (keys, values)

    x, (keys, values) = lax.scan(layer, x, (keys, values))
    return keys, values, x


# --- branches


@program(lambda: (np.bool_(True), vector()), donate=(1,))
def branch_that_passes_through_last(p, x):
    return lax.cond(p, lambda x: x.at[0].set(1.0), lambda x: x, x)


@program(lambda: (np.bool_(False), vector()), donate=(1,))
def branch_that_passes_through_first(p, x):
    return lax.cond(p, lambda x: x, lambda x: x.at[0].set(1.0), x)


@program(lambda: (np.bool_(True), vector()), donate=(1,), copies=1, temp_bytes=ARRAY_BYTES + SMALL_BYTES)
def branch_that_returns_one_value_twice(p, x):
    return lax.cond(p, lambda x: (x.at[0].set(5.0),) * 2, lambda x: (x + 1, x + 2), x)


@program(lambda: ((matrix(), matrix(1)),))
def branch_inside_a_loop(parameters):
    def step(parameters, i):
        def update():
            return tuple(parameter + 0.01 * (i + 1) for parameter in parameters)

        return lax.cond(i % 5 == 4, update, lambda: parameters), jnp.float32(0)

    return lax.scan(step, parameters, jnp.arange(12, dtype=jnp.int32))
