// Rules of choices that are known before the program runs: select, conditional, while.
#include <algorithm>
#include <vector>

#include "passes/rewrite/splice.h"
#include "passes/simplify/rules.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

InstrId SelectKnown(Builder& build, const Instruction& select) {
  std::optional<int64_t> predicate = KnownInteger(build.module(), select.operands[0]);
  return predicate ? select.operands[*predicate != 0 ? 1 : 2] : kNoValue;
}

InstrId SelectSame(Builder&, const Instruction& select) {
  return select.operands[1] == select.operands[2] ? select.operands[1] : kNoValue;
}

InstrId SelectNot(Builder& build, const Instruction& select) {
  const Instruction& predicate = build.module().instruction(select.operands[0]);
  if (predicate.opcode != Opcode::kNot) return kNoValue;
  return build.Select(predicate.operands[0], select.operands[2], select.operands[1]);
}

// The branch that a known predicate or index takes: the last one stands for every index outside.
std::optional<size_t> KnownBranch(Builder& build, const Instruction& conditional) {
  std::optional<int64_t> known = KnownInteger(build.module(), conditional.operands[0]);
  if (!known) return std::nullopt;
  size_t last = conditional.called.size() - 1;
  bool by_predicate = build.module().shape(conditional.operands[0]).element_type == ir::ElementType::kPred;
  if (by_predicate) return *known != 0 ? 0 : 1;
  return *known < 0 || *known > static_cast<int64_t>(last) ? last : static_cast<size_t>(*known);
}

// The branch is copied: the conditional still holds it until it is swept.
InstrId TakeKnownBranch(Builder& build, const Instruction& conditional) {
  std::optional<size_t> branch = KnownBranch(build, conditional);
  if (!branch) return kNoValue;
  ir::ComputationId copy = CloneComputation(build.module(), conditional.called[*branch]);
  return Splice(build.module(), build.position(), copy, {conditional.operands[*branch + 1]});
}

InstrId LoopThatNeverRuns(Builder& build, const Instruction& loop) {
  InstrId condition = build.module().root(loop.called[0]);
  return KnownInteger(build.module(), condition) == 0 ? loop.operands[0] : kNoValue;
}

constexpr Rule kChoiceRules[] = {
    {Opcode::kSelect, SelectKnown},          {Opcode::kSelect, SelectSame},       {Opcode::kSelect, SelectNot},
    {Opcode::kConditional, TakeKnownBranch}, {Opcode::kWhile, LoopThatNeverRuns},
};

}  // namespace

std::span<const Rule> ChoiceRules() { return kChoiceRules; }

}  // namespace stead::passes
