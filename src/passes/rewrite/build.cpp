#include "passes/rewrite/build.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace stead::passes {

using ir::Attributes;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

InstrId Builder::Op(Opcode opcode, Shape shape, std::vector<InstrId> operands, Attributes attributes) {
  ir::Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = std::move(shape);
  instruction.operands = std::move(operands);
  instruction.attributes = std::move(attributes);
  instruction.metadata = module_.instruction(origin_).metadata;
  instruction.text_place = module_.instruction(origin_).text_place;
  return module_.AddBefore(position_, std::move(instruction));
}

InstrId Builder::Constant(ir::Literal literal) {
  Shape shape = literal.shape();
  return Op(Opcode::kConstant, std::move(shape), {}, std::move(literal));
}

InstrId Builder::Integer(ir::ElementType type, int64_t value) { return Constant(IntegerLiteral(type, value)); }

InstrId Builder::Reshape(InstrId operand, std::vector<int64_t> dimensions) {
  const Shape& shape = module_.shape(operand);
  if (shape.dimensions == dimensions) return operand;
  return Op(Opcode::kReshape, Shape::Array(shape.element_type, std::move(dimensions)), {operand});
}

InstrId Builder::Splat(InstrId scalar, const std::vector<int64_t>& dimensions) {
  if (dimensions.empty()) return scalar;
  Shape shape = Shape::Array(module_.shape(scalar).element_type, dimensions);
  return Op(Opcode::kBroadcast, std::move(shape), {scalar}, ir::DimensionsAttributes{});
}

InstrId Builder::Slice(InstrId operand, std::vector<int64_t> starts, std::vector<int64_t> sizes) {
  Shape shape = Shape::Array(module_.shape(operand).element_type, sizes);
  ir::SliceAttributes attributes;
  for (size_t dim = 0; dim < sizes.size(); ++dim) attributes.limits.push_back(starts[dim] + sizes[dim]);
  attributes.starts = std::move(starts);
  attributes.strides.assign(sizes.size(), 1);
  return Op(Opcode::kSlice, std::move(shape), {operand}, std::move(attributes));
}

InstrId Builder::DynamicSlice(InstrId operand, std::vector<InstrId> starts, std::vector<int64_t> sizes) {
  Shape shape = Shape::Array(module_.shape(operand).element_type, sizes);
  starts.insert(starts.begin(), operand);
  return Op(Opcode::kDynamicSlice, std::move(shape), std::move(starts), ir::DynamicSliceAttributes{std::move(sizes)});
}

InstrId Builder::DynamicUpdateSlice(InstrId operand, InstrId update, std::vector<InstrId> starts) {
  starts.insert(starts.begin(), {operand, update});
  return Op(Opcode::kDynamicUpdateSlice, module_.shape(operand), std::move(starts));
}

InstrId Builder::Compare(ir::CompareAttributes::Direction direction, InstrId left, InstrId right) {
  Shape shape = Shape::Array(ir::ElementType::kPred, module_.shape(left).dimensions);
  return Op(Opcode::kCompare, std::move(shape), {left, right}, ir::CompareAttributes{direction});
}

InstrId Builder::Select(InstrId predicate, InstrId on_true, InstrId on_false) {
  return Op(Opcode::kSelect, module_.shape(on_true), {predicate, on_true, on_false});
}

InstrId Builder::TupleElement(InstrId tuple, int64_t index) {
  return Op(Opcode::kGetTupleElement, module_.shape(tuple).elements.at(static_cast<size_t>(index)), {tuple},
            ir::TupleElementAttributes{index});
}

InstrId AddPlaceAtEnd(ir::Module& module, ir::ComputationId computation) {
  ir::Instruction place;
  place.opcode = Opcode::kTuple;
  place.shape = Shape::Tuple({});
  return module.Add(computation, std::move(place));
}

namespace {

void AddControlPredecessors(ir::Module& module, InstrId id, const std::vector<InstrId>& added) {
  std::vector<InstrId> predecessors = module.instruction(id).control_predecessors;
  size_t before = predecessors.size();
  for (InstrId predecessor : added) {
    if (std::ranges::find(predecessors, predecessor) == predecessors.end()) predecessors.push_back(predecessor);
  }
  if (predecessors.size() > before) module.SetControlPredecessors(id, std::move(predecessors));
}

void DropControlPredecessor(ir::Module& module, InstrId id, InstrId dropped) {
  std::vector<InstrId> predecessors = module.instruction(id).control_predecessors;
  std::erase(predecessors, dropped);
  module.SetControlPredecessors(id, std::move(predecessors));
}

}  // namespace

bool Forward(ir::Module& module, InstrId old_id, InstrId value) {
  if (old_id == value || !(module.shape(old_id) == module.shape(value))) return false;
  // Giving the edges to `value` could close a cycle: a predecessor may need `value` itself.
  const std::vector<InstrId> predecessors = module.instruction(old_id).control_predecessors;
  if (!predecessors.empty()) {
    std::vector<InstrId> later = module.users(old_id);
    const std::vector<InstrId>& successors = module.control_successors(old_id);
    later.insert(later.end(), successors.begin(), successors.end());
    for (InstrId id : later) AddControlPredecessors(module, id, predecessors);
  }
  bool always_ready = ir::InfoOf(module.instruction(value).opcode).family == ir::OpFamily::kSource;
  if (always_ready) {
    const std::vector<InstrId> successors = module.control_successors(old_id);
    for (InstrId successor : successors) DropControlPredecessor(module, successor, old_id);
  }
  module.ReplaceAllUses(old_id, value);
  return true;
}

bool Replace(ir::Module& module, InstrId old_id, InstrId made) {
  if (old_id == made || !(module.shape(old_id) == module.shape(made))) return false;
  const std::vector<InstrId> predecessors = module.instruction(old_id).control_predecessors;
  if (!predecessors.empty()) AddControlPredecessors(module, made, predecessors);
  module.ReplaceAllUses(old_id, made);
  module.SwapNames(old_id, made);
  return true;
}

ir::Dimensions WithoutOnes(ir::Dimensions dimensions) {
  std::erase(dimensions, 1);
  return dimensions;
}

ir::Literal IntegerLiteral(ir::ElementType type, int64_t value) {
  ir::Literal literal = ir::Literal::Zeros(Shape::Array(type, {}));
  // Little-endian two's complement: the low bytes of the value are the value in every narrower integer type.
  std::memcpy(literal.mutable_bytes().data(), &value, static_cast<size_t>(ir::ElementBytes(type)));
  return literal;
}

bool IsFill(const ir::Module& module, InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  if (instruction.opcode == Opcode::kIota) return true;
  return instruction.opcode == Opcode::kBroadcast && module.shape(instruction.operands[0]).is_scalar();
}

ir::ComputationId CloneComputation(ir::Module& module, ir::ComputationId id) {
  ir::ComputationId clone = module.AddComputation(module.computation(id).name);
  std::unordered_map<InstrId, InstrId> copies;
  std::vector<InstrId> originals = module.computation(id).instructions;
  for (InstrId original : originals) {
    ir::Instruction copy = module.instruction(original);
    for (InstrId& operand : copy.operands) operand = copies.at(operand);
    for (InstrId& predecessor : copy.control_predecessors) predecessor = copies.at(predecessor);
    copies[original] = module.Add(clone, std::move(copy));
  }
  module.SetRoot(clone, copies.at(module.root(id)));
  return clone;
}

std::vector<ir::ComputationId> SteppedComputations(const ir::Module& module) {
  std::vector<ir::ComputationId> stepped = {module.entry};
  for (size_t next = 0; next < stepped.size(); ++next) {
    for (InstrId id : module.computation(stepped[next]).instructions) {
      const ir::Instruction& instruction = module.instruction(id);
      if (instruction.opcode != Opcode::kWhile && instruction.opcode != Opcode::kConditional) continue;
      for (ir::ComputationId callee : instruction.called) {
        if (std::ranges::find(stepped, callee) == stepped.end()) stepped.push_back(callee);
      }
    }
  }
  return stepped;
}

IdVector<ir::ComputationId, int> CountCallers(const ir::Module& module) {
  IdVector<ir::ComputationId, int> callers(module.computation_count(), 0);
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      for (ir::ComputationId callee : module.instruction(id).called) ++callers[callee];
    }
  }
  return callers;
}

}  // namespace stead::passes
