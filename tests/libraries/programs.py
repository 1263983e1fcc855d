"""Programs on JAX's well-known libraries: training steps, decoding, differential equations, sampling.

PROGRAMS maps a name to a builder, which imports its library and returns a Program. Everything is made from seeds: no weights, no
data sets.
"""

import dataclasses
import os
import typing

# Keras decides this once, when it is imported.
os.environ["KERAS_BACKEND"] = "jax"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = {}


@dataclasses.dataclass
class Program:
    """What a library's user would run; the arguments are NumPy trees, so that they can be put on any device."""

    function: typing.Callable
    arguments: tuple
    donated: tuple = ()  # numbers of arguments
    is_compiled: bool = True  # by jax.jit as a whole; a library may do that itself, in parts


def program(builder):
    PROGRAMS[builder.__name__] = builder
    return builder


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def labels(count):
    return np.arange(count, dtype=np.int32) % 10


def as_numpy(tree):
    return jax.tree.map(np.asarray, tree)


def training_step(loss, optimizer):
    """A function (weights, state, inputs, labels) -> (weights, state, loss)."""
    import optax

    def step(weights, state, inputs, targets):
        value, gradient = jax.value_and_grad(loss)(weights, inputs, targets)
        updates, state = optimizer.update(gradient, state, weights)
        return optax.apply_updates(weights, updates), state, value

    return step


def equinox_mlp():
    import equinox
    import optax

    network = equinox.nn.MLP(64, 10, 256, 3, key=jax.random.key(0))
    weights, rest = equinox.partition(network, equinox.is_array)
    optimizer = optax.adam(1e-3)

    def loss(weights, inputs, targets):
        outputs = jax.vmap(equinox.combine(weights, rest))(inputs)
        return optax.softmax_cross_entropy_with_integer_labels(outputs, targets).mean()

    arguments = as_numpy((weights, optimizer.init(weights))) + (normal(128, 64), labels(128))
    return training_step(loss, optimizer), arguments


@program
def equinox_mlp_adam():
    return Program(*equinox_mlp())


@program
def equinox_mlp_adam_donated():
    return Program(*equinox_mlp(), donated=(0, 1))


def flax_cnn():
    import optax
    from flax import linen

    class Network(linen.Module):
        @linen.compact
        def __call__(self, images):
            for channels in (16, 32):
                images = linen.relu(linen.Conv(channels, (3, 3))(images))
                images = linen.max_pool(images, (2, 2), (2, 2))
            hidden = linen.relu(linen.Dense(128)(images.reshape(images.shape[0], -1)))
            return linen.Dense(10)(hidden)

    network, images = Network(), normal(32, 28, 28, 1)
    weights, optimizer = network.init(jax.random.key(0), images), optax.sgd(0.1, 0.9)

    def loss(weights, images, targets):
        return optax.softmax_cross_entropy_with_integer_labels(network.apply(weights, images), targets).mean()

    return training_step(loss, optimizer), as_numpy((weights, optimizer.init(weights))) + (images, labels(32))


@program
def flax_cnn_momentum():
    return Program(*flax_cnn())


@program
def flax_cnn_momentum_donated():
    return Program(*flax_cnn(), donated=(0, 1))


@program
def haiku_resnet18_gradient():
    import haiku

    network = haiku.transform_with_state(lambda images, is_training: haiku.nets.ResNet18(10)(images, is_training))
    images = normal(2, 32, 32, 3)
    weights, state = network.init(jax.random.PRNGKey(0), images, True)

    def loss(weights, state, images):
        outputs, state = network.apply(weights, state, None, images, True)
        return (outputs**2).mean(), state

    return Program(jax.grad(loss, has_aux=True), (*as_numpy((weights, state)), images))


@program
def haiku_lstm_gradient():
    import haiku

    def unroll(inputs):
        core = haiku.LSTM(64)
        return haiku.dynamic_unroll(core, inputs, core.initial_state(8))[0]

    network = haiku.without_apply_rng(haiku.transform(unroll))
    inputs = normal(32, 8, 16)
    weights = network.init(jax.random.PRNGKey(0), inputs)
    return Program(jax.grad(lambda weights, inputs: network.apply(weights, inputs).sum()), (as_numpy(weights), inputs))


def van_der_pol(start):
    import diffrax

    def slope(time, state, _):
        return jnp.stack([state[1], 5 * (1 - state[0] ** 2) * state[1] - state[0]])

    controller = diffrax.PIDController(1e-5, 1e-5)
    times = diffrax.SaveAt(ts=jnp.linspace(0, 10, 50))
    term = diffrax.ODETerm(slope)
    return diffrax.diffeqsolve(term, diffrax.Tsit5(), 0, 10, 0.01, start, stepsize_controller=controller, saveat=times).ys


@program
def diffrax_oscillator():
    return Program(van_der_pol, (np.array([1, 0], np.float32),))


@program
def diffrax_oscillator_gradient():
    return Program(jax.grad(lambda start: van_der_pol(start).sum()), (np.array([1, 0], np.float32),))


@program
def diffrax_stiff_reaction():
    import diffrax

    def slope(time, state, _):
        first = -0.04 * state[0] + 1e4 * state[1] * state[2]
        third = 3e7 * state[1] ** 2
        return jnp.stack([first, -first - third, third])

    def solve(start):
        controller = diffrax.PIDController(1e-4, 1e-6)
        return diffrax.diffeqsolve(diffrax.ODETerm(slope), diffrax.Kvaerno5(), 0, 100, 1e-4, start, stepsize_controller=controller).ys

    return Program(solve, (np.array([1, 0, 0], np.float32),))


@program
def numpyro_nuts():
    import numpyro
    from numpyro import distributions
    from numpyro.infer import MCMC, NUTS

    def regression(inputs, outputs):
        offset = numpyro.sample("offset", distributions.Normal(0, 1))
        slopes = numpyro.sample("slopes", distributions.Normal(jnp.zeros(3), 1).to_event(1))
        noise = numpyro.sample("noise", distributions.Exponential(1.0))
        numpyro.sample("outputs", distributions.Normal(offset + inputs @ slopes, noise), obs=outputs)

    def sample(key, inputs, outputs):
        chain = MCMC(NUTS(regression), num_warmup=100, num_samples=100, progress_bar=False)
        chain.run(jax.random.wrap_key_data(key), inputs, outputs)
        return chain.get_samples()

    inputs = normal(50, 3)
    outputs = inputs @ np.array([1, -1, 0.5], np.float32) + normal(50, seed=1)
    return Program(sample, (np.array([0, 7], np.uint32), inputs, outputs), is_compiled=False)


@program
def keras_mobilenet():
    import keras

    keras.utils.set_random_seed(0)
    options = {"weights": None, "classes": 10, "classifier_activation": None}
    network = keras.applications.MobileNetV2(input_shape=(96, 96, 3), **options)
    trained = [np.asarray(variable.value) for variable in network.trainable_variables]
    fixed = [np.asarray(variable.value) for variable in network.non_trainable_variables]

    def forward(trained, fixed, images):
        return network.stateless_call(trained, fixed, images)[0]

    return Program(forward, (trained, fixed, normal(1, 96, 96, 3)))


LAYERS, WIDTH, HEADS, CONTEXT, VOCABULARY, NEW_TOKENS = 4, 128, 4, 128, 1024, 32


def normalized(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def attend(query, keys, values, position):
    heads = [array.reshape(-1, HEADS, WIDTH // HEADS) for array in (keys, values)]
    scores = jnp.einsum("hd,thd->ht", query.reshape(HEADS, -1), heads[0]) / np.sqrt(WIDTH / HEADS)
    weights = jax.nn.softmax(jnp.where(jnp.arange(CONTEXT) <= position, scores, -1e9))
    return jnp.einsum("ht,thd->hd", weights, heads[1]).reshape(-1)


def decode(weights, cache, token, position):
    """One token through all layers by a scan; keys and values go into the cache."""

    def layer(x, inputs):
        matrices, (keys, values) = inputs
        query, key, value = jnp.split(normalized(x) @ matrices["qkv"], 3)
        keys = keys.at[position].set(key)
        values = values.at[position].set(value)
        x = x + attend(query, keys, values, position) @ matrices["out"]
        return x + jax.nn.gelu(normalized(x) @ matrices["up"]) @ matrices["down"], (keys, values)

    x, cache = lax.scan(layer, weights["embedding"][token], (weights["layers"], cache))
    return cache, jnp.argmax(normalized(x) @ weights["embedding"].T).astype(np.int32)


def gpt_arguments():
    shapes = {"qkv": (WIDTH, 3 * WIDTH), "out": (WIDTH, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
    layers = {name: normal(LAYERS, *shape, seed=seed) * np.float32(0.02) for seed, (name, shape) in enumerate(shapes.items())}
    weights = {"embedding": normal(VOCABULARY, WIDTH, seed=9) * np.float32(0.02), "layers": layers}
    cache = tuple(np.zeros((LAYERS, CONTEXT, WIDTH), np.float32) for _ in range(2))
    return weights, cache, np.int32(3)


@program
def gpt_decode_donated():
    return Program(decode, (*gpt_arguments(), np.int32(5)), donated=(1,))


@program
def gpt_generate_donated():
    def generate(weights, cache, token):
        def step(state, position):
            cache, token = decode(weights, *state, position)
            return (cache, token), token

        return lax.scan(step, (cache, token), jnp.arange(NEW_TOKENS))

    return Program(generate, gpt_arguments(), donated=(1,))
