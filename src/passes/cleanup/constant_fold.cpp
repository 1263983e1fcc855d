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
constexpr int64_t kMaxIndexElements = 1024;
constexpr int kMaxIndexOps = 32;

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

// The value of a small constant, or of a fill made from one.
std::optional<ir::Literal> ConstantOrFill(const ir::Module& module, InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  if (!IsSmallArray(instruction.shape)) return std::nullopt;
  if (instruction.opcode == Opcode::kBroadcast) {
    std::optional<ir::Literal> filling = ConstantOrFill(module, instruction.operands[0]);
    if (!filling || filling->shape().element_count() != 1) return std::nullopt;
    Result<ir::Literal> value = interp::EvaluateInstruction(module, id, {&*filling, 1});
    return value.ok() ? std::optional(std::move(value).value()) : std::nullopt;
  }
  if (instruction.opcode != Opcode::kConstant || instruction.As<ir::Literal>().elided()) return std::nullopt;
  return instruction.As<ir::Literal>();
}

// The numbers of an index array that is computed from constants, fills and ramps only. `budget`: ops that may be evaluated.
std::optional<ir::Literal> KnownIndices(const ir::Module& module, InstrId id, int& budget) {
  if (std::optional<ir::Literal> literal = ConstantOrFill(module, id)) return literal;
  const ir::Instruction& instruction = module.instruction(id);
  bool is_known_kind = IsFoldable(instruction) || instruction.opcode == Opcode::kBroadcast;
  if (!is_known_kind || !IsSmallArray(instruction.shape) || budget-- == 0) return std::nullopt;
  std::vector<ir::Literal> operands;
  for (InstrId operand : instruction.operands) {
    std::optional<ir::Literal> known = KnownIndices(module, operand, budget);
    if (!known) return std::nullopt;
    operands.push_back(*std::move(known));
  }
  Result<ir::Literal> value = interp::EvaluateInstruction(module, id, operands);
  return value.ok() ? std::optional(std::move(value).value()) : std::nullopt;
}

// Which elements a gather or scatter touches decides what may run before and after it: its indices are spelled out.
bool SpellOutIndices(ir::Module& module, InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  size_t number = instruction.opcode == Opcode::kGather ? 1 : instruction.operands.size() / 2;
  InstrId indices = instruction.operands[number];
  const ir::Shape shape = module.shape(indices);
  if (module.instruction(indices).opcode == Opcode::kConstant || shape.element_count() > kMaxIndexElements)
    return false;
  int budget = kMaxIndexOps;
  std::optional<ir::Literal> known = KnownIndices(module, indices, budget);
  if (!known) return false;
  module.SetOperand(id, number, Builder(module, id).Op(Opcode::kConstant, shape, {}, *std::move(known)));
  return true;
}

// The value of an instruction when it is known and small.
std::optional<ir::Literal> KnownValue(const ir::Module& module, InstrId id, const SideEffects& effects) {
  const ir::Instruction& instruction = module.instruction(id);
  if (IsEmptyArray(module, id, effects)) return ir::Literal::Zeros(instruction.shape);
  if (!IsSmallArray(instruction.shape) || !IsFoldable(instruction)) return std::nullopt;
  std::vector<ir::Literal> operands;
  int64_t known_elements = 0;
  bool all_are_fills = !instruction.operands.empty();
  for (InstrId operand : instruction.operands) {
    std::optional<ir::Literal> literal = ConstantOrFill(module, operand);
    if (!literal) return std::nullopt;
    operands.push_back(*std::move(literal));
    const ir::Instruction& source = module.instruction(operand);
    if (source.opcode != Opcode::kConstant) continue;
    all_are_fills = false;
    known_elements += source.shape.element_count();
  }
  if (all_are_fills) return std::nullopt;
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
      Opcode opcode = module.instruction(id).opcode;
      if (opcode == Opcode::kGather || opcode == Opcode::kScatter) changed |= SpellOutIndices(module, id);
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
