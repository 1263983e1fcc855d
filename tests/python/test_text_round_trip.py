"""HLO text survives the way through Stead and jaxlib: ours is read by jaxlib as the same module, and jaxlib's by us.

The modules are the stored programs and what jaxlib dumps of the functions below, before and after its optimisation.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hlo_text import by_xla, normal_form, print_options
from jax import lax
from stead_tool import REPOSITORY, output

STORED = sorted([*(REPOSITORY / "tests/data/programs").glob("*.hlo"), *(REPOSITORY / "tests/data/hlo").glob("*.hlo")])

MATRIX = jax.ShapeDtypeStruct((8, 16), jnp.float32)
SQUARE = jax.ShapeDtypeStruct((16, 16), jnp.float32)
VECTOR = jax.ShapeDtypeStruct((16,), jnp.float32)
INTEGERS = jax.ShapeDtypeStruct((8, 16), jnp.int32)
SCALAR = jax.ShapeDtypeStruct((), jnp.int32)
KEY = jax.ShapeDtypeStruct((2,), jnp.uint32)
IMAGE = jax.ShapeDtypeStruct((2, 8, 8, 3), jnp.float32)
KERNEL = jax.ShapeDtypeStruct((3, 3, 3, 4), jnp.float32)


def adam(p, m, v, g, t):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8) / (1 - 0.9**t), m, v


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


FUNCTIONS = {
    "unary": (lambda x: (jnp.sin(x), jnp.exp(x), jnp.log1p(x), lax.rsqrt(x), jnp.cbrt(x), jnp.sign(x), lax.is_finite(x)), [MATRIX]),
    "special": (lambda x: (lax.erf(x), lax.lgamma(x), lax.digamma(x), lax.erf_inv(x), jnp.arctan(x)), [MATRIX]),
    "binary": (lambda x, y: (x + y, x / y, jnp.power(x, y), lax.rem(x, y), lax.atan2(x, y), lax.nextafter(x, y)), [MATRIX, MATRIX]),
    "integers": (lambda x, y: (x // y, x % y, x & y, ~x, x << y, lax.population_count(x), lax.clz(x)), [INTEGERS, INTEGERS]),
    "compares": (lambda x, y: (x < y, x == y, jnp.where(x < y, x, y), lax.clamp(-1.0, x, 1.0), jnp.sort(x)), [MATRIX, MATRIX]),
    "converts": (
        lambda x: (
            x.astype(jnp.bfloat16),
            x.astype(jnp.int8),
            x.astype(bool),
            lax.bitcast_convert_type(x, jnp.uint8),
            lax.reduce_precision(x, 5, 10),
        ),
        [MATRIX],
    ),
    "small floats": (lambda x: (x.astype(jnp.float8_e4m3fn), x.astype(jnp.float8_e5m2), x.astype(jnp.float4_e2m1fn)), [MATRIX]),
    "shapes": (
        lambda x: (x.reshape(4, 32), x.T, x[::-1], x[2:6, 1:9:2], jnp.pad(x, ((1, 2), (0, 3))), jnp.roll(x, 3, 1), jnp.tile(x, (2, 1))),
        [MATRIX],
    ),
    "interior padding": (lambda x: lax.pad(x, 0.0, ((0, 0, 1), (-1, 2, 0))), [MATRIX]),
    "iotas": (lambda: (jnp.arange(10), jnp.eye(4), jnp.tri(4), jnp.linspace(0, 1, 7)), []),
    "constants": (
        lambda: (
            jnp.array([1, 2, 3], jnp.int4),
            jnp.array([1.5, 2], jnp.float8_e4m3fn),
            jnp.array([0.1, 3e38], jnp.bfloat16),
            jnp.array([1 + 2j, 3], jnp.complex64),
            jnp.array([[1, 2], [3, 4]], jnp.uint8),
            jnp.array([np.nan, np.inf, 1e-45, 0.1], jnp.float32),
        ),
        [],
    ),
    "large constant": (lambda x: x + np.random.default_rng(0).standard_normal((8, 16)).astype(np.float32), [MATRIX]),
    "boolean constant": (lambda x: jnp.where(np.arange(16) % 3 == 0, x, 0.0), [VECTOR]),
    "products": (lambda x, y: (x @ y, jnp.dot(x, y, precision="highest"), jnp.einsum("ij,kj->ik", x, x)), [MATRIX, SQUARE]),
    "batched product": (lambda x: jnp.einsum("bij,bkj->bik", x, x), [jax.ShapeDtypeStruct((3, 4, 5), jnp.bfloat16)]),
    "convolution": (
        lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        [IMAGE, KERNEL],
    ),
    "convolution gradient": (
        jax.grad(lambda w, x: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")).sum()),
        [KERNEL, IMAGE],
    ),
    "pooling": (lambda x: (max_pool(x), jax.grad(lambda y: max_pool(y).sum())(x)), [IMAGE]),
    "reductions": (lambda x: (x.sum(1), x.max(0), jnp.any(x > 0, 1), x.var(), jnp.argmax(x, 1), jnp.cumsum(x, 1)), [MATRIX]),
    "gather": (lambda x, i: (x[i[0]], jnp.take_along_axis(x, i, 1), x.at[i, i].get(mode="fill")), [MATRIX, INTEGERS]),
    "scatter": (lambda x, i: (x.at[i[0]].add(1.0), x.at[i[0], 0].set(2.0), x.at[i[0]].max(0.0)), [MATRIX, INTEGERS]),
    "batched gather": (jax.vmap(lambda x, i: (x[i], x.at[i].add(1.0))), [MATRIX, INTEGERS]),
    "slices": (
        lambda x, i: (lax.dynamic_slice(x, (i, 0), (2, 4)), lax.dynamic_update_slice(x, jnp.ones((2, 2)), (i, i))),
        [MATRIX, SCALAR],
    ),
    "sorting": (lambda x: (jnp.argsort(x), lax.sort((x, x + 1), num_keys=2), jnp.median(x), lax.top_k(x, 4)), [MATRIX]),
    "while": (lambda x: lax.while_loop(lambda c: c[0] < 10, lambda c: (c[0] + 1, c[1] * 1.1), (0, x)), [MATRIX]),
    "fori": (lambda x: lax.fori_loop(0, 10, lambda i, c: c + i, x), [MATRIX]),
    "scan": (lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros(16), x), [MATRIX]),
    "cond": (lambda i, x: lax.cond(i > 0, jnp.sin, lambda y: y * 2, x), [SCALAR, MATRIX]),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda y: y], x), [SCALAR, MATRIX]),
    "random": (lambda k: (jax.random.normal(k, (8,)), jax.random.split(k, 3), jax.random.permutation(k, 10)), [KEY]),
    "random bits": (lambda s: jax.random.uniform(jax.random.key(s, impl="rbg"), (8,)), [SCALAR]),
    "fft": (lambda x: (jnp.fft.fft(x), jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x))), [MATRIX]),
    "complex": (lambda x, y: (lax.complex(x, y) * lax.complex(y, x), jnp.abs(lax.complex(x, y))), [MATRIX, MATRIX]),
    "factorisations": (lambda x: (jnp.linalg.cholesky(x), jnp.linalg.qr(x), jnp.linalg.solve(x, x)), [SQUARE]),
    "triangular": (lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True, transpose_a=True), [SQUARE, SQUARE]),
    "barrier": (lambda x: lax.optimization_barrier((x + 1, x * 2)), [MATRIX]),
    "adam": (adam, [SQUARE, SQUARE, SQUARE, SQUARE, jax.ShapeDtypeStruct((), jnp.float32)], (0, 1, 2)),
    "gradient": (jax.grad(lambda w, x: (jnp.tanh(x @ w) ** 2).mean()), [SQUARE, MATRIX]),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), [MATRIX]),
    "callback": (lambda x: jax.pure_callback(lambda a: np.asarray(a) * 2, MATRIX, x), [MATRIX]),
}


def dump(name, cpu_device):
    """The module of a function before and after XLA's optimisation, as jaxlib prints it."""
    function, arguments, *donated = FUNCTIONS[name]
    with jax.default_device(cpu_device):
        lowered = jax.jit(function, donate_argnums=donated[0] if donated else ()).lower(*arguments)
        return lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True), lowered.compile().as_text()


def assert_survives(text):
    ours = output("convert", "-", text=text)
    options = print_options(text)
    read_by_xla = by_xla(ours, options)
    assert normal_form(read_by_xla) == normal_form(by_xla(text, options))
    # Back again: jaxlib may print it in another order and style, but to jaxlib it is still the same module.
    ours_again = output("convert", "-", text=read_by_xla)
    assert normal_form(by_xla(ours_again, options)) == normal_form(read_by_xla)
    return ours, ours_again


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_program_survives(path):
    assert_survives(path.read_text())


def test_there_are_enough_modules():
    assert len(STORED) >= 29
    assert 2 * len(FUNCTIONS) >= 80


@pytest.mark.parametrize("name", FUNCTIONS)
def test_dumped_module_survives(name, cpu_device):
    # What jaxlib printed keeps its order and style: our own two texts are equal too.
    for text in dump(name, cpu_device):
        ours, ours_again = assert_survives(text)
        assert normal_form(ours_again) == normal_form(ours)
