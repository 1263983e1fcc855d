"""Every row of docs/semantics.md, on the machine, in the interpreter and on XLA:CPU."""

import pytest
import semantics_table
from interpreter_case import run_text, run_text_on_xla
from semantics_table import is_below_a_byte, is_right

SECTIONS = semantics_table.rows()


@pytest.mark.parametrize("backend", ["native", "interpreter"])
@pytest.mark.parametrize("section", SECTIONS)
def test_stead_gives_what_the_page_says(section, backend, tmp_path):
    rows = SECTIONS[section]
    text, arguments = semantics_table.module(rows)
    results = run_text(text, arguments, tmp_path, [row.result.dtype for row in rows], backend)
    wrong = [f"{row.name}: {actual!r}" for row, actual in zip(rows, results, strict=True) if not is_right(row, actual, row.result)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("section", SECTIONS)
def test_xla_gives_what_its_column_says(section):
    # jaxlib 0.10.2 damages its heap on some programs with such types.
    rows = [row for row in SECTIONS[section] if not any(map(is_below_a_byte, (*row.operand_types, row.result_type)))]
    text, arguments = semantics_table.module(rows)
    results = run_text_on_xla(text, arguments)
    wrong = [f"{row.name}: {actual!r}" for row, actual in zip(rows, results, strict=True) if not is_right(row, actual, row.xla_result)]
    assert not wrong, "\n".join(wrong)


def test_the_page_is_read_whole():
    assert len(SECTIONS) == 7
    assert sum(map(len, SECTIONS.values())) > 450
