"""Runs one JAX program on two devices turn by turn, and says what each compiler made of it.

A program is `step(state, inputs) -> (state, result)` with the state donated. Both devices start from the same state and take
the same steps, so their results can be compared at the end. Times are wall-clock seconds of one call until its results are
ready; within a round the devices take turns in changing order, so that whatever else the machine does hits both.
"""

import dataclasses
import re
import statistics
import time
from collections.abc import Callable

import jax
import numpy as np

_COPY = re.compile(r"^\s*(?:ROOT )?%?[\w.-]+ = (\w+)\[([\d,]*)\](?:\{[^}]*\})? copy\(", re.MULTILINE)
_BITS = re.compile(r"\d+")


@dataclasses.dataclass(frozen=True)
class Program:
    """A step function and what makes its first state and its inputs as NumPy arrays."""

    name: str
    step: Callable
    make_state: Callable[[], object]
    make_inputs: Callable[[], object] = tuple


@dataclasses.dataclass
class Facts:
    """What a compiled program says about itself."""

    copies: int
    bytes_copied: int
    temp_bytes: int


class Runner:
    """One program compiled for one device, with its state there."""

    def __init__(self, program, device):
        # Computed on the device rather than put there: arrays that wrap NumPy's memory cannot be donated.
        self.state = jax.tree.map(lambda leaf: jax.device_put(leaf, device) + 0, program.make_state())
        self.inputs = jax.device_put(program.make_inputs(), device)
        step = jax.jit(program.step, donate_argnums=0)
        self.compiled = step.lower(self.state, self.inputs).compile()
        self.result = None

    def pointers(self):
        return [leaf.unsafe_buffer_pointer() for leaf in jax.tree.leaves(self.state)]

    def call(self):
        start = time.perf_counter()
        self.state, self.result = jax.block_until_ready(self.compiled(self.state, self.inputs))
        return time.perf_counter() - start

    def facts(self):
        copies = [element_bytes(kind) * count(dims) for kind, dims in _COPY.findall(self.compiled.as_text())]
        return Facts(len(copies), sum(copies), self.compiled.memory_analysis().temp_size_in_bytes)


def element_bytes(kind):
    """Bytes of one element of an HLO type such as `f32`, `pred` or `c64`."""
    bits = _BITS.search(kind)
    return max(1, int(bits.group()) // 8) if bits else 1


def count(dims):
    """Elements of a shape such as `10000,10000`; the empty text is a scalar."""
    return int(np.prod([int(size) for size in dims.split(",") if size], dtype=np.int64))


@dataclasses.dataclass
class Comparison:
    """Seconds per call of the baseline and of ours in interleaved pairs, and how far their results are apart."""

    baseline: list[float]
    ours: list[float]
    difference: float

    def medians(self):
        return statistics.median(self.baseline), statistics.median(self.ours)

    def ratio(self):
        """Median over the pairs of baseline time / our time: above 1, ours is faster."""
        return statistics.median(theirs / mine for theirs, mine in zip(self.baseline, self.ours, strict=True))


def compare(baseline, ours, rounds, warm_up=2):
    """Calls both `rounds` times in turn, after `warm_up` calls each that are not timed."""
    for _ in range(warm_up):
        baseline.call()
        ours.call()
    pairs = []
    for round_number in range(rounds):
        order = (baseline, ours) if round_number % 2 == 0 else (ours, baseline)
        seconds = {runner: runner.call() for runner in order}
        pairs.append((seconds[baseline], seconds[ours]))
    return Comparison([pair[0] for pair in pairs], [pair[1] for pair in pairs], largest_difference(baseline, ours))


def largest_difference(left, right):
    """The largest difference of corresponding elements, relative to the largest magnitude of their array."""
    worst = 0.0
    leaves = zip(jax.tree.leaves((left.state, left.result)), jax.tree.leaves((right.state, right.result)), strict=True)
    for one, other in leaves:
        one, other = np.asarray(one, np.complex128), np.asarray(other, np.complex128)
        scale = max(np.abs(one).max(initial=0), 1e-30)
        worst = max(worst, float(np.abs(one - other).max(initial=0) / scale))
    return worst
