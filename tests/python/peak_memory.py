"""The memory that programs need on Stead and on XLA:CPU, by what each compiler says of its own executable.

PROGRAMS maps a name to a function of a device that compiles the program there. The programs of these tests are always among
them; those of op_zoo.py and the HLO modules of XLA's own benchmarks only where the folder `shared` lies beside the repository
(STEAD_SHARED names another).

    JAX_PLATFORMS=stead,cpu python tests/python/peak_memory.py docs/peak_memory.md

writes the table of all programs at the end of that page.
"""

import functools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import in_place_programs  # noqa: E402
import jax  # noqa: E402
import jax_programs  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jaxlib import _jax  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from memory import peak_bytes  # noqa: E402
from shared_programs import hlo_files, op_zoo, stablehlo_of  # noqa: E402

# Programs that Stead cannot compile, by what its error says.
NOT_COMPILED = ("UNIMPLEMENTED",)


def on_device(argument, device):
    given = argument if hasattr(argument, "dtype") else np.asarray(argument)
    return jax.ShapeDtypeStruct(given.shape, given.dtype, sharding=jax.sharding.SingleDeviceSharding(device))


def compile_function(function, make_arguments, options, needs_x64, device):
    with jax.default_device(device), jax.enable_x64(needs_x64):
        arguments = jax.tree.map(lambda argument: on_device(argument, device), make_arguments())
        return jax.jit(function, **options).lower(*arguments).compile()


def compile_hlo(path, device):
    text = stablehlo_of(path.read_text())
    with mlir.make_ir_context():
        return device.client.compile_and_load(ir.Module.parse(text), _jax.DeviceList((device,)), _jax.CompileOptions())


def stats_on(compile_on, device):
    compiled = compile_on(device)
    return compiled.memory_analysis() if hasattr(compiled, "memory_analysis") else compiled.get_compiled_memory_stats()


def own_programs():
    functions = {name: (p.function, p.make_arguments, p.donate) for name, p in in_place_programs.PROGRAMS.items()}
    functions |= jax_programs.PROGRAMS
    return {
        name: functools.partial(compile_function, function, make_arguments, {"donate_argnums": donate}, False)
        for name, (function, make_arguments, donate) in functions.items()
    }


def shared_programs():
    programs = {
        f"op_zoo/{name}": functools.partial(compile_function, function, functools.partial(tuple, arguments), options, needs_x64)
        for name, (function, arguments, options, needs_x64) in op_zoo().items()
    }
    return programs | {f"xla_cpu_benchmarks/{path.stem}": functools.partial(compile_hlo, path) for path in hlo_files()}


OWN = own_programs()
SHARED_PROGRAMS = shared_programs()
PROGRAMS = OWN | SHARED_PROGRAMS


def row(name, compile_on, devices):
    """A line of the table: temporaries and peak of both compilers, and the share of ours in XLA's."""
    try:
        ours, theirs = (stats_on(compile_on, device) for device in devices)
    except jax.errors.JaxRuntimeError as error:
        return f"| {name} | not compiled: {str(error).splitlines()[0].split(':')[0]} | | | | |"
    ratio = peak_bytes(ours) / max(1, peak_bytes(theirs))
    temporaries = f"{ours.temp_size_in_bytes:,} | {theirs.temp_size_in_bytes:,}"
    return f"| {name} | {temporaries} | {peak_bytes(ours):,} | {peak_bytes(theirs):,} | {ratio:.3f} |"


def main():
    path = pathlib.Path(sys.argv[1])
    devices = jax.devices("stead")[0], jax.devices("cpu")[0]
    lines = ["| program | temporaries, Stead | XLA:CPU | peak, Stead | XLA:CPU | ratio |", "| --- | --: | --: | --: | --: | --: |"]
    lines += [row(name, compile_on, devices) for name, compile_on in PROGRAMS.items()]
    kept = [line for line in path.read_text().splitlines() if not line.startswith("|")]
    path.write_text("\n".join(kept).rstrip() + "\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
