#include "analysis/trip_count.h"

#include <algorithm>

#include "analysis/scalar_trace.h"
#include "analysis/window.h"

namespace stead::analysis {
namespace {

using ir::CompareAttributes;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

// The state element that `place` is, when it is one of the computation's parameter.
std::optional<int64_t> StateElement(const Module& module, const ScalarPlace& place) {
  const Instruction& instruction = module.instruction(place.id);
  if (instruction.opcode != Opcode::kGetTupleElement) return std::nullopt;
  if (module.instruction(instruction.operands[0]).opcode != Opcode::kParameter) return std::nullopt;
  return instruction.As<ir::TupleElementAttributes>().index;
}

struct Limit {
  int64_t element;
  int64_t value;
  bool inclusive;
  bool upwards;  // the loop runs below the limit; else above it
};

// condition: state[element] < value, or <=, >, >=.
std::optional<Limit> ReadCondition(const Module& module, ComputationId condition) {
  ScalarPlace test = Trace(module, {module.root(condition), {}});
  if (module.instruction(test.id).opcode != Opcode::kCompare) return std::nullopt;
  CompareAttributes::Direction direction = module.instruction(test.id).As<CompareAttributes>().direction;
  ScalarPlace left = TraceOperand(module, test, 0), right = TraceOperand(module, test, 1);
  using Direction = CompareAttributes::Direction;
  bool upwards = direction == Direction::kLt || direction == Direction::kLe;
  bool inclusive = direction == Direction::kLe || direction == Direction::kGe;
  if (!upwards && direction != Direction::kGt && direction != Direction::kGe) return std::nullopt;
  if (!StateElement(module, left)) {
    std::swap(left, right);
    upwards = !upwards;
  }
  std::optional<int64_t> element = StateElement(module, left), value = StaticInteger(module, right.id);
  if (!element || !value) return std::nullopt;
  return Limit{*element, *value, inclusive, upwards};
}

// body: next state[element] = state[element] + step, or - -step.
std::optional<int64_t> ReadStep(const Module& module, ComputationId body, int64_t element) {
  const Instruction& root = module.instruction(module.root(body));
  if (root.opcode != Opcode::kTuple) return std::nullopt;
  ScalarPlace next = Trace(module, {root.operands[element], {}});
  Opcode opcode = module.instruction(next.id).opcode;
  if (opcode == Opcode::kSubtract) {
    std::optional<int64_t> value = StaticInteger(module, TraceOperand(module, next, 1).id);
    if (!value || StateElement(module, TraceOperand(module, next, 0)) != element) return std::nullopt;
    return -*value;
  }
  if (opcode != Opcode::kAdd) return std::nullopt;
  for (size_t number = 0; number < 2; ++number) {
    ScalarPlace counter = TraceOperand(module, next, number), step = TraceOperand(module, next, 1 - number);
    if (StateElement(module, counter) != element) continue;
    if (std::optional<int64_t> value = StaticInteger(module, step.id)) return value;
  }
  return std::nullopt;
}

std::optional<int64_t> ReadStart(const Module& module, const Instruction& loop, int64_t element) {
  const Instruction& init = module.instruction(loop.operands[0]);
  if (init.opcode != Opcode::kTuple) return std::nullopt;
  return StaticInteger(module, Trace(module, {init.operands[element], {}}).id);
}

// The numbers that end a loop are ones that its counter can be.
bool IsReached(const ir::Shape& counter, int64_t last, int64_t end) {
  const int bits = ir::ElementBits(counter.element_type);
  if (bits > 32) return true;
  const bool is_signed = ir::IsSigned(counter.element_type);
  const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0;
  const int64_t high = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  return std::min(last, end) >= low && std::max(last, end) <= high;
}

// The counter that the condition compares with a constant, whichever way it counts.
std::optional<LoopCounter> AnyCounterOf(const Module& module, InstrId id) {
  const Instruction& loop = module.instruction(id);
  std::optional<Limit> limit = ReadCondition(module, loop.called[0]);
  if (!limit) return std::nullopt;
  std::optional<int64_t> step = ReadStep(module, loop.called[1], limit->element);
  std::optional<int64_t> start = ReadStart(module, loop, limit->element);
  if (!step || !start || (limit->upwards ? *step <= 0 : *step >= 0)) return std::nullopt;
  const int64_t way = limit->upwards ? 1 : -1;
  const int64_t end = limit->value + (limit->inclusive ? way : 0);
  const int64_t distance = way * (end - *start), stride = way * *step;
  const int64_t trips = distance <= 0 ? 0 : (distance + stride - 1) / stride;
  if (!limit->upwards && !IsReached(loop.shape.elements[limit->element], *start + trips * *step, end))
    return std::nullopt;
  return LoopCounter{limit->element, *start, *step, trips};
}

}  // namespace

std::optional<LoopCounter> CounterOf(const Module& module, InstrId id) {
  std::optional<LoopCounter> counter = AnyCounterOf(module, id);
  return counter && counter->step > 0 ? counter : std::nullopt;
}

std::optional<int64_t> TripCount(const Module& module, InstrId id) {
  const auto* attributes = std::get_if<ir::WhileAttributes>(&module.instruction(id).attributes);
  if (attributes != nullptr && attributes->trip_count) return attributes->trip_count;
  std::optional<LoopCounter> counter = AnyCounterOf(module, id);
  return counter ? std::optional(counter->trips) : std::nullopt;
}

std::vector<LoopCounter> CountersOf(const Module& module, InstrId id) {
  std::vector<LoopCounter> counters;
  std::optional<int64_t> trips = TripCount(module, id);
  if (!trips) return counters;
  const Instruction& loop = module.instruction(id);
  for (int64_t element = 0; element < static_cast<int64_t>(loop.shape.elements.size()); ++element) {
    const ir::Shape& shape = loop.shape.elements[element];
    if (!shape.is_array() || shape.rank() != 0 || !ir::IsInteger(shape.element_type)) continue;
    std::optional<int64_t> start = ReadStart(module, loop, element), step = ReadStep(module, loop.called[1], element);
    if (start && step) counters.push_back({element, *start, *step, *trips});
  }
  return counters;
}

}  // namespace stead::analysis
