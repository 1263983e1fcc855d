"""Reads the tables of docs/semantics.md: what ops give at the edges, as modules of HLO text with their arguments and results."""

import dataclasses
import pathlib
import re

import ml_dtypes
import numpy as np

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "semantics.md"
_NUMPY_NAMES = {
    "pred": "bool",
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
_OP = re.compile(r"([\w-]+)(?:\{(.*)\})?$")
FUNCTIONS = {
    "atan2", "cbrt", "cosine", "erf", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "power", "rsqrt", "sine",
    "tanh",
}  # fmt: skip


def dtype_of(name):
    """The NumPy type of an HLO type."""
    if name in _NUMPY_NAMES:
        name = _NUMPY_NAMES[name]
    elif match := re.fullmatch(r"f(\d)(e\w+)", name):
        name = f"float{match[1]}_{match[2]}"
    elif match := re.fullmatch(r"([su])(\d+)", name):
        name = ("u" if match[1] == "u" else "") + "int" + match[2]
    return np.dtype(getattr(ml_dtypes, name, name))


def is_below_a_byte(name):
    return name in ("s2", "s4", "u2", "u4", "f4e2m1fn")


def _number(text):
    return float.fromhex(text) if "0x" in text else float(text)


def value(text, type_name):
    """One number, or a list of them in brackets."""
    dtype = dtype_of(type_name)
    if text.startswith("["):
        return np.array([value(item, type_name) for item in text[1:-1].split()], dtype)
    if text in ("min", "max"):
        return np.array(getattr(ml_dtypes.iinfo(dtype), text), dtype)
    if type_name.startswith("c"):
        return np.array(complex(*map(_number, text.split(";"))), dtype)
    if type_name.startswith(("s", "u", "pred")):
        return np.array(int(text)).astype(dtype)
    return np.array(_number(text), dtype)


@dataclasses.dataclass(frozen=True)
class Row:
    """One op on one list of types."""

    line: int
    op: str
    attributes: str
    operand_types: tuple[str, ...]
    result_type: str
    operands: tuple[np.ndarray, ...]
    result: np.ndarray
    xla_result: np.ndarray

    @property
    def name(self):
        return f"docs/semantics.md:{self.line} {self.op} {self.operand_types} {self.operands}"

    def hlo(self, number, first_parameter):
        """The instructions `r<number>` and before it."""
        lines, names = [], []
        for offset, (type_name, operand) in enumerate(zip(self.operand_types, self.operands, strict=True)):
            names.append(f"p{first_parameter + offset}")
            lines.append(f"  {names[-1]} = {type_name}{_dims(operand)} parameter({first_parameter + offset})")
        attributes = f", {self.attributes}" if self.attributes else ""
        lines.append(f"  r{number} = {self.result_type}{_dims(self.result)} {self.op}({', '.join(names)}){attributes}")
        return lines


def _dims(array):
    return f"[{','.join(map(str, array.shape))}]"


def _type_lists(cell, operand_count):
    """Pairs of operand types and result type."""
    for part in re.split(r",(?![^(]*\))", cell):
        left, arrow, right = (piece.strip() for piece in part.partition("->"))
        if left.startswith("("):
            yield tuple(left[1:-1].split()), right
            continue
        for name in left.split():
            yield (name,) * operand_count, right if arrow else name


def rows():
    """The rows of the page by the heading above them."""
    sections, heading = {}, ""
    for line, text in enumerate(PAGE.read_text().split("\n"), 1):
        heading = text[3:] if text.startswith("## ") else heading
        cells = [cell.strip() for cell in text.split("|")][1:-1]
        if len(cells) != 5 or cells[0] in ("op", "---"):
            continue
        op, types, operands, result, xla_result = cells
        opcode, attributes = _OP.match(op).groups()
        operand_texts = operands.split(", ")
        for operand_types, result_type in _type_lists(types, len(operand_texts)):
            values = tuple(map(value, operand_texts, operand_types))
            wanted = value(result, result_type)
            on_xla = value(xla_result, result_type) if xla_result else wanted
            row = Row(line, opcode, attributes or "", operand_types, result_type, values, wanted, on_xla)
            sections.setdefault(heading, []).append(row)
    return sections


def module(some_rows):
    """HLO text that computes every row, and its arguments."""
    lines, arguments, shapes = [], [], []
    for number, row in enumerate(some_rows):
        lines += row.hlo(number, len(arguments))
        arguments += row.operands
        shapes.append(f"{row.result_type}{_dims(row.result)}")
    names = ", ".join(f"r{number}" for number in range(len(some_rows)))
    lines.append(f"  ROOT all = ({', '.join(shapes)}) tuple({names})")
    return "\n".join(["HloModule semantics", "ENTRY e {", *lines, "}", ""]), arguments


def is_right(row, actual, wanted):
    """Equal to the bit, but for functions, which may be off by two units in the last place; any NaN will do."""
    actual, wanted = np.asarray(actual), np.asarray(wanted)
    if row.result_type.startswith("c"):
        return all(_is_right_float(row, part(actual), part(wanted)) for part in (np.real, np.imag))
    if row.result_type.startswith(("s", "u", "pred")):
        return np.array_equal(actual, wanted)
    return _is_right_float(row, actual, wanted)


def _is_right_float(row, actual, wanted):
    left, right = actual.astype(np.float64), wanted.astype(np.float64)
    if np.isnan(right).any():
        return bool(np.isnan(left).all())
    if right == 0 or np.isinf(right):
        return bool(left == right) and bool(np.signbit(left) == np.signbit(right))
    inexact = row.op in FUNCTIONS or row.result_type.startswith("c") or row.operand_types[0].startswith("c")
    tolerance = 2 * float(ml_dtypes.finfo(wanted.dtype).eps) if inexact else 0
    return bool(abs(left - right) <= tolerance * abs(right))
