#include "passes/fusion/costs.h"

#include <algorithm>

#include "passes/rewrite/build.h"

namespace stead::passes {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

namespace {

bool IsStaticArray(const ir::Shape& shape) { return shape.is_array() && shape.dynamic_dimensions.empty(); }

bool HasStaticOperands(const ir::Module& module, const Instruction& instruction) {
  return std::ranges::all_of(instruction.operands,
                             [&](InstrId operand) { return IsStaticArray(module.shape(operand)); });
}

bool HasStaticArrays(const ir::Module& module, const Instruction& instruction) {
  return IsStaticArray(instruction.shape) && HasStaticOperands(module, instruction);
}

bool IsMovement(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kPad:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose: return true;
    default: return false;
  }
}

// Others make several elements from one or the reverse; packing is known where loads and stores are made.
bool KeepsElementWidthOrPacks(const ir::Module& module, const Instruction& instruction) {
  const ir::Shape& operand = module.shape(instruction.operands[0]);
  return operand.dimensions == instruction.shape.dimensions ||
         std::max(ir::ElementBits(operand.element_type), ir::ElementBits(instruction.shape.element_type)) == 8;
}

}  // namespace

bool MayBeRoot(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (instruction.opcode == Opcode::kReduce) return HasStaticOperands(module, instruction);
  if (!HasStaticArrays(module, instruction)) return false;
  switch (instruction.opcode) {
    case Opcode::kBitcastConvert: return KeepsElementWidthOrPacks(module, instruction);
    case Opcode::kDynamicUpdateSlice: return true;
    default: return ir::IsElementwise(instruction.opcode) || IsMovement(instruction.opcode);
  }
}

bool MayBeInside(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  // Whoever must come after a member would have to come after the whole fusion, which may need it.
  if (!module.control_successors(id).empty()) return false;
  if (!HasStaticArrays(module, instruction)) return false;
  switch (instruction.opcode) {
    case Opcode::kBitcastConvert: return KeepsElementWidthOrPacks(module, instruction);
    case Opcode::kConstant: return IsFree(module, id) && !instruction.As<ir::Literal>().elided();
    case Opcode::kIota:
    case Opcode::kReshape: return true;
    default: return ir::IsElementwise(instruction.opcode) || IsMovement(instruction.opcode);
  }
}

bool MayBeLookup(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  return instruction.opcode == Opcode::kGather && module.control_successors(id).empty() &&
         HasStaticArrays(module, instruction);
}

bool IsFree(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (instruction.opcode == Opcode::kConstant)
    return instruction.shape.is_array() && instruction.shape.element_count() == 1;
  return IsFill(module, id);
}

bool IsExpensive(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kCosine:
    case Opcode::kDivide:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kRsqrt:
    case Opcode::kSine:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh: return true;
    default: return false;
  }
}

bool ReducesRows(const ir::Module& module, InstrId reduce) {
  const Instruction& instruction = module.instruction(reduce);
  const ir::Dimensions& sizes = module.shape(instruction.operands[0]).dimensions;
  const ir::Dimensions& reduced = instruction.As<ir::DimensionsAttributes>().dimensions;
  int64_t fastest = static_cast<int64_t>(sizes.size()) - 1;
  while (fastest > 0 && sizes[static_cast<size_t>(fastest)] == 1) --fastest;
  return std::ranges::count(reduced, fastest) > 0;
}

bool IsWindowStart(const Instruction& user, size_t operand) {
  if (user.opcode == Opcode::kDynamicSlice) return operand >= 1;
  return user.opcode == Opcode::kDynamicUpdateSlice && operand >= 2;
}

}  // namespace stead::passes
