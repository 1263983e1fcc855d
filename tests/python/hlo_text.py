"""Compares HLO text as jaxlib's own parser understands it."""

import re

from jaxlib import _hlo

TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")


def print_options(text):
    options = _hlo.HloPrintOptions()
    # jaxlib fills an elided constant with numbers of its own, so the large ones are compared only when all are there.
    options.print_large_constants = "{...}" not in text
    return options


def by_xla(text, options=None):
    """The text as jaxlib reads it and prints it again."""
    return _hlo.hlo_module_from_text(text).to_string(options or print_options(text))


class SourceTables:
    """The tables of stack frames of one text; spells out what a frame is, since jaxlib renumbers them."""

    def __init__(self):
        self.rows = {title: {} for title in TABLES}
        self.spelled = {}

    def read(self, block):
        title, *lines = block.splitlines()
        self.rows[title] = {int(number): rest for number, rest in (line.split(" ", 1) for line in lines)}

    def location(self, number):
        text = self.rows["FileLocations"].get(number, "?")
        text = re.sub(r"file_name_id=(\d+)", lambda match: self.rows["FileNames"].get(int(match[1]), "?"), text)
        return re.sub(r"function_name_id=(\d+)", lambda match: self.rows["FunctionNames"].get(int(match[1]), "?"), text)

    def frame(self, number):
        if number not in self.spelled:
            row = self.rows["StackFrames"].get(number)
            if row is None:
                return "?"
            location, parent = map(int, re.findall(r"=(\d+)", row))
            # The text counts parents from 2: 1 means none.
            self.spelled[number] = self.location(location) + (" in " + self.frame(parent - 1) if parent > 1 else "")
        return self.spelled[number]


def normal_form(text, order=sorted):
    """Header, then the computations in alphabetical order (or another), with source places spelled out.

    Without the element size in layouts (`{0:E(4)}`), which jaxlib forgets when it reads a constant.
    """
    text = re.sub(r":E\(\d+\)", "", text)
    tables = SourceTables()
    blocks = []
    for block in text.strip().split("\n\n"):
        block = block.strip("\n")
        if block.split("\n", 1)[0] in TABLES:
            tables.read(block)
        else:
            blocks.append(block)
    blocks = [re.sub(r"stack_frame_id=(\d+)", lambda match: f"frame({tables.frame(int(match[1]))})", block) for block in blocks]
    return "\n\n".join([blocks[0], *order(blocks[1:])])


def reachable(blocks):
    """The entry computation and those it calls, in the order in which they are first named."""
    by_name = {re.search(r"%[\w.\-]+", block.split("\n", 1)[0])[0]: block for block in blocks}
    names = [name for name, block in by_name.items() if block.startswith("ENTRY")]
    for name in names:
        mentioned = re.findall(r"%[\w.\-]+", by_name[name])
        names += [other for other in dict.fromkeys(mentioned) if other in by_name and other not in names]
    return [by_name[name] for name in names]


def structure(text, options):
    """The module as jaxlib reads it, without what does not count: the numbers by which jaxlib tells equal names apart, the order of
    computations, and computations that nobody calls."""
    options.print_program_shape = False
    numbers = {}
    spelled = normal_form(by_xla(text, options), order=reachable)
    return re.sub(r"%[\w.\-]+", lambda match: f"%{numbers.setdefault(match[0], len(numbers))}", spelled)
