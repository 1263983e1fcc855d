// Ops that only move elements: where in the operand does the element at `index` of the result come from?
#include "cpu/llvm/generator/generator.h"

#include <algorithm>
#include <set>

namespace stead::cpu {

using ir::Instruction;
using ir::Opcode;
using ir::Shape;

namespace {

// Ops whose every element is one element of the operand.
bool IsMovement(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse: return true;
    default: return false;
  }
}

}  // namespace

Index Generator::OperandIndex(const Instruction& instruction, const Index& index) {
  const Shape& operand = module_.shape(instruction.operands[0]);
  IndexSpace& space = loops_.space();
  switch (instruction.opcode) {
    case Opcode::kCopy: return index;
    case Opcode::kBroadcast: {
      Index result;
      for (int64_t dim : instruction.As<ir::DimensionsAttributes>().dimensions) result.push_back(index[dim]);
      return result;
    }
    case Opcode::kTranspose: {
      const ir::Dimensions& source = instruction.As<ir::DimensionsAttributes>().dimensions;
      Index result(index.size());
      for (size_t dim = 0; dim < index.size(); ++dim) result[source[dim]] = index[dim];
      return result;
    }
    case Opcode::kSlice: {
      const auto& slice = instruction.As<ir::SliceAttributes>();
      Index result;
      for (size_t dim = 0; dim < index.size(); ++dim) {
        result.push_back(index[dim] * slice.strides[dim] + IndexExpression::Constant(slice.starts[dim]));
      }
      return result;
    }
    case Opcode::kReverse: {
      Index result = index;
      for (int64_t dim : instruction.As<ir::DimensionsAttributes>().dimensions) {
        result[dim] = index[dim] * -1 + IndexExpression::Constant(operand.dimensions[dim] - 1);
      }
      return result;
    }
    // Reshape keeps the row-major position, bitcast the position in memory.
    case Opcode::kReshape: {
      const Shape row_major = Shape::Array(operand.element_type, operand.dimensions);
      const IndexExpression position = space.Linear(index, ir::RowMajorStrides(instruction.shape.dimensions));
      return space.Delinearize(position, operand.dimensions, MemoryOrder(row_major));
    }
    case Opcode::kBitcast: {
      const IndexExpression position = space.Linear(index, MemoryStrides(instruction.shape));
      return space.Delinearize(position, operand.dimensions, MemoryOrder(operand));
    }
    default: break;
  }
  FailCheck(__FILE__, __LINE__, "op only moves elements", std::string(ir::OpcodeName(instruction.opcode)));
}

void Generator::ForEachAccess(ir::InstrId id, const Index& index,
                              const std::function<void(ir::InstrId, const Index&, const IndexExpression&)>& visit) {
  std::set<std::pair<ir::InstrId, Index>> seen;
  std::vector<std::pair<ir::InstrId, Index>> waiting;
  const auto add = [&](ir::InstrId value, Index place) {
    if (seen.emplace(value, place).second) waiting.emplace_back(value, std::move(place));
  };
  add(id, index);
  while (!waiting.empty()) {
    const auto [value, place] = std::move(waiting.back());
    waiting.pop_back();
    const Instruction& instruction = module_.instruction(value);
    if (const MemoryArray* const array = Bound(value)) {
      visit(value, place, loops_.space().Linear(place, MemoryStrides(array->shape)));
    } else if (IsMovement(instruction.opcode)) {
      add(instruction.operands[0], OperandIndex(instruction, place));
    } else if (ir::IsElementwise(instruction.opcode)) {
      for (ir::InstrId operand : instruction.operands) {
        if (!module_.shape(operand).is_scalar()) add(operand, place);
      }
    }
  }
}

void Generator::Require(Bounded& bounded, llvm::Value* condition, int depth) {
  bounded.inside = loops_.And(bounded.inside, condition);
  if (!condition->getType()->isVectorTy()) return;
  // The mask must be known in the scope that its depth names: values under it may be computed there.
  bounded.guard.depth = std::max(bounded.guard.depth, depth);
  loops_.AtDepth(bounded.guard.depth, [&] { bounded.guard.mask = loops_.And(bounded.guard.mask, condition); });
}

// Appends `expression`, an index into a dimension of `size` elements.
void Generator::Restrict(Bounded& bounded, const IndexExpression& expression, int64_t size) {
  IndexSpace& space = loops_.space();
  const auto [low, high] = space.Range(expression);
  if (low >= 0 && high < size) {
    bounded.index.push_back(expression);
    return;
  }
  const int depth = space.Depth(expression);
  if (space.Varies(expression)) {
    llvm::Value* condition = nullptr;
    loops_.AtDepth(depth, [&] { condition = loops_.InRange(expression, size); });
    Require(bounded, condition, depth);
    bounded.index.push_back(expression);
    return;
  }
  llvm::Value* condition = nullptr;
  IndexExpression clamped;
  loops_.AtDepth(depth, [&] {
    condition = loops_.InRange(expression, size);
    clamped = ClampedIndex(loops_.Scalar(expression), ir::ElementType::kS64, size, depth);
  });
  Require(bounded, condition, depth);
  bounded.index.push_back(clamped);
}

void Generator::RestrictSpread(Bounded& bounded, const IndexExpression& expression, int64_t size, int64_t step) {
  if (step == 1) return Restrict(bounded, expression, size);
  // First inside the spread-out operand, then on one of its elements.
  Restrict(bounded, expression, (size - 1) * step + 1);
  const IndexExpression spread = bounded.index.back();
  const IndexExpression rest = loops_.space().Remainder(spread, step);
  const int depth = loops_.space().Depth(rest);
  llvm::Value* on_element = nullptr;
  loops_.AtDepth(depth, [&] { on_element = loops_.InRange(rest, 1); });
  Require(bounded, on_element, depth);
  bounded.index.back() = loops_.space().Quotient(spread, step);
}

llvm::Value* Generator::SelectInside(const Bounded& bounded, llvm::Value* inside, llvm::Value* outside) {
  if (bounded.inside == nullptr) return inside;
  const bool varies =
      Registers::LaneCount(bounded.inside) > 0 || Registers::LaneCount(inside) > 0 || Registers::LaneCount(outside) > 0;
  if (varies) inside = Splat(inside), outside = Splat(outside);
  return registers_.Select(bounded.inside, inside, outside);
}

llvm::Value* Generator::Pad(const Instruction& instruction, const Index& index, Guard guard) {
  const auto& pad = instruction.As<ir::PadAttributes>();
  const Shape& operand = module_.shape(instruction.operands[0]);
  llvm::Value* const padding = At(instruction.operands[1], {});
  if (operand.element_count() == 0) return padding;
  Bounded bounded;
  bounded.guard = guard;
  for (size_t dim = 0; dim < index.size(); ++dim) {
    RestrictSpread(bounded, index[dim] + IndexExpression::Constant(-pad.low[dim]), operand.dimensions[dim],
                   pad.interior[dim] + 1);
  }
  return SelectInside(bounded, At(instruction.operands[0], bounded.index, bounded.guard), padding);
}

llvm::Value* Generator::Concatenate(const Instruction& instruction, const Index& index, Guard guard) {
  const int64_t dim = instruction.As<ir::DimensionsAttributes>().dimensions[0];
  llvm::Value* result = nullptr;
  int64_t end = instruction.shape.dimensions[dim];
  // From the last operand to the first, each taking the place of the result so far where the index lies in it.
  for (size_t number = instruction.operands.size(); number-- > 0;) {
    const int64_t size = module_.shape(instruction.operands[number]).dimensions[dim];
    const int64_t start = end - size;
    end = start;
    if (size == 0) continue;
    Bounded bounded;
    bounded.guard = guard;
    Restrict(bounded, index[dim] + IndexExpression::Constant(-start), size);
    Index inner = index;
    inner[dim] = bounded.index[0];
    llvm::Value* const element = At(instruction.operands[number], inner, bounded.guard);
    result = result == nullptr ? element : SelectInside(bounded, element, result);
  }
  return result;
}

}  // namespace stead::cpu
