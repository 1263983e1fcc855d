"""Custom calls: jaxlib's LAPACK routines and handlers of users run on the plugin, in place where they declare it."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from user_handlers import user_handlers

STEAD, CPU = jax.devices("stead")[0], jax.devices("cpu")[0]
SIZE = 12


def random_matrix(dtype, *shape):
    generator = np.random.default_rng(3)
    matrix = generator.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        matrix = matrix + 1j * generator.standard_normal(shape)
    return matrix.astype(dtype)


def positive_definite(dtype, *shape):
    matrix = random_matrix(dtype, *shape)
    return (matrix @ np.conj(np.swapaxes(matrix, -1, -2)) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def symmetric(dtype, *shape):
    return positive_definite(dtype, *shape) - np.asarray(3 * shape[-1] * np.eye(shape[-1]), dtype)


# name: (function, maker of its square argument)
ROUTINES = {
    "cholesky": (jnp.linalg.cholesky, positive_definite),
    "triangular_solve": (lambda x: lax.linalg.triangular_solve(x, x[..., :5], left_side=True, lower=True), positive_definite),
    "eigh": (jnp.linalg.eigh, symmetric),
    "svd": (jnp.linalg.svd, random_matrix),
    "qr": (jnp.linalg.qr, random_matrix),
    "lu": (lax.linalg.lu, random_matrix),
    "inv": (jnp.linalg.inv, positive_definite),
    "solve": (lambda x: jnp.linalg.solve(x, x[..., :3]), positive_definite),
    "det": (jnp.linalg.det, random_matrix),
    "slogdet": (jnp.linalg.slogdet, random_matrix),
    "eig": (jnp.linalg.eig, random_matrix),
    "schur": (lax.linalg.schur, random_matrix),
    "hessenberg": (lax.linalg.hessenberg, random_matrix),
    "tridiagonal": (lambda x: lax.linalg.tridiagonal(x, lower=True), symmetric),
    "lstsq": (lambda x: jnp.linalg.lstsq(x, x[..., 0])[0], positive_definite),
}


def run_on(device, function, *arguments, **options):
    results = jax.jit(function, **options)(*jax.device_put(arguments, device))
    return jax.tree.map(np.asarray, results)


def assert_same(function, *arguments):
    """Both backends call the same routine, so they may differ by rounding around it alone."""
    actual, expected = run_on(STEAD, function, *arguments), run_on(CPU, function, *arguments)
    tolerance = 2e-4 if arguments[0].dtype in (np.float32, np.complex64) else 1e-10
    for ours, theirs in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("name", ROUTINES)
def test_lapack_as_on_the_built_in_backend(name, dtype):
    function, make_argument = ROUTINES[name]
    with jax.enable_x64(True):
        assert_same(function, make_argument(dtype, SIZE, SIZE))


@pytest.mark.parametrize("name", ["cholesky", "triangular_solve", "eigh", "svd", "qr", "lu", "solve", "det", "eig", "schur"])
def test_lapack_in_batches(name):
    function, make_argument = ROUTINES[name]
    if name in ("solve", "triangular_solve"):
        function = jax.vmap(jax.vmap(function))
    assert_same(function, make_argument(np.float32, 2, 3, SIZE, SIZE))


def test_gradient_through_lapack():
    def loss(x):
        return jnp.linalg.slogdet(x)[1] + jnp.linalg.inv(jnp.linalg.cholesky(x)).sum()

    assert_same(jax.grad(loss), positive_definite(np.float32, SIZE, SIZE))


def test_custom_call_in_a_loop_and_a_branch():
    def function(x, count):
        x = lax.fori_loop(0, count, lambda _, carry: jnp.linalg.cholesky(carry @ carry.T + jnp.eye(SIZE)), x)
        return lax.cond(count > 2, jnp.linalg.cholesky, lambda x: x + 1, x @ x.T)

    for count in (2, 4):
        assert_same(function, random_matrix(np.float32, SIZE, SIZE), np.int32(count))


def spotrf(x, **options):
    """The Cholesky routine itself, as a user's own FFI call: rows first, no copies but those that an alias needs."""
    shapes = (jax.ShapeDtypeStruct(x.shape, x.dtype), jax.ShapeDtypeStruct((), np.int32))
    return jax.ffi.ffi_call("lapack_spotrf_ffi", shapes, **options)(x, uplo=np.uint8(ord("U")))[0]


# name: (function, full copies, result in the argument's memory, factor before the routine)
ALIAS_CASES = {
    "declared": (lambda x: spotrf(x, input_output_aliases={0: 0}), 0, True, 1),
    "declared_after_a_producer": (lambda x: spotrf(x * 2, input_output_aliases={0: 0}), 0, True, 2),
    "declared_and_an_old_value_read": (lambda x: (spotrf(x, input_output_aliases={0: 0}), x[0, 0]), 0, True, 1),
    "declared_and_the_old_matrix_returned": (lambda x: (spotrf(x, input_output_aliases={0: 0}), x), 1, False, 1),
    "undeclared": (spotrf, 0, False, 1),
    "undeclared_after_a_producer": (lambda x: spotrf(x * 2), 0, False, 2),
}


@pytest.mark.parametrize("function, copies, in_place, factor", ALIAS_CASES.values(), ids=ALIAS_CASES.keys())
def test_aliases_of_a_custom_call(function, copies, in_place, factor):
    x = positive_definite(np.float32, 64, 64)
    argument = jax.device_put(x, STEAD)
    pointer = argument.unsafe_buffer_pointer()
    compiled = jax.jit(function, donate_argnums=0).lower(argument).compile()
    assert len(re.findall(r"= f32\[64,64\]\S* copy\(", compiled.as_text())) == copies
    result = jax.tree.leaves(compiled(argument))[0]
    assert (result.unsafe_buffer_pointer() == pointer) or not in_place
    # LAPACK's upper triangle is the lower one where rows come first.
    np.testing.assert_allclose(np.tril(result), np.linalg.cholesky(factor * x), rtol=1e-4, atol=1e-4)


def test_layouts_are_transposes_in_the_final_program():
    compiled = jax.jit(jnp.linalg.cholesky).lower(jax.device_put(positive_definite(np.float32, 64, 64), STEAD)).compile()
    text = compiled.as_text()
    assert re.search(r"\(f32\[64,64\]\{0,1\}, s32\[\]\) custom-call\(.*custom_call_target=\"lapack_spotrf_ffi\"", text)
    assert " transpose(" in text and " copy(" not in text
    # The result is built where the routine and what stands around it work.
    assert compiled.memory_analysis().temp_size_in_bytes < 64 * 64 * 4


def test_unknown_target_is_named_with_its_source_line():
    call = jax.ffi.ffi_call("nobody_has_this", jax.ShapeDtypeStruct((3,), np.float32))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"UNIMPLEMENTED[^\n]*`nobody_has_this`") as failure:
        jax.jit(call)(jax.device_put(np.ones(3, np.float32), STEAD))
    assert f"{__file__}:" in str(failure.value)


def test_error_of_a_handler_names_target_and_source_line():
    shapes = (jax.ShapeDtypeStruct((3, 3), np.float32), jax.ShapeDtypeStruct((), np.int32))
    call = jax.ffi.ffi_call("lapack_spotrf_ffi", shapes)
    x = jax.device_put(np.eye(3, dtype=np.float32), STEAD)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"INVALID_ARGUMENT[^\n]*`lapack_spotrf_ffi` failed") as failure:
        jax.jit(call)(x)
    assert f"{__file__}:" in str(failure.value)
    np.testing.assert_array_equal(np.asarray(x), np.eye(3))


def test_argument_given_to_a_handler_that_fails_is_gone():
    shapes = (jax.ShapeDtypeStruct((3, 3), np.float32), jax.ShapeDtypeStruct((), np.int32))
    call = jax.ffi.ffi_call("lapack_spotrf_ffi", shapes, input_output_aliases={0: 0})
    x = jax.device_put(np.eye(3, dtype=np.float32), STEAD)
    with pytest.raises(jax.errors.JaxRuntimeError):
        jax.jit(call, donate_argnums=0)(x)
    assert x.is_deleted()


def test_sink_of_jax_keeps_its_operand_and_does_nothing():
    def function(x):
        lax.dce_sink(x * 2)
        return x + 1

    assert_same(function, np.arange(3, dtype=np.float32))


@pytest.fixture(scope="module")
def handlers():
    return user_handlers()


@pytest.mark.parametrize("device", [STEAD, CPU], ids=["stead", "cpu"])
def test_handler_of_a_user_sees_its_attributes(handlers, device):
    def function(x, y):
        call = jax.ffi.ffi_call("weighted_sum", jax.ShapeDtypeStruct(x.shape, x.dtype))
        return call(x, y, weights=np.array([2.0, 10.0]), bias=np.float32(0.5), note='a "b" \\', negate=True)

    x, y = np.arange(3, dtype=np.float32), np.ones(3, np.float32)
    np.testing.assert_array_equal(run_on(device, function, x, y), -(2 * x + 10 * y + 0.5))


def test_state_of_a_handler_belongs_to_its_program(handlers):
    def function(x):
        call = jax.ffi.ffi_call("count_calls", jax.ShapeDtypeStruct((), np.int32), has_side_effect=True)
        return call(x)

    scalar, vector = jax.device_put((np.float32(0), np.zeros(2, np.float32)), STEAD)
    first, second = (jax.jit(function).lower(x).compile() for x in (scalar, vector))
    assert [int(first(scalar)) for _ in range(3)] == [1, 2, 3]
    assert int(second(vector)) == 1
