#include "passes/expand/random.h"

#include <algorithm>

#include "ir/random_blocks.h"
#include "passes/expand/distribution.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

bool NeedsOnlyState(const ir::Module& module, InstrId generator) {
  const auto& users = module.users(generator);
  return generator != module.computation(module.instruction(generator).computation).root &&
         std::ranges::all_of(users, [&](InstrId user) {
           const ir::Instruction& element = module.instruction(user);
           return element.opcode == Opcode::kGetTupleElement && element.As<ir::TupleElementAttributes>().index == 0;
         });
}

// The next state is the state with its counter moved on, whatever the bits are.
bool CountOn(ir::Module& module, InstrId id) {
  const ir::Instruction generator = module.instruction(id);
  const auto blocks = ir::RandomBlocksOf(module, generator);
  if (!blocks || !NeedsOnlyState(module, id)) return false;
  Builder build(module, id);
  const Shape word = Shape::Array(ElementType::kU64, {1});
  const InstrId state = generator.operands[0];
  const auto state_word = [&](int64_t number) { return build.Slice(state, {number}, {1}); };
  const InstrId number = build.Splat(build.Integer(ElementType::kU64, blocks->count), {1});
  const InstrId low = build.Op(Opcode::kAdd, word, {state_word(1), number});
  std::vector<InstrId> words = {state_word(0), low};
  if (blocks->has_wide_state) {
    const InstrId carry = build.Compare(ir::CompareAttributes::Direction::kLt, low, number);
    words.push_back(build.Op(Opcode::kAdd, word, {state_word(2), build.Op(Opcode::kConvert, word, {carry})}));
  }
  const InstrId next = build.Op(Opcode::kConcatenate, module.shape(state), words, ir::DimensionsAttributes{{0}});
  const std::vector<InstrId> users(module.users(id).begin(), module.users(id).end());
  for (InstrId user : users) Forward(module, user, next);
  return true;
}

}  // namespace

Result<PassReport> ExpandRandom(ir::Module& module) {
  bool changed = false;
  uint64_t distribution_count = 0;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      const Opcode opcode = module.instruction(id).opcode;
      if (opcode == Opcode::kRngBitGenerator) changed |= CountOn(module, id);
      if (opcode == Opcode::kRng) changed |= ExpandDistribution(module, id, ++distribution_count);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
