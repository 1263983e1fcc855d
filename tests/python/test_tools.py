"""`stead opt`, `stead run` and `stead convert` on what JAX lowers: other readers accept the text, and all backends agree."""

import re

import jax
import numpy as np
import pytest
from hlo_text import print_options, structure
from jax_programs import PROGRAMS
from jaxlib import _hlo
from stead_tool import output, run


@pytest.fixture(scope="module")
def lowered(tmp_path_factory):
    """HLO text files of the programs, by name."""
    directory = tmp_path_factory.mktemp("lowered")
    paths = {}
    for name, (function, make_arguments, donate) in PROGRAMS.items():
        text = jax.jit(function, donate_argnums=donate).lower(*make_arguments()).as_text("hlo")
        paths[name] = directory / f"{name}.hlo"
        paths[name].write_text(text)
    return paths


# Calls that JAX leaves to XLA: the door that JAX comes through knows them, HLO text of somebody else's does not mean them.
NOT_OPS = {"calls_that_only_the_compiler_answers"}


@pytest.mark.parametrize("name", NOT_OPS)
def test_calls_without_a_handler_are_named(name, lowered):
    process = run("run", lowered[name], "--compare")
    assert process.returncode != 0
    assert re.search(r"UNIMPLEMENTED: op `custom-call` with target `\w+`", process.stderr)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - NOT_OPS))
def test_machine_code_agrees_with_the_interpreter(name, lowered):
    report = output("run", lowered[name], "--compare")
    assert report.endswith("machine code and interpreter agree\n")
    assert "DIFFERS" not in report


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_optimised_text_is_read_by_xla(name, lowered):
    text = output("opt", lowered[name])
    module = _hlo.hlo_module_from_text(text)
    assert "is_scheduled=true" in text.splitlines()[0]
    assert module.name == re.match(r"HloModule (\S+),", text).group(1)


# What jaxlib reads, and is written back as it is: (entry, what is said where it would be run).
ONLY_WRITTEN = {
    "a_dot_of_another_shape": ("a = s8[8] parameter(0)\n ROOT r = s32[8] dot(a, a)", "give s32[8,8]"),
    "lists_that_differ_elsewhere": (
        "a = f32[2,1] parameter(0)\n b = f32[3,1] parameter(1)\n ROOT r = f32[3,2] concatenate(a, b), dimensions={1}",
        "only dimension 1 may differ",
    ),
    "unbounded_dimensions": ("a = f32[?,4] parameter(0)\n ROOT r = f32[?,4] negate(a)", "unbounded dimensions"),
    "buffers": ('a = f32[] parameter(0)\n ROOT r = b(f32[]) custom-call(a), custom_call_target="Pin"', "values that are buffers"),
    "two_tebibytes": (
        "a = bf16[] parameter(0)\n ROOT r = bf16[1024,1024,1024,1024] broadcast(a), dimensions={}",
        "takes more than 1099511627776 bytes",
    ),
}


@pytest.mark.parametrize("name", ONLY_WRITTEN)
def test_what_cannot_run_is_written_back(name, tmp_path):
    entry, reason = ONLY_WRITTEN[name]
    text = f"HloModule m\n\nENTRY e {{\n {entry}\n}}\n"
    program = tmp_path / "program.hlo"
    program.write_text(text)
    written = output("convert", program)
    assert structure(written, print_options(text)) == structure(text, print_options(text))
    output("convert", program, "--to=proto", f"--output={tmp_path / 'program.pb'}")
    assert output("convert", tmp_path / "program.pb") == written
    for command in ("run", "opt", "explain"):
        process = run(command, program)
        assert process.returncode == 1
        assert reason in process.stderr


def test_one_file_per_pass(lowered, tmp_path):
    output("opt", lowered["mlp_adam"], f"--dump-to={tmp_path}")
    dumps = sorted(path.name for path in tmp_path.glob("*.hlo"))
    assert dumps[0] == "00-given.hlo" and dumps[-1].endswith("-in-place.hlo")
    assert all(re.fullmatch(r"\d\d-[a-z-]+\.hlo", name) for name in dumps) and len(dumps) > 5
    for name in dumps:
        _hlo.hlo_module_from_text((tmp_path / name).read_text())


def test_given_inputs_and_written_results(lowered, tmp_path):
    x = np.arange(240, dtype=np.float32).reshape(12, 20)
    np.save(tmp_path / "x.npy", x)
    for backend in ("native", "interpreter"):
        output("run", lowered["shapes"], f"--input={tmp_path}/x.npy", f"--output-dir={tmp_path}", f"--backend={backend}")
        np.testing.assert_array_equal(np.load(tmp_path / "0.npy"), x.T)
        np.testing.assert_array_equal(np.load(tmp_path / "3.npy"), np.pad(x, ((1, 2), (0, 3))))


# Programs dumped for other machines name tiles; the arrays of the host have none.
@pytest.mark.parametrize("layout", ["{1,0:T(8,128)}", "{0,1:T(8,128)}"])
def test_tiles_of_another_machine_move_nothing(layout, tmp_path):
    program = tmp_path / "tiles.hlo"
    program.write_text(f"HloModule m\nENTRY e {{\n  x = s32[3,4]{layout} parameter(0)\n  ROOT y = s32[3,4]{layout} add(x, x)\n}}\n")
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    np.save(tmp_path / "x.npy", x)
    for backend in ("native", "interpreter"):
        output("run", program, f"--input={tmp_path}/x.npy", f"--output-dir={tmp_path}", f"--backend={backend}")
        np.testing.assert_array_equal(np.load(tmp_path / "0.npy"), 2 * x)


def test_results_are_printed(tmp_path):
    program = tmp_path / "five.hlo"
    program.write_text("HloModule five\nENTRY e {\n  two = s32[2] constant({2, 3})\n  ROOT five = s32[2] add(two, two)\n}\n")
    assert output("run", program) == "s32[2] {4, 6}\n"


def test_a_comparison_that_fails_is_exit_code_one(lowered):
    process = run("run", lowered["reductions"], "--compare", "--tolerance=-1")
    assert process.returncode == 1 and "DIFFERS" in process.stdout


def test_the_baseline_copies_what_the_plan_does_not(lowered):
    assert " copy(" not in output("opt", lowered["donated_elementwise"])
    planned = output("opt", lowered["gpt_decode"]).count(" copy(")
    baseline = output("opt", lowered["gpt_decode"], "--always-copy").count(" copy(")
    assert baseline > planned
    output("run", lowered["gpt_decode"], "--compare", "--always-copy")
