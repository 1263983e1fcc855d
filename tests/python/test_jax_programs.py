"""Whole JAX programs, unmodified: the same numbers as jaxlib's CPU backend, donation kept, loops included."""

import re

import jax
import numpy as np
import pytest
from jax_programs import PROGRAMS


def run_on(device, name):
    function, make_arguments, donate = PROGRAMS[name]
    arguments = jax.device_put(make_arguments(), device)
    results = jax.jit(function, donate_argnums=donate)(*arguments)
    return arguments, jax.tree.map(np.asarray, results)


def assert_close(actual, expected):
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    if actual.dtype.kind in "iub" or actual.dtype.itemsize < 4:
        np.testing.assert_array_equal(actual.astype(np.float64), expected.astype(np.float64))
    else:
        np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_to_the_built_in_backend(name, stead_device, cpu_device):
    _, expected = run_on(cpu_device, name)
    _, actual = run_on(stead_device, name)
    jax.tree.map(assert_close, actual, expected)


@pytest.mark.parametrize("name", [name for name, (_, _, donate) in PROGRAMS.items() if donate])
def test_donated_arrays_are_gone(name, stead_device):
    donate = PROGRAMS[name][2]
    arguments, _ = run_on(stead_device, name)
    for number in donate:
        assert all(array.is_deleted() for array in jax.tree.leaves(arguments[number]))


@pytest.mark.parametrize(
    "name", ["gpt_decode", "gpt_decode_scan", "mlp_adam", "donated_swap", "fori_swap", "fori_update", "donated_elementwise"]
)
def test_no_copies(name, stead_device):
    function, make_arguments, donate = PROGRAMS[name]
    arguments = jax.device_put(make_arguments(), stead_device)
    text = jax.jit(function, donate_argnums=donate).lower(*arguments).compile().as_text()
    # Loop counters start as constants, which take a scalar copy each; no array is ever copied.
    assert not re.findall(r"= \w+\[\d[\d,]*\]\S* copy\(", text)
