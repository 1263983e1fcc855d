"""The golden runner itself, against a stand-in for `stead` whose answers are fixed."""

import stat
import sys

import pytest

import golden

STAND_IN = """#!{python}
import json, os, signal, sys
words = sys.argv[1:]
if words[0] == "explain":
    copies = 0 if "--assume-alias" in words else 2 + sys.stdin.read().count("copy")
    print(json.dumps({{"plan": {{"copies": copies}}, "remarks": [{{"code": "C01"}}]}}))
elif words[0] == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
elif words[0] == "reject":
    sys.exit("error: no such thing")
else:
    print("order: %y, %new\\n")
    print("file", words[1])
"""


@pytest.fixture
def stead(tmp_path):
    path = tmp_path / "stead"
    path.write_text(STAND_IN.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.fixture
def write(tmp_path):
    def write_file(text):
        path = tmp_path / "case.hlo"
        path.write_text(text)
        return path

    return write_file


BLESSED = "// RUN: stead opt %s\nHloModule m\n// CHECK: order: %y, %new\n// CHECK:\n// CHECK: file case.hlo\n"


def test_a_file_that_holds_passes(stead, write):
    assert golden.judge(write(BLESSED), stead, bless=False) == (True, "")


def test_changed_output_fails_and_shows_the_difference(stead, write):
    passed, message = golden.judge(write(BLESSED.replace("%new", "%old")), stead, bless=False)
    assert not passed
    assert "-// CHECK: order: %y, %old" in message and "+// CHECK: order: %y, %new" in message


def test_a_missing_block_fails(stead, write):
    assert not golden.judge(write("// RUN: stead opt %s\nHloModule m\n"), stead, bless=False)[0]


def test_bless_rewrites_only_the_check_lines(stead, write):
    path = write("// RUN: stead opt %s\n// ASSERT plan.copies == 2\nHloModule m\n// CHECK: stale\n")
    passed, message = golden.judge(path, stead, bless=True)
    assert passed and "-// CHECK: stale" in message
    assert path.read_text() == BLESSED.replace("HloModule", "// ASSERT plan.copies == 2\nHloModule")
    assert golden.judge(path, stead, bless=False) == (True, "")


def test_bless_keeps_a_failing_assertion_failing(stead, write):
    path = write("// ASSERT plan.copies == 0\nHloModule m\n")
    passed, message = golden.judge(path, stead, bless=True)
    assert not passed and "plan.copies is 2" in message
    assert path.read_text() == "// ASSERT plan.copies == 0\nHloModule m\n"


@pytest.mark.parametrize(
    "assertion, holds",
    [
        ("plan.copies == 2", True),
        ("plan.copies <= 1", False),
        ("plan.copies > 1", True),
        ("remarks.length == 1", True),
        ("remarks[0].code == C01", True),
        ('remarks[0].code != "C02"', True),
        ("[--assume-alias call:0] plan.copies == 0", True),
        ("plan.nothing == 0", False),
        ("remarks[1].code == C01", False),
    ],
)
def test_assertions(stead, write, assertion, holds):
    assert golden.judge(write(f"// ASSERT {assertion}\n"), stead, bless=False)[0] == holds


def test_several_programs_in_one_file(stead, write):
    first, second = "// ASSERT plan.copies == 2\nHloModule m\n", "// NEXT: another\n// ASSERT plan.copies == 3\nHloModule n\n"
    assert golden.judge(write(first + second + "copy\n"), stead, bless=False) == (True, "")
    passed, message = golden.judge(write(first + second), stead, bless=False)
    assert not passed and message.count("seen:") == 1
    assert not golden.judge(write(first + "// NEXT: nothing\nHloModule o\n"), stead, bless=False)[0]
    assert not golden.judge(write("// RUN: stead opt %s\n" + first + second + "copy\n"), stead, bless=False)[0]


@pytest.mark.parametrize(
    "command, passed",
    [("not stead reject %s", True), ("stead reject %s", False), ("not stead opt %s", False), ("not stead crash", False), ("ls", False)],
)
def test_exit_status(stead, write, command, passed):
    path = write(f"// RUN: {command}\n")
    assert golden.judge(path, stead, bless=True)[0] == passed


def test_two_commands_name_their_blocks(stead, write):
    path = write("// RUN: stead opt %s\n// RUN: not stead reject %s\n")
    assert golden.judge(path, stead, bless=True)[0]
    assert "// CHECK-RUN: not stead reject %s\n// CHECK: error: no such thing\n" in path.read_text()


@pytest.mark.parametrize("text", ["HloModule m\n", "// RUN: stead opt %s\n// ASSERT copies\n"])
def test_files_that_check_nothing_or_cannot_be_read_fail(stead, write, text):
    assert not golden.judge(write(text), stead, bless=False)[0]


def test_closing_line_and_status(stead, write, capsys):
    path = write(BLESSED)
    assert golden.main(["--stead", stead, str(path)]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"
    path.write_text("// ASSERT plan.copies == 0\n")
    assert golden.main(["--stead", stead, str(path)]) == 1
    assert capsys.readouterr().out.endswith("0 passed, 1 failed\n")
