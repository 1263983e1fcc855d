"""Elementwise ops on the interpreter: against XLA:CPU for the types it computes in itself, against NumPy for narrower ones."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from interpreter_case import COMPLEX, INTEGERS, NARROW_FLOATS, check, compare, dtype_of, hlo_text, is_float, run_text, run_text_on_xla
from jax import lax

RANDOM = np.random.default_rng(20240501)


def float_values(name, count=40):
    """Special values, small and large numbers, and numbers around 1."""
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, 3.0, 1e-2, np.nan, np.inf, -np.inf, 10.0, -20.0, 1e9]
    values = np.concatenate([special, RANDOM.normal(size=count), RANDOM.normal(size=count) * 10])
    with np.errstate(all="ignore"):
        return values.astype(dtype_of(name))


def integer_values(name, count=50):
    information = ml_dtypes.iinfo(dtype_of(name))
    low, high = int(information.min), int(information.max)
    special = [low, low + 1, high, high - 1, 0, 1, 2, 3, *([-1, -2] if low < 0 else [])]
    drawn = RANDOM.integers(low, high, count, dtype=np.int64 if low < 0 else np.uint64, endpoint=True)
    return np.array(special + [int(value) for value in drawn], dtype=object).astype(dtype_of(name))


def complex_values(name, count=40):
    real, imaginary = RANDOM.normal(size=(2, count)) * 3
    return np.concatenate([real + 1j * imaginary, [0, 1, -1, 1j, -1j, 0.5, 2 - 3j]]).astype(name)


def pairs(values, repeats=6):
    """Every value against a few others, so that special values meet each other."""
    others = [np.roll(values, RANDOM.integers(len(values))) for _ in range(repeats)]
    return np.concatenate([values] * repeats), np.concatenate(others)


# What XLA:CPU is allowed to be off, in ulps (its log1p cancels in f64). The interpreter's own error is asserted further down.
UNARY_FLOAT = {
    "abs": 0, "neg": 0, "sign": 0, "ceil": 0, "floor": 0, "round": 0, "is_finite": 0, "sqrt": 0, "rsqrt": 2,
    "exp": 8, "exp2": 8, "expm1": 8, "log": 4, "log1p": 500, "sin": 4, "cos": 4, "tan": 6, "tanh": 8, "logistic": 8, "cbrt": 4,
    "erf": 8, "asin": 16, "acos": 16, "atan": 16, "sinh": 16, "cosh": 16, "asinh": 16, "acosh": 16, "atanh": 500,
}  # fmt: skip


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_unary_ops_on_floats(name, tmp_path):
    def function(x):
        results = [getattr(lax, op)(x) for op in UNARY_FLOAT]
        return [*results, lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), lax.integer_pow(x, 3)]

    check(function, [float_values(name)], tmp_path, 2, [*UNARY_FLOAT, "round_even", "cube"], UNARY_FLOAT)


BINARY_FLOAT = {"add": 0, "sub": 0, "mul": 0, "div": 0, "rem": 0, "max": 0, "min": 0, "pow": 8, "atan2": 4, "nextafter": 0}
COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_binary_ops_on_floats(name, tmp_path):
    names = [*BINARY_FLOAT, *COMPARISONS]
    check(lambda x, y: [getattr(lax, op)(x, y) for op in names], pairs(float_values(name)), tmp_path, 0, names, BINARY_FLOAT)


NUMPY_UNARY = {
    "abs": abs, "neg": np.negative, "ceil": np.ceil, "floor": np.floor, "sqrt": np.sqrt, "exp": np.exp, "expm1": np.expm1,
    "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "cbrt": np.cbrt,
}  # fmt: skip
NUMPY_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "rem": np.fmod, "max": np.maximum,
    "min": np.minimum, "pow": np.power, "atan2": np.arctan2,
}  # fmt: skip


def narrow_result(function, name, *values):
    """The result in double, rounded once."""
    with np.errstate(all="ignore"):
        return function(*(value.astype(np.float64) for value in values)).astype(dtype_of(name))


@pytest.mark.parametrize("name", NARROW_FLOATS)
def test_every_narrow_float_computes_in_a_wider_type_and_rounds(name, tmp_path):
    left, right = pairs(float_values(name), 3)

    def function(x, y):
        unary = [getattr(lax, op)(x) for op in NUMPY_UNARY]
        return unary + [getattr(lax, op)(x, y) for op in NUMPY_BINARY] + [getattr(lax, op)(x, y) for op in COMPARISONS]

    expected = [narrow_result(function, name, left) for function in NUMPY_UNARY.values()]
    expected += [narrow_result(function, name, left, right) for function in NUMPY_BINARY.values()]
    expected += [function(left.astype(np.float64), right.astype(np.float64)) for function in COMPARISONS.values()]
    text = hlo_text(function, (left, right))
    actual = run_text(text, (left, right), tmp_path, [array.dtype for array in expected])
    compare(actual, expected, 0, [*NUMPY_UNARY, *NUMPY_BINARY, *COMPARISONS])


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_functions_are_within_one_ulp_of_the_true_value(name, tmp_path):
    functions = {op: function for op, function in NUMPY_UNARY.items() if op in lax.__dict__}
    values = np.concatenate([RANDOM.normal(size=400), RANDOM.normal(size=400) * 30]).astype(name)
    with np.errstate(all="ignore"):
        expected = [function(values.astype(np.longdouble)).astype(name) for function in functions.values()]
    text = hlo_text(lambda x: [getattr(lax, op)(x) for op in functions], (values,))
    actual = run_text(text, (values,), tmp_path, [array.dtype for array in expected])
    compare(actual, expected, 1, list(functions))


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_ops(name, tmp_path):
    unary = ["bitwise_not", "sign", "population_count", "clz"] + (["abs", "neg"] if name.startswith("i") else [])
    if name.endswith("int4"):
        # JAX offers few ops on integers below 8 bits.
        unary = []
    binary = ["add", "sub", "mul", "div", "rem", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor"]
    shifts = ["shift_left", "shift_right_logical", "shift_right_arithmetic"]
    names = [*unary, *binary, *COMPARISONS, *shifts]

    def function(x, y, amounts):
        results = [getattr(lax, op)(x) for op in unary] + [getattr(lax, op)(x, y) for op in [*binary, *COMPARISONS]]
        return results + [getattr(lax, op)(x, amounts) for op in shifts]

    left, right = pairs(integer_values(name))
    amounts = np.arange(left.size).astype(dtype_of(name))
    check(function, (left, right, amounts), tmp_path, names=names)


@pytest.mark.parametrize("type_name, name", [("s32", "int32"), ("u8", "uint8"), ("s64", "int64")])
def test_integer_powers(type_name, name, tmp_path):
    bases, exponents = pairs(integer_values(name))
    # XLA looks at the low 6 bits of an exponent only; larger ones wrap here as repeated multiplication does.
    exponents = np.where(exponents < 0, exponents, exponents % 64)
    text = f"""HloModule powers
ENTRY main {{
  x = {type_name}[{bases.size}]{{0}} parameter(0)
  y = {type_name}[{bases.size}]{{0}} parameter(1)
  ROOT power = {type_name}[{bases.size}]{{0}} power(x, y)
}}"""
    expected = run_text_on_xla(text, (bases, exponents))
    compare(run_text(text, (bases, exponents), tmp_path, [bases.dtype]), expected)


def test_booleans(tmp_path):
    names = ["bitwise_and", "bitwise_or", "bitwise_xor", "max", "min", *COMPARISONS]
    values = np.array([False, True, False, True]), np.array([False, False, True, True])
    check(lambda x, y: [lax.bitwise_not(x)] + [getattr(lax, op)(x, y) for op in names], values, tmp_path)


COMPLEX_UNARY = [
    "real", "imag", "abs", "neg", "conj", "sign", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan",
    "tanh", "sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "square", "logistic",
]  # fmt: skip


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_ops(name, tmp_path):
    binary = ["add", "sub", "mul", "div", "pow", "eq", "ne"]

    def function(x, y):
        return [getattr(lax, op)(x) for op in COMPLEX_UNARY] + [getattr(lax, op)(x, y) for op in binary]

    names = COMPLEX_UNARY + binary
    check(function, pairs(complex_values(name), 3), tmp_path, 40, names, {"pow": 300, "add": 0, "sub": 0})


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_complex_numbers_from_parts(name, tmp_path):
    check(lax.complex, pairs(float_values(name)), tmp_path)


def test_clamp_and_select(tmp_path):
    x = float_values("float32")
    flags = RANDOM.random(x.size) > 0.5
    integers = integer_values("int16")
    check(
        lambda x, y, flags, n: [
            lax.clamp(np.float32(-1), x, np.float32(2)),
            lax.clamp(y, x, jnp.full_like(x, jnp.inf)),
            lax.select(flags, x, y),
            lax.select(True, x, y),
            lax.clamp(np.int16(-5), n, np.int16(90)),
        ],
        (x, x[::-1].copy(), flags, integers),
        tmp_path,
    )


CONVERTED = ["bool", *INTEGERS, "float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("name", CONVERTED)
def test_conversions_between_types(name, tmp_path):
    if name == "bool":
        values = np.array([False, True])
    else:
        values = float_values(name) if is_float(dtype_of(name)) else integer_values(name)
    targets = [target for target in CONVERTED if target != name]
    function = lambda x: [lax.convert_element_type(x, dtype_of(target)) for target in targets]  # noqa: E731
    check(function, [values], tmp_path, names=targets)


@pytest.mark.parametrize("source", ["float64", "float32", "bfloat16", "int64", "uint64", "int8"])
def test_conversions_to_every_narrow_float_round_once(source, tmp_path):
    if is_float(dtype_of(source)):
        exponents = RANDOM.uniform(-24, 20, 4000)
        values = np.concatenate([float_values(source).astype(float), RANDOM.choice([-1, 1], 4000) * 2.0**exponents])
        values = values.astype(dtype_of(source))
    else:
        values = integer_values(source, 500)
    with np.errstate(all="ignore"):
        wide = values.astype(np.float64)
        expected = [wide.astype(dtype_of(target)) for target in NARROW_FLOATS]
    function = lambda x: [lax.convert_element_type(x, dtype_of(target)) for target in NARROW_FLOATS]  # noqa: E731
    actual = run_text(hlo_text(function, [values]), [values], tmp_path, [array.dtype for array in expected])
    compare(actual, expected, 0, NARROW_FLOATS)


@pytest.mark.parametrize("name", NARROW_FLOATS)
def test_conversions_from_every_code_of_a_narrow_float(name, tmp_path):
    dtype = dtype_of(name)
    codes = np.arange(16 if name == "float4_e2m1fn" else 256 ** min(dtype.itemsize, 2))
    values = codes.astype(f"uint{8 * dtype.itemsize}").view(dtype)
    function = lambda x: [lax.convert_element_type(x, np.float32), lax.convert_element_type(x, np.float64)]  # noqa: E731
    expected = [values.astype(np.float32), values.astype(np.float64)]
    actual = run_text(hlo_text(function, [values]), [values], tmp_path, [np.dtype("float32"), np.dtype("float64")])
    compare(actual, expected)


def test_bit_patterns_as_other_types(tmp_path):
    floats = float_values("float32")
    words = integer_values("uint16")
    check(
        lambda x, n: [
            lax.bitcast_convert_type(x, np.int32),
            lax.bitcast_convert_type(x, np.uint8),
            lax.bitcast_convert_type(lax.bitcast_convert_type(x, np.uint16), np.float32),
            lax.bitcast_convert_type(n, jnp.bfloat16),
            lax.bitcast_convert_type(n, np.float16),
            lax.bitcast_convert_type(n, np.int8),
        ],
        (floats, words),
        tmp_path,
    )


@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16", "float16"])
def test_reduce_precision(name, tmp_path):
    formats = [(8, 7), (5, 10), (4, 3), (5, 2), (8, 23), (2, 1), (8, 0), (3, 4)]
    exponents = RANDOM.uniform(-20, 20, 200)
    values = np.concatenate([float_values(name), (RANDOM.choice([-1, 1], 200) * 2.0**exponents).astype(dtype_of(name))])
    names = [str(bits) for bits in formats]
    check(lambda x: [lax.reduce_precision(x, *bits) for bits in formats], [values], tmp_path, names=names)


def test_random_bits_are_those_of_xla(tmp_path):
    shapes = [((7,), np.uint32), ((2, 3), np.uint16), ((3, 5), np.uint32), ((), np.uint64), ((3, 3), np.uint64), ((8,), np.uint8)]

    def function(state):
        algorithms = lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX
        results = [lax.rng_bit_generator(state, *shape, algorithm) for shape in shapes for algorithm in algorithms]
        return [*results, lax.rng_bit_generator(state, (4,))]

    check(function, [np.array([1, 2, 0xFFFFFFFE, 0xFFFFFFFF], np.uint32)], tmp_path)


def test_random_numbers_of_jax(tmp_path):
    def function(key):
        first, second = jax.random.split(jax.random.wrap_key_data(key))
        return [jax.random.bits(first, (5, 3)), jax.random.permutation(second, 20), jax.random.randint(second, (9,), -5, 100)]

    check(function, [np.array([12, 34], np.uint32)], tmp_path)
