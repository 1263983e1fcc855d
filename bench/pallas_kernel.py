"""`./dev bench pallas`: the in-place kernel of pytorch/xla#8385 (add 1 to int32[8192,2048] in 16 blocks) on Stead.

Measured turn by turn in one process: the kernel, read by Stead; the same addition as plain JAX on Stead, in place, which moves
memory as fast as this machine does; and the kernel as JAX's Pallas interprets it on the built-in CPU.
"""

import statistics
import sys
import time

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import stead.pallas

SHAPE = (8192, 2048)
BLOCK = (512, 2048)
BYTES_MOVED = 2 * 4 * SHAPE[0] * SHAPE[1]  # each element is read and written
STREAM_SHARE = 0.85
INTERPRETER_RATIO = 100


def _body(x, o):
    o[...] = x[...] + 1


def kernel(x, *, interpret=False):
    block = pl.BlockSpec(BLOCK, lambda i: (i, 0))
    return pl.pallas_call(
        _body,
        out_shape=jax.ShapeDtypeStruct(SHAPE, jnp.int32),
        grid=(SHAPE[0] // BLOCK[0],),
        in_specs=[block],
        out_specs=block,
        interpret=interpret,
    )(x)


class Program:
    """A compiled function of one donated array, called again and again on its own result."""

    def __init__(self, function, device):
        self.array = jax.device_put(jnp.zeros(SHAPE, jnp.int32), device) + 0
        with stead.pallas.enabled():
            self.compiled = jax.jit(function, donate_argnums=0).lower(self.array).compile()
        self.seconds = []
        self.is_in_place = True

    def call(self):
        pointer = self.array.unsafe_buffer_pointer()
        start = time.perf_counter()
        self.array = jax.block_until_ready(self.compiled(self.array))
        self.seconds.append(time.perf_counter() - start)
        self.is_in_place &= self.array.unsafe_buffer_pointer() == pointer

    def median(self):
        return statistics.median(self.seconds)


def measure(rounds):
    stead_device, cpu_device = jax.devices("stead")[0], jax.devices("cpu")[0]
    ours = Program(kernel, stead_device)
    stream = Program(lambda x: x + 1, stead_device)
    interpreted = Program(lambda x: kernel(x, interpret=True), cpu_device)
    for program in (ours, stream, interpreted):
        program.call()
        program.seconds.clear()
    for round_number in range(rounds):
        for program in (ours, stream) if round_number % 2 else (stream, ours):
            program.call()
    for _ in range(max(1, rounds // 5)):
        interpreted.call()
    return ours, stream, interpreted


def main(rounds):
    """Prints the table; exit status 1 when the kernel copies or misses what it should reach."""
    ours, stream, interpreted = measure(rounds)
    print(f"{'in-place add of 1 to int32[8192,2048]':44} {'ms':>9} {'GB/s':>8}")
    for name, program in (("Pallas kernel on Stead", ours), ("plain JAX on Stead", stream), ("interpret=True", interpreted)):
        print(f"{name:44} {program.median() * 1e3:9.3f} {BYTES_MOVED / program.median() / 1e9:8.2f}")
    share = stream.median() / ours.median()
    ratio = interpreted.median() / ours.median()
    copies = ours.compiled.as_text().count(" copy(")
    print(f"{share:.0%} of the plain rate, {ratio:.0f} times as fast as interpreted, {copies} copies,", end=" ")
    print("memory kept" if ours.is_in_place else "memory NOT kept")
    is_good = share >= STREAM_SHARE and ratio >= INTERPRETER_RATIO and copies == 0 and ours.is_in_place
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(15))
