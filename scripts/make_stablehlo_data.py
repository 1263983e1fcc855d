#!/usr/bin/env python3
"""Writes the stored StableHLO portable artifacts of tests/data/stablehlo/, and their texts, from the JAX programs below.

Usage: make_stablehlo_data.py [--output DIR]. Needs jax 0.10.2. The programs are small so that the artifacts stay about 2 KB each;
every one carries what its name says (a captured value, a packed constant, a donation, ...).
"""

import argparse
import pathlib
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxlib import _jax

jax.config.update("jax_num_cpu_devices", 4)

CURRENT_VERSION = "1.17.0"
FIRST_VERSION = "0.9.0"  # bytecode version 0: no properties, every attribute in the dictionary

f32 = jnp.float32
matrix = jax.ShapeDtypeStruct((4, 8), f32)
vector = jax.ShapeDtypeStruct((8,), f32)
scalar_index = jax.ShapeDtypeStruct((), jnp.int32)
key = jax.ShapeDtypeStruct((2,), jnp.uint32)


def elementwise(x, y):
    return jnp.sin(x) * y + jnp.where(x < y, jnp.exp(x), -y), jnp.isfinite(x)


def constants():
    packed = jnp.array([True, False, True, True, False, False, False, True, True, False])
    return (
        packed,
        jnp.array([1, -2, 3], jnp.int4),
        jnp.array([1 + 2j, 3]),
        jnp.array([1.5, -2.0], jnp.bfloat16),
        jnp.ones((3, 5), bool),
        jnp.array([[1, 2], [3, 4]], jnp.uint8),
        jnp.full((6,), 7, jnp.int16),
    )


def shapes(x):
    return (
        x.T,
        x[1:3, ::2],
        jnp.concatenate([x, x], 1),
        lax.pad(x, 0.0, ((1, 2, 0), (-1, 0, 1))),
        x[::-1],
        lax.iota(jnp.int32, 5),
        jnp.broadcast_to(x[:, None], (4, 2, 8)),
        x.reshape(2, 16),
    )


def dot(x, y):
    return lax.dot_general(x, y, (((1,), (1,)), ((), ())), precision="highest")


def reduce(x):
    return x.sum(1), x.max(), jnp.argmax(x, 0)


def loop(x, limit):
    return lax.while_loop(lambda state: state[0] < limit, lambda state: (state[0] + 1, state[1] * x), (0, x))


def branches(selector, x):
    return lax.switch(selector, [jnp.sin, jnp.cos, lambda y: y + x], x), lax.cond(selector > 0, lambda: x, lambda: -x)


def calls(x):
    inner = jax.jit(lambda y: jnp.sin(y) * 2, inline=False)
    return inner(x) + inner(x * 2)


def gather_scatter(x, index, row):
    return x[index], x.at[index].set(row), lax.dynamic_update_slice(x, row[None], (index, 0))


def donated(x, y):
    return x.at[0, 0].add(1), lax.optimization_barrier((y, x[0, 0]))


def random_bits(seed):
    return jax.random.normal(seed, (4,))


def composites(x):
    return lax.erf(x), lax.top_k(x, 2)


def foreign_call(x):
    result = jax.ShapeDtypeStruct((4, 8), f32)
    call = jax.ffi.ffi_call("stead_test_target", result, input_output_aliases={0: 0}, has_side_effect=True)
    return call(x, eps=np.float32(1e-5), name="abc", flags=np.array([1, 2], np.int32))


def sorting(x):
    return jnp.sort(x), jnp.cumsum(x)


def sharded(x):
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec("rows")
    body = jax.shard_map(lambda rows: rows * 2, mesh=mesh, in_specs=spec, out_specs=spec)
    return lax.with_sharding_constraint(body(x), jax.sharding.NamedSharding(mesh, spec))


# Of four devices.
mesh = jax.make_mesh((2, 2), ("rows", "columns"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
tiles = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("rows", "columns"))
strips = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(None, "columns"))


def partitioned(x):
    @partial(jax.shard_map, mesh=mesh, in_specs=tiles.spec, out_specs=tiles.spec)
    def body(part):
        return part * lax.axis_index("columns")

    return body(x)


PROGRAMS = {
    "elementwise": (elementwise, (matrix, matrix), {}),
    "constants": (constants, (), {}),
    "shapes": (shapes, (matrix,), {}),
    "dot": (dot, (matrix, matrix), {}),
    "reduce": (reduce, (matrix,), {}),
    "loop": (loop, (vector, scalar_index), {}),
    "branches": (branches, (scalar_index, vector), {}),
    "calls": (calls, (vector,), {}),
    "gather_scatter": (gather_scatter, (matrix, scalar_index, vector), {}),
    "donated": (donated, (matrix, matrix), {"donate_argnums": 0}),
    "random_bits": (random_bits, (key,), {}),
    "composites": (composites, (vector,), {}),
    "foreign_call": (foreign_call, (matrix,), {}),
    "sorting": (sorting, (vector,), {}),
    "sharded": (sharded, (matrix,), {}),
    "partitioned": (partitioned, (matrix,), {"in_shardings": tiles, "out_shardings": strips}),
}


def lower(name):
    function, specs, options = PROGRAMS[name]
    return jax.jit(function, **options).lower(*specs)


def serialize(name, version):
    """The artifact a PJRT plugin that reports StableHLO `version` would be handed for program `name`."""
    return _jax.mlir.serialize_portable_artifact(lower(name).compiler_ir(), version, True)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, default=root / "tests/data/stablehlo")
    output = parser.parse_args().output
    # Locations then say only the file's name, so the artifacts do not depend on where they are made.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    output.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        (output / f"{name}.mlirbc").write_bytes(serialize(name, CURRENT_VERSION))
        (output / f"{name}.mlir").write_text(lower(name).as_text(debug_info=True))
    (output / "elementwise_0.9.0.mlirbc").write_bytes(serialize("elementwise", FIRST_VERSION))


if __name__ == "__main__":
    main()
