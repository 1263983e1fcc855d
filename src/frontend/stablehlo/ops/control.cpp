// Calls, loops, branches and barriers. Regions of StableHLO see the values around them; computations of HLO do not, so what
// a region captures becomes one more element of the loop's state, or an operand of the branch.
#include <fmt/format.h>

#include "frontend/stablehlo/attribute_text.h"
#include "frontend/stablehlo/names.h"
#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

namespace {

Result<std::vector<ir::InstrId>> ValuesOf(OpImport& op, const std::vector<mlir::ValueId>& ids) {
  std::vector<ir::InstrId> values;
  for (mlir::ValueId id : ids) {
    TRY(ir::InstrId value, op.importer().ValueOf(op.scope(), id));
    values.push_back(value);
  }
  return values;
}

// Arguments of the region's block, then the values it captures.
std::vector<mlir::ValueId> InputsOf(const mlir::Region& region, const std::vector<mlir::ValueId>& captured) {
  std::vector<mlir::ValueId> inputs;
  if (!region.blocks.empty()) inputs = region.blocks[0].arguments;
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  return inputs;
}

}  // namespace

Status ImportCall(OpImport& op) {
  TRY(std::string callee, op.Text("callee"));
  TRY(ir::ComputationId computation, op.importer().FunctionNamed(callee));
  return op.Finish(op.opcode(), op.operands(), {}, {computation});
}

// A composite is a call of the function that spells it out; its name stays for those who know a shorter way. The error
// function is an operation of HLO.
Status ImportComposite(OpImport& op) {
  TRY(std::string composite_name, op.Text("name"));
  if (composite_name == "chlo.erf" && op.operands().size() == 1) return op.Finish(ir::Opcode::kErf, op.operands());
  TRY(std::string decomposition, op.Text("decomposition"));
  TRY(int64_t version, op.Integer("version"));
  TRY(std::optional<mlir::AttributeId> attributes,
      op.importer().source().FindAttribute(op.operation(), "composite_attributes"));
  std::string attribute_text = "{}";
  if (attributes) {
    TRY(attribute_text, AttributeText(op.importer().source().pool, *attributes));
  }
  TRY(ir::ComputationId computation, op.importer().FunctionNamed(decomposition));
  std::vector<ir::ExtraAttribute> extra = {
      {"frontend_attributes", fmt::format("{{composite.attributes={},composite.name={},composite.version=\"{}\"}}",
                                          Quoted(attribute_text), Quoted(composite_name), version)}};
  // XLA reads composites of one result only; others are calls to it.
  if (op.result_shapes().size() == 1) extra.push_back({"is_composite", "true"});
  return op.Finish(op.opcode(), op.operands(), {}, {computation}, std::move(extra));
}

Status ImportWhile(OpImport& op) {
  const mlir::Region& condition = op.operation().regions[0];
  const mlir::Region& body = op.operation().regions[1];
  std::vector<mlir::ValueId> captured = op.importer().CapturedValues({&condition, &body});
  size_t state_count = op.operands().size();
  for (const mlir::Region* region : {&condition, &body}) {
    if (region->blocks.size() != 1 || region->blocks[0].arguments.size() != state_count) {
      return op.Bad("has a region whose arguments are not its state [while C1]");
    }
  }
  if (op.result_shapes().size() != state_count) return op.Bad("has not as many results as operands [while C3]");
  RegionForm body_form{.name = "while_body",
                       .inputs = InputsOf(body, captured),
                       .input_packing = Packing::kTuple,
                       .extra_results = captured,
                       .result_packing = Packing::kTuple};
  RegionForm condition_form{
      .name = "while_condition", .inputs = InputsOf(condition, captured), .input_packing = Packing::kTuple};
  TRY(ir::ComputationId body_id, op.importer().ImportRegion(body, body_form));
  TRY(ir::ComputationId condition_id, op.importer().ImportRegion(condition, condition_form));
  TRY(std::vector<ir::InstrId> state, ValuesOf(op, captured));
  state.insert(state.begin(), op.operands().begin(), op.operands().end());
  ir::InstrId initial = op.EmitTuple(state);
  ir::Shape shape = op.shape(initial);
  TRY(ir::InstrId loop,
      op.EmitOperation(op.opcode(), std::move(shape), {initial}, ir::WhileAttributes{}, {condition_id, body_id}, {}));
  return op.SetResultsFromTuple(loop);
}

// Each branch takes only what it uses: the value itself when there is one, else a tuple.
Status ImportConditional(OpImport& op) {
  std::vector<ir::InstrId> operands = {op.operand(0)};
  std::vector<ir::ComputationId> branches;
  if (op.operation().regions.empty()) return op.Bad("has no branches [case C1]");
  for (const mlir::Region& region : op.operation().regions) {
    std::vector<mlir::ValueId> captured = op.importer().CapturedValues({&region});
    if (InputsOf(region, captured).size() != captured.size()) return op.Bad("has a branch with arguments [case C2]");
    RegionForm form{.name = "branch", .inputs = captured, .input_packing = Packing::kTupleUnlessOne};
    TRY(ir::ComputationId branch, op.importer().ImportRegion(region, form));
    branches.push_back(branch);
    TRY(std::vector<ir::InstrId> arguments, ValuesOf(op, captured));
    operands.push_back(arguments.size() == 1 ? arguments[0] : op.EmitTuple(arguments));
  }
  return op.Finish(op.opcode(), std::move(operands), {}, std::move(branches));
}

Status ImportGetTupleElement(OpImport& op) {
  TRY(int64_t index, op.Integer("index"));
  return op.Finish(op.opcode(), op.operands(), ir::TupleElementAttributes{index});
}

// Several values pass one barrier as a tuple, so that none can leave before all have arrived.
Status ImportOptimizationBarrier(OpImport& op) {
  size_t count = op.operands().size();
  if (op.result_shapes().size() != count)
    return op.Bad("has not as many results as operands [optimization_barrier C1]");
  if (count == 0) return {};
  if (count == 1) return op.Finish(op.opcode(), op.operands());
  return op.Finish(op.opcode(), {op.EmitTuple(op.operands())});
}

}  // namespace stead::frontend
