#include "passes/cleanup/constant_fold.h"

#include <algorithm>
#include <vector>

#include "interp/evaluate.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Opcode;
using ir::OpFamily;

constexpr int64_t kMaxElements = 65536;
// A vector of starts or sizes is worth spelling out; a fill or a ramp of a real array is not.
constexpr int64_t kMaxGeneratedElements = 16;
constexpr int64_t kMaxGrowth = 2;

// Ops whose work is bounded by a small multiple of their operands and result.
bool IsFoldable(const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kIota: return true;
    // A fill is made from its scalar wherever it is used.
    case Opcode::kBroadcast: return instruction.shape.element_count() == 1;
    case Opcode::kBitcast: return false;
    case Opcode::kReduce: return instruction.shape.is_array();
    default: break;
  }
  switch (ir::InfoOf(instruction.opcode).family) {
    case OpFamily::kUnary:
    case OpFamily::kBinary:
    case OpFamily::kTernary:
    case OpFamily::kCompare:
    case OpFamily::kBitcastConvert:
    case OpFamily::kReshape:
    case OpFamily::kShape: return true;
    case OpFamily::kIndexing:
      return instruction.opcode == Opcode::kDynamicSlice || instruction.opcode == Opcode::kDynamicUpdateSlice ||
             instruction.opcode == Opcode::kGather;
    default: return false;
  }
}

bool IsSmallArray(const ir::Shape& shape) {
  return shape.is_array() && shape.dynamic_dimensions.empty() && shape.element_count() <= kMaxElements;
}

// An array without elements is known whatever makes it: not even a foreign function can put anything in it.
bool IsEmptyArray(const ir::Module& module, InstrId id, const SideEffects& effects) {
  const ir::Instruction& instruction = module.instruction(id);
  if (!IsSmallArray(instruction.shape) || instruction.shape.element_count() != 0) return false;
  switch (instruction.opcode) {
    case Opcode::kConstant:
    case Opcode::kOptimizationBarrier:
    case Opcode::kParameter: return false;
    default: return !effects.Of(id);
  }
}

// The value of an instruction when it is known and small.
std::optional<ir::Literal> KnownValue(const ir::Module& module, InstrId id, const SideEffects& effects) {
  const ir::Instruction& instruction = module.instruction(id);
  if (IsEmptyArray(module, id, effects)) return ir::Literal::Zeros(instruction.shape);
  if (!IsSmallArray(instruction.shape) || !IsFoldable(instruction)) return std::nullopt;
  std::vector<ir::Literal> operands;
  int64_t known_elements = 0;
  for (InstrId operand : instruction.operands) {
    const ir::Instruction& source = module.instruction(operand);
    if (source.opcode != Opcode::kConstant || !IsSmallArray(source.shape)) return std::nullopt;
    const ir::Literal& literal = source.As<ir::Literal>();
    if (literal.elided()) return std::nullopt;
    operands.push_back(literal);
    known_elements += source.shape.element_count();
  }
  if (instruction.shape.element_count() > std::max(kMaxGeneratedElements, kMaxGrowth * known_elements))
    return std::nullopt;
  // An op that the interpreter has no meaning for stays in the program; whoever runs it will say so.
  Result<ir::Literal> value = interp::EvaluateInstruction(module, id, operands);
  if (!value.ok()) return std::nullopt;
  return std::move(value).value();
}

}  // namespace

Result<PassReport> FoldConstants(ir::Module& module) {
  bool changed = false;
  const SideEffects effects(module);
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      std::optional<ir::Literal> value = KnownValue(module, id, effects);
      if (!value) continue;
      ir::Shape shape = module.shape(id);
      InstrId constant = Builder(module, id).Op(Opcode::kConstant, std::move(shape), {}, *std::move(value));
      changed |= Replace(module, id, constant);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
