"""Which room may include which: src/layers.txt is the law, and a foreign library has one room that may see it."""

import re

from .source import Finding, includes

# A library whose types must not spread: the prefix of its headers and the rooms that may include them.
FOREIGN = {
    "llvm/": ("cpu/llvm",),
    "llvm-c/": ("cpu/llvm",),
    "protozero/": ("frontend/hlo_proto", "pjrt"),
    "pjrt_abi.h": ("pjrt",),
    "CLI/": ("tools",),
    "mlir/": (),
    "google/protobuf": (),
}


def read_layers(text):
    """The rooms that each room may include, from lines of the form `room: room room`; `*` stands for every room."""
    layers = {}
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line:
            room, _, allowed = line.partition(":")
            layers[room.strip()] = set(allowed.split())
    return layers


def room_of(path, layers):
    """The most deeply nested room that a path relative to src/ lies in, or None."""
    rooms = [room for room in layers if path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def check_layers(repository):
    layers = read_layers(repository.text("src/layers.txt"))
    findings = []
    for path in repository.cpp():
        room = room_of(path.removeprefix("src/"), layers)
        if room is None:
            findings.append(Finding(path, 1, "layers", "its folder is no room of src/layers.txt; add a line there"))
            continue
        is_test = path.endswith(("_test.cpp", "testing.h"))
        for number, included, quoted in includes(repository.text(path)):
            findings += check_foreign(path, number, room, included)
            target = room_of(included, layers) if quoted else None
            if target and target != room and not may_include(layers, room, target, is_test):
                findings.append(Finding(path, number, "layers", f"`{room}` may not include `{target}` (src/layers.txt)"))
    return findings


def may_include(layers, room, target, is_test):
    allowed = layers[room] | (layers.get(f"{room} test", set()) if is_test else set())
    return "*" in allowed or target in allowed


def check_foreign(path, number, room, included):
    for prefix, rooms in FOREIGN.items():
        if included.startswith(prefix) and room not in rooms:
            where = " or ".join(f"src/{name}" for name in rooms) or "nowhere"
            return [Finding(path, number, "foreign", f"`{included}` may be included in {where} only")]
    return []


def check_dependency_notes(repository):
    """Every apt package, Python package and system header library has its line in docs/dependencies.md."""
    notes = repository.text("docs/dependencies.md")
    findings = []
    for path in ("scripts/apt-packages.txt", "scripts/requirements.txt"):
        for number, line in enumerate(repository.text(path).splitlines(), 1):
            if line.startswith("# pulled in"):
                break
            name = re.split(r"[=<>#\s]", line, maxsplit=1)[0]
            if name and f"`{name}`" not in notes:
                findings.append(Finding(path, number, "dependencies", f"docs/dependencies.md has no line for `{name}`"))
    return findings
