"""`./dev bench pallas`: the in-place kernel of pytorch/xla#8385 (add 1 to int32[8192,2048] in 16 blocks) on Stead.

Measured turn by turn in one process, a few calls in a row each, as a step is called: the kernel, read by Stead; the same addition in place by numpy and as plain JAX on Stead, the
faster of which is the rate of memory; and the kernel as JAX's Pallas interprets it on the built-in CPU: `pallas_call(interpret=True)`
called as it stands, and compiled with its argument given away.
"""

import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import stead.pallas

SHAPE = (8192, 2048)
BLOCK = (512, 2048)
BYTES_MOVED = 2 * 4 * SHAPE[0] * SHAPE[1]  # each element is read and written
STREAM_SHARE = 0.85
INTERPRETER_RATIO = 100
CALLS_IN_A_ROW = 10


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
    """A function of one array, called again and again on its own result; a compiled one takes the array's memory."""

    def __init__(self, function, device, *, compiled=True):
        self.array = jax.device_put(jnp.zeros(SHAPE, jnp.int32), device) + 0
        self.function = function
        if compiled:
            with stead.pallas.enabled():
                self.function = jax.jit(function, donate_argnums=0).lower(self.array).compile()
        self.seconds = []
        self.is_in_place = True

    def call(self):
        pointer = self.array.unsafe_buffer_pointer()
        start = time.perf_counter()
        self.array = jax.block_until_ready(self.function(self.array))
        self.seconds.append(time.perf_counter() - start)
        self.is_in_place &= self.array.unsafe_buffer_pointer() == pointer

    def median(self):
        return statistics.median(self.seconds)


class NumpyProgram:
    """The addition by numpy, in place."""

    def __init__(self):
        self.array = np.zeros(SHAPE, np.int32)
        self.seconds = []

    def call(self):
        start = time.perf_counter()
        np.add(self.array, 1, out=self.array)
        self.seconds.append(time.perf_counter() - start)

    def median(self):
        return statistics.median(self.seconds)


def measure(rounds):
    """The programs by name, timed; the kernel on Stead is the first."""
    stead_device, cpu_device = jax.devices("stead")[0], jax.devices("cpu")[0]

    def interpreted(x):
        return kernel(x, interpret=True)

    quick = {
        "Pallas kernel on Stead": Program(kernel, stead_device),
        "plain JAX on Stead": Program(lambda x: x + 1, stead_device),
        "numpy": NumpyProgram(),
    }
    slow = {
        "interpret=True": Program(interpreted, cpu_device, compiled=False),
        "interpret=True, compiled, donated": Program(interpreted, cpu_device),
    }
    programs = quick | slow
    for program in programs.values():
        program.call()
        program.seconds.clear()
    for round_number in range(rounds):
        for program in list(quick.values())[:: 1 if round_number % 2 else -1]:
            for _ in range(CALLS_IN_A_ROW):
                program.call()
    for _ in range(max(1, rounds // 5)):
        for program in slow.values():
            program.call()
    return programs


def main(rounds):
    """Prints the table; exit status 1 when the kernel copies or misses what it should reach."""
    programs = measure(rounds)
    print(f"{'in-place add of 1 to int32[8192,2048]':44} {'ms':>9} {'GB/s':>8}")
    for name, program in programs.items():
        print(f"{name:44} {program.median() * 1e3:9.3f} {BYTES_MOVED / program.median() / 1e9:8.2f}")
    ours, stream, by_numpy, called, compiled = programs.values()
    share = min(stream.median(), by_numpy.median()) / ours.median()
    ratios = [interpreted.median() / ours.median() for interpreted in (called, compiled)]
    copies = ours.function.as_text().count(" copy(")
    print(f"{share:.0%} of the rate of memory, {ratios[0]:.0f} times as fast as interpreted ({ratios[1]:.0f}, compiled),", end=" ")
    print(f"{copies} copies,", "memory kept" if ours.is_in_place else "memory NOT kept")
    is_good = share >= STREAM_SHARE and min(ratios) >= INTERPRETER_RATIO and copies == 0 and ours.is_in_place
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(15))
