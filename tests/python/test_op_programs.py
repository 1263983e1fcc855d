"""Programs over the whole op set, ours and other people's: the same results as XLA:CPU's."""

import pathlib
import re

import jax
import numpy as np
import pytest
from jax._src.interpreters import mlir
from jax._src.public_test_util import _assert_numpy_allclose, tolerance
from jax_process import output_of
from jaxlib import _jax
from jaxlib.mlir import ir
from op_programs import PROGRAMS
from shared_programs import SHARED, draw, hlo_files, op_zoo, stablehlo_of
from user_handlers import user_handlers

# Programs in which sums and products follow one another: compared relative to the largest number of a result.
LONG = {
    "special_functions", "decompositions", "linear_algebra", "spectra", "convolution_and_gradient", "gradient_of_scanned_blocks",
    "expm", "fft", "lu_solve", "eig", "eigh", "svd", "qr", "schur", "cholesky", "checkpoint_policy", "transformer_fwd",
    "transformer_grad", "transformer_scan_grad",
}  # fmt: skip
LONG_TOLERANCE = 2e-5
# XLA:CPU keeps what lies between two ops of bf16 in f32, Stead rounds as the program says.
BF16_TOLERANCE = 2.0**-6
# What large constants look like in modules that were printed for people to read.
LEFT_OUT = "constant({...})"
# Programs that XLA:CPU refuses, for want of a handler.
REFUSED_BY_BOTH = {"ffi_vmap_layout"}
# Those that want one of ours.
CALLS_A_HANDLER = {"ffi_call"}
# Numbers that no two compilers draw alike.
DRAWN_ANYHOW = {"rng_uniform_lax"}
ZOO = op_zoo()
MODULES = {path.stem: path for path in hlo_files()}
nothing_shared = pytest.mark.skipif(not ZOO, reason=f"no programs in {SHARED} (STEAD_SHARED names another folder)")


def run_on(device, function, arguments, options=None, needs_x64=False):
    with jax.default_device(device), jax.enable_x64(needs_x64):
        results = jax.jit(function, **(options or {}))(*jax.device_put(arguments, device))
        return [np.asarray(leaf) for leaf in jax.tree.leaves(results)]


def expect_equal(name, actual, expected):
    assert [(a.dtype, a.shape) for a in actual] == [(e.dtype, e.shape) for e in expected]
    for got, wanted in zip(actual, expected, strict=True):
        if name in LONG:
            finite = np.abs(wanted[np.isfinite(wanted)])
            np.testing.assert_allclose(got, wanted, rtol=0, atol=LONG_TOLERANCE * max(1, finite.max(initial=0)))
        else:
            allowed = tolerance(wanted.dtype, None)
            _assert_numpy_allclose(got, wanted, atol=allowed, rtol=allowed)


@pytest.mark.parametrize("name", PROGRAMS)
def test_families_of_ops(name, stead_device, cpu_device):
    function, make_arguments = PROGRAMS[name]
    expected, actual = (run_on(device, function, make_arguments()) for device in (cpu_device, stead_device))
    expect_equal(name, actual, expected)


@nothing_shared
@pytest.mark.parametrize("name", ZOO or ["none"])
def test_op_zoo(name, stead_device, cpu_device):
    function, specifications, options, needs_x64 = ZOO[name]
    if name in CALLS_A_HANDLER:
        user_handlers()
    with jax.enable_x64(needs_x64):
        random = np.random.default_rng(0)
        arguments = jax.tree.map(lambda one: draw(one, random), specifications)
    try:
        expected = run_on(cpu_device, function, arguments, options, needs_x64)
    except jax.errors.JaxRuntimeError:
        assert name in REFUSED_BY_BOTH
        with pytest.raises(jax.errors.JaxRuntimeError, match="UNIMPLEMENTED"):
            run_on(stead_device, function, arguments, options, needs_x64)
        return
    actual = run_on(stead_device, function, arguments, options, needs_x64)
    if name in DRAWN_ANYHOW:
        assert [(a.dtype, a.shape) for a in actual] == [(e.dtype, e.shape) for e in expected]
    else:
        expect_equal(name, actual, expected)


ON_EIGHT_DEVICES = """
import sys
import jax, numpy as np
sys.path.insert(0, {here!r})
from shared_programs import draw, zoo_module
zoo = zoo_module()
for_one_device = set(zoo.PROGS)
zoo.add_multi()
for name in zoo.PROGS.keys() - for_one_device:
    function, specifications, options = zoo.PROGS[name]
    random = np.random.default_rng(0)
    arguments = [jax.device_put(draw(one, random), one.sharding) for one in specifications]
    results = jax.jit(function, **options)(*arguments)
    np.savez({folder!r} + "/" + name, *map(np.asarray, jax.tree.leaves(results)))
"""


@nothing_shared
def test_op_zoo_on_several_devices(tmp_path):
    for platforms in "cpu", "stead,cpu":
        folder = tmp_path / platforms
        folder.mkdir()
        program = ON_EIGHT_DEVICES.format(here=str(pathlib.Path(__file__).parent), folder=str(folder))
        output_of(program, JAX_PLATFORMS=platforms, JAX_NUM_CPU_DEVICES="8")
    expected = sorted((tmp_path / "cpu").iterdir())
    assert len(expected) == 7
    for path in expected:
        actual = np.load(tmp_path / "stead,cpu" / path.name)
        expect_equal(path.stem, list(actual.values()), list(np.load(path).values()))


PARAMETER = re.compile(r"= (\w+)\[([\d,]*)\]\S* parameter\((\d+)\)")
NAMES = {"f32": np.float32, "f64": np.float64, "s32": np.int32, "u32": np.uint32, "s64": np.int64, "pred": np.bool_}


def hlo_arguments(text):
    """Random arguments, scaled so that long chains of products stay finite; vectors, among which are variances, are positive."""
    found = {int(number): (dtype, shape) for dtype, shape, number in PARAMETER.findall(text[text.index("ENTRY") :])}
    random, arguments = np.random.default_rng(0), []
    for _, (dtype, dimensions) in sorted(found.items()):
        shape = [int(size) for size in dimensions.split(",") if size]
        array = random.uniform(-1, 1, shape)
        if np.dtype(NAMES.get(dtype, np.float32)).kind in "iub":
            array = random.integers(0, 2, shape)
        elif len(shape) == 1:
            array = np.abs(array)
        elif len(shape) > 1:
            array = array * np.sqrt(3 / np.prod(shape[:-1]))
        arguments.append(array.astype(NAMES.get(dtype, jax.numpy.bfloat16)))
    return arguments


def run_module(device, text, arguments):
    with jax.enable_x64(True), mlir.make_ir_context():
        module = ir.Module.parse(text)
        executable = device.client.compile_and_load(module, _jax.DeviceList((device,)), _jax.CompileOptions())
        results = executable.execute_sharded([jax.device_put(argument, device) for argument in arguments])
        return [np.asarray(shards[0]) for shards in results.disassemble_into_single_device_arrays()]


@pytest.mark.skipif(not MODULES, reason=f"no modules in {SHARED} (STEAD_SHARED names another folder)")
@pytest.mark.parametrize("name", MODULES or ["none"])
def test_modules_that_xla_benchmarks_itself_on(name, stead_device, cpu_device):
    given = MODULES[name].read_text().replace(LEFT_OUT, "iota(), iota_dimension=0")
    text, arguments = stablehlo_of(given), hlo_arguments(given)
    expected, actual = (run_module(device, text, arguments) for device in (cpu_device, stead_device))
    for got, wanted in zip(actual, expected, strict=True):
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        assert np.isfinite(wanted.astype(np.float64)).all()
        got, wanted, is_narrow = got.astype(np.float64), wanted.astype(np.float64), got.dtype == jax.numpy.bfloat16
        relative = BF16_TOLERANCE if is_narrow else 1e-6
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=relative * np.abs(wanted).max(initial=0))
