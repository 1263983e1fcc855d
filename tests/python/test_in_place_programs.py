"""Programs after public reports: donated arrays stay where they are, and every copy of a whole array is a forced one."""

import re

import jax
import numpy as np
import pytest
from in_place_programs import ARRAY_BYTES, PROGRAMS

COPY = re.compile(r"= (\w+)\[([\d,]+)\]\S* copy\(")
ELEMENT_BYTES = {"pred": 1, "s8": 1, "u8": 1, "s32": 4, "u32": 4, "f32": 4, "f64": 8}


def whole_array_copies(text):
    sizes = (ELEMENT_BYTES[kind] * np.prod([int(size) for size in dimensions.split(",")]) for kind, dimensions in COPY.findall(text))
    return sum(size >= ARRAY_BYTES for size in sizes)


def compile_on_stead(program, device):
    arguments = jax.device_put(program.make_arguments(), device)
    return arguments, jax.jit(program.function, donate_argnums=program.donate).lower(*arguments).compile()


@pytest.mark.parametrize("name", PROGRAMS)
def test_copies_and_memory(name, stead_device):
    program = PROGRAMS[name]
    _, compiled = compile_on_stead(program, stead_device)
    assert whole_array_copies(compiled.as_text()) == program.copies
    assert compiled.memory_analysis().temp_size_in_bytes <= program.temp_bytes


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
