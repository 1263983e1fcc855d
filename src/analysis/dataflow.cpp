#include "analysis/dataflow.h"

#include <algorithm>

#include "analysis/window.h"

namespace stead::analysis {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::Shape;
using ir::ShapeIndex;

namespace {

void CollectArrayLeaves(const Shape& shape, std::vector<const Shape*>& leaves) {
  if (shape.is_array()) leaves.push_back(&shape);
  for (const Shape& element : shape.elements) CollectArrayLeaves(element, leaves);
}

}  // namespace

std::vector<const Shape*> ArrayLeaves(const Shape& shape) {
  std::vector<const Shape*> leaves;
  CollectArrayLeaves(shape, leaves);
  return leaves;
}

int32_t ArrayLeafCount(const Shape& shape) {
  int32_t count = shape.is_array() ? 1 : 0;
  for (const Shape& element : shape.elements) count += ArrayLeafCount(element);
  return count;
}

int32_t ArrayLeafNumber(const Shape& shape, const ShapeIndex& index) {
  int32_t number = 0;
  const Shape* current = &shape;
  for (int64_t element : index) {
    for (int64_t before = 0; before < element; ++before) number += ArrayLeafCount(current->elements.at(before));
    current = &current->elements.at(element);
  }
  return number;
}

ShapeIndex ArrayLeafIndex(const Shape& shape, int32_t leaf) {
  ShapeIndex index;
  const Shape* current = &shape;
  while (current->is_tuple()) {
    for (size_t element = 0;; ++element) {
      int32_t count = ArrayLeafCount(current->elements.at(element));
      if (leaf < count) {
        index.push_back(static_cast<int64_t>(element));
        current = &current->elements[element];
        break;
      }
      leaf -= count;
    }
  }
  return index;
}

Dataflow::Dataflow(const Module& module, ComputationId computation, const DataflowContext& context)
    : module_(module), nodes_(module.computation(computation).instructions) {
  node_of_.reserve(nodes_.size());
  effects_.reserve(nodes_.size());
  for (InstrId id : nodes_) {
    node_of_[id] = static_cast<int32_t>(effects_.size());
    effects_.push_back(EffectsOf(module, id));
    for (OperandRead& read : effects_.back().reads) read.bytes = context.counters.ByIteration(read.bytes);
    for (Tie& tie : effects_.back().ties) tie.written = context.counters.ByIteration(tie.written);
    AddNode(id, context);
  }
  for (int32_t node = 0; node < node_count(); ++node) AddUses(node, context);
  InstrId root = module.root(computation);
  for (int32_t leaf = 0; leaf < ArrayLeafCount(module.shape(root)); ++leaf) {
    Use(value(root, leaf), {.node = node_count(), .leaf = leaf});
  }
  AddSharedUses(computation, context);
}

const Shape& Dataflow::shape(DefinitionId id) const {
  const Definition& definition = definitions_[id];
  const Shape& whole = module_.shape(definition.instruction);
  return SubShape(whole, ArrayLeafIndex(whole, definition.leaf));
}

void Dataflow::AddNode(InstrId id, const DataflowContext& context) {
  first_value_.push_back(static_cast<int32_t>(values_.size()));
  bool view = context.views.contains(id);
  forwards_.push_back(view || effects_.back().forwards);
  if (view) return View(id);
  if (effects_.back().forwards) return Forward(id);
  AddLeaves(id, context);
}

void Dataflow::AddLeaves(InstrId id, const DataflowContext& context) {
  auto loop = context.untouched_state.find(id);
  auto leaders = context.leaders.find(id);
  const size_t first = values_.size();
  std::vector<const Shape*> leaves = ArrayLeaves(module_.shape(id));
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (loop != context.untouched_state.end() && loop->second[leaf]) {
      values_.push_back(value(module_.operand(id, 0), static_cast<int32_t>(leaf)));
    } else if (leaders != context.leaders.end() && leaders->second[leaf] >= 0) {
      values_.push_back({});
    } else {
      Define(id, static_cast<int32_t>(leaf), *leaves[leaf]);
    }
  }
  for (size_t leaf = 0; leaders != context.leaders.end() && leaf < leaves.size(); ++leaf) {
    if (leaders->second[leaf] >= 0) values_[first + leaf] = values_[first + static_cast<size_t>(leaders->second[leaf])];
  }
}

void Dataflow::Define(InstrId id, int32_t leaf, const Shape& shape) {
  DefinitionId definition = definitions_.Add({id, node(id), leaf, shape.byte_size()});
  uses_.Add({});
  shared_uses_.Add({});
  last_use_.Add(-1);
  values_.push_back({definition, true, {}});
}

void Dataflow::Forward(InstrId id) {
  const Instruction& instruction = module_.instruction(id);
  if (instruction.opcode == Opcode::kGetTupleElement) {
    int32_t first =
        ArrayLeafNumber(module_.shape(instruction.operands[0]), {instruction.As<ir::TupleElementAttributes>().index});
    for (int32_t leaf = 0; leaf < ArrayLeafCount(instruction.shape); ++leaf) {
      values_.push_back(value(instruction.operands[0], first + leaf));
    }
    return;
  }
  // Tuple: all operands' leaves in turn. The others have the leaves of operand 0 (add-dependency's token has none).
  for (InstrId operand : instruction.operands) {
    if (instruction.opcode == Opcode::kAfterAll) break;
    int32_t count = ArrayLeafCount(module_.shape(operand));
    for (int32_t leaf = 0; leaf < count; ++leaf) {
      Resolved resolved = value(operand, leaf);
      if (instruction.shape.is_array() && !SamePlaces(module_.shape(operand), instruction.shape)) {
        resolved.same_places = false;
      }
      values_.push_back(std::move(resolved));
    }
  }
}

void Dataflow::View(InstrId id) {
  Resolved resolved = value(module_.operand(id, 0), 0);
  // A view of a view or of a renamed value keeps the larger box: a superset of its bytes.
  if (resolved.same_places && resolved.box.whole) {
    resolved.box = SliceRegion(module_.instruction(id));
  }
  resolved.same_places = false;
  values_.push_back(std::move(resolved));
}

void Dataflow::AddUses(int32_t node, const DataflowContext& context) {
  if (forwards_[node]) return;
  const std::vector<InstrId>& operands = module_.instruction(nodes_[node]).operands;
  auto inner = context.inner_reads.find(nodes_[node]);
  for (size_t number = 0; number < operands.size(); ++number) {
    const OperandRead& read = effects_[node].reads[number];
    if (!read.reads) continue;
    int32_t count = ArrayLeafCount(module_.shape(operands[number]));
    for (int32_t leaf = 0; leaf < count; ++leaf) {
      const Resolved& resolved = value(operands[number], leaf);
      DefinitionUse use{.node = node, .operand = static_cast<int32_t>(number), .leaf = leaf, .bytes = read.bytes};
      use.same_index = read.same_index && resolved.box.whole;
      use.same_pair = read.same_pair && resolved.box.whole;
      if (inner != context.inner_reads.end() && number < inner->second.size() && !inner->second[number].empty())
        use.bytes = inner->second[number][static_cast<size_t>(leaf)];
      if (!resolved.box.whole) use.bytes = RegionFootprint(shape(resolved.definition), resolved.box);
      Use(resolved, std::move(use));
    }
  }
}

void Dataflow::AddSharedUses(ComputationId computation, const DataflowContext& context) {
  auto leaders = context.parameter_leaders.find(computation);
  if (leaders == context.parameter_leaders.end()) return;
  InstrId parameter = module_.computation(computation).parameters.at(0);
  for (size_t leaf = 0; leaf < leaders->second.size(); ++leaf) {
    if (leaders->second[leaf] < 0) continue;
    DefinitionId follower = value(parameter, static_cast<int32_t>(leaf)).definition;
    DefinitionId leader = value(parameter, leaders->second[leaf]).definition;
    for (const DefinitionUse& use : uses_[follower]) shared_uses_[leader].push_back({follower, use});
    last_use_[leader] = std::max<int32_t>(last_use_[leader], last_use_[follower]);
  }
}

void Dataflow::Use(const Resolved& value, DefinitionUse use) {
  last_use_[value.definition] = std::max(last_use_[value.definition], use.node);
  uses_[value.definition].push_back(std::move(use));
}

}  // namespace stead::analysis
