"""Each rule of `./dev lint` on a small repository that breaks it, and on one that does not."""

import pytest

from lint import layers, sizes, words
from lint.source import Repository, code_only

LAYERS = """\
base:
ir: base
frontend/hlo_text: ir base
frontend: frontend/hlo_text ir base
inplace: ir base
inplace test: frontend
driver: *
"""


@pytest.fixture
def repository(tmp_path):
    def make(**files):
        files = {"src/layers.txt": LAYERS} | {name.replace("__", "/"): text for name, text in files.items()}
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Repository(tmp_path, sorted(files))

    return make


def rules(findings):
    return [(finding.path, finding.line, finding.rule) for finding in findings]


@pytest.mark.parametrize(
    "path, include, broken",
    [
        ("src/ir/a.h", '"base/result.h"', False),
        ("src/base/a.h", '"ir/module.h"', True),
        ("src/inplace/a.h", '"frontend/hlo_text/parser.h"', True),
        ("src/inplace/a_test.cpp", '"frontend/load.h"', False),
        ("src/inplace/a.cpp", '"frontend/load.h"', True),
        ("src/driver/a.cpp", '"inplace/plan.h"', False),
        ("src/ir/a.h", '"ir/shape.h"', False),
        ("src/ir/a.h", "<vector>", False),
        ("src/nowhere/a.h", "<vector>", True),
    ],
)
def test_layers(repository, path, include, broken):
    findings = layers.check_layers(repository(**{path: f"// A.\n#include {include}\n"}))
    assert bool(findings) == broken


def test_foreign_headers_stay_in_their_room(repository):
    tree = repository(**{"src/ir/a.cpp": '#include "llvm/IR/Module.h"\n#include <protozero/pbf_reader.hpp>\n'})
    assert rules(layers.check_layers(tree)) == [("src/ir/a.cpp", 1, "foreign"), ("src/ir/a.cpp", 2, "foreign")]


def test_every_package_has_a_note(repository):
    tree = repository(
        **{
            "docs/dependencies.md": "`cmake` and `jax`\n",
            "scripts/apt-packages.txt": "# list\ncmake\nninja-build\n",
            "scripts/requirements.txt": "jax==0.10.2\n# pulled in by the above\nscipy==1.17.1\n",
        }
    )
    assert rules(layers.check_dependency_notes(tree)) == [("scripts/apt-packages.txt", 3, "dependencies")]


LONG_BODY = "  Step();\n" * 99


@pytest.mark.parametrize(
    "head, broken",
    [
        ("void Run() {\n", True),
        ("Plan::Plan(int size)\n    : size_(size), order_{} {\n", True),
        ("template <typename T>\nResult<T> Make(T value) const noexcept {\n", True),
        ("TEST(Plan, Holds) {\n", True),
        ("// long: a table of cases, one per opcode\nvoid Run() {\n", False),
        ("#define OPEN { \\\n  {\nvoid Run() {\n", True),
        ("struct Table {\n", False),
        ("namespace stead {\n", False),
    ],
)
def test_function_size(repository, head, broken):
    tree = repository(**{"src/ir/a.cpp": "// A.\n\n" + head + LONG_BODY + "}\n"})
    assert bool(sizes.check_function_sizes(tree)) == broken


def test_functions_inside_namespaces_and_classes_are_seen():
    text = "#include <a>\nnamespace a {\nstruct B {\n  int Get() const {\n    return 1;\n  }\n};\nvoid F() {\n  if (x) {\n  }\n}\n}\n"
    assert list(sizes.functions(text)) == [(4, 6), (8, 11)]


def test_file_size(repository):
    tree = repository(**{"src/ir/a.h": "//\n" * 251, "src/ir/a.cpp": "//\n" * 800})
    assert [finding.path for finding in sizes.check_file_sizes(tree)] == ["src/ir/a.h"]


def test_words(repository):
    tree = repository(**{"src/ir/a.cpp": "// TO" + 'DO later\nopen("/ro' + 'ot/x");\nhttps://example.org/wo' + "rk/x\n"})
    assert rules(words.check_words(tree)) == [("src/ir/a.cpp", 1, "unfinished"), ("src/ir/a.cpp", 2, "machine-path")]


def test_headers_open_with_a_comment(repository):
    tree = repository(**{"src/ir/a.h": "#pragma once\n", "src/ir/b.h": "// B.\n#pragma once\n", "src/ir/c.h": "// C.\n"})
    assert rules(words.check_header_comments(tree)) == [("src/ir/a.h", 1, "header-comment"), ("src/ir/c.h", 1, "pragma-once")]


def test_rooms_have_a_short_readme(repository):
    tree = repository(**{"src/ir/a.h": "//", "src/base/a.h": "//", "src/base/README.md": "line\n" * 41})
    assert rules(words.check_room_readmes(tree)) == [("src/base/README.md", 41, "room-readme"), ("src/ir/README.md", 1, "room-readme")]


def test_code_only_blanks_comments_and_literals():
    text = 'int a = 1\'000; // {\nauto b = R"x({)x"; char c = \'{\'; /* {\n */ f("{\\"");\n'
    code = code_only(text)
    assert "{" not in code and code.count("\n") == text.count("\n") and "1'000" in code
