#include "passes/fusion/arcs.h"

#include <algorithm>

#include "analysis/effects.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

bool UpdatesInPlace(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (ir::HasTrait(instruction.opcode, ir::kWritesInto0)) return true;
  return instruction.opcode == Opcode::kCustomCall && !instruction.As<ir::CustomCallAttributes>().aliases.empty();
}

bool UpdatesInside(const ir::Module& module, const Instruction& instruction) {
  return std::ranges::any_of(instruction.called, [&](ir::ComputationId callee) {
    return std::ranges::any_of(module.computation(callee).instructions, [&](InstrId inner) {
      return UpdatesInPlace(module, inner) || UpdatesInside(module, module.instruction(inner));
    });
  });
}

bool IsControl(Opcode opcode) { return opcode == Opcode::kWhile || opcode == Opcode::kConditional; }

}  // namespace

Origin OriginOf(const ir::Module& module, InstrId array) {
  Origin at{array, -1};
  for (;;) {
    const Instruction& instruction = module.instruction(at.instruction);
    bool in_tuple = at.element >= 0;
    switch (instruction.opcode) {
      case Opcode::kTuple:
        if (!in_tuple) return at;
        at = {instruction.operands[static_cast<size_t>(at.element)], -1};
        break;
      case Opcode::kGetTupleElement:
        if (in_tuple) return at;
        at = {instruction.operands[0], instruction.As<ir::TupleElementAttributes>().index};
        break;
      case Opcode::kReshape:
      case Opcode::kBitcast:
      case Opcode::kOptimizationBarrier: at.instruction = instruction.operands[0]; break;
      default: return at;
    }
  }
}

Arcs::Arcs(const ir::Module& module, ir::ComputationId computation) : module_(module) {
  for (InstrId id : module.computation(computation).instructions) AddOverwriter(id);
}

void Arcs::AddOverwriter(InstrId id) {
  const Instruction& instruction = module_.instruction(id);
  if (UpdatesInPlace(module_, id)) {
    for (const analysis::Tie& tie : analysis::EffectsOf(module_, id).ties) {
      InstrId operand = instruction.operands[static_cast<size_t>(tie.operand)];
      if (KeepsBytes(tie.kind) && tie.operand_index.empty()) AddTarget(operand, id);
    }
  }
  if (IsControl(instruction.opcode) && UpdatesInside(module_, instruction)) {
    for (InstrId operand : instruction.operands) AddTarget(operand, id);
  }
}

void Arcs::AddTarget(InstrId value, InstrId overwriter) {
  const Instruction& instruction = module_.instruction(value);
  if (instruction.opcode == Opcode::kTuple) {
    for (InstrId operand : instruction.operands) AddTarget(operand, overwriter);
  } else if (instruction.shape.is_array()) {
    overwriters_[OriginOf(module_, value)].push_back(overwriter);
  }
}

bool Arcs::ReadsApart(InstrId reader, size_t operand, InstrId overwriter) const {
  const analysis::Effects update = analysis::EffectsOf(module_, overwriter);
  if (IsControl(module_.instruction(overwriter).opcode) || update.ties.empty()) return false;
  return analysis::Disjoint(analysis::EffectsOf(module_, reader).reads[operand].bytes, update.ties.front().written);
}

std::vector<InstrId> Arcs::OverwritersAfter(InstrId reader) const {
  std::vector<InstrId> after;
  const std::vector<InstrId>& operands = module_.instruction(reader).operands;
  for (size_t number = 0; number < operands.size(); ++number) {
    if (!module_.shape(operands[number]).is_array()) continue;
    auto found = overwriters_.find(OriginOf(module_, operands[number]));
    if (found == overwriters_.end()) continue;
    for (InstrId overwriter : found->second) {
      if (overwriter != reader && !ReadsApart(reader, number, overwriter)) after.push_back(overwriter);
    }
  }
  return after;
}

}  // namespace stead::passes
