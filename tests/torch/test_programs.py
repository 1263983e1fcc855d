"""Whole programs on Stead and on torch_xla's own CPU device: equal values, equal numbers of aliases, state updated in place."""

import numpy as np
import pytest
from programs import PROGRAMS

STEPS = 6
# A few steps of training in f32, whose sums two compilers order differently.
TOLERANCE = {"rtol": 2e-4, "atol": 2e-5}


def run(worker, name, mode, path):
    facts = worker.ask(do="run", program=name, mode=mode, steps=STEPS, results=str(path))
    with np.load(path) as results:
        return facts, dict(results)


@pytest.mark.parametrize("mode", ["lazy", "compiled"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_values_in_place(name, mode, xla_cpu, stead_worker, tmp_path):
    expected_facts, expected = run(xla_cpu, name, mode, tmp_path / "expected.npz")
    facts, actual = run(stead_worker, name, mode, tmp_path / "actual.npz")
    assert actual.keys() == expected.keys()
    for key, value in expected.items():
        assert actual[key].dtype == value.dtype
        np.testing.assert_allclose(actual[key], value, **TOLERANCE, err_msg=f"{name}, {mode}: {key}")
    assert facts["alias_count"] == expected_facts["alias_count"]
    assert facts["kept"] == [True] * len(facts["kept"])
