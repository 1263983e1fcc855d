#include "cpu/llvm/support.h"

#include <fmt/format.h>

#include <algorithm>

#include "cpu/llvm/values/arithmetic.h"

namespace stead::cpu {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::Shape;

Diagnostic Refuse(const Module& module, InstrId id, const std::string& why) {
  const Instruction& instruction = module.instruction(id);
  std::string target;
  if (instruction.opcode == Opcode::kCustomCall) {
    target = fmt::format(" to target `{}`", instruction.As<ir::CustomCallAttributes>().target);
  }
  return Unimplemented(fmt::format("op `{}`{} (`{}`, {}) has no machine code yet", ir::OpcodeName(instruction.opcode),
                                   target, instruction.name, instruction.shape.ToString()),
                       module.SourceOf(id), why);
}

Status CheckShape(const Module& module, InstrId id, const Shape& shape) {
  Status status;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
    if (!status.ok()) return;
    if (!leaf.is_array()) {
      status = Refuse(module, id, "only arrays have machine code");
    } else if (std::ranges::count(leaf.dynamic_dimensions, true) > 0) {
      status = Refuse(module, id, "sizes must be known when the program is compiled");
    }
  });
  return status;
}

// Ops of a computation over scalars: reducers, bodies of map and scatter.
Status CheckScalarComputation(const Module& module, ir::ComputationId id) {
  for (InstrId member : module.computation(id).instructions) {
    const Instruction& instruction = module.instruction(member);
    TRY_STATUS(CheckShape(module, member, instruction.shape));
    switch (instruction.opcode) {
      case Opcode::kParameter:
      case Opcode::kConstant:
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
      case Opcode::kBitcast:
      case Opcode::kReshape:
      case Opcode::kBroadcast:
      case Opcode::kCopy: continue;
      case Opcode::kCall:
      case Opcode::kFusion: TRY_STATUS(CheckScalarComputation(module, instruction.called[0])); continue;
      case Opcode::kBitcastConvert:
        if (ir::ElementBits(instruction.shape.element_type) ==
            ir::ElementBits(module.shape(instruction.operands[0]).element_type)) {
          continue;
        }
        break;
      default:
        if (Arithmetic::Supports(module, instruction)) continue;
    }
    return Refuse(module, member, "inside a reducer only elementwise ops on scalars can be emitted");
  }
  return {};
}

Status CheckBitcastConvert(const Module& module, InstrId id) {
  const ir::ElementType from = module.shape(module.operand(id, 0)).element_type;
  const ir::ElementType to = module.shape(id).element_type;
  if (from != to && (from == ir::ElementType::kPred || to == ir::ElementType::kPred)) {
    return Refuse(module, id, "bits of pred have no other type");
  }
  if (from != to && (ir::IsComplex(from) || ir::IsComplex(to))) {
    return Refuse(module, id, "complex numbers of one size as those of another are not known");
  }
  return {};
}

Status CheckTopK(const Module& module, InstrId id) {
  const Shape& rows = module.shape(module.operand(id, 0));
  const bool is_float = rows.element_type == ir::ElementType::kF16 || rows.element_type == ir::ElementType::kBF16 ||
                        rows.element_type == ir::ElementType::kF32 || rows.element_type == ir::ElementType::kF64;
  const bool is_known = is_float || (ir::IsInteger(rows.element_type) && ir::ElementBits(rows.element_type) >= 8);
  const Shape& result = module.shape(id);
  const bool is_pair =
      result.is_tuple() && result.elements.size() == 2 && result.elements[1].element_type == ir::ElementType::kS32;
  const bool is_row_major =
      is_pair && rows.is_row_major() && std::ranges::all_of(result.elements, &Shape::is_row_major);
  if (is_known && is_row_major && rows.rank() > 0) return {};
  return Refuse(module, id, "rows of integers or of usual floats are selected from, with places of 32 bits");
}

// An op whose operands and result are arrays, fused or alone.
Status CheckOp(const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  TRY_STATUS(CheckShape(module, id, instruction.shape));
  for (InstrId operand : instruction.operands) TRY_STATUS(CheckShape(module, operand, module.shape(operand)));
  if (ir::IsElementwise(instruction.opcode)) {
    if (Arithmetic::Supports(module, instruction)) return {};
    return Refuse(module, id, "the op is not known for these element types");
  }
  switch (instruction.opcode) {
    case Opcode::kParameter:
    case Opcode::kIota:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kOptimizationBarrier:
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kPad:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kDot:
    case Opcode::kConvolution: return {};
    case Opcode::kConstant:
      if (!instruction.As<ir::Literal>().elided()) return {};
      return InvalidArgument(fmt::format("constant `{}` was elided in the text", instruction.name), module.SourceOf(id),
                             "its elements are not known, so the program cannot run");
    case Opcode::kBitcast:
      if (instruction.shape.element_type == module.shape(instruction.operands[0]).element_type) return {};
      return Refuse(module, id, "a bitcast that changes the element type is not known");
    case Opcode::kBitcastConvert: return CheckBitcastConvert(module, id);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kMap:
    case Opcode::kScatter:
    case Opcode::kSort: return CheckScalarComputation(module, instruction.called[0]);
    case Opcode::kTopK: return CheckTopK(module, id);
    case Opcode::kSelectAndScatter:
      if (module.shape(instruction.operands[0]).layout.minor_to_major != instruction.shape.layout.minor_to_major) {
        return Refuse(module, id, "operand and result must have the same layout");
      }
      TRY_STATUS(CheckScalarComputation(module, instruction.called[0]));
      return CheckScalarComputation(module, instruction.called[1]);
    default: return Refuse(module, id, "");
  }
}

}  // namespace

Status CheckEmittable(const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (instruction.opcode != Opcode::kFusion) return CheckOp(module, id);
  const ir::Computation& fused = module.computation(instruction.called[0]);
  for (InstrId member : fused.instructions) {
    TRY_STATUS(CheckOp(module, member));
    const Opcode opcode = module.instruction(member).opcode;
    if (opcode == Opcode::kParameter && !module.shape(member).is_array()) {
      return Refuse(module, member, "a fused computation takes arrays, not tuples");
    }
    const InstrId root = fused.root;
    const bool is_result = member == root || std::ranges::count(module.instruction(root).operands, member) > 0;
    if (opcode == Opcode::kScatter && !is_result) return Refuse(module, member, "a fused scatter must be a result");
    if (opcode == Opcode::kSort || opcode == Opcode::kTopK || opcode == Opcode::kSelectAndScatter) {
      return Refuse(module, member, "the op has a loop of its own and is not fused");
    }
  }
  return {};
}

}  // namespace stead::cpu
