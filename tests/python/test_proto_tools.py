"""The command line tool takes protocol buffers wherever it takes HLO text: as XLA dumps them and as frameworks send them."""

import os
import re
import subprocess
import sys

import pytest
from hlo_text import normal_form
from jaxlib import _hlo
from stead_tool import PROGRAMS, REPOSITORY, STEAD, output, run

TEXT = PROGRAMS / "seed2_plain.before.hlo"

SMALL = """HloModule small, input_output_alias={ {0}: (0, {}, may-alias) }

ENTRY main {
  x = f32[8] parameter(0)
  y = f32[8] negate(x)
  z = f32[8] sine(x)
  ROOT t = (f32[8], f32[8]) tuple(y, z)
}
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.pb"
    path.write_bytes(_hlo.hlo_module_from_text(SMALL).as_serialized_hlo_module_proto())
    return path


def run_on_bytes(data, *arguments):
    return subprocess.run([STEAD, *arguments], input=data, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize("command", [["explain"], ["explain", "--format=json"], ["opt"], ["run", "--seed=3"], ["run", "--compare"]])
def test_commands_take_protocol_buffers(command, small):
    from_text = output(*command, "-", text=SMALL)
    assert output(*command, small) == from_text
    assert run_on_bytes(small.read_bytes(), *command, "-").stdout.decode() == from_text


def test_convert_goes_both_ways(small, tmp_path):
    proto = tmp_path / "written.pb"
    assert output("convert", TEXT, "--to", "proto", "-o", proto) == ""
    assert output("convert", proto) == output("convert", TEXT)
    text = tmp_path / "written.hlo"
    assert output("convert", small, "--to", "text", "--output", text) == ""
    assert text.read_text() == output("convert", small)


def test_convert_makes_protocol_buffers_of_stablehlo(tmp_path):
    bytecode = REPOSITORY / "tests/data/stablehlo/loop.mlirbc"
    proto = tmp_path / "loop.pb"
    output("convert", bytecode, "--to", "proto", "-o", proto)
    assert output("convert", proto) == output("convert", bytecode)
    assert _hlo.HloModule.from_serialized_hlo_module_proto(proto.read_bytes()).name


def test_unknown_output_format_is_wrong_usage(small):
    assert run("convert", small, "--to", "stablehlo").returncode == 2


def test_output_that_cannot_be_written_is_an_error(small, tmp_path):
    process = run("convert", small, "-o", tmp_path / "missing" / "x.hlo")
    assert process.returncode == 1
    assert "missing" in process.stderr


def test_damaged_protocol_buffer_is_an_error_that_names_the_file(small):
    data = small.read_bytes()
    small.write_bytes(data[: len(data) // 2])
    process = run("explain", small)
    assert process.returncode == 1
    assert "cut off or damaged" in process.stderr
    assert str(small) in process.stderr


def test_text_attribute_without_a_form_is_named():
    process = run("convert", "-", "--to", "proto", text=SMALL.replace("negate(x)", "negate(x), unheard_of=7"))
    assert process.returncode == 1
    assert "attribute `unheard_of` as a protocol buffer, in instruction `y`" in process.stderr


PROGRAM = """
import jax, jax.numpy as jnp
jax.jit(lambda x: (jnp.sin(x) @ x.T, x.at[0].add(1.0)))(jnp.ones((4, 4))).__class__
"""


@pytest.fixture(scope="module")
def dumps(tmp_path_factory):
    """What XLA writes with --xla_dump_hlo_as_proto: HloProto with and without buffer assignment, and a snapshot of a run."""
    folder = tmp_path_factory.mktemp("dumps")
    flags = f"--xla_dump_to={folder} --xla_dump_hlo_as_proto --xla_dump_hlo_as_text --xla_dump_large_constants --xla_dump_hlo_snapshots"
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=True, timeout=120)
    return folder


def test_dumps_of_xla_are_read(dumps):
    protos = sorted(dumps.glob("*.hlo.pb"))
    assert len(protos) >= 2
    for proto in protos:
        text = output("convert", proto.with_suffix("").with_suffix(".txt"))
        # The compiler's configuration, for which the message has no place.
        text = re.sub(r", allow_spmd_sharding_propagation_to_\w+={[a-z,]*}", "", text)
        assert normal_form(output("convert", proto)) == normal_form(text), proto.name


def test_snapshots_of_xla_are_read(dumps):
    snapshots = sorted(dumps.glob("*.snapshot.*.pb"))
    assert snapshots
    for snapshot in snapshots:
        assert "is_scheduled=true" in output("convert", snapshot).splitlines()[0]
