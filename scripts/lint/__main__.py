"""`./dev lint` and `./dev format`: runs every rule, prints `file:line: rule: message`, and ends with a count."""

import pathlib
import sys

from . import formatters, layers, sizes, words
from .source import open_repository

RULES = (
    formatters.check_clang_format,
    formatters.check_ruff,
    layers.check_layers,
    layers.check_dependency_notes,
    sizes.check_file_sizes,
    sizes.check_function_sizes,
    words.check_words,
    words.check_header_comments,
    words.check_room_readmes,
)


def main(arguments):
    repository = open_repository(pathlib.Path(__file__).resolve().parents[2])
    if "--fix" in arguments:
        formatters.format_in_place(repository)
        return 0
    broken = 0
    for rule in RULES:
        findings = sorted(rule(repository))
        broken += bool(findings)
        for finding in findings:
            print(finding)
    print(f"lint: {len(RULES) - broken} passed, {broken} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
