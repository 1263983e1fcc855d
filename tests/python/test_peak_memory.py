"""No program needs more memory on Stead than on XLA:CPU, and a run allocates what the plan says."""

import os

import jax
import jax_programs
import numpy as np
import pytest
from in_place_programs import PROGRAMS as IN_PLACE_PROGRAMS
from memory import peak_bytes
from peak_memory import NOT_COMPILED, OWN, SHARED_PROGRAMS, stats_on
from shared_programs import SHARED

RUNS = {name: (p.function, p.make_arguments, p.donate) for name, p in IN_PLACE_PROGRAMS.items()} | jax_programs.PROGRAMS


def expect_no_more_than_xla(compile_on, stead_device, cpu_device):
    ours, theirs = stats_on(compile_on, stead_device), stats_on(compile_on, cpu_device)
    assert peak_bytes(ours) <= peak_bytes(theirs), f"{ours.temp_size_in_bytes} and {theirs.temp_size_in_bytes} temporary"


@pytest.mark.parametrize("name", OWN)
def test_own_programs_need_no_more_than_on_xla(name, stead_device, cpu_device):
    expect_no_more_than_xla(OWN[name], stead_device, cpu_device)


def is_sweep():
    return int(os.environ.get("STEAD_TEST_SCALE", "1")) > 1


@pytest.mark.skipif(not SHARED_PROGRAMS, reason=f"no programs in {SHARED} (STEAD_SHARED names another folder)")
@pytest.mark.skipif(not is_sweep(), reason="./dev test --all compiles the programs beside the repository")
@pytest.mark.parametrize("name", SHARED_PROGRAMS or ["none"])
def test_programs_of_others_need_no_more_than_on_xla(name, stead_device, cpu_device):
    try:
        expect_no_more_than_xla(SHARED_PROGRAMS[name], stead_device, cpu_device)
    except jax.errors.JaxRuntimeError as error:
        if not str(error).startswith(NOT_COMPILED):
            raise
        pytest.skip(str(error).splitlines()[0])


@pytest.fixture(scope="module")
def ballast(stead_device):
    """A function that holds so much memory that the next byte allocated is a new peak, and returns the bytes in use."""
    held = []

    def hold():
        held.clear()
        stats = stead_device.memory_stats()
        missing = stats["peak_bytes_in_use"] - stats["bytes_in_use"]
        with jax.default_device(stead_device):
            held.append(jax.block_until_ready(jax.jit(lambda: jax.numpy.zeros(missing, np.uint8))()))
        stats = stead_device.memory_stats()
        assert stats["bytes_in_use"] == stats["peak_bytes_in_use"]
        return stats["bytes_in_use"]

    return hold


# Arguments are donated as declared, so nothing is copied to protect them.
@pytest.mark.parametrize("name", RUNS)
def test_a_run_allocates_what_the_plan_says(name, stead_device, ballast):
    function, make_arguments, donate = RUNS[name]
    arguments = jax.device_put(make_arguments(), stead_device)
    compiled = jax.jit(function, donate_argnums=donate).lower(*arguments).compile()
    stats = compiled.memory_analysis()
    before = ballast()
    results = jax.block_until_ready(compiled(*arguments))
    allocated = stead_device.memory_stats()["peak_bytes_in_use"] - before
    assert allocated == peak_bytes(stats) - stats.argument_size_in_bytes
    del results
