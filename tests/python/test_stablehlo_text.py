"""StableHLO as text: ours of what JAX prints, in three forms, is ours of the artifact that jaxlib makes of the same text."""

import re

import jax
import numpy as np
import pytest
import stead_tool
import test_stablehlo_import as programs
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# Programs with operations that jaxlib only serializes after it has rewritten them, and constants with them.
REWRITTEN = {name for name, program in programs.PROGRAMS.items() if re.search(r"\b(chlo|sdy)\.", programs.lower(*program).as_text())}


def forms(lowered):
    return {
        "pretty": lowered.as_text(),
        "located": lowered.as_text(debug_info=True),
        "generic": lowered.compiler_ir().operation.get_asm(print_generic_op_form=True, enable_debug_info=True),
    }


def without_places(hlo):
    return re.sub(r", metadata=\{[^{}]*\}", "", hlo)


def artifact(text):
    """What jaxlib reads in the text, serialized as it is."""
    context = jax_mlir.make_ir_context()
    with context, ir.Location.unknown(context):
        return stablehlo.serialize_portable_artifact(ir.Module.parse(text), programs.VERSION)


@pytest.mark.parametrize("name", sorted(set(programs.PROGRAMS) - REWRITTEN))
def test_text_is_read_as_the_artifact_of_it(name, tmp_path):
    for form, text in forms(programs.lower(*programs.PROGRAMS[name])).items():
        (tmp_path / "program.mlir").write_text(text)
        (tmp_path / "program.mlirbc").write_bytes(artifact(text))
        ours = stead_tool.output("convert", tmp_path / "program.mlir")
        expected = stead_tool.output("convert", tmp_path / "program.mlirbc")
        if form == "pretty":
            # Without locations an operation's place is its place in the text, which each reader names in its way.
            ours, expected = without_places(ours), without_places(expected)
        assert ours == expected, form


def results_of(path, arguments, folder):
    """What `stead run` computes of the program at `path`."""
    inputs = []
    for number, argument in enumerate(jax.tree.leaves(arguments)):
        np.save(folder / f"argument{number}.npy", argument)
        inputs += ["--input", folder / f"argument{number}.npy"]
    (folder / path.stem).mkdir()
    stead_tool.output("run", "--quiet", *inputs, "--output-dir", folder / path.stem, path)
    return [np.load(file).tobytes() for file in sorted((folder / path.stem).iterdir())]


# Of complex functions only jaxlib writes out the parts; the tool itself calls no foreign functions.
NOT_COMPARED = {"complex", "cholesky", "eigenvalues", "solve", "triangular_solve"}


@pytest.mark.parametrize("name", sorted(REWRITTEN - NOT_COMPARED))
def test_text_computes_what_the_rewritten_artifact_does(name, tmp_path):
    function, *arguments = programs.PROGRAMS[name]
    lowered = programs.lower(function, *arguments)
    (tmp_path / "text.mlir").write_text(lowered.as_text())
    (tmp_path / "artifact.mlirbc").write_bytes(
        programs._jax.mlir.serialize_portable_artifact(lowered.compiler_ir(), programs.VERSION, True)
    )
    text, artifact_ = (results_of(tmp_path / file, arguments, tmp_path) for file in ("text.mlir", "artifact.mlirbc"))
    assert text and text == artifact_


CHLO_UNARY = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "lgamma",
    "sinh",
    "square",
]
CHLO_BINARY = ["next_after", "polygamma", "zeta"]
# Their coefficients for f64 are not known to our reader, which says so.
ONLY_F32 = {"bessel_i1e", "erf_inv", "erfc"}
VALUES = "0.0, -0.0, 0.25, -0.25, 0.75, -0.9375, 1.0, -1.0, 1.5, -1.5, 2.0, -2.5, 3.0, 7.25, -7.25, 12.0, 40.0, -40.5, 1.0e30, 1.0e-30"
OTHERS = "1.0, 1.0, 2.0, 0.5, 0.75, 3.0, 2.0, 1.0, 1.5, 4.0, 2.5, -2.5, 8.0, 3.0, 1.25, 0.5, 9.0, 2.0, 1.0, 1.0"


def chlo_program(name, element):
    array = f"tensor<20x{element}>"
    if name in CHLO_UNARY:
        call = f"chlo.{name} %x : {array} -> {array}"
    else:
        call = f"chlo.{name} %y, %x : {array}, {array} -> {array}"
    return f"""func.func @main() -> {array} {{
      %x = stablehlo.constant dense<[{VALUES}]> : {array}
      %y = stablehlo.constant dense<[{OTHERS}]> : {array}
      %0 = {call}
      return %0 : {array}
    }}"""


@pytest.mark.parametrize("element", ["f32", "f64", "bf16", "f16"])
@pytest.mark.parametrize("name", CHLO_UNARY + CHLO_BINARY)
def test_special_functions_compute_what_jaxlib_writes_out(name, element, tmp_path):
    text = chlo_program(name, element)
    (tmp_path / "text.mlir").write_text(text)
    if name in ONLY_F32 and element == "f64":
        assert f"op `chlo.{name}` is not supported" in stead_tool.run("convert", tmp_path / "text.mlir").stderr
        return
    context = jax_mlir.make_ir_context()
    with context, ir.Location.unknown(context):
        written_out = programs._jax.mlir.serialize_portable_artifact(ir.Module.parse(text), programs.VERSION, True)
    (tmp_path / "artifact.mlirbc").write_bytes(written_out)
    from_text, from_artifact = (results_of(tmp_path / file, (), tmp_path) for file in ("text.mlir", "artifact.mlirbc"))
    assert from_text and from_text == from_artifact
