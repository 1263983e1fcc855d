"""StableHLO artifacts of JAX programs, imported and printed as HLO text: XLA accepts the text and computes what JAX computes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import stead_tool
from hlo_on_xla import run_module_on_xla
from jax import lax
from jaxlib import _hlo, _jax

CPU = jax.devices("cpu")[0]
VERSION = "1.17.0"


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def integers(*shape, low=0, high=5):
    return np.random.default_rng(1).integers(low, high, shape).astype(np.int32)


def spd(size):
    matrix = floats(size, size)
    return matrix @ matrix.T + size * np.eye(size, dtype=np.float32)


COMPLEX = (floats(6) + 1j * floats(6, seed=1)).astype(np.complex64)
KEY = np.array([3, 7], np.uint32)
IMAGE, KERNEL = floats(2, 8, 8, 3), floats(3, 3, 3, 4)
X, Y = floats(4, 8), floats(4, 8, seed=1)
PACKED = np.arange(32).reshape(4, 8) % 3 == 0
BIG = floats(64, 64)

inner = jax.jit(lambda x: jnp.sin(x) * 2, inline=False)
WINDOW = ((1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def captured_values(x, y):
    limit = jnp.int32(5)
    return lax.while_loop(lambda c: (c[0] < limit) & (y.sum() < 1e9), lambda c: (c[0] + 1, c[1] * y + x), (0, x))


def nested_control(x, n):
    def outer(i, c):
        return lax.fori_loop(0, 3, lambda j, d: lax.cond(j == i, lambda: d + x, lambda: d * 0.5), c)

    return lax.fori_loop(0, n, outer, x)


def lstm(xs, w):
    def step(carry, x):
        h, c = carry
        z = jnp.split(jnp.concatenate([x, h]) @ w, 4)
        c = jax.nn.sigmoid(z[0]) * c + jax.nn.sigmoid(z[1]) * jnp.tanh(z[2])
        h = jax.nn.sigmoid(z[3]) * jnp.tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros(4), jnp.zeros(4)), xs)


def sharded(x):
    mesh = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,), devices=[CPU])
    spec = jax.sharding.PartitionSpec("rows")
    body = jax.shard_map(lambda rows: lax.psum(rows * 2, "rows"), mesh=mesh, in_specs=spec, out_specs=jax.sharding.PartitionSpec())
    return lax.with_sharding_constraint(body(x), jax.sharding.NamedSharding(mesh, spec)) + x


PROGRAMS = {
    "unary": (lambda x: (jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.exp(x), jnp.expm1(x), jnp.cbrt(x), jnp.tanh(x), -x, jnp.sign(x)), X),
    "logarithms": (lambda x: (jnp.log(x), jnp.log1p(x), jnp.sqrt(x), lax.rsqrt(x)), abs(X)),
    "rounding": (
        lambda x: (jnp.floor(x), jnp.ceil(x), jnp.round(x), lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), jnp.isfinite(x)),
        X * 3,
    ),
    "binary": (lambda x, y: (x + y, x - y, x * y, x / y, lax.rem(x, y), jnp.maximum(x, y), lax.atan2(x, y), abs(x) ** y), X, Y),
    "integers": (
        lambda x, y: (x // y, x % y, x & y, x | y, x ^ y, ~x, x << y, x >> y, lax.population_count(x), lax.clz(x)),
        integers(9, low=-9),
        integers(9) + 1,
    ),
    "logical_shift": (lambda x: lax.shift_right_logical(x, 3), integers(9, low=-9)),
    "compare": (lambda x, y: (x < y, x <= y, x == y, x != y, x > y, x >= y), X, Y),
    "compare_unsigned": (lambda x: x < np.uint32(2), integers(9).astype(np.uint32)),
    "total_order": (lambda x: lax.sort(x), np.array([1, -0.0, 0.0, np.nan, -np.inf], np.float32)),
    "select": (lambda x, y: (jnp.where(x < y, x, y), lax.select(True, x, y), lax.clamp(-0.5, x, 0.5)), X, Y),
    "convert": (
        lambda x: (x.astype(jnp.bfloat16), x.astype(jnp.float16), x.astype(jnp.int8), x.astype(bool), x.astype(jnp.complex64)),
        X * 3,
    ),
    "bitcast": (
        lambda x: (lax.bitcast_convert_type(x, jnp.uint32), lax.bitcast_convert_type(x, jnp.uint8), lax.reduce_precision(x, 5, 10)),
        X,
    ),
    "error_function": (lambda x: (lax.erf(x), lax.erfc(x), jax.nn.gelu(x)), X),
    "composites": (lambda x: (jnp.arcsin(x), jnp.sinh(x), jnp.arccosh(x + 2), jnp.arctanh(x)), X * 0.2),
    "special": (lambda x: (lax.lgamma(x), lax.digamma(x), lax.bessel_i0e(x), lax.igamma(x, x + 1)), abs(X)),
    "user_composite": (lambda x: lax.composite(lambda y, scale: y * scale, "my.scale")(x, scale=np.float32(2.0)), X),
    "composite_with_a_type": (lambda x: lax.composite(lambda y, **_: y + y, "my.twice")(x, dtype=np.dtype(np.float32), name="a"), X),
    "shapes": (
        lambda x: (x.reshape(2, 16), x.T, x[::-1], x[1:3, ::2], jnp.concatenate([x, x], 1), jnp.tile(x, (2, 1)), jnp.roll(x, 3, 1)),
        X,
    ),
    "broadcasts": (
        lambda x: (x[:, None, :] + x[None], jnp.broadcast_to(x[:, :1], (4, 8)), x[0] + x, jnp.broadcast_to(x[:, None], (4, 2, 8))),
        X,
    ),
    "pads": (lambda x: (jnp.pad(x, ((1, 2), (0, 3))), lax.pad(x, 0.5, ((0, 0, 1), (-1, 2, 0)))), X),
    "iota": (lambda: (jnp.arange(10), jnp.eye(4), jnp.tri(4), jnp.linspace(0, 1, 7), lax.broadcasted_iota(jnp.int32, (3, 4), 1)),),
    "constants": (
        lambda x: (x + np.arange(32, dtype=np.float32).reshape(4, 8), x * np.float32(2), x + np.full((4, 8), 0.5, np.float32)),
        X,
    ),
    "bool_constants": (
        lambda x: (jnp.where(PACKED, x, 0.0), jnp.where(np.ones((4, 8), bool), x, 1.0), jnp.where(PACKED[0, :3], x[0, :3], 1.0)),
        X,
    ),
    "narrow_constants": (
        lambda: (
            jnp.array([1, -2, 3], jnp.int4).astype(jnp.int32),
            jnp.array([1, 2], jnp.uint8),
            jnp.array([1 + 2j, 3]),
            jnp.array([1.5, -np.inf, np.nan], jnp.bfloat16),
        ),
    ),
    "dot": (lambda x, y: (x @ y.T, jnp.dot(x, y.T, precision="highest"), jnp.vdot(x, y)), X, Y),
    "dot_batched": (lambda x, y: jnp.einsum("bhqd,bhkd->bhqk", x, y), floats(2, 3, 4, 5), floats(2, 3, 6, 5)),
    "dot_mixed": (
        lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32),
        integers(4, 8).astype(np.int8),
        integers(8, 3).astype(np.int8),
    ),
    "convolution": (lambda x, w: lax.conv_general_dilated(x, w, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), IMAGE, KERNEL),
    "convolution_dilated": (
        lambda x, w: lax.conv_general_dilated(x, w, (1,), [(2, 3)], (2,), (3,), ("NCH", "OIH", "NCH"), 2),
        floats(2, 4, 16),
        floats(6, 2, 3),
    ),
    "convolution_gradient": (
        jax.grad(lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")).sum(), (0, 1)),
        IMAGE,
        KERNEL,
    ),
    "reduce": (lambda x: (x.sum(), x.sum(1), x.max(0), x.min(), x.prod(1), (x > 0).any(1), x.var(), jax.nn.logsumexp(x, axis=1)), X),
    "arg_max": (lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0)), X),
    "reduce_custom": (lambda x: lax.reduce(x, 0.0, lambda a, b: a * 0.5 + jnp.sin(b), (1,)), X),
    "reduce_window": (
        lambda x: (
            lax.reduce_window(x, -jnp.inf, lax.max, *WINDOW),
            lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"),
        ),
        IMAGE,
    ),
    "pool_gradient": (jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, *WINDOW).sum()), IMAGE),
    "cumulative": (lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0), lax.cummax(x, 1), lax.associative_scan(jnp.maximum, x)), X),
    "gather": (
        lambda x, i: (x[i], jnp.take(x, i, axis=1), x.at[i, i].get(mode="fill"), jnp.take_along_axis(x, i[:, None], 1)),
        X,
        integers(4, high=4),
    ),
    "scatter": (
        lambda x, i, u: (x.at[i].add(u), x.at[i].set(u), x.at[i].max(u), x.at[i, 0].min(u[:, 0])),
        X,
        np.array([2, 0], np.int32),
        floats(2, 8),
    ),
    "batched_gather": (jax.vmap(lambda x, i: (x[i], x.at[i].add(1.0))), X, integers(4, 3)),
    "dynamic_slice": (
        lambda x, i: (lax.dynamic_slice(x, (i, 0), (2, 4)), lax.dynamic_update_slice(x, jnp.ones((2, 2)), (i, i))),
        X,
        np.int32(1),
    ),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x), lax.sort((x, x + 1), num_keys=2, dimension=0), jnp.median(x)), X),
    "top_k": (lambda x: lax.top_k(x, 3), X),
    "while": (captured_values, X, Y),
    "fori": (lambda x: lax.fori_loop(0, 10, lambda i, c: c + i * x, x), X),
    "scan": (lambda x: lax.scan(lambda c, row: (c + row, c * row), jnp.zeros(8), x), X),
    "nested_control": (nested_control, X, np.int32(3)),
    "cond": (lambda p, x, y: lax.cond(p, lambda: (x + y, x), lambda: (y, y * 2)), np.bool_(True), X, Y),
    "cond_one_capture": (lambda p, x: lax.cond(p, lambda: x, lambda: jnp.ones_like(x)), np.bool_(False), X),
    "switch": (lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda y: y], x), np.int32(2), X),
    "calls": (lambda x: inner(x) + inner(x * 2), X),
    "lstm": (lstm, floats(5, 3), floats(7, 16)),
    "random": (
        lambda k: (jax.random.normal(k, (8,)), jax.random.uniform(k, (4, 4)), jax.random.randint(k, (4,), 0, 9), jax.random.split(k, 3)),
        KEY,
    ),
    "random_more": (lambda k: (jax.random.permutation(k, 10), jax.random.categorical(k, jnp.ones(5)), jax.random.gamma(k, 2.0, (3,))), KEY),
    "random_bit_generator": (
        lambda k: lax.rng_bit_generator(k, (5,), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY),
        np.arange(4, dtype=np.uint32),
    ),
    "fft": (lambda x, c: (jnp.fft.fft(c), jnp.fft.ifft(c), jnp.fft.rfft(x), jnp.fft.irfft(c)), X, COMPLEX),
    "complex": (lambda c: (c * c, abs(c), c.real, c.imag, jnp.conj(c), jnp.exp(c), c / (c + 1), jnp.sqrt(c)), COMPLEX),
    "barrier": (lambda x, y: (lax.optimization_barrier((x + 1, y)), lax.optimization_barrier(x * y)), X, Y),
    "checkpoint": (jax.grad(lambda x: jax.checkpoint(lambda y: jnp.sin(jnp.sin(y)))(x).sum()), X),
    "cholesky": (jnp.linalg.cholesky, spd(5)),
    "triangular_solve": (
        lambda a, b: lax.linalg.triangular_solve(jnp.linalg.cholesky(a), b, left_side=True, lower=True, transpose_a=True),
        spd(5),
        floats(5, 3),
    ),
    "solve": (jnp.linalg.solve, spd(5), floats(5, 3)),
    "eigenvalues": (jnp.linalg.eigvalsh, spd(5)),
    "empty": (lambda x: (x.sum(), jnp.concatenate([x, x])), np.zeros((0, 4), np.float32)),
    "no_result": (lambda x: (), X),
    "sharded": (sharded, X),
    "softmax_gradient": (jax.grad(lambda x, y: -jnp.mean(jnp.sum(jax.nn.one_hot(y, 8) * jax.nn.log_softmax(x), -1))), X, integers(4)),
    "interpolate": (jnp.interp, floats(5), np.sort(floats(8)), floats(8, seed=2)),
    "resize": (lambda x: jax.image.resize(x, (2, 16, 16, 3), "bilinear"), IMAGE),
    "large_zeros": (lambda x: x + np.zeros((64, 64), np.float32), BIG),
}


def lower(function, *arguments):
    return jax.jit(function, keep_unused=True).trace(*arguments).lower(lowering_platforms=("cpu",))


def convert(lowered, folder, version=VERSION):
    """Our HLO text of the artifact that a plugin would be handed."""
    path = folder / "program.mlirbc"
    path.write_bytes(_jax.mlir.serialize_portable_artifact(lowered.compiler_ir(), version, True))
    return stead_tool.output("convert", path)


def assert_close(actual, expected):
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    if actual.dtype.kind in "iub":
        np.testing.assert_array_equal(actual, expected)
        return
    wide = np.complex128 if actual.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(actual.astype(wide), expected.astype(wide), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", PROGRAMS)
def test_xla_computes_the_same(name, tmp_path):
    function, *arguments = PROGRAMS[name]
    with jax.default_device(CPU):
        lowered = lower(function, *arguments)
        expected = jax.tree.leaves(lowered.compile()(*arguments))
    text = convert(lowered, tmp_path)
    actual = run_module_on_xla(_hlo.hlo_module_from_text(text), arguments)
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        assert_close(ours, np.asarray(theirs))


# For a version without an operation, or without batching dimensions of gathers, jaxlib writes another program.
WRITTEN_OTHERWISE = {"1.0.0": {"unary", "gather", "batched_gather"}, "1.3.0": {"unary"}}


@pytest.mark.parametrize("version", ["1.0.0", "1.3.0", "1.4.0", "1.8.0", "1.12.0", "1.13.7", "1.14.0", "1.15.0", "1.16.0"])
def test_every_version_says_the_same(version, tmp_path):
    for name in sorted(set(PROGRAMS) - WRITTEN_OTHERWISE.get(version, set())):
        lowered = lower(*PROGRAMS[name])
        assert convert(lowered, tmp_path, version) == convert(lowered, tmp_path), name


@pytest.mark.parametrize("left, right", [((8,), (8,)), ((4, 8), (8,)), ((8,), (8, 4)), ((4, 8), (8, 5))])
def test_products_as_they_were_before_dot_general(left, right, tmp_path):
    x, y = floats(*left), floats(*right, seed=1)
    types = [f"tensor<{'x'.join(map(str, shape))}xf32>" for shape in (left, right, (x @ y).shape)]
    types[2] = types[2].replace("<xf32>", "<f32>")
    program = f"func.func @main(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{\n"
    program += f"  %z = stablehlo.dot %x, %y : ({types[0]}, {types[1]}) -> {types[2]}\n  return %z : {types[2]}\n}}"
    path = tmp_path / "program.mlirbc"
    path.write_bytes(_jax.mlir.serialize_portable_artifact(program, VERSION))
    actual = run_module_on_xla(_hlo.hlo_module_from_text(stead_tool.output("convert", path)), [x, y])
    assert_close(actual[0], x @ y)


# A program that was HLO once, as torch_xla sends it.
def test_the_error_function_under_its_foreign_name(tmp_path):
    program = """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %y = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }"""
    path = tmp_path / "program.mlirbc"
    path.write_bytes(_jax.mlir.serialize_portable_artifact(program, VERSION))
    assert " erf(" in stead_tool.output("convert", path)


def test_foreign_calls_look_as_xla_writes_them(tmp_path):
    result = jax.ShapeDtypeStruct((4, 8), np.float32)

    def call(x):
        foreign = jax.ffi.ffi_call("target", (result, result), input_output_aliases={0: 1}, has_side_effect=True)
        return foreign(x, x, count=np.int64(3), name='a"b', flags=np.array([[1, 2]], np.int32), on=True, scale=np.float32(0.5))

    lowered = lower(call, X)
    ours = next(line for line in convert(lowered, tmp_path).splitlines() if " custom-call(" in line)
    theirs = next(line for line in lowered.as_text("hlo").splitlines() if " custom-call(" in line)
    for field in ("custom_call_target=", "operand_layout_constraints=", "output_to_operand_aliasing=", "api_version=", "backend_config="):
        start = theirs.index(field)
        expected = theirs[start : theirs.find(", " + "metadata", start)] if field == "backend_config=" else theirs[start:].split(", ")[0]
        assert expected.split(", metadata")[0] in ours, (expected, ours)


def test_donations_arrive(tmp_path):
    lowered = jax.jit(lambda x, y: (y * 2, x + 1), donate_argnums=(0,)).trace(X, X[:2]).lower(lowering_platforms=("cpu",))
    header = convert(lowered, tmp_path).splitlines()[0]
    assert "input_output_alias={ {1}: (0, {}, may-alias) }" in header


# XLA's own conversion from HLO writes donations into an attribute of the module.
@pytest.mark.parametrize("index, found", [(1, True), (2, False)])
def test_donations_of_a_converted_module_arrive(index, found, tmp_path):
    alias = (
        f'{{alias = {{kind = "must_alias", parameter_index = array<i64>, parameter_number = 0 : i64}}, output_index = array<i64: {index}>}}'
    )
    program = f"""module attributes {{mhlo.input_output_alias = [{alias}]}} {{
      func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {{
        %y = stablehlo.negate %x : tensor<4xf32>
        return %x, %y : tensor<4xf32>, tensor<4xf32>
      }}
    }}"""
    path = tmp_path / "program.mlirbc"
    path.write_bytes(_jax.mlir.serialize_portable_artifact(program, VERSION))
    process = stead_tool.run("convert", path)
    if found:
        assert "input_output_alias={ {1}: (0, {}, must-alias) }" in process.stdout.splitlines()[0]
    else:
        assert "mhlo.input_output_alias" in process.stderr and process.returncode != 0


def test_an_unknown_operation_is_named_with_its_place(tmp_path):
    lowered = lower(lambda x: jnp.sin(x), X)
    path = tmp_path / "program.mlirbc"
    path.write_bytes(_jax.mlir.serialize_portable_artifact(lowered.compiler_ir(), VERSION, True).replace(b"sine_v2", b"wave_v2"))
    process = stead_tool.run("convert", path)
    assert process.returncode != 0
    assert "UNIMPLEMENTED: op `vhlo.wave_v2`" in process.stderr and "test_stablehlo_import.py:" in process.stderr
