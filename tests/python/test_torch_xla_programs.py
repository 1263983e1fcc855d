"""Programs that torch_xla sent (tests/data/torch_xla), compiled at the PJRT door: XLA:CPU computes the same, and what is given away is used."""

import re

import hlo_door
import jax
import numpy as np
import pytest
import stead_tool
from hlo_on_xla import run_module_on_xla
from jaxlib import _hlo

RECORDED = sorted((stead_tool.REPOSITORY / "tests" / "data" / "torch_xla").glob("*.pb"))
# Steps of training in f32, whose sums two compilers order differently.
TOLERANCE = {"rtol": 1e-3, "atol": 1e-4}
NUMPY_TYPES = {"f32": np.float32, "f64": np.float64, "s32": np.int32, "s64": np.int64, "pred": np.bool_, "u64": np.uint64}


@pytest.fixture(scope="module")
def client():
    return hlo_door.new_client()


def arguments_of(module):
    """Numbers that no program stumbles over: positive floats, for roots of variances; small integers, for indices."""
    random = np.random.default_rng(0)
    layout = re.search(r"entry_computation_layout=\{\((.*)\)->", module.to_string().splitlines()[0])[1]
    arguments = []
    for kind, extents in re.findall(r"(\w+)\[([\d,]*)\]", layout):
        dimensions = tuple(map(int, extents.split(","))) if extents else ()
        values = random.uniform(0.1, 1, dimensions) if kind.startswith("f") else random.integers(0, 3, dimensions)
        arguments.append(np.asarray(values, NUMPY_TYPES[kind]))
    return arguments


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_xla_computes_the_same(path, client):
    program = path.read_bytes()
    module = _hlo.HloModule.from_serialized_hlo_module_proto(program)
    arguments = arguments_of(module)
    executable = hlo_door.compile_hlo(client, program)
    actual = [hlo_door.to_host(result) for result in executable(*(hlo_door.to_device(client, value) for value in arguments))]
    with jax.enable_x64(True):
        expected = run_module_on_xla(module, arguments)
    assert len(actual) == len(expected)
    for number, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, **TOLERANCE, err_msg=f"{path.stem}: result {number}")
