"""`stead explain` on what XLA made of the programs of two public reports (openxla/xla#20440, pytorch/xla#8385).

The expected numbers follow from the programs: f32[10000,10000] is 400,000,000 bytes, s32[8192,2048] is 67,108,864 bytes.
"""

import json

import pytest
from stead_tool import PROGRAMS, explain, output, remarks, run

MATRIX = 400_000_000
TILE = 67_108_864
SCALARS = 64  # counters of loops


@pytest.mark.parametrize("name", ["seed2_plain", "seed2_barrier", "seed2_thread"])
def test_two_copies_of_xla_are_not_needed(name):
    report = explain(f"{name}.xla_cpu_default.hlo")
    assert report["given"]["copies"] == 2
    assert report["given"]["bytes_copied"] == 2 * MATRIX
    assert report["given"]["peak_bytes"] >= 2 * MATRIX
    assert report["plan"]["copies"] == 0
    assert report["plan"]["bytes_copied"] == 0
    assert MATRIX <= report["plan"]["peak_bytes"] < MATRIX + 1000
    (cause,) = remarks(report, "given")
    assert sorted(cause["copies"]) == ["copy", "copy.1"]
    assert cause["bytes"] == MATRIX and cause["executions"] == 1
    assert cause["writer"] == "add_dynamic-update-slice_fusion"
    assert cause["readers"] == ["slice_bitcast_fusion"]
    assert "reading first is legal" in cause["why"]


@pytest.mark.parametrize(
    "name", ["seed2_plain.xla_cpu_region", "seed2_barrier.xla_cpu_region", "seed2_thread.xla_cpu_region", "seed2_thread.xla_gpu"]
)
def test_dumps_without_copies(name):
    report = explain(f"{name}.hlo")
    assert report["given"] == {"copies": 0, "bytes_copied": 0, "peak_bytes": report["given"]["peak_bytes"]}
    assert report["plan"]["copies"] == 0
    assert not remarks(report, "given") and not remarks(report, "plan")


@pytest.mark.parametrize("name", ["seed2_plain.before", "seed2_barrier.before"])
def test_programs_as_jax_lowers_them(name):
    report = explain(f"{name}.hlo")
    assert report["plan"]["copies"] == 0
    assert report["plan"]["bytes_copied"] == 0
    assert report["plan"]["peak_bytes"] < MATRIX + 1000


def test_the_reverse_barrier_forces_four_bytes():
    report = explain("seed2_reverse.before.hlo")
    assert report["plan"]["copies"] == 1
    assert report["plan"]["bytes_copied"] == 4
    assert report["plan"]["peak_bytes"] < MATRIX + 1000
    (copy,) = remarks(report, "plan")
    assert copy["code"] == "C02"
    assert copy["bytes"] == 4 and copy["executions"] == 1
    assert copy["writer"] and copy["readers"]
    cycle = [step["instruction"] for step in copy["witness"]]
    assert copy["writer"] in cycle and set(copy["readers"]) & set(cycle)
    assert any("barrier" in step["reason"] for step in copy["witness"])
    assert copy["fix"]


def test_the_dump_of_the_reverse_program_lost_its_barrier():
    report = explain("seed2_reverse.xla_cpu_default.hlo")
    assert report["given"]["copies"] == 2
    assert report["plan"]["copies"] == 0


def assert_names_the_undeclared_alias(remark):
    assert remark["code"] == "C12"
    assert "output_to_operand_aliasing" in remark["message"] + remark["why"]
    assert "donating alone" in remark["message"] + remark["why"]
    for place in ("jax.ffi.ffi_call", "pl.pallas_call", "torch_xla"):
        assert place in remark["fix"]


@pytest.mark.parametrize("name", ["before", "before_copy_insertion", "after_copy_insertion", "dumped"])
def test_a_kernel_that_reads_each_block_before_it_writes_it_needs_no_declaration(name):
    report = explain(f"seed1_torch_xla.{name}.hlo")
    assert report["plan"]["copies"] == 0
    assert report["plan"]["peak_bytes"] <= TILE + SCALARS
    (note,) = remarks(report, "note")
    assert note["code"] == "D002"
    assert "kernel `" in note["message"] and "argument 0" in note["message"]
    assert "reads each block before it writes it" in note["why"]


def test_a_closed_kernel_is_explained(tmp_path):
    text = (PROGRAMS / "seed1_torch_xla.before.hlo").read_text()
    (tmp_path / "closed.hlo").write_text(text.replace('"body": "TUz', '"body": "AUz'))
    report = explain(tmp_path / "closed.hlo")
    assert report["given"]["copies"] == report["plan"]["copies"] == 0
    closed, undeclared = sorted(remarks(report, "note"), key=lambda remark: remark["code"], reverse=True)
    assert closed["code"] == "D003" and "`custom-call.2` was not read" in closed["message"]
    assert_names_the_undeclared_alias(undeclared)


def test_an_undeclared_alias_after_copy_insertion():
    report = explain("seed1_torch_xla.after_copy_insertion.hlo")
    assert report["given"]["copies"] == 2
    assert report["given"]["bytes_copied"] == 2 * TILE
    (cause,) = remarks(report, "given")
    assert sorted(cause["copies"]) == ["copy", "copy.1"]
    assert_names_the_undeclared_alias(cause)


@pytest.mark.parametrize("name", ["before", "before_copy_insertion", "after_copy_insertion"])
def test_with_the_alias_assumed_nothing_is_copied(name):
    report = explain(f"seed1_torch_xla.{name}.hlo", "--assume-alias", "custom-call.2:0")
    assert report["plan"]["copies"] == 0
    assert report["plan"]["peak_bytes"] <= TILE + SCALARS
    assert not [remark for remark in remarks(report, "note") if remark["code"] == "C12"]


def test_a_declared_alias_of_an_undonated_argument_costs_no_copy_where_the_kernel_writes_all_of_its_result():
    report = explain("seed1_jax_pallas_aliased.hlo")
    assert report["plan"]["copies"] == 0 and report["plan"]["bytes_copied"] == 0
    assert report["plan"]["peak_bytes"] <= 2 * TILE + SCALARS


def test_a_declared_alias_of_an_undonated_argument_is_one_forced_copy(tmp_path):
    text = (PROGRAMS / "seed1_jax_pallas_aliased.hlo").read_text()
    (tmp_path / "closed.hlo").write_text(text.replace('"body": "TUz', '"body": "AUz'))
    report = explain(tmp_path / "closed.hlo")
    assert report["plan"]["copies"] == 1 and report["plan"]["bytes_copied"] == TILE
    (copy,) = remarks(report, "plan")
    assert copy["code"] == "C03" and "donate" in copy["fix"]


def test_the_text_says_the_same():
    text = output("explain", PROGRAMS / "seed2_plain.xla_cpu_default.hlo")
    assert "given  2 copies, 800.0 MB copied per call" in text
    assert "plan   0 copies, 0 bytes copied per call, peak 400.0 MB" in text
    assert "reading first is legal" in text
    assert "seed2.py" in text


def test_sources_of_both_styles_of_metadata():
    old_style = explain("seed2_thread.xla_cpu_default.hlo")["remarks"][0]["source"]
    assert (old_style["file"], old_style["line"]) == ("g.py", 30)
    new_style = explain("seed2_plain.xla_cpu_default.hlo")["remarks"][0]["source"]
    assert new_style["file"] == "seed2.py" and new_style["line"] > 0


@pytest.mark.parametrize(
    ("alias", "says"),
    [
        ("nothing:0", "no instruction `nothing`"),
        ("p0.1:0", "not a custom-call"),
        ("custom-call.2:7", "no operand 7"),
        ("custom-call.2", "NAME:OPERAND"),
    ],
)
def test_a_wrong_assumption_is_refused(alias, says):
    process = run("explain", PROGRAMS / "seed1_torch_xla.before.hlo", "--assume-alias", alias)
    assert process.returncode == 1 and says in process.stderr


def test_the_keys_of_the_json_report():
    report = json.loads(output("explain", PROGRAMS / "seed2_reverse.before.hlo", "--format=json"))
    assert list(report) == ["module", "given", "plan", "remarks"]
    assert report["module"] == "jit_reverse"
    for totals in (report["given"], report["plan"]):
        assert list(totals)[:3] == ["copies", "bytes_copied", "peak_bytes"]
    assert list(report["plan"])[3:] == ["lower_bound_bytes", "temporary_bytes", "donations"]
    assert report["plan"]["donations"] == [{"result": 0, "parameter": 0}]
    for key in ("code", "value", "bytes", "executions", "writer", "readers", "witness", "fix", "source"):
        assert all(key in remark for remark in report["remarks"])
