"""The kernels that JAX itself ships for TPUs run on Stead as they are, and agree with plain JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas.ops.tpu import flash_attention
from jax.experimental.pallas.ops.tpu.megablox import gmm
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel, splash_attention_mask

import stead.pallas

TOLERANCE = 1e-4


@pytest.fixture(autouse=True)
def kernels_on_stead(stead_device):
    with stead.pallas.enabled(), jax.default_device(stead_device):
        yield


def normal(*dimensions, seed=0):
    return np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)


def assert_close(actual, expected):
    for got, wanted in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=TOLERANCE, atol=TOLERANCE)


def causal_attention(query, key, value):
    """softmax(query key^T, masked) value, over the last two dimensions."""
    scores = jnp.einsum("...qd,...kd->...qk", query, key)
    length = scores.shape[-1]
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    return jnp.einsum("...qk,...kd->...qd", jax.nn.softmax(scores), value)


def test_flash_attention():
    arguments = [normal(1, 2, 256, 128, seed=seed) for seed in range(3)]
    ours = jax.jit(lambda *qkv: flash_attention.flash_attention(*qkv, causal=True))(*arguments)
    assert_close(ours, causal_attention(*arguments))


def test_gradients_of_flash_attention():
    arguments = [normal(1, 1, 128, 128, seed=seed) for seed in range(3)]

    def ours(*qkv):
        return flash_attention.flash_attention(*qkv, causal=True).sum()

    def plain(*qkv):
        return causal_attention(*qkv).sum()

    assert_close(jax.jit(jax.grad(ours, (0, 1, 2)))(*arguments), jax.grad(plain, (0, 1, 2))(*arguments))


def test_splash_attention():
    mask = splash_attention_mask.MultiHeadMask([splash_attention_mask.CausalMask((256, 256)) for _ in range(2)])
    kernel = splash_attention_kernel.make_splash_mha_single_device(mask)
    arguments = [normal(2, 256, 128, seed=seed) for seed in range(3)]
    assert_close(jax.jit(kernel)(*arguments), causal_attention(*arguments))


def test_grouped_products_with_a_grid_of_unknown_size():
    rows, weights = normal(256, 128), normal(4, 128, 128, seed=1)
    sizes = np.array([64, 32, 96, 64], np.int32)
    groups = np.split(rows, np.cumsum(sizes)[:-1])
    expected = np.concatenate([group @ weight for group, weight in zip(groups, weights, strict=True)])
    assert_close(jax.jit(gmm)(rows, weights, sizes), expected)


def test_paged_attention_with_transfers():
    heads, width, page, pages = 8, 128, 16, 16
    query = normal(2, heads, width)
    # The kernel rounds keys and values to bfloat16.
    keys, values = (np.asarray(normal(2, pages, page, width, seed=seed).astype(jnp.bfloat16).astype(np.float32)) for seed in (1, 2))
    lengths = np.array([37, 100], np.int32)
    table = np.random.default_rng(3).integers(0, pages, (2, 8)).astype(np.int32)
    ours = jax.jit(lambda *arrays: paged_attention(*arrays, pages_per_compute_block=4))(query, keys, values, lengths, table)
    for sequence, length in enumerate(lengths):
        for head in range(heads):
            shared = head // (heads // 2)  # two heads of keys serve all heads of queries
            key = keys[shared, table[sequence]].reshape(-1, width)[:length]
            value = values[shared, table[sequence]].reshape(-1, width)[:length]
            expected = jax.nn.softmax(key @ query[sequence, head]) @ value
            assert_close(ours[sequence, head], expected)


def test_a_pipeline_inside_a_kernel():
    rows = pl.BlockSpec((8, 128), lambda i: (i, 0))

    def add_one(block, result):
        result[...] = block[...] + 1

    def body(x, o):
        pltpu.emit_pipeline(add_one, grid=(4,), in_specs=[rows], out_specs=[rows])(x, o)

    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    result = jax.ShapeDtypeStruct((32, 128), jnp.float32)
    x = normal(32, 128)
    assert_close(jax.jit(pl.pallas_call(body, out_shape=result, in_specs=[anywhere], out_specs=anywhere))(x), x + 1)


def test_a_kernel_inside_a_loop_and_under_vmap():
    def double(x):
        def body(x, o):
            o[...] = x[...] * 2

        rows = pl.BlockSpec((8, 128), lambda i: (i, 0))
        return pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(4,), in_specs=[rows], out_specs=rows)(x)

    x = normal(32, 128)
    loop = jax.jit(lambda x: jax.lax.fori_loop(0, 5, lambda _, carried: double(carried), x))
    assert_close(loop(x), x * 32)
    assert_close(jax.jit(jax.vmap(double))(np.stack([x, x + 1])), np.stack([x * 2, x * 2 + 2]))
