#include "inplace/rewrite.h"

#include <algorithm>

#include "inplace/clone.h"
#include "inplace/memory/byte_layout.h"

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::ArrayLeafIndex;
using analysis::Dataflow;
using analysis::Definition;
using analysis::Region;
using ir::ComputationId;
using ir::CopyReason;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::Shape;
using ir::ShapeIndex;

namespace {

Instruction TupleElement(const Module& module, InstrId tuple, int64_t element) {
  Instruction instruction;
  instruction.opcode = Opcode::kGetTupleElement;
  instruction.shape = module.shape(tuple).elements[element];
  instruction.operands = {tuple};
  instruction.attributes = ir::TupleElementAttributes{element};
  instruction.metadata = module.instruction(tuple).metadata;
  return instruction;
}

Instruction TupleOf(const Module& module, std::vector<InstrId> operands) {
  Instruction instruction;
  instruction.opcode = Opcode::kTuple;
  std::vector<Shape> shapes;
  for (InstrId operand : operands) shapes.push_back(module.shape(operand));
  instruction.shape = Shape::Tuple(std::move(shapes));
  instruction.operands = std::move(operands);
  return instruction;
}

InstrId ElementValue(Module& module, InstrId tuple, int64_t element, InstrId position) {
  if (module.instruction(tuple).opcode == Opcode::kTuple) return module.operand(tuple, element);
  return module.AddBefore(position, TupleElement(module, tuple, element));
}

// `id` with the leaf at `index` (from `depth` on) replaced.
InstrId WithLeaf(Module& module, InstrId id, const ShapeIndex& index, size_t depth, InstrId value, InstrId position) {
  if (depth == index.size()) return value;
  std::vector<InstrId> elements;
  for (int64_t element = 0; element < static_cast<int64_t>(module.shape(id).elements.size()); ++element) {
    InstrId part = ElementValue(module, id, element, position);
    if (element == index[depth]) part = WithLeaf(module, part, index, depth + 1, value, position);
    elements.push_back(part);
  }
  return module.AddBefore(position, TupleOf(module, std::move(elements)));
}

// The barriers between an operand and the definition whose bytes it is.
std::vector<InstrId> BarriersBehind(const Module& module, InstrId id) {
  std::vector<InstrId> barriers;
  std::vector<InstrId> open{id};
  while (!open.empty()) {
    InstrId current = open.back();
    open.pop_back();
    const Instruction& instruction = module.instruction(current);
    if (!analysis::EffectsOf(module, current).forwards) continue;
    if (ir::HasTrait(instruction.opcode, ir::kOrders)) {
      barriers.push_back(current);
    } else {
      open.insert(open.end(), instruction.operands.begin(), instruction.operands.end());
    }
  }
  return barriers;
}

void AddControlPredecessors(Module& module, InstrId id, const std::vector<InstrId>& added) {
  std::vector<InstrId> predecessors = module.instruction(id).control_predecessors;
  for (InstrId predecessor : added) {
    if (std::ranges::find(predecessors, predecessor) == predecessors.end()) predecessors.push_back(predecessor);
  }
  module.SetControlPredecessors(id, std::move(predecessors));
}

// The same bytes under another shape.
Instruction Renamed(InstrId value, const Shape& shape) {
  Instruction bitcast;
  bitcast.opcode = Opcode::kBitcast;
  bitcast.shape = shape;
  bitcast.operands = {value};
  return bitcast;
}

Instruction SliceOf(const Module& module, InstrId value, const Region& box) {
  Instruction slice;
  slice.opcode = Opcode::kSlice;
  slice.name = module.instruction(value).name + ".saved";
  slice.shape = module.shape(value);
  slice.shape.dimensions = box.sizes;
  slice.operands = {value};
  ir::SliceAttributes attributes{box.starts, box.starts, std::vector<int64_t>(box.starts.size(), 1)};
  for (size_t dim = 0; dim < box.sizes.size(); ++dim) attributes.limits[dim] += box.sizes[dim];
  slice.attributes = std::move(attributes);
  slice.metadata = module.instruction(value).metadata;
  return slice;
}

void MoveSliceOrigin(Module& module, InstrId slice, const Region& box) {
  ir::SliceAttributes attributes = module.instruction(slice).As<ir::SliceAttributes>();
  for (size_t dim = 0; dim < box.starts.size(); ++dim) {
    attributes.starts[dim] -= box.starts[dim];
    attributes.limits[dim] -= box.starts[dim];
  }
  module.SetAttributes(slice, std::move(attributes));
}

// Points a reader of a box at the snapshot of the box.
void ReadSnapshot(Module& module, InstrId reader, int32_t operand, const Region& box, InstrId snapshot) {
  if (module.instruction(reader).opcode == Opcode::kSlice) {
    MoveSliceOrigin(module, reader, box);
  } else {
    ComputationId fused = CloneComputation(module, module.instruction(reader).called[0]);
    module.SetCalled(reader, {fused});
    InstrId parameter = module.computation(fused).parameters[operand];
    module.SetShape(parameter, module.shape(snapshot));
    for (InstrId user : module.users(parameter)) MoveSliceOrigin(module, user, box);
  }
  module.SetOperand(reader, static_cast<size_t>(operand), snapshot);
}

// The operand leaves that take the copy instead: one, or for a conditional every branch's that is the same content.
std::vector<OperandLeaf> PlacesToReplace(const Module& module, const Dataflow& dataflow, const Element& element) {
  if (module.instruction(dataflow.instruction(element.node)).opcode != Opcode::kConditional) {
    return {{element.operand, element.leaf}};
  }
  std::vector<OperandLeaf> places;
  for (const analysis::DefinitionUse& use : dataflow.uses(element.definition)) {
    if (use.node == element.node && use.operand > 0) places.push_back({use.operand, use.leaf});
  }
  return places;
}

// The instruction right after `id` in its computation's list. REQUIRES: there is one.
InstrId NextInList(const Module& module, InstrId id) {
  const std::vector<InstrId>& list = module.computation(module.instruction(id).computation).instructions;
  return *std::next(std::ranges::find(list, id));
}

}  // namespace

InstrId LeafValue(Module& module, InstrId id, int32_t leaf, InstrId position) {
  for (int64_t element : ArrayLeafIndex(module.shape(id), leaf)) id = ElementValue(module, id, element, position);
  return id;
}

void ReplaceOperandLeaf(Module& module, InstrId user, int32_t operand, int32_t leaf, InstrId value) {
  InstrId old_operand = module.operand(user, static_cast<size_t>(operand));
  ShapeIndex index = ArrayLeafIndex(module.shape(old_operand), leaf);
  module.SetOperand(user, static_cast<size_t>(operand), WithLeaf(module, old_operand, index, 0, value, user));
}

namespace {

// Something to insert before, at the end of the list; a tuple of nothing, to be erased.
InstrId EndOfList(Module& module, ComputationId computation) { return module.Add(computation, TupleOf(module, {})); }

}  // namespace

void ReplaceResult(Module& module, ComputationId computation, int32_t leaf, InstrId value) {
  InstrId root = module.root(computation), position = EndOfList(module, computation);
  ShapeIndex index = ArrayLeafIndex(module.shape(root), leaf);
  module.SetRoot(computation, WithLeaf(module, root, index, 0, value, position));
  module.Erase(position);
  if (module.instruction(root).opcode == Opcode::kTuple && module.users(root).empty()) module.Erase(root);
}

InstrId CopyResult(Module& module, ComputationId computation, int32_t leaf, CopyReason reason) {
  InstrId position = EndOfList(module, computation);
  InstrId value = LeafValue(module, module.root(computation), leaf, position);
  InstrId copy = module.AddCopyBefore(position, value, reason);
  module.Erase(position);
  ReplaceResult(module, computation, leaf, copy);
  return copy;
}

Bought InsertElement(Module& module, const Dataflow& dataflow, const Element& element, CopyReason reason) {
  InstrId user = dataflow.instruction(element.node);
  InstrId operand = module.operand(user, static_cast<size_t>(element.operand));
  const Definition& definition = dataflow.definition(element.definition);
  Bought bought;
  // Taken from the definition itself, so that no barrier holds it back; a renamed value is renamed again.
  InstrId position = NextInList(module, definition.instruction);
  if (element.kind == Element::Kind::kCopy) {
    InstrId value = LeafValue(module, definition.instruction, definition.leaf, position);
    bought.copy = module.AddCopyBefore(position, value, reason);
    for (const OperandLeaf& place : PlacesToReplace(module, dataflow, element)) {
      InstrId replaced = module.operand(user, static_cast<size_t>(place.operand));
      std::vector<InstrId> barriers = BarriersBehind(module, replaced);
      const Shape shape = SubShape(module.shape(replaced), ArrayLeafIndex(module.shape(replaced), place.leaf));
      InstrId given = bought.copy;
      if (!(module.shape(bought.copy) == shape)) given = module.AddBefore(position, Renamed(bought.copy, shape));
      ReplaceOperandLeaf(module, user, place.operand, place.leaf, given);
      AddControlPredecessors(module, user, barriers);
    }
    return bought;
  }
  InstrId value = LeafValue(module, definition.instruction, definition.leaf, position);
  const Shape shape = module.shape(operand);
  bool is_renamed = !(module.shape(value) == shape);
  if (is_renamed) value = module.AddBefore(position, Renamed(value, shape));
  InstrId slice = module.AddBefore(position, SliceOf(module, value, element.box));
  // A view is a box of the definition as it is.
  if (!is_renamed && IsContiguous(shape, element.box)) bought.view = slice;
  bought.copy = module.AddCopyBefore(position, slice, reason);
  ReadSnapshot(module, user, element.operand, element.box, bought.copy);
  AddControlPredecessors(module, user, BarriersBehind(module, operand));
  return bought;
}

void EraseUnusedForwards(Module& module, ComputationId computation) {
  const std::vector<InstrId> list = module.computation(computation).instructions;
  for (auto at = list.rbegin(); at != list.rend(); ++at) {
    Opcode opcode = module.instruction(*at).opcode;
    bool forwards = opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement || opcode == Opcode::kBitcast ||
                    opcode == Opcode::kReshape;
    if (forwards && module.users(*at).empty() && module.root(computation) != *at) module.Erase(*at);
  }
}

}  // namespace stead::inplace
