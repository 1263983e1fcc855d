#include "analysis/trip_count.h"

#include <vector>

#include "analysis/window.h"

namespace stead::analysis {
namespace {

using ir::CompareAttributes;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

// An instruction seen through fusions: `fusions` are those entered on the way, outermost first.
struct Place {
  InstrId id;
  std::vector<InstrId> fusions;
};

// Follows what only renames or moves a scalar, into fusions and out of their parameters, to the op that makes it.
Place Trace(const Module& module, Place place) {
  for (;;) {
    const Instruction& instruction = module.instruction(place.id);
    switch (instruction.opcode) {
      case Opcode::kFusion:
        if (!instruction.shape.is_array()) return place;
        place.fusions.push_back(place.id);
        place.id = module.root(instruction.called[0]);
        break;
      case Opcode::kParameter:
        if (place.fusions.empty()) return place;
        place.id = module.operand(place.fusions.back(), instruction.As<ir::ParameterAttributes>().number);
        place.fusions.pop_back();
        break;
      case Opcode::kGetTupleElement: {
        const Instruction& source = module.instruction(instruction.operands[0]);
        if (source.opcode != Opcode::kTuple) return place;
        place.id = source.operands[instruction.As<ir::TupleElementAttributes>().index];
        break;
      }
      case Opcode::kCopy:
      case Opcode::kBitcast:
      case Opcode::kReshape: place.id = instruction.operands[0]; break;
      default: return place;
    }
  }
}

Place TraceOperand(const Module& module, const Place& user, size_t number) {
  return Trace(module, {module.operand(user.id, number), user.fusions});
}

// The state element that `place` is, when it is one of the computation's parameter.
std::optional<int64_t> StateElement(const Module& module, const Place& place) {
  const Instruction& instruction = module.instruction(place.id);
  if (instruction.opcode != Opcode::kGetTupleElement) return std::nullopt;
  if (module.instruction(instruction.operands[0]).opcode != Opcode::kParameter) return std::nullopt;
  return instruction.As<ir::TupleElementAttributes>().index;
}

struct Limit {
  int64_t element;
  int64_t value;
  bool inclusive;
};

// condition: state[element] < value (or <=).
std::optional<Limit> ReadCondition(const Module& module, ComputationId condition) {
  Place test = Trace(module, {module.root(condition), {}});
  if (module.instruction(test.id).opcode != Opcode::kCompare) return std::nullopt;
  CompareAttributes::Direction direction = module.instruction(test.id).As<CompareAttributes>().direction;
  Place left = TraceOperand(module, test, 0), right = TraceOperand(module, test, 1);
  using Direction = CompareAttributes::Direction;
  if (direction == Direction::kGt || direction == Direction::kGe) {
    std::swap(left, right);
    direction = direction == Direction::kGt ? Direction::kLt : Direction::kLe;
  }
  if (direction != Direction::kLt && direction != Direction::kLe) return std::nullopt;
  std::optional<int64_t> element = StateElement(module, left), value = StaticInteger(module, right.id);
  if (!element || !value) return std::nullopt;
  return Limit{*element, *value, direction == Direction::kLe};
}

// body: next state[element] = state[element] + step.
std::optional<int64_t> ReadStep(const Module& module, ComputationId body, int64_t element) {
  const Instruction& root = module.instruction(module.root(body));
  if (root.opcode != Opcode::kTuple) return std::nullopt;
  Place next = Trace(module, {root.operands[element], {}});
  if (module.instruction(next.id).opcode != Opcode::kAdd) return std::nullopt;
  for (size_t number = 0; number < 2; ++number) {
    Place counter = TraceOperand(module, next, number), step = TraceOperand(module, next, 1 - number);
    if (StateElement(module, counter) != element) continue;
    if (std::optional<int64_t> value = StaticInteger(module, step.id)) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LoopCounter> CounterOf(const Module& module, InstrId id) {
  const Instruction& loop = module.instruction(id);
  std::optional<Limit> limit = ReadCondition(module, loop.called[0]);
  if (!limit) return std::nullopt;
  std::optional<int64_t> step = ReadStep(module, loop.called[1], limit->element);
  const Instruction& init = module.instruction(loop.operands[0]);
  if (!step || *step <= 0 || init.opcode != Opcode::kTuple) return std::nullopt;
  std::optional<int64_t> start = StaticInteger(module, Trace(module, {init.operands[limit->element], {}}).id);
  if (!start) return std::nullopt;
  int64_t end = limit->value + (limit->inclusive ? 1 : 0);
  return LoopCounter{limit->element, *start, *step, end <= *start ? 0 : (end - *start + *step - 1) / *step};
}

std::optional<int64_t> TripCount(const Module& module, InstrId id) {
  const auto* attributes = std::get_if<ir::WhileAttributes>(&module.instruction(id).attributes);
  if (attributes != nullptr && attributes->trip_count) return attributes->trip_count;
  std::optional<LoopCounter> counter = CounterOf(module, id);
  return counter ? std::optional(counter->trips) : std::nullopt;
}

}  // namespace stead::analysis
