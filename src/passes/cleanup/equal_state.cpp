#include "passes/cleanup/equal_state.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/tuple_elements.h"

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
    next_ = module_.root(loop.called[1]);
    init_ = loop.operands[0];
    auto tested = ReadersByElement(module_, condition_parameter_), state = ReadersByElement(module_, body_parameter_),
         results = ReadersByElement(module_, loop_);
    bool plain =
        module_.instruction(init_).opcode == Opcode::kTuple && module_.instruction(next_).opcode == Opcode::kTuple;
    if (!plain || !tested || !state || !results) return false;
    state_ = *std::move(state);
    bool merged = false;
    for (size_t second = 1; second < state_.size(); ++second) {
      for (size_t first = 0; first < second; ++first) {
        bool is_read = !state_[second].empty() || !(*tested)[second].empty() || !(*results)[second].empty();
        if (!is_read || !AreEqual(first, second)) continue;
        ReadInstead((*tested)[second], condition_parameter_, first);
        ReadInstead((*results)[second], loop_, first);
        std::vector<InstrId> readers = state_[second];
        ReadInstead(readers, body_parameter_, first);
        // From here on the element only makes its own next value.
        module_.SetOperand(next_, second, module_.operand(next_, first));
        merged = true;
        break;
      }
    }
    return merged;
  }

 private:
  bool AreEqual(size_t first, size_t second) const {
    InstrId start = module_.operand(init_, first), other_start = module_.operand(init_, second);
    if (!(module_.shape(start) == module_.shape(other_start))) return false;
    if (start != other_start && !IsSameConstant(module_, start, other_start)) return false;
    return Congruent(module_.operand(next_, first), module_.operand(next_, second), first, second, kMaxEqualDepth);
  }

  // The values are equal if elements `first` and `second` of the state are.
  bool Congruent(InstrId left, InstrId right, size_t first, size_t second, int depth) const {
    if (left == right) return true;
    if (Takes(left, first) && Takes(right, second)) return true;
    const Instruction& one = module_.instruction(left);
    const Instruction& other = module_.instruction(right);
    if (IsSameConstant(module_, left, right)) return true;
    if (depth == 0 || one.opcode != other.opcode || !ir::IsElementwise(one.opcode) || !(one.shape == other.shape))
      return false;
    if (!(one.attributes == other.attributes) || one.operands.size() != other.operands.size()) return false;
    for (size_t number = 0; number < one.operands.size(); ++number) {
      if (!Congruent(one.operands[number], other.operands[number], first, second, depth - 1)) return false;
    }
    return true;
  }

  bool Takes(InstrId id, size_t element) const { return std::ranges::count(state_[element], id) > 0; }

  void ReadInstead(const std::vector<InstrId>& readers, InstrId tuple, size_t element) {
    for (InstrId reader : readers) {
      Builder build(module_, reader);
      InstrId instead = build.TupleElement(tuple, static_cast<int64_t>(element));
      Replace(module_, reader, instead);
      if (tuple == body_parameter_) state_[element].push_back(instead);
    }
  }

  ir::Module& module_;
  InstrId loop_, init_, next_, condition_parameter_, body_parameter_;
  std::vector<std::vector<InstrId>> state_;  // what takes each element of the body's parameter
};

}  // namespace

Result<PassReport> MergeEqualState(ir::Module& module) {
  bool changed = false;
  for (ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kWhile) changed |= LoopState(module, id).Merge();
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
