// Effects of single ops. Whatever is not listed reads all of its operands and shares with none: the safe answer.
#include "analysis/effects.h"

#include <algorithm>

#include "analysis/fusion_effects.h"
#include "analysis/indexed_windows.h"
#include "analysis/window.h"

namespace stead::analysis {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::OpFamily;
using ir::Shape;
using ir::ShapeIndex;

bool IsForwarding(const Module& module, const Instruction& instruction) {
  if (instruction.opcode == Opcode::kAfterAll) return true;
  if (!ir::HasTrait(instruction.opcode, ir::kForwards)) return false;
  if (instruction.opcode != Opcode::kReshape && instruction.opcode != Opcode::kBitcast) return true;
  const Shape& operand = module.shape(instruction.operands[0]);
  if (operand.byte_size() != instruction.shape.byte_size()) return false;
  // A reshape keeps the logical order of elements, which is the order in memory only when both are row major.
  return instruction.opcode == Opcode::kBitcast || (operand.is_row_major() && instruction.shape.is_row_major());
}

void AddElementwise(const Module& module, const Instruction& instruction, Effects& effects) {
  for (size_t number = 0; number < instruction.operands.size(); ++number) {
    const Shape& operand = module.shape(instruction.operands[number]);
    effects.reads[number].same_index = SameOrder(operand, instruction.shape);
    effects.reads[number].same_pair = effects.reads[number].same_index;
    if (!SamePlaces(operand, instruction.shape)) continue;
    effects.ties.push_back({.operand = static_cast<int64_t>(number), .kind = TieKind::kElementwise});
  }
}

// Transposing a square or reversing exchanges elements in pairs, which needs no second array.
void AddExchange(const Module& module, InstrId id, Effects& effects) {
  effects.exchange = ExchangeOf(module, id);
  if (!effects.exchange) return;
  effects.reads[0].same_pair = true;
  effects.ties.push_back({.operand = 0, .kind = TieKind::kExchange});
}

void AddUpdate(const Module& module, InstrId id, Effects& effects) {
  const Instruction& update = module.instruction(id);
  effects.reads[0].same_index = true;
  Footprint written = DynamicWindowFootprint(module, id, 2, update.shape, module.shape(update.operands[1]).dimensions);
  if (!SamePlaces(module.shape(update.operands[0]), update.shape)) return;
  effects.ties.push_back({.operand = 0, .kind = TieKind::kWindow, .written = std::move(written)});
}

// Operands: inputs, indices, updates; result k may take input k's buffer.
void AddScatter(const Module& module, InstrId id, Effects& effects) {
  const Instruction& scatter = module.instruction(id);
  int64_t inputs = static_cast<int64_t>(scatter.operands.size() - 1) / 2;
  for (int64_t input = 0; input < inputs; ++input) {
    ShapeIndex result_index;
    if (scatter.shape.is_tuple()) result_index = {input};
    effects.reads[input].same_index = true;
    if (!SamePlaces(module.shape(scatter.operands[input]), SubShape(scatter.shape, result_index))) continue;
    Footprint written = ScatterFootprint(module, id, input);
    // One that writes nothing is not worth rules of its own.
    if (written.empty()) written = {};
    effects.ties.push_back(
        {.operand = input, .result_index = result_index, .kind = TieKind::kWindow, .written = std::move(written)});
  }
}

// The result starts as a copy of the operand and is then worked on where it is, so the operand's own buffer will do.
void AddReplaced(const Module& module, const Instruction& instruction, int64_t operand, Effects& effects,
                 const ShapeIndex& result_index = {}) {
  effects.reads[operand].same_index = true;
  if (!SamePlaces(module.shape(instruction.operands[operand]), SubShape(instruction.shape, result_index))) return;
  effects.ties.push_back({.operand = operand, .result_index = result_index, .kind = TieKind::kElementwise});
}

// Result k is made of operand k alone (all-reduce), or is sorted along with the others.
void AddAligned(const Module& module, const Instruction& instruction, Effects& effects) {
  for (int64_t array = 0; array < static_cast<int64_t>(instruction.operands.size()); ++array) {
    AddReplaced(module, instruction, array, effects, instruction.shape.is_tuple() ? ShapeIndex{array} : ShapeIndex{});
  }
}

// The op writes what it receives into operand 1 and keeps the rest of it.
void AddReceivedInto1(Effects& effects) { effects.ties.push_back({.operand = 1, .kind = TieKind::kMust}); }

// The declared aliases; one that names buffers of different size cannot be honoured and is left out.
void AddCustomCall(const Module& module, const Instruction& call, Effects& effects) {
  for (const ir::OutputOperandAlias& alias : call.As<ir::CustomCallAttributes>().aliases) {
    const Shape& operand = SubShape(module.shape(call.operands.at(alias.operand)), alias.operand_index);
    const Shape& result = SubShape(call.shape, alias.output_index);
    if (!operand.is_array() || !result.is_array() || operand.byte_size() != result.byte_size()) continue;
    effects.ties.push_back({.operand = alias.operand,
                            .operand_index = alias.operand_index,
                            .result_index = alias.output_index,
                            .kind = TieKind::kMust});
  }
}

void AddOwnEffects(const Module& module, InstrId id, Effects& effects) {
  const Instruction& instruction = module.instruction(id);
  switch (instruction.opcode) {
    case Opcode::kSlice: effects.reads[0].bytes = SliceFootprint(module, id); return;
    case Opcode::kDynamicSlice:
      effects.reads[0].bytes = DynamicWindowFootprint(module, id, 1, module.shape(instruction.operands[0]),
                                                      instruction.As<ir::DynamicSliceAttributes>().sizes);
      return;
    case Opcode::kGather: effects.reads[0].bytes = GatherFootprint(module, id); return;
    case Opcode::kDynamicUpdateSlice: AddUpdate(module, id, effects); return;
    case Opcode::kTranspose:
    case Opcode::kReverse: AddExchange(module, id, effects); return;
    case Opcode::kScatter: AddScatter(module, id, effects); return;
    case Opcode::kSort: AddAligned(module, instruction, effects); return;
    case Opcode::kAllReduce: AddAligned(module, instruction, effects); return;
    case Opcode::kCholesky:
    case Opcode::kFft: AddReplaced(module, instruction, 0, effects); return;
    case Opcode::kTriangularSolve: AddReplaced(module, instruction, 1, effects); return;
    case Opcode::kRngBitGenerator:
      if (instruction.shape.is_tuple()) AddReplaced(module, instruction, 0, effects, {0});
      return;
    case Opcode::kRaggedAllToAll: AddReceivedInto1(effects); return;
    case Opcode::kCollectivePermute:
      if (instruction.operands.size() == 4) AddReceivedInto1(effects);
      return;
    case Opcode::kCustomCall: AddCustomCall(module, instruction, effects); return;
    case Opcode::kBitcastConvert: AddElementwise(module, instruction, effects); return;
    default:
      if (ir::IsElementwise(instruction.opcode)) AddElementwise(module, instruction, effects);
  }
}

}  // namespace

bool HasSideEffect(const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (ir::HasTrait(instruction.opcode, ir::kEffect)) return true;
  if (instruction.opcode == Opcode::kCustomCall && instruction.As<ir::CustomCallAttributes>().has_side_effect)
    return true;
  return std::ranges::any_of(instruction.called, [&](ComputationId callee) {
    return std::ranges::any_of(module.computation(callee).instructions,
                               [&](InstrId inner) { return HasSideEffect(module, inner); });
  });
}

Effects EffectsOf(const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (instruction.opcode == Opcode::kFusion) return FusionEffects(module, id);
  Effects effects;
  effects.forwards = IsForwarding(module, instruction);
  effects.has_side_effect = HasSideEffect(module, id);
  effects.reads.resize(instruction.operands.size(), OperandRead{.reads = !effects.forwards});
  if (!effects.forwards) AddOwnEffects(module, id, effects);
  return effects;
}

}  // namespace stead::analysis
