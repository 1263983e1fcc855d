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
  AddResultUses(computation, context);
  AddSharedUses(computation, context);
  ShareThroughPointers();
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
  auto pointers = context.pointer_results.find(id);
  auto pointer = [&](size_t leaf) {
    return pointers == context.pointer_results.end() ? nullptr : &pointers->second[leaf];
  };
  const size_t first = values_.size();
  std::vector<const Shape*> leaves = ArrayLeaves(module_.shape(id));
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    std::optional<Resolved> same = pointer(leaf) != nullptr ? SameOperand(id, *pointer(leaf)) : std::nullopt;
    if (same) {
      values_.push_back(std::move(*same));
    } else if (pointer(leaf) != nullptr && pointer(leaf)->is_pointer) {
      Define(id, static_cast<int32_t>(leaf), *leaves[leaf]);
    } else if (loop != context.untouched_state.end() && loop->second[leaf]) {
      values_.push_back(value(module_.operand(id, 0), static_cast<int32_t>(leaf)));
    } else if (leaders != context.leaders.end() && leaders->second[leaf] >= 0) {
      values_.push_back({});
    } else {
      Define(id, static_cast<int32_t>(leaf), *leaves[leaf]);
    }
  }
  for (bool in_results : {false, true}) {
    for (size_t leaf = 0; pointers != context.pointer_results.end() && leaf < leaves.size(); ++leaf) {
      if (!pointer(leaf)->is_pointer || in_results == pointer(leaf)->results.empty()) continue;
      if (definitions_[values_[first + leaf].definition].instruction == id)
        AddPointer(id, static_cast<int32_t>(leaf), *pointer(leaf));
    }
  }
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (pointer(leaf) != nullptr && pointer(leaf)->is_pointer) continue;
    if (leaders != context.leaders.end() && leaders->second[leaf] >= 0) {
      values_[first + leaf] = values_[first + static_cast<size_t>(leaders->second[leaf])];
    }
  }
}

// The operand that the result is, whichever way the loop or conditional goes.
std::optional<Resolved> Dataflow::SameOperand(InstrId id, const PointerResult& result) const {
  auto operand = [&](const PointerResult::OperandLeaf& place) -> const Resolved& {
    return value(module_.operand(id, static_cast<size_t>(place.operand)), place.leaf);
  };
  if (result.same) return operand(*result.same);
  if (!result.is_operand) return std::nullopt;
  const Resolved& first = operand(result.operands.front());
  bool is_one = std::ranges::all_of(result.operands, [&](const PointerResult::OperandLeaf& place) {
    return operand(place).definition == first.definition && operand(place).box.whole;
  });
  return is_one ? std::optional(first) : std::nullopt;
}

void Dataflow::AddPointer(InstrId id, int32_t leaf, const PointerResult& result) {
  Pointer& pointer = pointers_[value(id, leaf).definition];
  pointer.is_fixed = result.is_fixed;
  auto add = [&](DefinitionId host) {
    if (std::ranges::find(pointer.hosts, host) == pointer.hosts.end()) pointer.hosts.push_back(host);
  };
  for (const PointerResult::OperandLeaf& operand : result.operands)
    add(value(module_.operand(id, static_cast<size_t>(operand.operand)), operand.leaf).definition);
  for (int32_t other : result.results) add(value(id, other).definition);
  pointer.direct = pointer.hosts.size();
  for (size_t host = 0; host < pointer.direct; ++host) {
    auto further = pointers_.find(pointer.hosts[host]);
    if (further == pointers_.end()) continue;
    pointer.is_fixed = pointer.is_fixed || further->second.is_fixed;
    for (DefinitionId behind : further->second.hosts) add(behind);
  }
}

const std::vector<DefinitionId>& Dataflow::hosts(DefinitionId id) const {
  static const std::vector<DefinitionId> kNone;
  auto pointer = pointers_.find(id);
  return pointer == pointers_.end() ? kNone : pointer->second.hosts;
}

bool Dataflow::MayShareBytes(DefinitionId left, DefinitionId right) const {
  auto is_in = [](DefinitionId id, const std::vector<DefinitionId>& hosts) {
    return std::ranges::find(hosts, id) != hosts.end();
  };
  if (left == right || is_in(left, hosts(right)) || is_in(right, hosts(left))) return true;
  return std::ranges::any_of(hosts(left), [&](DefinitionId host) { return is_in(host, hosts(right)); });
}

bool Dataflow::MayShareBytesWithout(int32_t node, DefinitionId pointer, DefinitionId other) const {
  // What shares without being a pointer, as followers of state do, shares whatever pointers there are.
  if (!is_pointer(pointer)) return true;
  std::set<DefinitionId> led_to{pointer};
  for (std::vector<DefinitionId> open{pointer}; !open.empty();) {
    auto known = pointers_.find(open.back());
    const bool is_left_out = definitions_[open.back()].node == node;
    open.pop_back();
    if (known == pointers_.end() || is_left_out) continue;
    for (size_t host = 0; host < known->second.direct; ++host) {
      if (led_to.insert(known->second.hosts[host]).second) open.push_back(known->second.hosts[host]);
    }
  }
  auto is_there = [&](DefinitionId place) { return led_to.contains(place); };
  return is_there(other) || std::ranges::any_of(hosts(other), is_there);
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

void Dataflow::AddResultUses(ComputationId computation, const DataflowContext& context) {
  InstrId root = module_.root(computation);
  auto reads = context.result_reads.find(computation);
  for (int32_t leaf = 0; leaf < ArrayLeafCount(module_.shape(root)); ++leaf) {
    const Resolved& resolved = value(root, leaf);
    DefinitionUse use{.node = node_count(), .leaf = leaf};
    if (reads != context.result_reads.end() && resolved.box.whole) use.bytes = reads->second[static_cast<size_t>(leaf)];
    Use(resolved, std::move(use));
  }
}

void Dataflow::AddSharedUses(ComputationId computation, const DataflowContext& context) {
  auto parameter = [&](int32_t leaf) {
    return value(module_.computation(computation).parameters.at(0), leaf).definition;
  };
  auto leaders = context.parameter_leaders.find(computation);
  for (size_t leaf = 0; leaders != context.parameter_leaders.end() && leaf < leaders->second.size(); ++leaf) {
    if (leaders->second[leaf] >= 0) Share(parameter(static_cast<int32_t>(leaf)), parameter(leaders->second[leaf]));
  }
  auto guests = context.parameter_guests.find(computation);
  if (guests == context.parameter_guests.end()) return;
  for (const auto& [guest, host] : guests->second) {
    Share(parameter(guest), parameter(host));
    shared_.insert({parameter(guest), parameter(host)});
  }
}

void Dataflow::ShareThroughPointers() {
  std::vector<DefinitionId> pointers, others;
  for (const auto& [pointer, places] : pointers_) {
    pointers.push_back(pointer);
    for (DefinitionId host : places.hosts) {
      if (!is_pointer(host) && std::ranges::find(others, host) == others.end()) others.push_back(host);
    }
  }
  for (size_t number = 0; number < pointers.size(); ++number) {
    others.insert(others.end(), pointers.begin(), pointers.begin() + static_cast<std::ptrdiff_t>(number));
    for (DefinitionId other : others) {
      if (!MayShareBytes(pointers[number], other)) continue;
      Share(pointers[number], other);
      Share(other, pointers[number]);
      shared_.insert({pointers[number], other});
    }
    others.resize(others.size() - number);
  }
}

// The guest's uses need the host's bytes.
void Dataflow::Share(DefinitionId guest, DefinitionId host) {
  for (const DefinitionUse& use : uses_[guest]) {
    shared_uses_[host].push_back({guest, use});
    last_use_[host] = std::max(last_use_[host], use.node);
  }
}

void Dataflow::Use(const Resolved& value, DefinitionUse use) {
  last_use_[value.definition] = std::max(last_use_[value.definition], use.node);
  uses_[value.definition].push_back(std::move(use));
}

}  // namespace stead::analysis
