"""`./dev bench arrays`: what array programs are made of, one op or idiom each, in f32 where nothing else is said.

ARRAYS maps a name to (function of one array, make_array). None of them gives an array away.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from measure import Program


def _random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


def _integers(*shape, high=100):
    return np.random.default_rng(1).integers(-high, high, shape, np.int32)


def matrix():
    return _random(1024, 1024)


def large_matrix():
    return _random(2048, 2048)


def bf16_matrix():
    return matrix().astype(jnp.bfloat16)


def integer_matrix():
    return _integers(1024, 1024)


def images():
    return _random(16, 32, 32, 64)


def batch():
    return _random(64, 128, 256)


def row_numbers():
    return np.abs(_integers(4096, high=1000))


@functools.cache
def _filters():
    return 0.1 * _random(3, 3, 64, 64, seed=2)


def _convolution(x, filters, stride=1, groups=1):
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, filters, (stride, stride), "SAME", dimension_numbers=layout, feature_group_count=groups)


def _max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def _cross_entropy(x):
    return -(nn.log_softmax(x) * nn.one_hot(jnp.arange(len(x)), x.shape[1])).sum(-1).mean()


def _positive_definite(x):
    part = x[:256, :256]
    return part @ part.T + 300 * jnp.eye(256)


ARRAYS = {
    # elementwise
    "exp": (jnp.exp, matrix),
    "log": (lambda x: jnp.log(jnp.abs(x)), matrix),
    "sin": (jnp.sin, matrix),
    "tanh": (jnp.tanh, matrix),
    "erf": (lax.erf, matrix),
    "power": (lambda x: jnp.abs(x) ** 2.5, matrix),
    "sigmoid": (nn.sigmoid, matrix),
    "gelu": (nn.gelu, large_matrix),
    "where": (lambda x: jnp.where(x > 0, x, 0.0), large_matrix),
    "integer division": (lambda x: x // 7, integer_matrix),
    "f32 to s32": (lambda x: x.astype(jnp.int32), matrix),
    "f32 to bf16": (lambda x: x.astype(jnp.bfloat16), large_matrix),
    "bf16 add": (lambda x: x + x * 2, bf16_matrix),
    "complex multiply": (lambda x: ((x + 1j * x) * (x - 2j)).real, matrix),
    "lax.map": (lambda x: lax.map(lambda row: jnp.tanh(row) * 2 + 1, x), large_matrix),
    "fori_loop over rows": (lambda x: lax.fori_loop(0, len(x), lambda i, y: y.at[i].set(x[i] * 2), jnp.zeros_like(x)), matrix),
    # reductions and scans
    "sum": (jnp.sum, large_matrix),
    "sum of columns": (lambda x: x.sum(0), large_matrix),
    "sum of rows": (lambda x: x.sum(1), large_matrix),
    "mean of a middle dimension": (lambda x: x.mean(1), images),
    "argmax of rows": (lambda x: x.argmax(1), large_matrix),
    "var of columns": (lambda x: x.var(0), large_matrix),
    "softmax": (nn.softmax, large_matrix),
    "layer norm": (lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5), batch),
    "batch norm": (lambda x: (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5), images),
    "cross entropy, gradient": (jax.grad(_cross_entropy), matrix),
    "cumsum of columns": (lambda x: jnp.cumsum(x, 0), large_matrix),
    "cumsum of rows": (lambda x: jnp.cumsum(x, 1), large_matrix),
    "associative_scan": (lambda x: lax.associative_scan(jnp.add, x, axis=1), matrix),
    "scan": (lambda x: lax.scan(lambda state, row: (jnp.tanh(state + row), state), x[0], x)[1], matrix),
    # movement
    "transpose": (lambda x: x.T + 0, large_matrix),
    "transpose bf16": (lambda x: x.T + 0, bf16_matrix),
    "NHWC to NCHW": (lambda x: x.transpose(0, 3, 1, 2) + 0, images),
    "reverse": (lambda x: x[::-1, ::-1] + 0, matrix),
    "every second": (lambda x: x[::2, ::2] + 0, large_matrix),
    "concatenate": (lambda x: jnp.concatenate([x, x * 2], 1), matrix),
    "stack": (lambda x: jnp.stack([x, x + 1], -1), matrix),
    "pad": (lambda x: jnp.pad(x, 1), large_matrix),
    "roll": (lambda x: jnp.roll(x, 5, 1), large_matrix),
    "repeat": (lambda x: x.repeat(2, 1), matrix),
    "rows by number": (lambda rows: jnp.asarray(_random(1000, 512))[rows], row_numbers),
    "segment_sum": (lambda rows: jax.ops.segment_sum(jnp.asarray(_random(4096, 64)), rows, 1000), row_numbers),
    "one_hot": (lambda rows: nn.one_hot(rows, 1000), row_numbers),
    # order
    "sort of rows": (lambda x: jnp.sort(x, 1), large_matrix),
    "sort of a row": (lambda x: jnp.sort(x.reshape(-1)), matrix),
    "argsort": (lambda x: jnp.argsort(x, 1), matrix),
    "median": (lambda x: jnp.median(x, 1), matrix),
    "top_k": (lambda x: lax.top_k(x, 10)[0], matrix),
    "permutation": (lambda x: jax.random.permutation(jax.random.key(0), x.reshape(-1)[:100000]), matrix),
    # products
    "product 64": (lambda x: x[:64, :64] @ x[:64, 64:128], matrix),
    "product 256": (lambda x: x[:256, :256] @ x[:256, 256:512], matrix),
    "product 1024": (lambda x: x @ x, matrix),
    "product 128x784x512": (lambda x: x[:128, :784] @ x[:784, :512], matrix),
    "product bf16": (lambda x: x @ x, bf16_matrix),
    "matrix times vector": (lambda x: x @ x[0], large_matrix),
    "vector times matrix": (lambda x: x[0] @ x, large_matrix),
    "attention": (lambda x: nn.softmax(jnp.einsum("bqd,bkd->bqk", x, x) / 16) @ x, batch),
    "recurrent step, 1024 times": (lambda x: lax.fori_loop(0, 1024, lambda _, h: jnp.tanh(0.1 * x[:128, :128] @ h), x[0, :128]), matrix),
    "convolution": (lambda x: _convolution(x, _filters()), images),
    "convolution, stride 2": (lambda x: _convolution(x, _filters(), stride=2), images),
    "convolution 1x1": (lambda x: _convolution(x, _filters()[:1, :1]), images),
    "convolution, depthwise": (lambda x: _convolution(x, _filters()[:, :, :1], groups=64), images),
    "convolution, gradient": (jax.grad(lambda x: _convolution(x, _filters()).sum()), images),
    "max pool": (_max_pool, images),
    "max pool, gradient": (jax.grad(lambda x: _max_pool(x).sum()), images),
    # transforms, linear algebra, random numbers
    "fft": (jnp.fft.fft, matrix),
    "rfft": (lambda x: jnp.abs(jnp.fft.rfft(x)), matrix),
    "cholesky": (lambda x: jnp.linalg.cholesky(_positive_definite(x)), matrix),
    "solve": (lambda x: jnp.linalg.solve(_positive_definite(x), x[:256, :4]), matrix),
    "singular values": (lambda x: jnp.linalg.svd(x[:100, :100], compute_uv=False), matrix),
    "random bits": (lambda x: jax.random.bits(jax.random.key(0), x.shape) + x.astype(jnp.uint32), matrix),
    "random normal": (lambda x: jax.random.normal(jax.random.key(0), x.shape) + x, matrix),
}  # fmt: skip


def array_programs():
    """The programs of ARRAYS, without state."""

    def program(name, function, make_array):
        return Program(name, lambda _, x: (None, function(x)), lambda: None, make_array)

    return [program(name, *entry) for name, entry in ARRAYS.items()]
