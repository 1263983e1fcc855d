"""Programs that nobody here wrote, from a folder beside the repository: what the tests and tables of tests/python run of them.

The folder is `../shared`, or what STEAD_SHARED names; where it is missing both lists are empty, and tests skip, saying so.
    op_zoo()      name -> (function, trees of jax.ShapeDtypeStruct, options of jax.jit, needs 64-bit types)
    hlo_files()   the HLO modules on which XLA:CPU benchmarks itself
"""

import functools
import importlib.util
import os
import pathlib

import numpy as np
from jaxlib import _hlo, _jax

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = pathlib.Path(os.environ.get("STEAD_SHARED", REPOSITORY.parent / "shared"))
# Those of op_zoo.py whose arguments have 64 bits.
WIDE = ("int_narrow", "scalar_i64")


@functools.cache
def zoo_module():
    path = SHARED / "programs" / "op_zoo.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("op_zoo", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def op_zoo():
    module = zoo_module()
    given = module.PROGS if module else {}
    return {name: (function, arguments, options, name in WIDE) for name, (function, arguments, options) in given.items()}


def hlo_files():
    return sorted((SHARED / "corpus" / "xla_cpu_benchmarks").glob("*.hlo"))


def stablehlo_of(text):
    module = _hlo.hlo_module_from_text(text)
    return _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())


def draw(specification, random):
    """Numbers for one argument: small counting numbers, so that they are also good indices, or normal ones."""
    dtype = np.dtype(specification.dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, specification.shape).astype(bool)
    if dtype.kind in "iu" or "int" in dtype.name:
        return random.integers(0, 5, specification.shape).astype(np.int32).astype(dtype)
    numbers = random.standard_normal((2, *specification.shape)).astype(np.float32)
    return (numbers[0] + 1j * numbers[1]).astype(dtype) if dtype.kind == "c" else numbers[0].astype(dtype)
