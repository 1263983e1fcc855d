#include "passes/loop_state/hoist_invariants.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/fusion/costs.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/loop_elements.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

constexpr int64_t kFewBytes = 64 << 10;

bool MovesElements(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kConvert: return true;
    default: return false;
  }
}

// Ops that may be done earlier, and once instead of many times. Those that write into an operand are not among them.
bool MayBeHoisted(const Instruction& instruction) {
  if (!instruction.shape.is_array() || !instruction.control_predecessors.empty()) return false;
  if (ir::IsElementwise(instruction.opcode) || MovesElements(instruction.opcode)) return true;
  switch (instruction.opcode) {
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kGather:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kDot:
    case Opcode::kConvolution: return true;
    default: return false;
  }
}

// What an invariant value of the body is made from.
struct Cone {
  bool does_work = false;  // more than moving elements
  bool is_dear = false;
  int64_t source_bytes = 0;  // of the arrays of the state that it reads
  std::unordered_set<InstrId> sources;
};

class InvariantHoister {
 public:
  InvariantHoister(ir::Module& module, LoopElements loop)
      : module_(module), loop_(std::move(loop)), before_(module_, loop_) {}

  bool Hoist() {
    const Instruction& loop = module_.instruction(loop_.loop);
    const ir::ComputationId body = loop.called[1];
    for (size_t element = 0; element < loop_.size(); ++element) {
      if (!loop_.IsHandedOn(module_, element)) continue;
      for (InstrId reader : loop_.state[element]) AddSource(reader);
    }
    for (InstrId id : module_.computation(body).instructions) AddInvariant(id);
    std::vector<InstrId> chosen;
    for (InstrId id : module_.computation(body).instructions) {
      if (cones_.contains(id) && IsWorthIt(id)) chosen.push_back(id);
    }
    if (chosen.empty()) return false;
    HandIn(chosen);
    return true;
  }

 private:
  void AddSource(InstrId reader) {
    if (!module_.shape(reader).is_array()) return;
    Cone& cone = cones_[reader];
    cone.sources = {reader};
  }

  void AddInvariant(InstrId id) {
    const Instruction& made = module_.instruction(id);
    if (cones_.contains(id) || !MayBeHoisted(made) || !module_.control_successors(id).empty()) return;
    if (!std::ranges::all_of(made.operands, [&](InstrId operand) { return cones_.contains(operand); })) return;
    Cone cone;
    for (InstrId operand : made.operands) {
      const Cone& from = cones_.at(operand);
      cone.does_work |= from.does_work;
      cone.is_dear |= from.is_dear;
      cone.sources.insert(from.sources.begin(), from.sources.end());
    }
    const bool moves = MovesElements(made.opcode) || IsFree(module_, id);
    const bool computes = !moves && (made.shape.element_count() > 1 || made.opcode == Opcode::kReduce);
    cone.does_work |= computes;
    cone.is_dear |=
        computes && (IsExpensive(made.opcode) || !MayBeInside(module_, id) || made.opcode == Opcode::kReduce);
    for (InstrId source : cone.sources) cone.source_bytes += module_.shape(source).byte_size();
    cones_[id] = std::move(cone);
  }

  bool IsWorthIt(InstrId id) const {
    const Cone& cone = cones_.at(id);
    const ir::Shape& shape = module_.shape(id);
    if (!cone.does_work || (shape.element_count() < 2 && !cone.is_dear)) return false;
    if (shape.byte_size() > std::max(kFewBytes, cone.source_bytes)) return false;
    bool is_wanted = false;
    for (InstrId user : module_.users(id)) {
      if (cones_.contains(user) || user == loop_.next) continue;
      const bool needs_memory = !MayBeInside(module_, user) && !MayBeRoot(module_, user);
      is_wanted |= needs_memory || cone.is_dear;
    }
    return is_wanted;
  }

  // Elements are added to the state, handed on by the body as they are.
  void HandIn(const std::vector<InstrId>& chosen) {
    const Instruction loop = module_.instruction(loop_.loop);
    const InstrId state = module_.computation(loop.called[1]).parameters[0];
    const InstrId tested = module_.computation(loop.called[0]).parameters[0];
    ir::Shape shape = loop.shape;
    std::vector<InstrId> init = module_.instruction(loop_.init).operands;
    std::vector<InstrId> next = module_.instruction(loop_.next).operands;
    for (InstrId id : chosen) {
      init.push_back(before_.Of(id));
      shape.elements.push_back(module_.shape(id));
    }
    module_.SetShape(state, shape);
    module_.SetShape(tested, shape);
    for (size_t number = 0; number < chosen.size(); ++number) {
      const int64_t element = static_cast<int64_t>(loop_.size() + number);
      const InstrId reader = Builder(module_, chosen[number]).TupleElement(state, element);
      next.push_back(reader);
      Replace(module_, chosen[number], reader);
    }
    module_.SetShape(loop_.next, shape);
    module_.SetOperands(loop_.next, std::move(next));
    module_.SetOperand(loop_.loop, 0, Builder(module_, loop_.loop).Op(Opcode::kTuple, shape, std::move(init)));
    module_.SetShape(loop_.loop, shape);
  }

  ir::Module& module_;
  LoopElements loop_;
  ValuesBeforeLoop before_;
  std::unordered_map<InstrId, Cone> cones_;  // of invariant values
};

}  // namespace

Result<PassReport> HoistInvariants(ir::Module& module) {
  bool changed = false;
  const auto callers = CountCallers(module);
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      const Instruction& loop = module.instruction(id);
      if (loop.opcode != Opcode::kWhile || callers[loop.called[0]] != 1 || callers[loop.called[1]] != 1) continue;
      if (auto elements = LoopElements::Of(module, id))
        changed |= InvariantHoister(module, *std::move(elements)).Hoist();
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
