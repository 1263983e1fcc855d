#include "ir/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <utility>

namespace stead::ir {
namespace {

std::string TakeName(std::unordered_map<std::string, int>& taken, const std::string& base) {
  auto [entry, fresh] = taken.try_emplace(base, 1);
  if (fresh) return base;
  // "add.3" grows "add.4", not "add.3.1": strip a numeric suffix before counting on.
  std::string stem = base;
  size_t dot = stem.rfind('.');
  if (dot != std::string::npos && dot + 1 < stem.size() &&
      stem.find_first_not_of("0123456789", dot + 1) == std::string::npos) {
    stem.resize(dot);
  }
  int& next = taken[stem];
  for (;;) {
    std::string candidate = fmt::format("{}.{}", stem, ++next);
    if (taken.try_emplace(candidate, 1).second) return candidate;
  }
}

}  // namespace

std::vector<ComputationId> Module::ComputationsPostOrder() const {
  std::vector<ComputationId> order;
  std::unordered_set<ComputationId> seen;
  struct Visit {
    ComputationId id;
    bool leaving;
  };
  // Explicit stack: a hostile module may nest calls deeper than the machine's.
  std::vector<Visit> stack;
  if (entry.valid()) stack.push_back({entry, false});
  while (!stack.empty()) {
    Visit visit = stack.back();
    stack.pop_back();
    if (visit.leaving) {
      order.push_back(visit.id);
      continue;
    }
    if (!seen.insert(visit.id).second) continue;
    stack.push_back({visit.id, true});
    // Last callee first onto the stack, so that the first one is visited first and texts keep their order.
    for (InstrId id : std::views::reverse(computations_[visit.id].instructions)) {
      for (ComputationId callee : std::views::reverse(instructions_[id].called)) {
        if (!seen.contains(callee)) stack.push_back({callee, false});
      }
    }
  }
  return order;
}

SourcePlace Module::SourceOf(InstrId id) const {
  const Instruction& instruction = instructions_[id];
  const Metadata& metadata = instruction.metadata;
  if (!metadata.source_file.empty()) {
    // The StableHLO import has the place there too, with its column.
    const SourcePlace& text_place = instruction.text_place;
    bool is_same = text_place.file == metadata.source_file && text_place.line == metadata.source_line;
    return is_same ? text_place : SourcePlace{metadata.source_file, metadata.source_line, 0};
  }
  size_t frame = static_cast<size_t>(metadata.stack_frame_id);
  if (frame >= 1 && frame <= stack_frames.frames.size()) {
    size_t location = static_cast<size_t>(stack_frames.frames[frame - 1].file_location_id);
    if (location >= 1 && location <= stack_frames.locations.size()) {
      const StackFrames::Location& found = stack_frames.locations[location - 1];
      size_t file = static_cast<size_t>(found.file_name_id);
      if (file >= 1 && file <= stack_frames.file_names.size()) {
        return {stack_frames.file_names[file - 1], found.line, found.column};
      }
    }
  }
  return instruction.text_place;
}

bool Module::IsDonated(int64_t parameter, const ShapeIndex& index) const {
  for (const InputOutputAlias& alias : input_output_aliases) {
    if (alias.parameter == parameter && alias.parameter_index == index) return true;
  }
  return std::ranges::find(buffer_donors, BufferDonor{parameter, index}) != buffer_donors.end();
}

ComputationId Module::AddComputation(std::string name) {
  Computation computation;
  computation.name = TakeName(computation_names_, name);
  return computations_.Add(std::move(computation));
}

InstrId Module::Store(ComputationId computation, Instruction instruction) {
  instruction.computation = computation;
  instruction.name =
      UniqueName(instruction.name.empty() ? std::string(OpcodeName(instruction.opcode)) : instruction.name);
  for (InstrId operand : instruction.operands) {
    STEAD_CHECK(instructions_[operand].computation == computation && !instructions_[operand].erased, instruction.name);
  }
  std::vector<InstrId> predecessors = std::exchange(instruction.control_predecessors, {});
  InstrId id = instructions_.Add(std::move(instruction));
  users_.Add({});
  control_successors_.Add({});
  AddUses(id);
  SetControlPredecessors(id, std::move(predecessors));
  const Instruction& stored = instructions_[id];
  if (stored.opcode == Opcode::kParameter) {
    std::vector<InstrId>& parameters = computations_[computation].parameters;
    size_t number = static_cast<size_t>(stored.As<ParameterAttributes>().number);
    if (parameters.size() <= number) parameters.resize(number + 1);
    parameters[number] = id;
  }
  return id;
}

InstrId Module::Add(ComputationId computation, Instruction instruction) {
  InstrId id = Store(computation, std::move(instruction));
  computations_[computation].instructions.push_back(id);
  return id;
}

InstrId Module::AddBefore(InstrId position, Instruction instruction) {
  ComputationId computation = instructions_[position].computation;
  InstrId id = Store(computation, std::move(instruction));
  std::vector<InstrId>& list = computations_[computation].instructions;
  list.insert(std::ranges::find(list, position), id);
  return id;
}

InstrId Module::AddCopyBefore(InstrId position, InstrId operand, CopyReason reason) {
  Instruction copy;
  copy.opcode = Opcode::kCopy;
  copy.name = "copy";
  copy.shape = instructions_[operand].shape;
  copy.operands = {operand};
  copy.attributes = CopyAttributes{reason};
  copy.metadata = instructions_[operand].metadata;
  copy.text_place = instructions_[operand].text_place;
  return AddBefore(position, std::move(copy));
}

void Module::SetRoot(ComputationId computation, InstrId root) {
  STEAD_CHECK(instructions_[root].computation == computation);
  computations_[computation].root = root;
  ++revision_;
}

void Module::SetOperand(InstrId user, size_t number, InstrId operand) {
  std::vector<InstrId> operands = instructions_[user].operands;
  operands.at(number) = operand;
  SetOperands(user, std::move(operands));
}

void Module::SetOperands(InstrId user, std::vector<InstrId> operands) {
  DropUses(user);
  instructions_[user].operands = std::move(operands);
  AddUses(user);
  ++revision_;
}

void Module::SetShape(InstrId id, Shape shape) {
  instructions_[id].shape = std::move(shape);
  ++revision_;
}

void Module::SetAttributes(InstrId id, Attributes attributes) {
  instructions_[id].attributes = std::move(attributes);
  ++revision_;
}

void Module::SetCalled(InstrId id, std::vector<ComputationId> called) {
  instructions_[id].called = std::move(called);
  ++revision_;
}

void Module::SetControlPredecessors(InstrId id, std::vector<InstrId> predecessors) {
  for (InstrId predecessor : instructions_[id].control_predecessors) std::erase(control_successors_[predecessor], id);
  instructions_[id].control_predecessors = std::move(predecessors);
  for (InstrId predecessor : instructions_[id].control_predecessors) {
    std::vector<InstrId>& successors = control_successors_[predecessor];
    if (std::ranges::find(successors, id) == successors.end()) successors.push_back(id);
  }
  ++revision_;
}

void Module::SetExtra(InstrId id, std::vector<ExtraAttribute> extra) {
  instructions_[id].extra = std::move(extra);
  ++revision_;
}

void Module::SetMetadata(InstrId id, Metadata metadata) {
  instructions_[id].metadata = std::move(metadata);
  ++revision_;
}

void Module::SetExecutionThread(ComputationId id, std::string thread) {
  computations_[id].execution_thread = std::move(thread);
  ++revision_;
}

void Module::SwapNames(InstrId left, InstrId right) {
  std::swap(instructions_[left].name, instructions_[right].name);
  ++revision_;
}

void Module::ReplaceAllUses(InstrId old_id, InstrId new_id) {
  std::vector<InstrId> users = users_[old_id];
  for (InstrId user : users) {
    if (user == new_id) continue;
    std::vector<InstrId> operands = instructions_[user].operands;
    std::ranges::replace(operands, old_id, new_id);
    SetOperands(user, std::move(operands));
  }
  std::vector<InstrId> successors = control_successors_[old_id];
  for (InstrId successor : successors) {
    if (successor == new_id) continue;
    std::vector<InstrId> predecessors = instructions_[successor].control_predecessors;
    std::ranges::replace(predecessors, old_id, new_id);
    SetControlPredecessors(successor, std::move(predecessors));
  }
  Computation& computation = computations_[instructions_[old_id].computation];
  if (computation.root == old_id) computation.root = new_id;
  ++revision_;
}

// Takes an instruction out of every table but its computation's list. Whoever had to wait for it now waits for what it waited
// for: its control predecessors and its operands.
void Module::Disconnect(InstrId id) {
  Instruction& instruction = instructions_[id];
  STEAD_CHECK(users_[id].empty() && computations_[instruction.computation].root != id, instruction.name);
  std::vector<InstrId> awaited = instruction.control_predecessors;
  for (InstrId operand : instruction.operands) {
    Opcode opcode = instructions_[operand].opcode;
    // Parameters and constants are there from the start.
    if (opcode != Opcode::kParameter && opcode != Opcode::kConstant) awaited.push_back(operand);
  }
  std::vector<InstrId> successors = control_successors_[id];
  for (InstrId successor : successors) {
    std::vector<InstrId> predecessors = instructions_[successor].control_predecessors;
    std::erase(predecessors, id);
    for (InstrId inherited : awaited) {
      if (std::ranges::find(predecessors, inherited) == predecessors.end()) predecessors.push_back(inherited);
    }
    SetControlPredecessors(successor, std::move(predecessors));
  }
  SetControlPredecessors(id, {});
  SetOperands(id, {});
  instruction.erased = true;
}

void Module::Erase(InstrId id) {
  Disconnect(id);
  std::erase(computations_[instructions_[id].computation].instructions, id);
}

void Module::EraseAll(const std::vector<InstrId>& ids) {
  if (ids.empty()) return;
  ComputationId computation = instructions_[ids.front()].computation;
  for (InstrId id : ids) {
    STEAD_CHECK(instructions_[id].computation == computation, instructions_[id].name);
    Disconnect(id);
  }
  std::erase_if(computations_[computation].instructions, [&](InstrId id) { return instructions_[id].erased; });
}

void Module::MoveBefore(InstrId before, const std::vector<InstrId>& group,
                        const std::unordered_map<InstrId, InstrId>& replaced) {
  ComputationId target = instructions_[before].computation;
  const std::vector<InstrId>& list = computations_[target].instructions;
  Move(target, static_cast<size_t>(std::ranges::find(list, before) - list.begin()), group, replaced);
}

void Module::MoveToEnd(ComputationId target, const std::vector<InstrId>& group,
                       const std::unordered_map<InstrId, InstrId>& replaced) {
  Move(target, computations_[target].instructions.size(), group, replaced);
}

void Module::Move(ComputationId target, size_t position, const std::vector<InstrId>& group,
                  const std::unordered_map<InstrId, InstrId>& replaced) {
  if (group.empty()) return;
  std::vector<InstrId>& source_list = computations_[instructions_[group.front()].computation].instructions;
  STEAD_CHECK(instructions_[group.front()].computation != target);
  for (InstrId id : group) instructions_[id].computation = target;
  std::erase_if(source_list, [&](InstrId id) { return instructions_[id].computation == target; });
  for (InstrId id : group) {
    std::vector<InstrId> operands = instructions_[id].operands;
    for (InstrId& operand : operands) {
      if (auto found = replaced.find(operand); found != replaced.end()) operand = found->second;
      STEAD_CHECK(instructions_[operand].computation == target, instructions_[id].name);
    }
    SetOperands(id, std::move(operands));
    auto leaves = [&](InstrId other) { return instructions_[other].computation != target; };
    std::vector<InstrId> predecessors = instructions_[id].control_predecessors;
    std::erase_if(predecessors, leaves);
    SetControlPredecessors(id, std::move(predecessors));
    std::vector<InstrId> successors = control_successors_[id];
    std::erase_if(successors, [&](InstrId other) { return !leaves(other); });
    for (InstrId successor : successors) {
      std::vector<InstrId> remaining = instructions_[successor].control_predecessors;
      std::erase(remaining, id);
      SetControlPredecessors(successor, std::move(remaining));
    }
  }
  std::vector<InstrId>& list = computations_[target].instructions;
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(position), group.begin(), group.end());
}

void Module::Reorder(ComputationId computation, std::vector<InstrId> order) {
  std::vector<InstrId> before = computations_[computation].instructions;
  std::vector<InstrId> after = order;
  std::ranges::sort(before);
  std::ranges::sort(after);
  STEAD_CHECK(before == after);
  computations_[computation].instructions = std::move(order);
  ++revision_;
}

std::string Module::UniqueName(const std::string& base) { return TakeName(names_, base); }

// An operand that stands twice in the list counts its user once.
void Module::AddUses(InstrId user) {
  for (InstrId operand : instructions_[user].operands) {
    std::vector<InstrId>& users = users_[operand];
    // Nobody else is added meanwhile, so an operand that was met before has it last.
    if (users.empty() || users.back() != user) users.push_back(user);
  }
}

void Module::DropUses(InstrId user) {
  for (InstrId operand : instructions_[user].operands) std::erase(users_[operand], user);
}

}  // namespace stead::ir
