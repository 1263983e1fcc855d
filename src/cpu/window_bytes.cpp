#include "cpu/window_bytes.h"

#include <algorithm>
#include <set>

#include "analysis/effects.h"

namespace stead::cpu {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

namespace {

// The instruction behind reshapes and bitcasts, inside a fusion.
InstrId BehindViews(const ir::Module& module, InstrId id) {
  for (;;) {
    const Instruction& instruction = module.instruction(id);
    if (instruction.opcode != Opcode::kReshape && instruction.opcode != Opcode::kBitcast) return id;
    id = instruction.operands[0];
  }
}

// What the op stores of result `leaf` beside the bytes it keeps.
int64_t WindowOf(const ir::Module& module, InstrId id, size_t leaf) {
  id = BehindViews(module, id);
  const Instruction& instruction = module.instruction(id);
  switch (instruction.opcode) {
    case Opcode::kFusion: return WindowOf(module, module.root(instruction.called[0]), leaf);
    case Opcode::kTuple: return WindowOf(module, instruction.operands[leaf], 0);
    case Opcode::kParameter: return 0;
    case Opcode::kDynamicUpdateSlice:
      return module.shape(instruction.operands[1]).byte_size() + WindowOf(module, instruction.operands[0], 0);
    case Opcode::kScatter: {
      size_t arrays = instruction.operands.size() / 2;
      return module.shape(instruction.operands[arrays + 1 + leaf]).byte_size();
    }
    default: return instruction.shape.byte_size();
  }
}

}  // namespace

std::optional<int64_t> WindowBytes(const ir::Module& module, InstrId id) {
  std::set<ir::ShapeIndex> kept;
  for (const analysis::Tie& tie : analysis::EffectsOf(module, id).ties) {
    if (analysis::KeepsBytes(tie.kind)) kept.insert(tie.result_index);
  }
  if (kept.empty()) return std::nullopt;
  int64_t bytes = 0;
  size_t leaf = 0;
  ir::ForEachLeaf(module.shape(id), [&](const ir::ShapeIndex& index, const ir::Shape& shape) {
    if (!shape.is_array()) return;
    bool keeps = kept.contains(index);
    // Outside of a fusion the operand is another op, whose work is its own.
    const Instruction& instruction = module.instruction(id);
    bool alone = instruction.opcode == Opcode::kDynamicUpdateSlice;
    bytes += !keeps  ? shape.byte_size()
             : alone ? module.shape(instruction.operands[1]).byte_size()
                     : WindowOf(module, id, leaf);
    ++leaf;
  });
  return bytes;
}

}  // namespace stead::cpu
