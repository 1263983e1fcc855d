"""clang-format and ruff: the two formatters, as checks or in place."""

import subprocess
import sys

from .source import Finding

CLANG_FORMAT = "clang-format-19"


def _cpp_sources(repository):
    # A .def table is laid out by hand in columns.
    return [path for path in repository.cpp() if not path.endswith(".def")]


def check_clang_format(repository):
    sources = _cpp_sources(repository)
    if not sources:
        return []
    done = subprocess.run([CLANG_FORMAT, "--dry-run", *sources], cwd=repository.root, capture_output=True, text=True)
    findings = {}
    for line in done.stderr.splitlines():
        if "[-Wclang-format-violations]" in line:
            path, number = line.split(":")[:2]
            findings.setdefault(path, Finding(path, int(number), "format", "not formatted; run ./dev format"))
    if done.returncode and not findings:
        return [Finding(".clang-format", 1, "format", done.stderr.strip())]
    return list(findings.values())


def check_ruff(repository):
    findings = []
    for arguments, rule in ((["format", "--check"], "format"), (["check", "--output-format=concise"], "ruff")):
        done = _ruff(repository, arguments, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            if line.startswith("Would reformat: "):
                findings.append(Finding(line.removeprefix("Would reformat: "), 1, rule, "not formatted; run ./dev format"))
            elif rule == "ruff" and line.count(":") >= 3:
                path, number, _, message = line.split(":", 3)
                findings.append(Finding(path, int(number), rule, message.strip()))
        if done.returncode > 1:
            findings.append(Finding("pyproject.toml", 1, rule, done.stderr.strip()))
    return findings


def _ruff(repository, arguments, **options):
    return subprocess.run([sys.executable, "-m", "ruff", *arguments, *repository.python()], cwd=repository.root, **options)


def format_in_place(repository):
    if sources := _cpp_sources(repository):
        subprocess.run([CLANG_FORMAT, "-i", *sources], cwd=repository.root, check=True)
    _ruff(repository, ["format", "--quiet"], check=True)
    _ruff(repository, ["check", "--fix", "--quiet"], check=False)
