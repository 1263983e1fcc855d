"""The programs that are measured: donated updates, a training step, a decode step and fused elementwise work."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from measure import Program


def plain(x, _):
    """Reads an element of a donated array, then updates it."""
    y = x[0, 0]
    return x.at[0, 0].add(1), y


def barrier(x, _):
    """The same with a barrier between the read and the update."""
    y = x[0, 0]
    x, y = lax.optimization_barrier((x, y))
    return x.at[0, 0].add(1), y


def reverse(x, _):
    """The update comes first and the read of the old value stays behind it."""
    z = x.at[0, 0].add(1)
    z, x = lax.optimization_barrier((z, x))
    return z, x[0, 0]


def donated_updates(size):
    """The three programs of openxla/xla#20440 on f32[size,size]."""
    return [Program(step.__name__, step, lambda: np.zeros((size, size), np.float32)) for step in (plain, barrier, reverse)]


def elementwise(_, inputs):
    x, y = inputs
    return None, jnp.exp(-x * x) * jnp.tanh(y) + jnp.log(jnp.abs(x) + 1)


def elementwise_program(size):
    def make_inputs():
        random = np.random.default_rng(0)
        return tuple(random.standard_normal((2, size), np.float32))

    return Program(f"elementwise {size}", elementwise, lambda: None, make_inputs)


LAYERS = (784, 512, 512, 10)
BATCH = 128


def mlp_loss(weights, images, labels):
    activations = images
    for number, (matrix, bias) in enumerate(weights):
        activations = activations @ matrix + bias
        if number + 1 < len(weights):
            activations = jnp.maximum(activations, 0)
    shifted = activations - activations.max(axis=1, keepdims=True)
    log_probabilities = shifted - jnp.log(jnp.exp(shifted).sum(axis=1, keepdims=True))
    return -(labels * log_probabilities).sum() / BATCH


def mlp_adam(state, inputs):
    """One step of Adam on a three-layer perceptron; weights, moments and step count are donated."""
    weights, first, second, step = state
    loss, gradient = jax.value_and_grad(mlp_loss)(weights, *inputs)
    step = step + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    scale = 1e-3 * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    weights = jax.tree.map(lambda w, m, v: w - scale * m / (jnp.sqrt(v) + 1e-8), weights, first, second)
    return (weights, first, second, step), loss


def mlp_state():
    random = np.random.default_rng(1)
    sizes = zip(LAYERS[:-1], LAYERS[1:], strict=True)
    weights = [(random.standard_normal(size, np.float32) / np.float32(size[0]) ** 0.5, np.zeros(size[1], np.float32)) for size in sizes]
    zeros = jax.tree.map(np.zeros_like, weights)
    return weights, zeros, jax.tree.map(np.copy, zeros), np.float32(0)


def mlp_inputs():
    random = np.random.default_rng(2)
    labels = np.eye(10, dtype=np.float32)[random.integers(0, 10, BATCH)]
    return random.standard_normal((BATCH, LAYERS[0]), np.float32), labels


CACHE = (8, 2048, 512)  # layers, positions, width


def decode(cache, inputs):
    """One token through a scan over layers that reads and updates the cache of each."""
    weights, x, position = inputs

    def layer(x, rows):
        keys, values, weight = rows
        keys = lax.dynamic_update_slice(keys, x[None], (position, 0))
        values = lax.dynamic_update_slice(values, 2 * x[None], (position, 0))
        seen = jnp.where(jnp.arange(CACHE[1]) <= position, keys @ x, -1e9)
        return jnp.tanh(weight @ (x + jax.nn.softmax(seen) @ values)), (keys, values)

    x, cache = lax.scan(layer, x, (*cache, weights))
    return cache, x


def decode_cache():
    random = np.random.default_rng(3)
    return tuple(0.1 * random.standard_normal(CACHE).astype(np.float32) for _ in range(2))


def decode_inputs():
    weights = 0.05 * np.random.default_rng(4).standard_normal((CACHE[0], CACHE[2], CACHE[2])).astype(np.float32)
    return weights, np.ones(CACHE[2], np.float32), np.int32(7)


def all_programs():
    return [
        *donated_updates(10000),
        Program("mlp_adam", mlp_adam, mlp_state, mlp_inputs),
        Program("decode", decode, decode_cache, decode_inputs),
        elementwise_program(4096),
        elementwise_program(1 << 20),
        elementwise_program(1 << 24),
    ]
