"""Random numbers without a key: other ones in every run of a program."""

import jax
import jax.numpy as jnp
import numpy
import pytest
from jax import lax
from stead_tool import output

STATE_IN_A_LOOP = """HloModule m
body { s = (s32[], u64[4,2]) parameter(0) n = s32[] get-tuple-element(s), index=0 old = u64[4,2] get-tuple-element(s), index=1
  state = u64[2] rng-get-and-update-state(), delta=100
  row = u64[1,2] reshape(state) zero = s32[] constant(0) one = s32[] constant(1) next = s32[] add(n, one)
  kept = u64[4,2] dynamic-update-slice(old, row, n, zero) ROOT r = (s32[], u64[4,2]) tuple(next, kept) }
condition { s = (s32[], u64[4,2]) parameter(0) n = s32[] get-tuple-element(s), index=0
  four = s32[] constant(4) ROOT c = pred[] compare(n, four), direction=LT }
ENTRY main { zero = s32[] constant(0) none = u64[] constant(0) empty = u64[4,2] broadcast(none), dimensions={}
  start = (s32[], u64[4,2]) tuple(zero, empty)
  end = (s32[], u64[4,2]) while(start), condition=condition, body=body
  ROOT states = u64[4,2] get-tuple-element(end), index=1 }
"""


@pytest.mark.parametrize("name", ["float32", "bfloat16", "int32", "uint8"])
def test_each_run_draws_other_numbers_of_the_interval(name, stead_device):
    with jax.default_device(stead_device):
        draw = jax.jit(lambda: lax.rng_uniform(jnp.asarray(2, name), jnp.asarray(10, name), (5000,)))
        first, second = (numpy.asarray(draw()).astype(float) for _ in range(2))
    assert (first != second).mean() > 0.5
    for numbers in (first, second):
        assert 2 <= numbers.min() <= numbers.max() < 10
        assert abs(numbers.mean() - (6 if "float" in name or name == "bfloat16" else 5.5)) < 0.15


# XLA:CPU's counter begins at 0x7012395.
def test_the_state_is_a_counter(tmp_path):
    path = tmp_path / "states.hlo"
    path.write_text(STATE_IN_A_LOOP)
    output("run", path, "--compare")
    output("run", path, "--output-dir", tmp_path)
    assert numpy.load(tmp_path / "0.npy").tolist() == [[0x7012395 + 100 * turn, 0] for turn in range(4)]
