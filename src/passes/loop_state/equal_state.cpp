#include "passes/loop_state/equal_state.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/trip_count.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/loop_elements.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

constexpr int kMaxEqualDepth = 8;  // of expressions that are compared

bool IsSameConstant(const ir::Module& module, InstrId left, InstrId right) {
  const Instruction& one = module.instruction(left);
  const Instruction& other = module.instruction(right);
  if (one.opcode != Opcode::kConstant || other.opcode != Opcode::kConstant || !(one.shape == other.shape)) return false;
  const ir::Literal& literal = one.As<ir::Literal>();
  return one.shape.is_scalar() && !literal.elided() && literal.SameBits(other.As<ir::Literal>());
}

class LoopState {
 public:
  LoopState(ir::Module& module, InstrId loop) : module_(module), loop_(loop) {}

  bool Merge() {
    const Instruction& loop = module_.instruction(loop_);
    condition_parameter_ = module_.computation(loop.called[0]).parameters[0];
    body_parameter_ = module_.computation(loop.called[1]).parameters[0];
    auto elements = LoopElements::Of(module_, loop_);
    if (!elements) return false;
    auto& [_, init, next, tested, state, results] = *elements;
    init_ = init;
    next_ = next;
    state_ = std::move(state);
    for (size_t element = 0; element < state_.size(); ++element) {
      for (InstrId reader : state_[element]) element_of_[reader] = element;
    }
    FindClasses();
    bool merged = ReadOneResult(results);
    for (size_t element = 0; element < state_.size(); ++element) {
      const size_t first = class_of_[element];
      bool is_read = !state_[element].empty() || !tested[element].empty() || !results[element].empty();
      if (first == element || !is_read) continue;
      ReadInstead(tested[element], condition_parameter_, first);
      ReadInstead(results[element], loop_, first);
      std::vector<InstrId> readers = state_[element];
      ReadInstead(readers, body_parameter_, first);
      // From here on the element only makes its own next value.
      module_.SetOperand(next_, element, module_.operand(next_, first));
      merged = true;
    }
    return merged;
  }

 private:
  // Of results that the last iteration makes alike, however they started, the first is read. RETURNS whether any was read instead of
  // another. Elements of one class are merged as a whole.
  bool ReadOneResult(std::vector<std::vector<InstrId>>& results) {
    if (analysis::TripCount(module_, loop_).value_or(0) < 1) return false;
    std::map<std::pair<bool, size_t>, size_t>
        first_of;  // what is handed on: an instruction, or the class of an element
    bool changed = false;
    for (size_t element = 0; element < state_.size(); ++element) {
      InstrId next = module_.operand(next_, element);
      auto taken = element_of_.find(next);
      std::pair<bool, size_t> key{taken == element_of_.end(), next.index()};
      if (taken != element_of_.end()) key.second = class_of_[taken->second];
      auto [first, is_new] = first_of.try_emplace(key, element);
      if (is_new || results[element].empty()) continue;
      for (InstrId reader : results[element]) {
        Builder build(module_, reader);
        InstrId instead = build.TupleElement(loop_, static_cast<int64_t>(first->second));
        Replace(module_, reader, instead);
        results[first->second].push_back(instead);
      }
      results[element].clear();
      changed = true;
    }
    return changed;
  }

  // Elements of one class start equal, and stay so if all of the class do. Begins with those that start equal, and splits classes
  // until each makes its next values alike.
  void FindClasses() {
    class_of_.resize(state_.size());
    Split([&](size_t first, size_t element) { return StartEqual(first, element); });
    for (bool is_stable = false; !is_stable;) {
      is_stable = !Split([&](size_t first, size_t element) {
        return Congruent(module_.operand(next_, first), module_.operand(next_, element), kMaxEqualDepth);
      });
    }
  }

  // Each class falls into those that `agree` with its first element, those that agree with the first of the rest, and so on.
  template <typename Agree>
  bool Split(Agree agree) {
    std::vector<size_t> next(class_of_.size());
    std::map<size_t, std::vector<size_t>> firsts;  // per class: the first elements of its parts
    for (size_t element = 0; element < class_of_.size(); ++element) {
      std::vector<size_t>& parts = firsts[class_of_[element]];
      auto part = std::ranges::find_if(parts, [&](size_t first) { return agree(first, element); });
      next[element] = part == parts.end() ? element : *part;
      if (part == parts.end()) parts.push_back(element);
    }
    bool changed = next != class_of_;
    class_of_ = std::move(next);
    return changed;
  }

  bool StartEqual(size_t first, size_t second) const {
    InstrId start = module_.operand(init_, first), other_start = module_.operand(init_, second);
    if (!(module_.shape(start) == module_.shape(other_start))) return false;
    return start == other_start || IsSameConstant(module_, start, other_start);
  }

  // The values are equal if the elements of each class are.
  bool Congruent(InstrId left, InstrId right, int depth) const {
    if (left == right) return true;
    const Instruction& one = module_.instruction(left);
    const Instruction& other = module_.instruction(right);
    auto taken = element_of_.find(left), other_taken = element_of_.find(right);
    if (taken != element_of_.end() && other_taken != element_of_.end())
      return class_of_[taken->second] == class_of_[other_taken->second];
    if (IsSameConstant(module_, left, right)) return true;
    if (depth == 0 || one.opcode != other.opcode || !ir::IsElementwise(one.opcode) || !(one.shape == other.shape))
      return false;
    if (!(one.attributes == other.attributes) || one.operands.size() != other.operands.size()) return false;
    for (size_t number = 0; number < one.operands.size(); ++number) {
      if (!Congruent(one.operands[number], other.operands[number], depth - 1)) return false;
    }
    return true;
  }

  void ReadInstead(const std::vector<InstrId>& readers, InstrId tuple, size_t element) {
    for (InstrId reader : readers) {
      Builder build(module_, reader);
      InstrId instead = build.TupleElement(tuple, static_cast<int64_t>(element));
      Replace(module_, reader, instead);
    }
  }

  ir::Module& module_;
  InstrId loop_, init_, next_, condition_parameter_, body_parameter_;
  std::vector<std::vector<InstrId>> state_;         // what takes each element of the body's parameter
  std::unordered_map<InstrId, size_t> element_of_;  // the other way round
  std::vector<size_t> class_of_;                    // per element: the first of those that are always equal to it
};

// Reads one of several elements of a branch's operand that are one value. RETURNS whether any was read instead of another.
bool MergeEqualOperands(ir::Module& module, InstrId conditional) {
  bool changed = false;
  for (size_t branch = 0; branch < module.instruction(conditional).called.size(); ++branch) {
    const Instruction& given = module.instruction(module.operand(conditional, branch + 1));
    const ComputationId called = module.instruction(conditional).called[branch];
    if (given.opcode != Opcode::kTuple) continue;
    std::map<InstrId, int64_t> first_of;
    for (size_t element = 0; element < given.operands.size(); ++element)
      first_of.try_emplace(given.operands[element], static_cast<int64_t>(element));
    const std::vector<InstrId> given_values = given.operands;
    const InstrId parameter = module.computation(called).parameters[0];
    const std::vector<InstrId> readers = module.users(parameter);
    for (InstrId reader : readers) {
      if (module.instruction(reader).opcode != Opcode::kGetTupleElement) continue;
      const int64_t element = module.instruction(reader).As<ir::TupleElementAttributes>().index;
      const int64_t first = first_of.at(given_values[static_cast<size_t>(element)]);
      if (first == element) continue;
      Builder build(module, reader);
      InstrId instead = build.TupleElement(parameter, first);
      Replace(module, reader, instead);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<PassReport> MergeEqualState(ir::Module& module) {
  const IdVector<ComputationId, int> callers = CountCallers(module);
  bool changed = false;
  for (ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      // What one caller gives twice, another need not.
      auto is_shared = [&](ComputationId called) { return callers[called] > 1; };
      if (std::ranges::any_of(module.instruction(id).called, is_shared)) continue;
      if (module.instruction(id).opcode == Opcode::kWhile) changed |= LoopState(module, id).Merge();
      if (module.instruction(id).opcode == Opcode::kConditional) changed |= MergeEqualOperands(module, id);
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
