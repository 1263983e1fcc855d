"""What may not stand in a file, and what a header must open with."""

import re

from .source import Finding

# Spelled in two parts so that this file does not find itself.
_UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
_MACHINE_PATH = re.compile(r"(?<![\w.$}{])/(?:wo" r"rk|ro" r"ot|ho" r"me/[a-z]+|Us" r"ers/[a-z]+)/\w")


def check_words(repository):
    findings = []
    for path in repository.written_by_hand():
        for number, line in enumerate(repository.text(path).splitlines(), 1):
            if match := _UNFINISHED.search(line):
                findings.append(Finding(path, number, "unfinished", f"`{match[1]}`: finish it, or file an issue and take the note out"))
            if match := _MACHINE_PATH.search(line):
                findings.append(Finding(path, number, "machine-path", f"`{match.group()}...` exists on one machine only"))
    return findings


def check_header_comments(repository):
    findings = []
    for path in repository.cpp():
        lines = repository.text(path).splitlines()
        if path.endswith((".h", ".def")) and not (lines and lines[0].startswith("//")):
            findings.append(Finding(path, 1, "header-comment", "a header opens with a comment: purpose, input -> output, limits"))
        if path.endswith(".h") and "#pragma once" not in lines:
            findings.append(Finding(path, 1, "pragma-once", "a header has `#pragma once`"))
    return findings


def check_room_readmes(repository):
    """Every room that has sources tells in README.md (at most 40 lines) what it turns into what."""
    findings = []
    rooms = {path.rsplit("/", 1)[0] for path in repository.cpp()}
    for room in sorted(rooms):
        readme = f"{room}/README.md"
        if readme not in repository.paths:
            findings.append(Finding(readme, 1, "room-readme", "the room has no README.md"))
        elif (count := len(repository.text(readme).splitlines())) > 40:
            findings.append(Finding(readme, 41, "room-readme", f"{count} lines; the limit is 40"))
    return findings
