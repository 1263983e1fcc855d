"""Complex numbers and Fourier transforms as machine code: the same programs on Stead and on XLA:CPU."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from interpreter_case import compare
from jax import lax

RANDOM = np.random.default_rng(11)
TYPES = ["complex64", "complex128"]
KINDS = ["fft", "ifft", "rfft", "irfft"]


def numbers(*shape, dtype="complex64"):
    drawn = RANDOM.normal(size=(2, *shape))
    return (drawn[0] + 1j * drawn[1]).astype(dtype) if np.dtype(dtype).kind == "c" else drawn[0].astype(dtype)


def run_on(device, function, arguments):
    with jax.enable_x64(True), jax.default_device(device):
        placed = [jax.device_put(argument, device) for argument in arguments]
        return [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(function)(*placed))]


@pytest.fixture
def check(stead_device, cpu_device):
    """Compares in ulps of the larger part of each number."""

    def run(function, arguments, ulps=0, names=None, ulps_by_name=None):
        actual, expected = (run_on(device, function, arguments) for device in (stead_device, cpu_device))
        assert [array.dtype for array in actual] == [array.dtype for array in expected]
        compare(actual, expected, ulps, names, ulps_by_name)

    return run


@pytest.fixture
def check_near(stead_device, cpu_device):
    """Compares relative to the largest number of each result."""

    def run(function, arguments, tolerance):
        actual, expected = (run_on(device, function, arguments) for device in (stead_device, cpu_device))
        for left, right in zip(actual, expected, strict=True):
            assert (left.dtype, left.shape) == (right.dtype, right.shape)
            largest = np.max(np.abs(right), initial=np.finfo(right.dtype).tiny)
            assert np.max(np.abs(left - right), initial=0) <= tolerance * largest

    return run


UNARY = [
    "real", "imag", "abs", "neg", "conj", "sign", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan",
    "tanh", "sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "square", "logistic",
]  # fmt: skip
BINARY = ["add", "sub", "mul", "div", "pow", "eq", "ne"]


@pytest.mark.parametrize("dtype", TYPES)
def test_elementwise(dtype, check):
    def function(x, y):
        return [getattr(lax, op)(x) for op in UNARY] + [getattr(lax, op)(x, y) for op in BINARY]

    special = np.array([0, 1, -1, 1j, -1j, 0.5, 2 - 3j])
    values = np.concatenate([numbers(200, dtype=dtype) * 3, special]).astype(dtype)
    check(function, (values, np.roll(values, 5)), 40, UNARY + BINARY, {"pow": 300, "add": 0, "sub": 0})


@pytest.mark.parametrize("dtype", TYPES)
def test_infinities_and_nan(dtype, check):
    parts = [0.0, -0.0, 1.0, -2.0, np.inf, -np.inf, np.nan, 1e30, 1e-30]
    x = np.array([complex(a, b) for a in parts for b in parts]).astype(dtype)
    check(lambda x: [x + x[::-1], x - x[::-1], x * x[::-1], lax.exp(x), x == x, x != x, lax.neg(x)], [x], 40)


@pytest.mark.parametrize("dtype", TYPES)
def test_conversions(dtype, check):
    def function(x, i):
        return [x.astype("complex64"), x.astype("complex128"), i.astype(dtype), (i > 0).astype(dtype), i + x, i * x]

    check(function, (numbers(33, dtype=dtype), np.arange(33, dtype="int32") - 16), 2)


def test_fused_chain(check):
    def function(x, y):
        z = jnp.where(x.real > 0, x * y.conj(), jnp.exp(1j * x))
        return jnp.abs(z), jnp.angle(z), (z / (1 + z * z.conj())).sum(1), z.T @ z

    check(function, (numbers(31, 18), numbers(31, 18)), 400)


@pytest.mark.parametrize("dtype", TYPES)
def test_sums_products_and_means(dtype, check_near):
    def function(x):
        return [x.sum(), x.sum(0), x.sum(1), x.mean(1), x[:, :9].prod(1), jnp.cumsum(x, 1), jnp.var(x, 0)]

    check_near(function, [numbers(40, 130, dtype=dtype)], 1e-5 if dtype == "complex64" else 1e-13)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("sizes", [(1, 1, 1), (5, 7, 3), (64, 100, 48), (2, 300, 130)])
def test_matrix_products(dtype, sizes, check_near):
    rows, depth, columns = sizes

    def function(a, b):
        return a @ b, jnp.einsum("id,dj->ji", a, b), jnp.einsum("id,jd->ij", a, b.T.conj()), a @ b[:, 0]

    arguments = numbers(rows, depth, dtype=dtype), numbers(depth, columns, dtype=dtype)
    check_near(function, arguments, 1e-5 if dtype == "complex64" else 1e-13)


def test_batched_products(check_near):
    check_near(lambda a, b: a @ b, (numbers(4, 6, 9), numbers(4, 9, 5)), 1e-5)


@pytest.mark.parametrize("dtype", TYPES)
def test_movement(dtype, check):
    def function(x, index, update):
        return [
            x.T, x[::-1, 2:9:3], jnp.pad(x, ((1, 2), (0, 3))), jnp.roll(x, 3, 1), x[index], x.at[index].set(update),
            x.at[index].add(update), jnp.concatenate([x, update]), jnp.broadcast_to(x[0], (3, 11)), x.reshape(-1),
            lax.dynamic_update_slice(x, update, (1, 0)), jnp.tile(x, (2, 3)), lax.broadcasted_iota(dtype, (5, 4), 0),
        ]  # fmt: skip

    index = np.array([3, 0, 5], dtype="int32")
    check(function, (numbers(8, 11, dtype=dtype), index, numbers(3, 11, dtype=dtype)))


def test_sort(check):
    x = numbers(6, 50)
    x[:, ::7] = x[:, :1]
    check(lambda x: [jnp.sort(x, 1), jnp.argsort(x, 1), jnp.sort(x, 0)], [x])


def test_scan_with_complex_state(check_near):
    def function(x, turn):
        return lax.scan(lambda state, row: (state * turn + row, jnp.abs(state)), x[0], x)

    check_near(function, (numbers(20, 15), np.complex64(0.6 + 0.8j)), 1e-5)


def test_donated_update_keeps_its_buffer(stead_device):
    x = jax.device_put(numbers(100, 100), stead_device)
    address = x.unsafe_buffer_pointer()
    result = jax.jit(lambda x: x.at[3, 4].multiply(2j), donate_argnums=0)(x)
    assert result.unsafe_buffer_pointer() == address


# ----------------------------------------------------------------------------------------------------------------------
# Fourier transforms.

LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 30, 31, 32, 37, 49, 64, 67, 100, 127, 128, 210, 256, 257, 1000, 1021, 1024, 4096]


def tolerance_of(name):
    return 1e-6 if name in ("float32", "complex64") else 2e-15


@pytest.mark.parametrize("wide", [False, True], ids=["f32", "f64"])
def test_every_length(wide, check_near):
    real, complex_ = ("float64", "complex128") if wide else ("float32", "complex64")

    def function(signals, reals):
        return [
            [jnp.fft.fft(x) for x in signals], [jnp.fft.ifft(x) for x in signals],
            [jnp.fft.rfft(x) for x in reals],
            [jnp.fft.irfft(x, n=length) for x, length in zip(signals, LENGTHS, strict=True)],
        ]  # fmt: skip

    signals = [numbers(2, length, dtype=complex_) for length in LENGTHS]
    reals = [numbers(2, length, dtype=real) for length in LENGTHS]

    def flat(*arrays):
        return function(arrays[: len(LENGTHS)], arrays[len(LENGTHS) :])

    check_near(flat, [*signals, *reals], tolerance_of(real))


def test_against_numpy(stead_device):
    for length in LENGTHS:
        x = numbers(3, length)
        (actual,) = run_on(stead_device, jnp.fft.fft, [x])
        expected = np.fft.fft(x.astype("complex128"))
        assert np.max(np.abs(actual - expected)) <= 1e-6 * np.max(np.abs(expected))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_along_any_axis(kind, axis, check_near):
    x = numbers(12, 9, 10, dtype="float32" if kind == "rfft" else "complex64")
    check_near(lambda x: getattr(jnp.fft, kind)(x, axis=axis), [x], 1e-6)


@pytest.mark.parametrize("dtype", TYPES)
def test_several_dimensions(dtype, check_near):
    def function(z, x):
        return [
            jnp.fft.fft2(z), jnp.fft.ifft2(z), jnp.fft.fftn(z), jnp.fft.ifftn(z), jnp.fft.rfft2(x), jnp.fft.rfftn(x),
            jnp.fft.irfftn(z), jnp.fft.irfftn(z, s=(6, 9)), jnp.fft.irfft2(z, s=(7, 8)), jnp.fft.fftshift(z),
        ]  # fmt: skip

    z = numbers(5, 6, 7, dtype=dtype)
    check_near(function, (z, np.ascontiguousarray(z.real)), tolerance_of(dtype))


def test_empty_batch(check):
    check(lambda z, x: [jnp.fft.fft(z), jnp.fft.rfft(x), jnp.fft.irfft(z)], (numbers(0, 8), numbers(0, 8, dtype="float32")))


def test_gradients(check_near):
    def loss(x):
        return jnp.sum(jnp.abs(jnp.fft.fft(x)) * jnp.arange(x.shape[-1]))

    def real_loss(x):
        return jnp.sum(jnp.abs(jnp.fft.rfft(x)) ** 2) + jnp.sum(jnp.fft.irfft(jnp.fft.rfft(x) ** 2) ** 3)

    x = numbers(4, 30, dtype="float32")
    check_near(lambda x: [jax.grad(loss)(x), jax.grad(real_loss)(x), jax.grad(loss)(x + 0j)], [x], 1e-5)


def test_mapped_and_convolved(check_near):
    def convolve(x, y):
        return jnp.fft.irfft(jnp.fft.rfft(x, 64) * jnp.fft.rfft(y, 64), 64)

    check_near(jax.vmap(convolve), (numbers(5, 40, dtype="float32"), numbers(5, 25, dtype="float32")), 1e-6)


def test_donated_transform_keeps_its_buffer(stead_device):
    x = numbers(30, 40)
    donated = jax.device_put(x, stead_device)
    address = donated.unsafe_buffer_pointer()
    compiled = jax.jit(jnp.fft.fft2, donate_argnums=0).lower(donated).compile()
    assert " copy(" not in compiled.as_text()
    assert compiled.memory_analysis().temp_size_in_bytes < x.nbytes
    result = compiled(donated)
    assert result.unsafe_buffer_pointer() == address
    np.testing.assert_allclose(result, np.fft.fft2(x), rtol=1e-4, atol=1e-4)


def test_final_hlo_keeps_the_transform(stead_device):
    x = jax.device_put(numbers(16), stead_device)
    text = jax.jit(jnp.fft.fft).lower(x).compile().as_text()
    assert "fft_type=FFT, fft_length={16}" in text
