#include "passes/simplify/simplify.h"

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"
#include "passes/simplify/rules.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;

constexpr size_t kMaxApplicationsPerInstruction = 8;

class RuleTable {
 public:
  RuleTable() {
    for (std::span<const Rule> rules :
         {ArithmeticRules(), MovementRules(), WindowRules(), ChoiceRules(), ContractionRules()}) {
      for (const Rule& rule : rules) of_opcode_[static_cast<size_t>(rule.opcode)].push_back(rule.apply);
    }
    for (size_t opcode = 0; opcode < of_opcode_.size(); ++opcode) {
      if (ir::IsElementwise(static_cast<ir::Opcode>(opcode))) of_opcode_[opcode].push_back(ElementwiseOfFills);
    }
  }
  const std::vector<RuleFunction>& Of(ir::Opcode opcode) const { return of_opcode_[static_cast<size_t>(opcode)]; }

 private:
  std::array<std::vector<RuleFunction>, ir::kOpcodeCount> of_opcode_;
};

bool InRowMajor(const ir::Module& module, const Instruction& instruction) {
  auto fits = [](const ir::Shape& shape) { return !shape.is_array() || shape.is_row_major(); };
  return fits(instruction.shape) &&
         std::ranges::all_of(instruction.operands, [&](InstrId operand) { return fits(module.shape(operand)); });
}

class Simplifier {
 public:
  explicit Simplifier(ir::Module& module) : module_(module) {
    for (ir::ComputationId computation : module.ComputationsPostOrder()) {
      const std::vector<InstrId>& list = module.computation(computation).instructions;
      open_.insert(open_.end(), list.begin(), list.end());
    }
    applications_left_ = open_.size() * kMaxApplicationsPerInstruction;
  }

  void Run() {
    while (!open_.empty() && applications_left_ > 0) {
      InstrId id = open_.front();
      open_.pop_front();
      if (!module_.users(id).empty() || IsRoot(id)) SimplifyOne(id);
    }
  }

 private:
  ir::Module& module_;
  const RuleTable table_;
  std::deque<InstrId> open_;
  size_t applications_left_ = 0;

  bool IsRoot(InstrId id) const { return module_.root(module_.instruction(id).computation) == id; }

  void SimplifyOne(InstrId id) {
    const std::vector<RuleFunction>& rules = table_.Of(module_.instruction(id).opcode);
    if (rules.empty() || !InRowMajor(module_, module_.instruction(id))) return;
    const Instruction instruction = module_.instruction(id);
    Builder build(module_, id);
    for (RuleFunction rule : rules) {
      size_t count = module_.instruction_count();
      InstrId value = rule(build, instruction);
      if (!value.valid()) continue;
      bool is_new = value.index() >= count;
      if (!(is_new ? Replace(module_, id, value) : Forward(module_, id, value))) continue;
      // A sweep would keep a loop or branch for the sake of effects that the chosen value has already, or never has.
      if (ir::HasTrait(instruction.opcode, ir::kCalls)) module_.Erase(id);
      Revisit(count, value);
      --applications_left_;
      return;
    }
  }

  // What was made, and what now uses another operand, may fit a rule.
  void Revisit(size_t first_new, InstrId value) {
    for (size_t made = first_new; made < module_.instruction_count(); ++made) open_.push_back(InstrId(made));
    open_.insert(open_.end(), module_.users(value).begin(), module_.users(value).end());
  }
};

}  // namespace

Result<PassReport> Simplify(ir::Module& module) {
  uint64_t revision = module.revision();
  Simplifier(module).Run();
  bool changed = module.revision() != revision;
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
