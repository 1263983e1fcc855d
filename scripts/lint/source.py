"""What the rules look at: the files of the repository and C++ text without its comments and strings."""

import dataclasses
import pathlib
import re
import subprocess

CPP_SUFFIXES = {".cpp", ".h", ".def"}
DATA_SUFFIXES = {".hlo", ".mlir", ".mlirbc", ".pb", ".json", ".tsv"}


@dataclasses.dataclass(order=True)
class Finding:
    """One broken rule: where, which rule, and what to do about it."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


@dataclasses.dataclass
class Repository:
    """The files that Git tracks or would track, by path relative to the root."""

    root: pathlib.Path
    paths: list[str]

    def text(self, path):
        return (self.root / path).read_text(errors="replace")

    def cpp(self):
        return [path for path in self.paths if path.startswith("src/") and pathlib.Path(path).suffix in CPP_SUFFIXES]

    def python(self):
        return [path for path in self.paths if path.endswith(".py")]

    def written_by_hand(self):
        """Sources, scripts and documents: everything but data."""
        return [path for path in self.paths if pathlib.Path(path).suffix not in DATA_SUFFIXES]


def open_repository(root):
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    return Repository(root, sorted(path for path in set(listing.splitlines()) if (root / path).is_file()))


_TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.DOTALL | re.VERBOSE,
)


def _blank(match):
    text = match.group()
    # A digit separator (1'000'000) is no character literal.
    before = match.string[match.start() - 1 : match.start()]
    if text[0] == "'" and before.isalnum():
        return text
    return re.sub(r"[^\n]", " ", text)


def code_only(text):
    """The text with comments and literals blanked out, every line break kept."""
    return _TOKEN.sub(_blank, text)


def includes(text):
    """Yields (line number, path, quoted) for each #include."""
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match[2], match[1] == '"'
