"""JAX programs that must give the same results on Stead and on jaxlib's CPU backend.

PROGRAMS maps a name to (function, make_arguments, donated argument numbers). `make_arguments()` returns fresh NumPy trees.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.layout import Layout, with_layout_constraint

PROGRAMS = {}


def program(make_arguments, donate=()):
    def add(function):
        PROGRAMS[function.__name__] = (function, make_arguments, donate)
        return function

    return add


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@program(lambda: (normal(64, 32), normal(64, 32, seed=1)))
def elementwise(x, y):
    return jnp.exp(-x * x) * jnp.tanh(y) + jnp.log(jnp.abs(x) + 1), jnp.sin(x) / (jnp.sqrt(y * y + 1)), x**3 - y


@program(lambda: (normal(17, 5), normal(5)))
def broadcasts(x, y):
    return x + y, x[:, None, :] * y[None, :, None], jnp.where(x > 0, x, y)


@program(lambda: (normal(12, 20),))
def shapes(x):
    return x.T, x.reshape(8, 30), x[2:9:3, ::2], jnp.pad(x, ((1, 2), (0, 3))), jnp.concatenate([x, x * 2], 1), x[::-1]


@program(lambda: (normal(12, 20), np.int32(3)))
def windows(x, index):
    row = lax.dynamic_index_in_dim(x, index, 0)
    return row, lax.dynamic_update_slice(x, row * 2, (index + 1, 0)), x.at[index, 4].set(7.0), x[index]


@program(lambda: (normal(33, 47),))
def reductions(x):
    return x.sum(), x.sum(0), x.max(1), x.min(), x.prod(1), x.mean(0), jnp.argmax(x, 1), (x > 0).any(0), jax.nn.logsumexp(x, axis=1)


@program(lambda: (np.arange(4, dtype=np.uint32) + 7,))
def bits_from_a_counter(key):
    wide, narrow = (lax.rng_bit_generator(key, (5, 3), kind)[1] for kind in (np.uint32, np.uint8))
    return lax.rng_bit_generator(key, (17,))[0], wide, narrow, jax.random.normal(jax.random.wrap_key_data(key, impl="rbg"), (9,))


# So many that whatever is kept beside them shows.
@program(lambda: (np.arange(4, dtype=np.uint32) + 7,))
def many_bits_from_a_counter(key):
    next_key, bytes_ = lax.rng_bit_generator(key, (70_001,), np.uint8)
    return lax.rng_bit_generator(next_key, (300, 301), np.uint32), bytes_ < 26


@program(lambda: (normal(6, 33, 17), normal(6, 17, 29, seed=1)))
def dots(x, y):
    return jnp.einsum("bij,bjk->bik", x, y), x[0] @ y[0], y[0] @ jnp.ones(29), jnp.tensordot(x, x, ((0, 1), (0, 1)))


@program(lambda: (np.arange(40, dtype=np.int32).reshape(5, 8) - 20, np.full((5, 8), 3, np.int32)))
def integers(x, y):
    return x + y, x // y, x % y, x & y, x << y, x >> 1, lax.shift_right_logical(x, y), lax.population_count(x), x < y, abs(x)


@program(lambda: (normal(9, 9),))
def conversions(x):
    small = (x * 40).astype(jnp.int8)
    return (
        small,
        x.astype(jnp.bfloat16),
        x.astype(jnp.float16).astype(jnp.float32),
        x > 0,
        lax.bitcast_convert_type(x, jnp.uint32),
        small.astype(jnp.uint8),
    )


@program(lambda: (normal(16),))
def while_loop(x):
    return lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] * 1.1 + 0.1), (0, x))


@program(lambda: (normal(16),), donate=(0,))
def fori_update(x):
    return lax.fori_loop(0, 16, lambda i, c: c.at[i].add(c[15 - i]), x)


@program(lambda: (normal(16), normal(16, seed=1)), donate=(0, 1))
def fori_swap(x, y):
    return lax.fori_loop(0, 7, lambda i, c: (c[1] + 1, c[0]), (x, y))


@program(lambda: (normal(10, 16),))
def scan_sum(x):
    return lax.scan(lambda carry, row: (carry + row, carry * row), jnp.zeros(16), x)


@program(lambda: (normal(8, 8),))
def nested_loops(x):
    def outer(i, c):
        return lax.fori_loop(0, 3, lambda j, d: (d @ d) * 0.1 + x, c) + i

    return lax.fori_loop(0, 4, outer, x)


@program(lambda: (np.array([0, 42], np.uint32),))
def random_numbers(key):
    bits = jax.random.bits(key, (33,))
    return jax.random.normal(key, (1000,)), jax.random.uniform(key, (4, 5)), bits, jax.random.split(key, 3)


@program(lambda: (normal(20, 8), np.array([3, 0, 19, 7], np.int32), normal(4, 8, seed=1)))
def rows(x, index, update):
    return x[index], x.at[index].add(update), x[index[0]]


@program(lambda: (normal(10, 10), normal(10, 10, seed=1)), donate=(0, 1))
def donated_swap(x, y):
    return y, x


@program(lambda: (normal(10, 10),), donate=(0,))
def donated_elementwise(x):
    return jnp.sin(x) * 2


@program(lambda: (normal(10, 10), normal(10, 10, seed=1)), donate=(0,))
def old_and_new(x, y):
    z = x.at[2, 3].set(5.0)
    return z, (z * x).sum() + y


HEADS, WIDTH, CONTEXT, LAYERS, VOCABULARY = 4, 64, 32, 2, 100


def gpt_weights():
    random = np.random.default_rng(5)

    def matrix(*shape):
        return (random.standard_normal(shape) / np.sqrt(shape[-2])).astype(np.float32)

    return {
        "embedding": matrix(VOCABULARY, WIDTH),
        "position": matrix(CONTEXT, WIDTH),
        "qkv": matrix(LAYERS, WIDTH, 3 * WIDTH),
        "out": matrix(LAYERS, WIDTH, WIDTH),
        "up": matrix(LAYERS, WIDTH, 4 * WIDTH),
        "down": matrix(LAYERS, 4 * WIDTH, WIDTH),
    }


def layer_norm(x):
    centred = x - x.mean()
    return centred / jnp.sqrt((centred * centred).mean() + 1e-5)


def gpt_cache():
    return np.zeros((2, LAYERS, CONTEXT, HEADS, WIDTH // HEADS), np.float32)


def gpt_layer(x, cache, layer, position, qkv, out, up, down):
    """One transformer layer for one token; writes the token's key and value into the cache."""
    query, key, value = jnp.split(layer_norm(x) @ qkv, 3)
    heads = (HEADS, WIDTH // HEADS)
    entry = jnp.stack([key.reshape(heads), value.reshape(heads)])
    cache = lax.dynamic_update_slice(cache, entry[:, None, None], (0, layer, position, 0, 0))
    keys, values = cache[0, layer], cache[1, layer]
    scores = jnp.einsum("hd,chd->hc", query.reshape(heads), keys) / np.sqrt(heads[1])
    scores = jnp.where(jnp.arange(CONTEXT) <= position, scores, -1e9)
    attention = jnp.einsum("hc,chd->hd", jax.nn.softmax(scores), values).reshape(WIDTH)
    x = x + attention @ out
    return x + jax.nn.gelu(layer_norm(x) @ up) @ down, cache


@program(lambda: (gpt_cache(), gpt_weights(), np.int32(7), np.int32(3)), donate=(0,))
def gpt_decode(cache, weights, token, position):
    """A decode step with a donated cache, layers unrolled."""
    x = weights["embedding"][token] + weights["position"][position]
    for layer in range(LAYERS):
        matrices = [weights[name][layer] for name in ("qkv", "out", "up", "down")]
        x, cache = gpt_layer(x, cache, layer, position, *matrices)
    return cache, layer_norm(x) @ weights["embedding"].T


@program(lambda: (gpt_cache(), gpt_weights(), np.int32(7), np.int32(3)), donate=(0,))
def gpt_decode_scan(cache, weights, token, position):
    """The same with a scan over the layers; the cache is loop state."""
    x = weights["embedding"][token] + weights["position"][position]

    def step(state, inputs):
        layer, matrices = inputs
        return gpt_layer(*state, layer, position, *matrices), None

    matrices = tuple(weights[name] for name in ("qkv", "out", "up", "down"))
    (x, cache), _ = lax.scan(step, (x, cache), (jnp.arange(LAYERS), matrices))
    return cache, layer_norm(x) @ weights["embedding"].T


def mlp_loss(weights, images, labels):
    hidden = jnp.maximum(images @ weights["w0"] + weights["b0"], 0)
    logits = hidden @ weights["w1"] + weights["b1"]
    return -(jax.nn.log_softmax(logits) * labels).sum(1).mean()


def mlp_arguments():
    random = np.random.default_rng(2)
    weights = {"w0": random.standard_normal((20, 30)), "b0": np.zeros(30), "w1": random.standard_normal((30, 10)), "b1": np.zeros(10)}
    weights = {name: array.astype(np.float32) for name, array in weights.items()}
    zeros = {name: np.zeros_like(array) for name, array in weights.items()}
    state = {"weights": weights, "first": zeros, "second": {n: a.copy() for n, a in zeros.items()}, "step": np.int32(0)}
    return state, random.standard_normal((16, 20)).astype(np.float32), np.eye(10, dtype=np.float32)[random.integers(0, 10, 16)]


@program(mlp_arguments, donate=(0,))
def mlp_adam(state, images, labels):
    """A training step; weights and both moments are donated and come back updated."""
    loss, gradient = jax.value_and_grad(mlp_loss)(state["weights"], images, labels)
    step = state["step"] + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state["first"], gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state["second"], gradient)

    def move(w, m, v):
        corrected = m / (1 - 0.9**step) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)
        return w - 1e-3 * corrected

    weights = jax.tree.map(move, state["weights"], first, second)
    return {"weights": weights, "first": first, "second": second, "step": step}, loss


def deep_arguments():
    sizes = (16, 64, 64, 64, 10)
    layers = [normal(*shape, seed=number) / np.float32(8) for number, shape in enumerate(zip(sizes, sizes[1:], strict=False))]
    zeros = [np.zeros_like(layer) for layer in layers]
    return layers, zeros, [layer.copy() for layer in zeros], normal(32, 16), normal(32, 10, seed=9)


@program(deep_arguments, donate=(0, 1, 2))
def deep_adam(layers, first, second, inputs, targets):
    """A training step of four layers, which can be updated in place as soon as their gradients are known."""

    def loss(layers):
        hidden = inputs
        for layer in layers[:-1]:
            hidden = jnp.maximum(layer.T @ hidden.T, 0).T
        return ((hidden @ layers[-1] - targets) ** 2).mean()

    gradients = jax.grad(loss)(layers)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
    return jax.tree.map(lambda w, m, v: w - 1e-3 * m / (jnp.sqrt(v) + 1e-8), layers, first, second), first, second


def lstm_cell(weights, state, inputs):
    gates = jnp.split(jnp.concatenate([inputs, state[0]], 1) @ weights, 4, 1)
    memory = jax.nn.sigmoid(gates[0] + 1) * state[1] + jax.nn.sigmoid(gates[1]) * jnp.tanh(gates[2])
    hidden = jax.nn.sigmoid(gates[3]) * jnp.tanh(memory)
    return (hidden, memory), hidden


@program(lambda: (normal(24, 64) / np.float32(5), normal(12, 4, 8, seed=1)))
def lstm_gradient(weights, inputs):
    """The backward loop reads arrays that the forward loop saved, and rows of an array of ones."""
    zeros = jnp.zeros((4, 16))
    return jax.grad(lambda weights: lax.scan(lambda *step: lstm_cell(weights, *step), (zeros, zeros), inputs)[1].sum())(weights)


@program(lambda: (normal(3, 100),))
def calls_that_only_the_compiler_answers(x):
    row_major = with_layout_constraint(x * 2, Layout((1, 0)))
    return lax.approx_max_k(x, 4), lax.approx_min_k(x, 4, aggregate_to_topk=False), row_major
