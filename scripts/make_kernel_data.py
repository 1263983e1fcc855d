#!/usr/bin/env python3
"""Writes the stored programs with TPU kernels of tests/data/kernels/ from the kernels of tests/python/pallas_kernels.py.

Usage: make_kernel_data.py [--output DIR]. Needs jax 0.10.2 on a CPU. Each file is HLO text with one `tpu_custom_call`.
"""

import argparse
import os
import pathlib
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "python"))

import jax  # noqa: E402
from jax.experimental import pallas as pl  # noqa: E402
from pallas_kernels import KERNELS  # noqa: E402

STORED = (
    "cache_one_row",
    "flash_attention",
    "integers",
    "loop_until",
    "loop_with_stores",
    "masked_edges",
    "matmul_in_scratch",
    "mixed_types",
    "prefetched_rows",
    "reduce_to_scalar",
    "strided_stores",
    "transfer",
    "undeclared_alias",
    "undeclared_alias_of_tiles",
)


def program_text(name):
    kernel = KERNELS[name]
    donated = () if kernel.in_place is None else (kernel.in_place,)
    arguments = [jax.ShapeDtypeStruct(*argument) for argument in kernel.arguments]

    def program(*arrays):
        return kernel.function(pl.pallas_call, *arrays)

    program.__name__ = name
    lowered = jax.jit(program, donate_argnums=donated).trace(*arguments).lower(lowering_platforms=("tpu",))
    return lowered.as_text("hlo")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, default=REPOSITORY / "tests" / "data" / "kernels")
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    jax.config.update("jax_traceback_in_locations_limit", 0)  # bodies that do not say where they were made
    for name in STORED:
        (output / f"{name}.hlo").write_text(program_text(name))


if __name__ == "__main__":
    main()
