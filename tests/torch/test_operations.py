"""Groups of operations on Stead and on torch_xla's own CPU device, random numbers included."""

import numpy as np
import pytest
from operations import GROUPS


@pytest.mark.parametrize("group", GROUPS)
def test_same_values(group, xla_cpu, stead_worker, tmp_path):
    results = []
    for worker, name in ((xla_cpu, "expected.npz"), (stead_worker, "actual.npz")):
        worker.ask(do="operations", group=group, results=str(tmp_path / name))
        with np.load(tmp_path / name) as arrays:
            results.append(dict(arrays))
    expected, actual = results
    assert actual.keys() == expected.keys()
    for key, value in expected.items():
        assert actual[key].dtype == value.dtype
        np.testing.assert_allclose(actual[key], value, rtol=2e-4, atol=2e-5, err_msg=f"{group}: {key}")
