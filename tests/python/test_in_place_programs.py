"""Programs after public reports: donated arrays stay where they are, and every copy of a whole array is a forced one."""

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from in_place_programs import ARRAY_BYTES, LENGTH, PROGRAMS

COPY = re.compile(r"= (\w+)\[([\d,]*)\]\S* copy\(")
ELEMENT_BYTES = {"pred": 1, "s8": 1, "u8": 1, "s32": 4, "u32": 4, "f32": 4, "f64": 8}


def copy_sizes(text):
    """The bytes of each copy that the final program contains."""
    return [ELEMENT_BYTES[kind] * math.prod(map(int, filter(None, dims.split(",")))) for kind, dims in COPY.findall(text)]


def whole_array_copies(text):
    return sum(size >= ARRAY_BYTES for size in copy_sizes(text))


def compile_on_stead(program, device, **options):
    arguments = jax.device_put(program.make_arguments(), device)
    lowered = jax.jit(program.function, donate_argnums=program.donate).lower(*arguments)
    return arguments, lowered.compile(compiler_options=options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_copies_and_memory(name, stead_device):
    program = PROGRAMS[name]
    _, compiled = compile_on_stead(program, stead_device)
    assert whole_array_copies(compiled.as_text()) == program.copies
    assert compiled.memory_analysis().temp_size_in_bytes <= program.temp_bytes


# The machine code counts what it moves: as much as the copies that are printed, so no update rewrites its array unseen.
@pytest.mark.parametrize("name", PROGRAMS)
def test_copies_that_run_are_those_that_are_printed(name, stead_device):
    arguments, compiled = compile_on_stead(PROGRAMS[name], stead_device, stead_count_copies=True)
    jax.block_until_ready(compiled(*arguments))
    # None of these programs copies inside a loop.
    assert compiled.cost_analysis()["copied bytes"] == sum(copy_sizes(compiled.as_text()))


def keep_old_and_new(x):
    return jax.lax.fori_loop(0, 5, lambda i, both: (both[0].at[i].add(1.0), both[0]), (x, jnp.zeros_like(x)))


def test_copies_in_a_loop_count_as_often_as_they_run(stead_device):
    x = jax.device_put(np.ones(LENGTH, np.float32), stead_device)
    compiled = jax.jit(keep_old_and_new, donate_argnums=0).lower(x).compile(compiler_options={"stead_count_copies": True})
    assert copy_sizes(compiled.as_text()) == [ARRAY_BYTES]
    jax.block_until_ready(compiled(x))
    assert compiled.cost_analysis()["copied bytes"] == 5 * ARRAY_BYTES


@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name, stead_device, cpu_device):
    program = PROGRAMS[name]
    # Several runs: what one leaves behind in memory must not change the next.
    expected = jax.jit(program.function)(*jax.device_put(program.make_arguments(), cpu_device))
    _, compiled = compile_on_stead(program, stead_device)
    for _ in range(2):
        actual = compiled(*jax.device_put(program.make_arguments(), stead_device))
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5), actual, expected)


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.copies == 0])
def test_donated_memory_comes_back(name, stead_device):
    program = PROGRAMS[name]
    arguments, compiled = compile_on_stead(program, stead_device)
    donated = [array for number in program.donate for array in jax.tree.leaves(arguments[number])]
    before = {array.unsafe_buffer_pointer() for array in donated}
    results = jax.tree.leaves(compiled(*arguments))
    assert before <= {array.unsafe_buffer_pointer() for array in results}
