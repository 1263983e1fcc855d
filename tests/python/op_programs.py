"""Programs over the op set, by families, that must give the same results on Stead and on jaxlib's CPU backend.

PROGRAMS maps a name to (function, make_arguments). `make_arguments()` returns fresh NumPy arrays.
"""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

PROGRAMS = {}


def program(make_arguments):
    def add(function):
        PROGRAMS[function.__name__] = (function, make_arguments)
        return function

    return add


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def positive(*shape, seed=0):
    return np.abs(normal(*shape, seed=seed)) + np.float32(0.1)


def key():
    return np.array([5, 17], np.uint32)


@program(lambda: (normal(7, 11),))
def trigonometry(x):
    inside = jnp.clip(x, -0.9, 0.9)
    functions = jnp.sinh, jnp.cosh, jnp.arcsinh, jnp.arctan, jnp.tan, jnp.cbrt, lax.erf, lax.erfc
    return [function(x) for function in functions] + [function(inside) for function in (jnp.arcsin, jnp.arccos, jnp.arctanh, lax.erf_inv)]


@program(lambda: (positive(7, 11), positive(7, 11, seed=1)))
def special_functions(x, y):
    return (
        lax.lgamma(x),
        lax.digamma(x),
        lax.igamma(x, y),
        lax.igammac(x, y),
        lax.bessel_i0e(x),
        lax.bessel_i1e(x),
        lax.zeta(x + 1.5, y),
        jax.scipy.special.betainc(x, y, y / (1 + y)),
    )


@program(lambda: (normal(9), normal(9, seed=1)))
def rounding(x, y):
    methods = lax.RoundingMethod.TO_NEAREST_EVEN, lax.RoundingMethod.AWAY_FROM_ZERO
    halves = jnp.round(x * 4) / 2
    return [lax.round(halves, method) for method in methods] + [
        lax.nextafter(x, y),
        lax.rem(x, y),
        jnp.floor(halves),
        lax.reduce_precision(x, 5, 7),
    ]


@program(lambda: (np.array([[1, 2, 0], [6, -5, -8]], ml_dtypes.int4), np.array([[3, 1, 1], [1, 1, 1]], ml_dtypes.int4)))
def four_bits(x, y):
    return (x + y).astype(jnp.int32), (x * y).astype(jnp.int8), x < y, x.astype(jnp.uint4), jnp.concatenate([x, y]).astype(jnp.int16)


@program(lambda: (normal(33) * 20,))
def small_floats(x):
    names = (
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float8_e5m2fnuz",
        "float8_e4m3b11fnuz",
        "float8_e4m3",
        "float8_e3m4",
        "float4_e2m1fn",
    )
    narrow = [x.astype(getattr(jnp, name)) for name in names]
    return [y.astype(jnp.float32) for y in narrow] + narrow


@program(lambda: (normal(6, 8), normal(8, 5, seed=1)))
def products_of_all_precisions(x, y):
    contracted = (((1,), (0,)), ((), ()))
    return (
        jnp.dot(x, y, precision="highest"),
        lax.dot_general(x.astype(jnp.bfloat16), y.astype(jnp.bfloat16), contracted, preferred_element_type=jnp.float32),
        lax.dot_general(x, y, contracted, precision="BF16_BF16_F32"),
        lax.dot_general((x * 9).astype(jnp.int8), (y * 9).astype(jnp.int8), contracted, preferred_element_type=jnp.int32),
        (x.astype(jnp.float8_e4m3fn).astype(jnp.float32) @ y).astype(jnp.float8_e5m2),
    )


@program(lambda: (normal(9, 4), normal(3, 4, 5, seed=1), np.array([2, 0, 7], np.int32)))
def product_by_groups(x, y, sizes):
    return lax.ragged_dot(x, y, sizes)


def convolve(x, w):
    return lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program(lambda: (normal(2, 9, 8, 3), normal(3, 3, 3, 5, seed=1)))
def convolution_and_gradient(x, w):
    return convolve(x, w), jax.grad(lambda x, w: (convolve(x, w) ** 2).sum(), (0, 1))(x, w)


@program(lambda: (normal(2, 4, 11), normal(6, 2, 3, seed=1)))
def convolution_in_groups(x, w):
    dimensions = ("NCH", "OIH", "NCH")
    options = {"lhs_dilation": (2,), "rhs_dilation": (3,), "feature_group_count": 2}
    return lax.conv_general_dilated(x, w, (1,), [(2, 3)], dimension_numbers=dimensions, **options)


def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 3), (1, 2, 2), "VALID")


@program(lambda: (normal(3, 8, 9),))
def pooling_and_gradient(x):
    average = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3), (1, 1, 1), "SAME")
    return pooled(x), average, jax.grad(lambda x: (pooled(x) ** 2).sum())(x)


@program(lambda: (normal(5, 12),))
def running_totals(x):
    return jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1, reverse=True), lax.cumlogsumexp(x, 1), lax.associative_scan(jnp.minimum, x)


@program(lambda: (normal(8, 12), np.array([3, 0, 7, 7], np.int32), normal(4, 12, seed=1)))
def rows_by_index(x, index, rows):
    return (
        x[index],
        jnp.take(x, index, axis=1),
        x.at[index + 3, index].get(mode="fill", fill_value=-1),
        x.at[index].set(rows[:1]),
        x.at[index].max(rows),
        x.at[index].mul(rows, mode="drop"),
        jax.ops.segment_sum(rows, index, 9),
        jax.vmap(lambda row, i: row.at[i].add(1.0))(x[:4], index[:, None]),
    )


@program(lambda: (normal(6, 16),))
def order_statistics(x):
    pair = lax.sort((jnp.round(x), x), num_keys=2)
    return jnp.sort(x), jnp.argsort(x, descending=True), pair, jnp.median(x), lax.top_k(x, 3), lax.approx_max_k(x, 3)


@program(lambda: (np.array([3, 1, 3, 8, 1], np.int32), normal(5), np.linspace(-2, 2, 9, dtype=np.float32)))
def searches(counts, x, grid):
    return jnp.unique(counts, size=4), jnp.searchsorted(grid, x), jnp.interp(x, grid, grid**2), jnp.histogram(x, 4), jnp.argmax(x)


@program(lambda: (np.int32(1), normal(6)))
def branches(index, x):
    chosen = lax.switch(index, [jnp.sin, jnp.cos, lambda y: y], x)
    return chosen, lax.cond(index > 0, lambda y: y * 2, jnp.tanh, x)


@program(lambda: (key(),))
def draws(key):
    uniform, split = jax.random.uniform(key, (3, 5)), jax.random.split(key, 4)
    numbers = jax.random.randint(key, (6,), -3, 9), jax.random.bernoulli(key, 0.3, (9,)), jax.random.permutation(key, 12)
    shapes = jax.random.gumbel(key, (5,)), jax.random.truncated_normal(key, -1, 1, (5,)), jax.random.categorical(key, jnp.ones(5))
    return uniform, split, numbers, shapes, jax.random.gamma(key, 2.0, (4,))


@program(lambda: (normal(9, 9), normal(9, 2, seed=1)))
def linear_algebra(a, b):
    definite = a @ a.T + 9 * jnp.eye(9)
    lower = jnp.linalg.cholesky(definite)
    return (
        lower,
        lax.linalg.triangular_solve(lower, b, left_side=True, lower=True),
        jnp.linalg.solve(a, b),
        jnp.linalg.det(a),
        jnp.linalg.inv(a),
    )


@program(lambda: (normal(6, 6),))
def decompositions(a):
    """What of them is unique."""
    orthogonal, upper = jnp.linalg.qr(a)
    left, values, right = jnp.linalg.svd(a)
    own_values, vectors = jnp.linalg.eigh(a + a.T)
    return orthogonal @ upper, values, (left * values) @ right, own_values, (vectors * own_values) @ vectors.T, jax.scipy.linalg.expm(a)


@program(lambda: (normal(7) + 3, normal(7, seed=1), normal(7, seed=2), normal(7, 2, seed=3)))
def three_diagonals(diagonal, lower, upper, right):
    return lax.linalg.tridiagonal_solve(lower, diagonal, upper, right)


@program(lambda: (normal(4, 12), (normal(4, 12) + 1j * normal(4, 12, seed=1)).astype(np.complex64)))
def spectra(x, z):
    return jnp.fft.fft(z), jnp.fft.ifft(z), jnp.fft.rfft(x), jnp.fft.irfft(z), jnp.fft.fft2(z), jnp.abs(z), jnp.exp(z), z / (z + 1)


@program(lambda: (normal(6, 8), normal(8, 8, seed=1)))
def derivatives_by_other_rules(x, w):
    remembered = jax.grad(lambda y: jax.checkpoint(lambda z: jnp.sin(jnp.sin(z)))(y).sum())(x)
    policy = jax.checkpoint_policies.dots_saveable
    recomputed = jax.grad(lambda y: jax.checkpoint(lambda z: jnp.sin(z @ w), policy=policy)(y).sum())(x)
    return remembered, recomputed, jax.grad(lambda y: (jax.nn.silu(y) + jax.nn.relu(y)).sum())(x)


@program(lambda: (normal(1, 5, 6, 3),))
def resized_image(x):
    return jax.image.resize(x, (1, 9, 11, 3), "bilinear"), jax.image.resize(x, (1, 3, 3, 3), "cubic")


@program(lambda: (normal(8, 10), np.arange(8, dtype=np.int32)))
def cross_entropy(logits, labels):
    return jax.value_and_grad(lambda z: -(jax.nn.one_hot(labels, 10) * jax.nn.log_softmax(z)).sum(1).mean())(logits)


@program(lambda: (normal(6, 16).astype(ml_dtypes.bfloat16), normal(16, 4, seed=1).astype(ml_dtypes.bfloat16)))
def narrow_layer(x, w):
    return x @ w, jax.nn.relu(x) * 2, x.sum(0), (x.astype(jnp.float16) * 3).astype(jnp.bfloat16)


@program(lambda: (normal(0, 6),))
def nothing(x):
    return x.sum(), x.max(1), jnp.concatenate([x, x]), x @ jnp.ones((6, 3)), jnp.zeros((3, 0)) @ x


@program(lambda: (normal(4, 6),))
def calls(x):
    inner = jax.jit(lambda y: jnp.sin(y) * 2, inline=False)
    scaled = lax.composite(lambda y, factor: y * factor, "house.scale")(x, factor=np.float32(3))
    return (
        inner(x) + inner(x * 2),
        scaled,
        lax.optimization_barrier((x + 1, x * 2)),
        lax.custom_linear_solve(lambda y: 2 * y, x, lambda f, b: b / 2),
    )


def attention_block(weights, x):
    query, key, value = jnp.split(x @ weights["qkv"], 3, -1)
    heads = [array.reshape(*x.shape[:2], 2, -1) for array in (query, key, value)]
    x = x + jax.nn.dot_product_attention(*heads, is_causal=True).reshape(x.shape)
    centred = x - x.mean(-1, keepdims=True)
    normed = centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return x + jax.nn.gelu(normed @ weights["up"]) @ weights["down"]


def stack_of_blocks():
    weights = {"qkv": normal(3, 8, 24), "up": normal(3, 8, 16, seed=1), "down": normal(3, 16, 8, seed=2)}
    return {name: array * np.float32(0.3) for name, array in weights.items()}, normal(2, 7, 8, seed=3)


@program(stack_of_blocks)
def gradient_of_scanned_blocks(weights, x):
    def loss(weights):
        body = jax.checkpoint(lambda carry, layer: (attention_block(layer, carry), None))
        return (lax.scan(body, x, weights)[0] ** 2).mean()

    return jax.value_and_grad(loss)(weights)


@program(lambda: (normal(10), normal(5, 3, seed=1), np.array([[-1], [0], [7], [8], [9]], np.int32)))
def scatter_of_windows_across_the_border(x, updates, starts):
    dimensions = lax.ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(), scatter_dims_to_operand_dims=(0,))
    return [lax.scatter_add(x, starts, updates, dimensions, mode=mode) for mode in ("fill", "clip")]
