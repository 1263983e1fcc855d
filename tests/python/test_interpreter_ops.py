"""Every op that moves or combines elements, on the interpreter and on XLA:CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from interpreter_case import check, compare, dtype_of, run_text, run_text_on_xla, run_xla
from jax import lax

RANDOM = np.random.default_rng(7)
MOVED = ["float32", "bfloat16", "int8", "complex128", "bool", "float8_e5m2"]


def numbers(*shape, dtype="float32"):
    return np.asarray(RANDOM.normal(size=shape) * 3).astype(dtype_of(dtype))


def integers(*shape, low=-9, high=10, dtype="int32"):
    return RANDOM.integers(low, high, shape).astype(dtype)


@pytest.mark.parametrize("name", MOVED)
def test_moves(name, tmp_path):
    def function(x, line, filler):
        return [
            lax.broadcast_in_dim(line, (2, 4, 3), (1,)),
            lax.broadcast_in_dim(filler, (2, 2), ()),
            lax.reshape(x, (6, 4)),
            lax.transpose(x, (2, 0, 1)),
            lax.slice(x, (0, 1, 0), (2, 3, 4), (1, 2, 3)),
            lax.rev(x, (0, 2)),
            lax.concatenate([x, x[:, :1], x[:, 1:]], 1),
            lax.pad(x, filler, ((1, 0, 2), (-1, 2, 0), (0, -2, 1))),
            lax.pad(x, filler, ((-3, 2, 0), (0, 1, 0), (0, 0, 3))),
            jnp.tile(line, 3),
        ]

    check(function, (numbers(2, 3, 4, dtype=name), numbers(4, dtype=name), numbers(dtype=name)), tmp_path)


@pytest.mark.parametrize("name", ["int8", "uint64", "float64", "bfloat16", "complex64"])
def test_iota(name, tmp_path):
    check(lambda: [lax.broadcasted_iota(dtype_of(name), (3, 20, 2), 1), lax.iota(dtype_of(name), 7)], (), tmp_path)


@pytest.mark.parametrize("start", [(0, 0), (1, 2), (-5, 3), (100, -100)])
def test_dynamic_slices(start, tmp_path):
    def function(x, update, row, column):
        return lax.dynamic_slice(x, (row, column), (2, 3)), lax.dynamic_update_slice(x, update, (row, column))

    check(function, (numbers(4, 5), numbers(3, 2), np.int32(start[0]), np.int32(start[1])), tmp_path)


@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
def test_gather(mode, tmp_path):
    low, high = (0, 4) if mode == "promise_in_bounds" else (-9, 9)

    def function(x, index, other):
        return [
            x.at[index].get(mode=mode),
            x.at[:, index % 3].get(mode=mode),
            x.at[index, other % 3].get(mode=mode),
            jnp.take_along_axis(x, other.reshape(4, 2) % 3, axis=1),
            jax.vmap(lambda row, at: lax.dynamic_slice(row, (at,), (2,)))(x, index[:4]),
        ]

    check(function, (numbers(4, 3), integers(8, low=low, high=high), integers(8, low=0, high=3)), tmp_path)


def test_gather_with_batching_dimensions(tmp_path):
    dimensions = lax.GatherDimensionNumbers((2,), (1,), (1, 2), operand_batching_dims=(0,), start_indices_batching_dims=(1,))
    check(
        lambda x, indices: lax.gather(x, indices, dimensions, (1, 1, 3)),
        (numbers(2, 4, 5), integers(6, 2, 2, low=-1, high=6)),
        tmp_path,
    )


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_scatter(name, tmp_path):
    def function(x, index, updates):
        return [
            x.at[index].set(updates[:, :3], mode="drop", unique_indices=True),
            x.at[index].add(updates[:, :3]),
            x.at[index].mul(updates[:, :3]),
            x.at[index].min(updates[:, :3]),
            x.at[index].max(updates[:, :3]),
            x.at[:, index % 3].add(updates[0, 0]),
            x.at[index % 4, index % 3].add(updates[:, 0]),
        ]

    # Multiples of 1/4 add up exactly in any order.
    updates = (integers(5, 4) / 4).astype(dtype_of(name))
    index = np.array([3, 0, -9, 5, 2], np.int32)
    check(function, ((integers(4, 3) / 4).astype(dtype_of(name)), index, updates), tmp_path)


def test_scatter_with_batching_dimensions_and_windows(tmp_path):
    dimensions = lax.ScatterDimensionNumbers((2,), (1,), (1, 2), operand_batching_dims=(0,), scatter_indices_batching_dims=(1,))
    check(
        lambda x, indices, updates: lax.scatter_add(x, indices, updates, dimensions, mode="drop"),
        (integers(2, 4, 5), integers(6, 2, 2, low=-1, high=6), integers(6, 2, 3)),
        tmp_path,
    )


def test_scatter_with_its_own_update_computation(tmp_path):
    dimensions = lax.ScatterDimensionNumbers((), (0,), (0,))
    check(
        lambda x, indices, updates: lax.scatter_apply(x, indices, lambda y: y * y + 1, dimensions, update_shape=(4,)),
        (numbers(6), np.array([[0], [3], [5], [1]], np.int32), numbers(4)),
        tmp_path,
    )


def test_reductions(tmp_path):
    def function(x, n):
        return [
            n.sum(), n.sum(axis=(0, 2)), n.prod(axis=1), n.max(), n.min(axis=2),
            jnp.argmax(x, axis=1), jnp.argmin(x), jnp.any(n > 5, axis=0), jnp.all(n > -9, axis=1),
            lax.reduce_and(n, (0,)), lax.reduce_or(n, (1,)), lax.reduce_xor(n, (2,)), x.max(axis=0), x.min(),
            lax.reduce(n, np.int32(7), lambda a, b: a + b, (1,)), n[:, :0].sum(axis=1), n[:, :0].sum(axis=0),
        ]  # fmt: skip

    x = numbers(3, 5, 4)
    x[0, 1, 2] = np.nan
    check(function, (x, integers(3, 5, 4)), tmp_path)


@pytest.mark.parametrize("name, ulps", [("float32", 8), ("float64", 8), ("bfloat16", 4), ("float16", 4)])
def test_sums_of_floats(name, ulps, tmp_path):
    # All of one sign, so that the order of additions stays within a few ulps.
    x = abs(numbers(7, 40)).astype(dtype_of(name))
    check(lambda x: [x.sum(), x.sum(axis=0), x.mean(axis=1), jnp.linalg.norm(x[0])], (x,), tmp_path, ulps)


def test_reductions_of_several_arrays_with_any_computation(tmp_path):
    def largest_with_place(left, right):
        keep = (left[0] > right[0]) | ((left[0] == right[0]) & (left[1] < right[1]))
        return jnp.where(keep, left[0], right[0]), jnp.where(keep, left[1], right[1])

    def function(x):
        places = lax.broadcasted_iota(jnp.int32, x.shape, 1)
        start = (np.float32(-np.inf), np.int32(2**31 - 1))
        return lax.reduce((x, places), start, largest_with_place, (1,)), lax.reduce((x, places), start, largest_with_place, (0, 1))

    check(function, (integers(6, 9).astype(np.float32),), tmp_path)


def test_windows(tmp_path):
    def function(x, n):
        return [
            lax.reduce_window(n, np.int32(0), lax.add, (2, 3), (1, 2), "VALID"),
            lax.reduce_window(n, np.int32(0), lax.add, (3, 2), (2, 1), "SAME"),
            lax.reduce_window(n, np.int32(0), lax.add, (2, 2), (1, 1), ((1, 2), (0, 3)), (2, 1), (1, 3)),
            lax.reduce_window(x, -np.inf, lax.max, (2, 2), (2, 2), "VALID"),
            lax.cumsum(n, 0), lax.cumsum(n, 1, reverse=True), lax.cummax(x, 1), lax.cumprod(n, 0), lax.cummin(x, 0, reverse=True),
        ]  # fmt: skip

    check(function, (numbers(6, 7), integers(6, 7)), tmp_path)


def test_gradient_of_max_pooling(tmp_path):
    def pooled(x):
        return (lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2).sum()

    check(lambda x: jax.grad(pooled)(x), (numbers(2, 7, 8, 3),), tmp_path, 2)


@pytest.mark.parametrize("name", ["float32", "int8", "bfloat16", "uint32", "bool"])
def test_sorting(name, tmp_path):
    keys = integers(5, 40).astype(np.float32)
    keys[0, :6] = [np.nan, -0.0, 0.0, -np.inf, np.inf, 0.0]
    with np.errstate(invalid="ignore"):
        keys = keys.astype(dtype_of(name))

    def function(x):
        places = lax.broadcasted_iota(jnp.int32, x.shape, 1)
        return [
            lax.sort(x, dimension=1), lax.sort(x, dimension=0), lax.sort((x, places), dimension=1, num_keys=1, is_stable=True),
            jnp.argsort(x, axis=1, descending=True), lax.sort((x, places, places), dimension=1, num_keys=2), lax.top_k(x, 7),
        ]  # fmt: skip

    check(function, (keys,), tmp_path)


def test_map_and_custom_comparators(tmp_path):
    text = """HloModule sorts
by_remainder {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  five = s32[] constant(5)
  left = s32[] remainder(a, five)
  right = s32[] remainder(b, five)
  ROOT less = pred[] compare(left, right), direction=GT
}
combine {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  square = s32[] multiply(a, a)
  ROOT sum = s32[] add(square, b)
}
ENTRY main {
  x = s32[3,9]{1,0} parameter(0)
  sorted = s32[3,9]{1,0} sort(x), dimensions={1}, is_stable=true, to_apply=by_remainder
  mapped = s32[3,9]{1,0} map(x, sorted), dimensions={0,1}, to_apply=combine
  ROOT both = (s32[3,9]{1,0}, s32[3,9]{1,0}) tuple(sorted, mapped)
}"""
    x = integers(3, 9, low=0, high=50)
    compare(run_text(text, (x,), tmp_path, [np.dtype(np.int32)] * 2), run_text_on_xla(text, (x,)))


DOTS = [
    ((4, 5), (5, 6), (((1,), (0,)), ((), ()))),
    ((5, 4), (6, 5), (((0,), (1,)), ((), ()))),
    ((2, 3, 4), (2, 4, 5), (((2,), (1,)), ((0,), (0,)))),
    ((3, 2, 4, 5), (5, 3, 6, 2), (((3,), (0,)), ((0, 1), (1, 3)))),
    ((3, 4), (4, 3), (((0, 1), (1, 0)), ((), ()))),
    ((3,), (4,), (((), ()), ((), ()))),
    ((7,), (7,), (((0,), (0,)), ((), ()))),
    ((2, 0), (0, 3), (((1,), (0,)), ((), ()))),
]


@pytest.mark.parametrize("left, right, dimensions", DOTS)
def test_dots_of_any_dimensions(left, right, dimensions, tmp_path):
    x, y = integers(*left), integers(*right)
    c, d = (x + 1j * x[::-1]).astype(np.complex64), (y - 2j * y).astype(np.complex64)
    check(lambda x, y, c, d: [lax.dot_general(x, y, dimensions), lax.dot_general(c, d, dimensions)], (x, y, c, d), tmp_path)


@pytest.mark.parametrize(
    "name, result, ulps",
    [
        ("int8", "int32", 0), ("int8", "int8", 0), ("uint8", "uint32", 0), ("bfloat16", "bfloat16", 1), ("bfloat16", "float32", 64),
        ("float16", "float16", 2), ("float16", "float32", 64), ("float8_e4m3fn", "float32", 64), ("float64", "float64", 64),
    ],
)  # fmt: skip
def test_dots_of_every_type(name, result, ulps, tmp_path):
    # All of one sign: a sum near zero would make relative errors meaningless.
    left, right = abs(integers(6, 20)).astype(dtype_of(name)), abs(numbers(20, 5)).astype(dtype_of(name))
    check(lambda x, y: lax.dot(x, y, preferred_element_type=dtype_of(result)), (left, right), tmp_path, ulps)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
@pytest.mark.parametrize("element", ["float8_e4m3fn", "float8_e5m2", "bfloat16"])
def test_dots_with_scales(element, backend, tmp_path):
    """JAX's decomposition of the op on XLA:CPU, which has none for the op itself."""
    left, right = numbers(2, 4, 64, dtype=element), numbers(2, 64, 6, dtype=element)
    scales = [np.exp2(integers(*shape)).astype(dtype_of("float8_e8m0fnu")) for shape in ((2, 4, 2), (2, 2, 6))]
    dimensions = ((2,), (1,)), ((0,), (0,))
    [expected] = run_xla(
        lambda a, b, c, d: lax.scaled_dot(a, b, lhs_scale=c, rhs_scale=d, dimension_numbers=dimensions, preferred_element_type=jnp.float32),
        (left, right, *scales),
    )
    name = {"float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2", "bfloat16": "bf16"}[element]
    text = f"""HloModule m
ENTRY e {{
  a = {name}[2,4,64] parameter(0)
  b = {name}[2,64,6] parameter(1)
  c = f8e8m0fnu[2,4,2] parameter(2)
  d = f8e8m0fnu[2,2,6] parameter(3)
  ROOT r = f32[2,4,6] scaled-dot(a, b, c, d), lhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_batch_dims={{0}}, rhs_contracting_dims={{1}}
}}"""
    [actual] = run_text(text, (left, right, *scales), tmp_path, [expected.dtype], backend)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-6 * abs(expected).max())


CONVOLUTIONS = [
    {"window_strides": (1, 1), "padding": "SAME"},
    {"window_strides": (2, 1), "padding": [(0, 2), (-1, 1)]},
    {"window_strides": (1, 2), "padding": [(0, 0), (1, 0)], "lhs_dilation": (2, 3)},
    {"window_strides": (1, 1), "padding": [(2, 2), (3, 3)], "rhs_dilation": (2, 2)},
    {"window_strides": (1, 1), "padding": "SAME", "feature_group_count": 2},
    {"window_strides": (1, 1), "padding": "VALID", "batch_group_count": 2},
]


@pytest.mark.parametrize("options", CONVOLUTIONS)
@pytest.mark.parametrize("layout", [("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC"), ("HWCN", "OHWI", "NCWH")])
def test_convolutions(options, layout, tmp_path):
    groups = options.get("feature_group_count", 1)
    sizes = {"N": 4, "C": 4, "H": 7, "W": 8}, {"O": 6, "I": 4 // groups, "H": 3, "W": 2}
    x, kernel = (integers(*(size[letter] for letter in letters)) for size, letters in zip(sizes, layout, strict=False))
    check(lambda x, k: lax.conv_general_dilated(x, k, dimension_numbers=layout, **options), (x, kernel), tmp_path)


def test_gradients_of_a_convolution(tmp_path):
    def function(x, kernel):
        return (lax.conv_general_dilated(x, kernel, (2, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2).sum()

    # Small integers make every sum exact.
    arguments = integers(2, 6, 5, 3, low=-3, high=3).astype(np.float32), integers(3, 3, 3, 4, low=-3, high=3).astype(np.float32)
    check(jax.grad(function, (0, 1)), arguments, tmp_path)


@pytest.mark.parametrize("lengths", [(8,), (7,), (30,), (97,), (4, 6), (3, 5, 4)])
def test_fourier_transforms(lengths, tmp_path):
    shape = (2, *lengths)
    z = numbers(*shape, dtype="complex128") + 1j * numbers(*shape)
    half = z[..., : lengths[-1] // 2 + 1]
    axes = tuple(range(1, len(shape)))
    expected = [
        np.fft.fftn(z, axes=axes), np.fft.ifftn(z, axes=axes), np.fft.rfftn(z.real, axes=axes),
        np.fft.irfftn(half, lengths, axes=axes),
    ]  # fmt: skip
    spectrum = f"c128[{','.join(map(str, half.shape))}]"
    text = f"""HloModule transforms
ENTRY main {{
  z = c128[{",".join(map(str, shape))}] parameter(0)
  half = {spectrum} parameter(1)
  signal = f64[{",".join(map(str, shape))}] real(z)
  a = c128[{",".join(map(str, shape))}] fft(z), fft_type=FFT, fft_length={{{",".join(map(str, lengths))}}}
  b = c128[{",".join(map(str, shape))}] fft(z), fft_type=IFFT, fft_length={{{",".join(map(str, lengths))}}}
  c = {spectrum} fft(signal), fft_type=RFFT, fft_length={{{",".join(map(str, lengths))}}}
  d = f64[{",".join(map(str, shape))}] fft(half), fft_type=IRFFT, fft_length={{{",".join(map(str, lengths))}}}
  ROOT all = (c128[{",".join(map(str, shape))}], c128[{",".join(map(str, shape))}], {spectrum}, f64[{",".join(map(str, shape))}]) tuple(a, b, c, d)
}}"""
    actual = run_text(text, (z, half), tmp_path, [array.dtype for array in expected])
    for left, right in zip(actual, expected, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("type_name, name", [("f64", "float64"), ("c128", "complex128")])
def test_cholesky(lower, type_name, name, tmp_path):
    factor = numbers(3, 5, 5, dtype=name) + (1j * numbers(3, 5, 5) if name.startswith("complex") else 0)
    matrix = factor @ factor.conj().swapaxes(1, 2)
    text = f"""HloModule cholesky
ENTRY main {{
  x = {type_name}[3,5,5] parameter(0)
  ROOT factor = {type_name}[3,5,5] cholesky(x), lower={str(lower).lower()}
}}"""
    (actual,) = run_text(text, (matrix,), tmp_path, [matrix.dtype])
    expected = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(actual, expected if lower else expected.conj().swapaxes(1, 2), atol=1e-12)


@pytest.mark.parametrize("left_side", [True, False])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("transpose", ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_solve(left_side, lower, transpose, unit, tmp_path):
    matrix = numbers(2, 4, 4, dtype="complex128") + 1j * numbers(2, 4, 4) + 4 * np.eye(4)
    right = numbers(2, 4, 4, dtype="complex128")
    text = f"""HloModule solve
ENTRY main {{
  a = c128[2,4,4] parameter(0)
  b = c128[2,4,4] parameter(1)
  ROOT x = c128[2,4,4] triangular-solve(a, b), left_side={str(left_side).lower()}, lower={str(lower).lower()}, unit_diagonal={str(unit).lower()}, transpose_a={transpose}
}}"""
    (actual,) = run_text(text, (matrix, right), tmp_path, [matrix.dtype])
    used = np.tril(matrix) if lower else np.triu(matrix)
    if unit:
        used[:, range(4), range(4)] = 1
    used = {"NO_TRANSPOSE": used, "TRANSPOSE": used.swapaxes(1, 2), "ADJOINT": used.conj().swapaxes(1, 2)}[transpose]
    np.testing.assert_allclose(used @ actual if left_side else actual @ used, right, atol=1e-9)


def test_batch_normalization(tmp_path):
    text = """HloModule norms
ENTRY main {
  x = f32[3,4,5] parameter(0)
  scale = f32[4] parameter(1)
  offset = f32[4] parameter(2)
  gradient = f32[3,4,5] parameter(3)
  train = (f32[3,4,5], f32[4], f32[4]) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=1
  y = f32[3,4,5] get-tuple-element(train), index=0
  mean = f32[4] get-tuple-element(train), index=1
  variance = f32[4] get-tuple-element(train), index=2
  z = f32[3,4,5] batch-norm-inference(x, scale, offset, mean, variance), epsilon=0.001, feature_index=1
  grad = (f32[3,4,5], f32[4], f32[4]) batch-norm-grad(x, scale, mean, variance, gradient), epsilon=0.001, feature_index=1
  dx = f32[3,4,5] get-tuple-element(grad), index=0
  dscale = f32[4] get-tuple-element(grad), index=1
  doffset = f32[4] get-tuple-element(grad), index=2
  ROOT all = (f32[3,4,5], f32[4], f32[4], f32[3,4,5], f32[3,4,5], f32[4], f32[4]) tuple(y, mean, variance, z, dx, dscale, doffset)
}"""
    arguments = numbers(3, 4, 5), numbers(4), numbers(4), numbers(3, 4, 5)
    actual = run_text(text, arguments, tmp_path, [np.dtype(np.float32)] * 7)
    for left, right in zip(actual, run_text_on_xla(text, arguments), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)


def test_philox_with_a_counter_of_128_bits(tmp_path):
    text = """HloModule bits
ENTRY main {
  state = u64[3] parameter(0)
  ROOT bits = (u64[3], u32[9]) rng-bit-generator(state), algorithm=rng_philox
}"""
    state = np.array([12345, 2**64 - 1, 77], np.uint64)
    expected = run_text_on_xla(text, (state,))
    compare(run_text(text, (state,), tmp_path, [np.dtype(np.uint64), np.dtype(np.uint32)]), expected)
