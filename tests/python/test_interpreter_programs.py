"""Control flow and whole programs on the interpreter and on XLA:CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from interpreter_case import check
from jax import lax

RANDOM = np.random.default_rng(3)


def numbers(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def test_loops(tmp_path):
    def collatz(n):
        return lax.while_loop(lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))[1]

    def function(n, x):
        total, history = lax.scan(lambda carry, row: (carry * 0.5 + row, carry), x[0], x)
        return [
            collatz(n),
            lax.fori_loop(0, n, lambda i, y: y.at[i % 5].multiply(2), x[0]),
            total,
            history,
            jax.vmap(collatz)(jnp.arange(1, 9)),
            lax.fori_loop(0, 4, lambda i, y: lax.fori_loop(0, i, lambda j, z: z + i * j, y), 0),
        ]

    check(function, (np.int32(27), numbers(6, 5)), tmp_path)


@pytest.mark.parametrize("index", [-3, 0, 1, 2, 9])
def test_branches(index, tmp_path):
    def function(index, x):
        return [
            lax.switch(index, [lambda y: y + 1, lambda y: y * 2, lambda y: -y], x),
            lax.cond(index > 0, lambda y: (y, y.sum()), lambda y: (y * 0, y.max()), x),
        ]

    check(function, (np.int32(index), np.arange(5, dtype=np.float32)), tmp_path)


def test_barriers_and_calls(tmp_path):
    inner = jax.jit(lambda x: jnp.where(x > 0, x, x * 0.5))

    def function(x):
        y, z = lax.optimization_barrier((inner(x), x[0]))
        return y.at[0].add(z), inner(y[::-1])

    check(function, (numbers(8),), tmp_path)


def test_an_mlp_training_step(tmp_path):
    def loss(parameters, x, labels):
        hidden = jax.nn.relu(x @ parameters[0] + parameters[1])
        logits = hidden @ parameters[2]
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))

    def step(parameters, moments, x, labels):
        value, gradients = jax.value_and_grad(loss)(parameters, x, labels)
        moments = [0.9 * m + 0.1 * g for m, g in zip(moments, gradients, strict=True)]
        return value, [p - 0.01 * m / (jnp.abs(m) + 1e-3) for p, m in zip(parameters, moments, strict=True)], moments

    parameters = [numbers(12, 16), numbers(16), numbers(16, 5)]
    arguments = parameters, [p * 0 for p in parameters], numbers(8, 12), RANDOM.integers(0, 5, 8).astype(np.int32)
    flat, tree = jax.tree.flatten(arguments)
    check(lambda *leaves: step(*jax.tree.unflatten(tree, leaves)), flat, tmp_path, 4096)


def test_an_attention_step_with_a_cache(tmp_path):
    def function(cache, position, x, projection):
        query, key, value = jnp.split(x @ projection, 3)
        cache = lax.dynamic_update_slice(cache, jnp.stack([key, value])[:, None], (np.int32(0), position, np.int32(0)))
        scores = jnp.where(jnp.arange(cache.shape[1]) <= position, cache[0] @ query, -jnp.inf)
        return jax.nn.softmax(scores / 4) @ cache[1], cache

    check(function, (numbers(2, 10, 16), np.int32(4), numbers(16), numbers(16, 48)), tmp_path, 512)


def test_random_normal_numbers(tmp_path):
    check(lambda key: jax.random.normal(jax.random.wrap_key_data(key), (64,), np.float32), (np.array([0, 42], np.uint32),), tmp_path, 16)
