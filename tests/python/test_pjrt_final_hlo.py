"""The final HLO that `compiled.as_text()` prints is the program that runs: XLA:CPU computes the same from that module.

One small function for every set of attributes that an instruction can have in the protocol.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hlo_on_xla import run_module_on_xla
from jax import lax

STEAD = jax.devices("stead")[0]


def floats(*shape):
    return np.random.default_rng(7).normal(size=shape).astype(np.float32)


def integers(*shape, high=6):
    return np.random.default_rng(7).integers(0, high, size=shape).astype(np.int32)


def scatter(x, indices, updates):
    numbers = lax.ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
    return lax.scatter_add(x, indices[:, None], updates, numbers)


def gather(x, indices):
    numbers = lax.GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,))
    return lax.gather(x, indices[:, None], numbers, (1, x.shape[1]))


PROGRAMS = {
    "elementwise": (lambda x, y: jnp.tanh(x) * y - jnp.abs(y), (floats(4, 5), floats(4, 5))),
    "constants": (lambda x: x * jnp.array([1.5, -2.0, 3.0], jnp.float32) + jnp.float32(0.1), (floats(3),)),
    "compare_and_select": (lambda x, y: jnp.where(x < y, x, -y), (floats(4), floats(4))),
    "convert": (lambda x: (x.astype(jnp.int32), x.astype(jnp.bfloat16), x > 0), (floats(8),)),
    "integers": (lambda x, y: (x & y, x << 2, lax.shift_right_logical(x, 1), x % 3), (integers(9), integers(9))),
    "broadcast_and_iota": (lambda x: x[:, None] + jnp.arange(3.0), (floats(4),)),
    "transpose_and_reshape": (lambda x: x.T.reshape(3, 8), (floats(4, 6),)),
    "slice_pad_reverse": (lambda x: lax.pad(x[1:5:2, ::-1], 0.0, ((1, 0, 1), (0, 2, 0))), (floats(6, 3),)),
    "concatenate": (lambda x, y: jnp.concatenate([x, y, x], axis=1), (floats(2, 3), floats(2, 4))),
    "dynamic_slice": (lambda x, i: lax.dynamic_slice(x, (i, 1), (2, 3)), (floats(6, 5), np.int32(2))),
    "dynamic_update": (lambda x, y, i: lax.dynamic_update_slice(x, y, (i, 0)), (floats(6, 3), floats(2, 3), np.int32(3))),
    "reduce": (lambda x: (x.sum(0), x.max(), jnp.argmax(x, 1)), (floats(4, 6),)),
    "dot": (lambda x, y: jnp.einsum("bij,bjk->bik", x, y), (floats(2, 3, 4), floats(2, 4, 5))),
    "gather": (gather, (floats(6, 4), integers(5))),
    "scatter": (scatter, (floats(6, 4), integers(3), floats(3, 4))),
    "while_loop": (lambda x: lax.fori_loop(0, 5, lambda i, c: c * 1.5 + i, x), (floats(3),)),
    "scan": (lambda x: lax.scan(lambda c, row: (c + row, c * row), x[0], x), (floats(5, 3),)),
    "conditional": (lambda p, x: lax.cond(p > 0, lambda x: x + 1, lambda x: x * 2, x), (np.int32(1), floats(3))),
    "barrier": (lambda x: lax.optimization_barrier((x + 1, x * 2)), (floats(3),)),
    "clamp": (lambda x: jnp.clip(x, -0.5, 0.5), (floats(10),)),
    "random": (lambda key: jax.random.normal(jax.random.wrap_key_data(key), (4,)), (np.array([1, 2], np.uint32),)),
}


@pytest.mark.parametrize("function, arguments", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_xla_computes_the_same_from_the_final_module(function, arguments):
    compiled = jax.jit(function).lower(*[jax.device_put(argument, STEAD) for argument in arguments]).compile()
    (module,) = compiled.runtime_executable().hlo_modules()
    assert "is_scheduled=true" in compiled.as_text().splitlines()[0]
    ours = [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*[jax.device_put(a, STEAD) for a in arguments]))]
    theirs = run_module_on_xla(module, arguments)
    assert len(ours) == len(theirs)
    for our, their in zip(ours, theirs, strict=True):
        assert our.dtype == their.dtype
        np.testing.assert_allclose(our.astype(np.float64), their.astype(np.float64), rtol=1e-5, atol=1e-6)
