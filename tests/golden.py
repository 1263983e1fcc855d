"""Runs and blesses the golden files: a program and what `stead` says about it, in one text file.

Input: files under tests/golden/<room>/ whose comments hold the contract:

    // RUN: stead opt %s            a command; `not stead ...` where it must fail; %s is the file itself
    // ASSERT plan.copies == 0      a fact of `stead explain --format=json`, typed by a person, never rewritten
    // ASSERT [--assume-alias custom-call.2:0] plan.copies == 0      the same fact under extra options
    // CHECK: <line>                what the RUN commands printed, rewritten by `./dev bless`
    // NEXT: <what differs>         ends one program and begins another: variants of one fact, each with its ASSERT lines

Output: one line per failure with the difference, then `N passed, N failed`. Exit status 1 when a file fails.
Commands run in the folder of their file, so that nothing printed depends on where the repository lies.
"""

import argparse
import concurrent.futures
import dataclasses
import difflib
import itertools
import json
import operator
import os
import pathlib
import re
import shlex
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = REPOSITORY / "tests" / "golden"
SUFFIXES = (".hlo", ".mlir", ".txt")
COMMAND_SECONDS = 60

RUN = re.compile(r"^// RUN: (.*)$")
CHECK = re.compile(r"^// CHECK(-RUN)?:")
NEXT = re.compile(r"^// NEXT: ")
ASSERT = re.compile(r"^// ASSERT(?: \[(?P<options>[^]]*)\])? (?P<path>\S+) (?P<relation>==|!=|<=|>=|<|>) (?P<value>.+)$")
RELATIONS = {"==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt}


class GoldenError(Exception):
    """A golden file that does not hold, or that cannot be read; the text says what was seen and what was wanted."""


@dataclasses.dataclass
class Assertion:
    """One ASSERT line: a path into the JSON of `stead explain`, a relation and the value it must have."""

    line: str
    options: list[str]
    path: str
    relation: str
    value: object


@dataclasses.dataclass
class Program:
    """One program of a file with several, and its facts. `text` keeps the line numbers of the file."""

    text: str
    assertions: list[Assertion]


@dataclasses.dataclass
class GoldenFile:
    """A golden file taken apart: its commands, its programs, and its text without the blessed block."""

    path: pathlib.Path
    text: str
    source: str
    commands: list[str]
    programs: list[Program]


def parse_value(text):
    """A number, true/false/null or a quoted string as JSON writes it; anything else is a bare word."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text.strip()


def parse_assertion(line):
    match = ASSERT.match(line)
    if not match:
        raise GoldenError(f"cannot read `{line}`; expected `// ASSERT [options] path == value`")
    return Assertion(line, shlex.split(match["options"] or ""), match["path"], match["relation"], parse_value(match["value"]))


def split_programs(lines):
    """The programs between NEXT lines; each starts with as many empty lines as stand before it in the file."""
    starts = [0, *(number for number, line in enumerate(lines) if NEXT.match(line)), len(lines)]
    programs = []
    for start, end in itertools.pairwise(starts):
        own = lines[start:end]
        assertions = [parse_assertion(line) for line in own if line.startswith("// ASSERT")]
        programs.append(Program("\n" * start + "\n".join(own) + "\n", assertions))
    return programs


def read_golden(path):
    text = path.read_text()
    lines = text.splitlines()
    source_lines = [line for line in lines if not CHECK.match(line)]
    commands = [match[1] for line in lines if (match := RUN.match(line))]
    programs = split_programs(lines)
    idle = [program for program in programs if not program.assertions]
    if idle and (not commands or len(programs) > 1):
        raise GoldenError("has a program with neither a RUN nor an ASSERT line, so it checks nothing")
    if commands and len(programs) > 1:
        raise GoldenError("has several programs, so %s in a RUN line is none of them; use ASSERT lines")
    return GoldenFile(path, text, "\n".join(source_lines).rstrip("\n") + "\n", commands, programs)


def run_stead(golden, stead, arguments, program=""):
    """Runs the tool in the folder of the golden file; a signal or a time-out is a failure whatever was expected."""
    arguments = [argument.replace("%s", golden.path.name) for argument in arguments]
    try:
        done = subprocess.run(
            [stead, *arguments], cwd=golden.path.parent, input=program, capture_output=True, text=True, timeout=COMMAND_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise GoldenError(f"`stead {shlex.join(arguments)}` ran longer than {COMMAND_SECONDS} s") from None
    if done.returncode < 0:
        raise GoldenError(f"`stead {shlex.join(arguments)}` was ended by signal {-done.returncode}:\n{done.stderr}")
    return done


def run_command(golden, stead, command):
    """The lines that one RUN command prints (standard output, then errors); its exit status must be as the line says."""
    words = shlex.split(command)
    must_fail = words[:1] == ["not"]
    if must_fail:
        words = words[1:]
    if words[:1] != ["stead"]:
        raise GoldenError(f"`RUN: {command}` must run `stead`")
    done = run_stead(golden, stead, words[1:])
    if must_fail != (done.returncode != 0):
        expected = "a failure" if must_fail else "success"
        raise GoldenError(f"`{command}` ended with status {done.returncode}, expected {expected}:\n{done.stderr or done.stdout}")
    return (done.stdout + done.stderr).splitlines()


def checked_text(golden, stead):
    """The text that the file should have: its source followed by the blessed block of what the commands print now."""
    block = []
    for command in golden.commands:
        if len(golden.commands) > 1:
            block.append(f"// CHECK-RUN: {command}")
        block += [f"// CHECK: {line}".rstrip() for line in run_command(golden, stead, command)]
    if not block:
        return golden.source
    return golden.source + "\n".join(block) + "\n"


def lookup(facts, path):
    """Follows `plan.copies`, `remarks[0].code` or `remarks.length` into the JSON object."""
    value = facts
    for name in re.findall(r"[^.\[\]]+", path):
        try:
            if isinstance(value, list):
                value = len(value) if name == "length" else value[int(name)]
            else:
                value = value[name]
        except (KeyError, IndexError, ValueError, TypeError):
            raise GoldenError(f"`stead explain --format=json` has no `{path}` (stopped at `{name}`)") from None
    return value


def failed_assertions(golden, stead, program):
    facts = {}
    failures = []
    for assertion in program.assertions:
        options = tuple(assertion.options)
        if options not in facts:
            done = run_stead(golden, stead, ["explain", "--format=json", *options, "-"], program.text)
            if done.returncode != 0:
                return [f"{assertion.line}\n  `stead explain` failed:\n{done.stderr}"]
            facts[options] = json.loads(done.stdout)
        seen = lookup(facts[options], assertion.path)
        if not RELATIONS[assertion.relation](seen, assertion.value):
            failures.append(f"{assertion.line}\n  seen: {assertion.path} is {json.dumps(seen)}")
    return failures


def check_assertions(golden, stead):
    failures = [failure for program in golden.programs for failure in failed_assertions(golden, stead, program)]
    if failures:
        raise GoldenError("\n".join(failures))


def difference(golden, wanted):
    lines = difflib.unified_diff(golden.text.splitlines(), wanted.splitlines(), "in the file", "printed now", lineterm="", n=2)
    return "\n".join(lines)


def judge(path, stead, bless):
    """Runs one golden file. Returns (passed, message); blessing rewrites CHECK lines and never an ASSERT line."""
    messages = []
    passed = True
    try:
        golden = read_golden(path)
        wanted = checked_text(golden, stead)
        if wanted != golden.text:
            messages.append(difference(golden, wanted))
            passed = bless
            if bless:
                path.write_text(wanted)
        check_assertions(golden, stead)
    except GoldenError as error:
        passed = False
        messages.append(str(error))
    return passed, "\n".join(messages)


def select_files(names):
    """The golden files of the given rooms, folders or files; all of them when nothing is named."""
    if not names:
        names = [GOLDEN]
    files = []
    for name in names:
        path = pathlib.Path(name)
        if not path.exists():
            path = GOLDEN / name
        if path.is_dir():
            files += [file for file in path.rglob("*") if file.suffix in SUFFIXES]
        elif path.exists():
            files.append(path)
        else:
            raise SystemExit(f"golden: no file or room `{name}` under tests/golden")
    return sorted({file.resolve() for file in files})


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Run or bless the golden files.")
    parser.add_argument("--bless", action="store_true", help="rewrite the CHECK lines and print the difference")
    parser.add_argument("--stead", default=str(pathlib.Path(sys.executable).parent / "stead"), help="the tool to run")
    parser.add_argument("names", nargs="*", help="rooms, folders or files; default: all")
    options = parser.parse_args(arguments)
    stead = os.path.abspath(options.stead)
    if not os.access(stead, os.X_OK):
        raise SystemExit(f"golden: {stead} is not there; run ./dev build")
    files = select_files(options.names)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = pool.map(lambda path: judge(path, stead, options.bless), files)
        for path, (passed, message) in zip(files, verdicts, strict=True):
            failed += not passed
            if message:
                word = "blessed" if passed else "FAILED"
                print(f"{word}: {os.path.relpath(path, REPOSITORY)}\n{message}\n")
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
