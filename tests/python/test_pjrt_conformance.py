"""The conformance harness of `pypjrt`, with its one program as StableHLO bytecode instead of MLIR text."""

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from pypjrt import Plugin, conform

import stead


def as_bytecode(program, version):
    with ir.Context() as context:
        stablehlo.register_dialect(context)
        return stablehlo.serialize_portable_artifact_str(program, version)


def test_nothing_fails(monkeypatch):
    plugin = Plugin(stead.library_path())
    monkeypatch.setattr(conform, "ADD_MLIR", as_bytecode(conform.ADD_MLIR, plugin.stablehlo_target("max")))
    report = conform.run(plugin)
    results = {check.id: (check.result.value, check.detail) for check in report.checks}
    assert {name: result for name, result in results.items() if result[0] == "fail"} == {}
    required = ("compile.stablehlo_text", "execute.single_device", "compile.optimized_program", "buffer.external_reference_count")
    assert {name: results[name][0] for name in required} == dict.fromkeys(required, "pass")
