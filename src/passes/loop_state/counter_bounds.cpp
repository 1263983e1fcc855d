#include "passes/loop_state/counter_bounds.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analysis/index_value.h"
#include "passes/rewrite/build.h"

namespace stead::passes {
namespace {

using analysis::IndexValue;
using analysis::LoopCounter;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

// Numbers beyond this could wrap around in 32 bits.
constexpr int64_t kNumberLimit = int64_t{1} << 30;

struct Ends {
  int64_t first = 0, last = 0;  // in the first and the last iteration; everything between lies between
};

class Body {
 public:
  Body(ir::Module& module, InstrId loop) : module_(module), counters_(analysis::CountersOf(module, loop)) {
    ir::ComputationId body = module.instruction(loop).called[1];
    parameter_ = module.computation(body).parameters[0];
    list_ = module.computation(body).instructions;
  }

  bool Decide() {
    bool changed = false;
    for (InstrId id : list_) {
      if (counters_.empty() || module_.instruction(id).opcode != Opcode::kCompare) continue;
      std::optional<bool> outcome = OutcomeOf(module_.instruction(id));
      if (!outcome) continue;
      Builder build(module_, id);
      changed |= Replace(module_, id, build.Integer(ir::ElementType::kPred, *outcome ? 1 : 0));
    }
    return changed;
  }

 private:
  std::optional<Ends> EndsOf(InstrId scalar) const {
    const ir::Shape& shape = module_.shape(scalar);
    if (!shape.is_scalar() || !ir::IsSigned(shape.element_type) || ir::ElementBits(shape.element_type) < 32)
      return std::nullopt;
    IndexValue value = analysis::IndexValueOf(module_, scalar);
    if (value.factor == 0) return Ends{value.addend, value.addend};
    auto counter = std::ranges::find(counters_, value.element, &LoopCounter::element);
    if (value.value != parameter_ || counter == counters_.end() || counter->trips < 1) return std::nullopt;
    __int128 first = static_cast<__int128>(value.factor) * counter->start + value.addend;
    __int128 last = first + static_cast<__int128>(value.factor) * counter->step * (counter->trips - 1);
    if (std::max(first, last) >= kNumberLimit || std::min(first, last) <= -kNumberLimit) return std::nullopt;
    return Ends{static_cast<int64_t>(first), static_cast<int64_t>(last)};
  }

  std::optional<bool> OutcomeOf(const Instruction& compare) const {
    std::optional<Ends> left = EndsOf(compare.operands[0]), right = EndsOf(compare.operands[1]);
    if (!left || !right) return std::nullopt;
    // The difference grows or falls evenly from the first iteration to the last.
    int64_t first = left->first - right->first, last = left->last - right->last;
    int64_t least = std::min(first, last), most = std::max(first, last);
    using Direction = ir::CompareAttributes::Direction;
    auto decided = [](bool always, bool never) { return always || never ? std::optional(always) : std::nullopt; };
    switch (compare.As<ir::CompareAttributes>().direction) {
      case Direction::kLt: return decided(most < 0, least >= 0);
      case Direction::kLe: return decided(most <= 0, least > 0);
      case Direction::kGt: return decided(least > 0, most <= 0);
      case Direction::kGe: return decided(least >= 0, most < 0);
      case Direction::kEq: return decided(least == 0 && most == 0, least > 0 || most < 0);
      case Direction::kNe: return decided(least > 0 || most < 0, least == 0 && most == 0);
    }
    return std::nullopt;
  }

  ir::Module& module_;
  std::vector<LoopCounter> counters_;
  InstrId parameter_;
  std::vector<InstrId> list_;
};

}  // namespace

Result<PassReport> DecideCounterBounds(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kWhile) changed |= Body(module, id).Decide();
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
