"""Bad input to the command line tool: an error that says what, where and why; exit code 1; never a crash."""

import numpy as np
import pytest
from stead_tool import PROGRAMS, run

GOOD = """HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT z = f32[4] add(x, y)
}
"""

BAD_PROGRAMS = {
    "unknown op": (GOOD.replace("add(", "ad("), ["INVALID_ARGUMENT", "`ad`", ":5:"]),
    "unknown operand": (GOOD.replace("add(x, y)", "add(x, w)"), ["INVALID_ARGUMENT", "`w`", ":5:"]),
    "type mismatch": (GOOD.replace("y = f32[4]", "y = s32[4]"), ["INVALID_ARGUMENT", "s32[4]", "f32[4]"]),
    "shape mismatch": (GOOD.replace("y = f32[4]", "y = f32[5]"), ["INVALID_ARGUMENT", "f32[5]", "f32[4]"]),
    "cut off": (GOOD[: len(GOOD) // 2], ["INVALID_ARGUMENT"]),
    "empty": ("", ["INVALID_ARGUMENT", "empty"]),
    "not a program": ("hello\n", ["INVALID_ARGUMENT", "unknown format"]),
    "StableHLO text": ("module @m {\n  func.func @main() {\n    return %0 : tensor<f32>\n  }\n}\n", ["INVALID_ARGUMENT", "`%0`", ":3:12"]),
    "huge dimension": (GOOD.replace("f32[4]", "f32[99999999999,99999999999]"), ["INVALID_ARGUMENT"]),
    "unknown custom call": (GOOD.replace("add(x, y)", 'custom-call(x, y), custom_call_target="my_kernel"'), ["UNIMPLEMENTED", "my_kernel"]),
    "unsupported op": (
        'HloModule m\nENTRY e {\n  x = f8e5m2[] parameter(0)\n  ROOT y = f8e5m2[8] rng(x, x), distribution=rng_uniform, metadata={source_file="model.py" source_line=12}\n}\n',
        ["UNIMPLEMENTED", "op `rng`", "model.py:12"],
    ),
}


@pytest.mark.parametrize("name", BAD_PROGRAMS)
def test_refused_with_a_reason(name, tmp_path):
    text, expected = BAD_PROGRAMS[name]
    path = tmp_path / "bad.hlo"
    path.write_text(text)
    process = run("run", path)
    assert process.returncode == 1, process.stderr
    for words in expected:
        assert words in process.stderr
    assert process.stdout == ""


def test_bytecode_that_is_cut_off(tmp_path):
    artifacts = sorted((PROGRAMS.parent / "stablehlo").glob("*.mlirbc"))
    assert artifacts
    path = tmp_path / "cut.mlirbc"
    for artifact in artifacts[:4]:
        whole = artifact.read_bytes()
        for length in (4, 20, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:length])
            process = run("convert", path)
            assert process.returncode == 1 and process.stderr.startswith("stead: "), (artifact, length, process.stderr)


def test_missing_file():
    process = run("explain", "no/such/file.hlo")
    assert process.returncode == 1
    assert "no/such/file.hlo" in process.stderr and "No such file" in process.stderr


def test_a_dump_directory_that_cannot_be_written(tmp_path):
    program = tmp_path / "good.hlo"
    program.write_text(GOOD)
    process = run("opt", program, "--dump-to=/proc/no/such")
    assert process.returncode == 1
    assert "/proc/no/such" in process.stderr and "cannot write" in process.stderr


def test_a_full_disk(tmp_path):
    program = tmp_path / "good.hlo"
    program.write_text(GOOD)
    (tmp_path / "0.npy").symlink_to("/dev/full")
    process = run("run", program, f"--output-dir={tmp_path}")
    assert process.returncode == 1
    assert "No space left on device" in process.stderr


@pytest.mark.parametrize("array", [np.zeros(5, np.float32), np.zeros(4, np.int32), np.zeros((2, 2), np.float32)])
def test_inputs_that_do_not_fit(array, tmp_path):
    program = tmp_path / "good.hlo"
    program.write_text(GOOD)
    np.save(tmp_path / "x.npy", array)
    process = run("run", program, f"--input={tmp_path}/x.npy", f"--input={tmp_path}/x.npy")
    assert process.returncode == 1
    assert "x.npy" in process.stderr and "f32[4]" in process.stderr


def test_a_wrong_number_of_inputs(tmp_path):
    program = tmp_path / "good.hlo"
    program.write_text(GOOD)
    np.save(tmp_path / "x.npy", np.zeros(4, np.float32))
    process = run("run", program, f"--input={tmp_path}/x.npy")
    assert process.returncode == 1
    assert "1 inputs given, the module has 2 parameters" in process.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["no-such-command"], ["explain"], ["opt", "--no-such-flag", "x.hlo"], ["explain", "x.hlo", "--format=xml"]]
)
def test_wrong_usage_is_exit_code_two(arguments):
    assert run(*arguments).returncode == 2
