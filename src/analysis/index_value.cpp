#include "analysis/index_value.h"

#include <algorithm>

#include "analysis/scalar_trace.h"
#include "analysis/window.h"

namespace stead::analysis {

using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

constexpr int kDepthLimit = 6;
// Factors and addends beyond this are not followed, so that no product overflows.
constexpr int64_t kNumberLimit = int64_t{1} << 30;

bool IsSmall(int64_t number) { return number > -kNumberLimit && number < kNumberLimit; }

std::optional<IndexValue> Checked(IndexValue value) {
  if (!IsSmall(value.factor) || !IsSmall(value.addend)) return std::nullopt;
  if (value.factor == 0) return IndexValue{.addend = value.addend};
  return value;
}

// left + sign * right, when at most one value of the program is in it.
std::optional<IndexValue> Sum(const IndexValue& left, const IndexValue& right, int64_t sign) {
  bool same_value = left.value == right.value && left.element == right.element;
  if (left.factor != 0 && right.factor != 0 && !same_value) return std::nullopt;
  IndexValue sum = left.factor != 0 ? left : right;
  sum.factor = left.factor + sign * right.factor;
  sum.addend = left.addend + sign * right.addend;
  return Checked(sum);
}

std::optional<IndexValue> Product(const IndexValue& left, const IndexValue& right) {
  if (left.factor != 0 && right.factor != 0) return std::nullopt;
  const IndexValue& number = left.factor == 0 ? left : right;
  IndexValue product = left.factor == 0 ? right : left;
  product.factor *= number.addend;
  product.addend *= number.addend;
  return Checked(product);
}

std::optional<IndexValue> Linear(const Module& module, const ScalarPlace& place, int bits, int depth);

std::optional<IndexValue> LinearOperation(const Module& module, const ScalarPlace& place, int bits, int depth) {
  auto operand = [&](size_t number) { return Linear(module, TraceOperand(module, place, number), bits, depth - 1); };
  Opcode opcode = module.instruction(place.id).opcode;
  if (depth == 0) return std::nullopt;
  if (opcode == Opcode::kNegate) {
    std::optional<IndexValue> only = operand(0);
    return only ? Sum({}, *only, -1) : std::nullopt;
  }
  if (opcode != Opcode::kAdd && opcode != Opcode::kSubtract && opcode != Opcode::kMultiply) return std::nullopt;
  std::optional<IndexValue> left = operand(0), right = operand(1);
  if (!left || !right) return std::nullopt;
  if (opcode == Opcode::kMultiply) return Product(*left, *right);
  return Sum(*left, *right, opcode == Opcode::kAdd ? 1 : -1);
}

// Arithmetic wraps around at `bits` bits on the way as it does in the program, so a sum of several steps is the sum of all.
std::optional<IndexValue> Linear(const Module& module, const ScalarPlace& place, int bits, int depth) {
  const Instruction& instruction = module.instruction(place.id);
  ir::ElementType type = instruction.shape.element_type;
  if (!instruction.shape.is_array() || !ir::IsInteger(type) || ir::ElementBits(type) != bits) return std::nullopt;
  if (instruction.shape.element_count() != 1) return std::nullopt;
  if (instruction.opcode == Opcode::kConstant) {
    std::optional<int64_t> number = StaticInteger(module, place.id);
    return number ? Checked({.addend = *number}) : std::nullopt;
  }
  if (std::optional<IndexValue> computed = LinearOperation(module, place, bits, depth)) return computed;
  // A computation inside a fusion may be that of several fusions: its values are not one number.
  if (!place.fusions.empty()) return std::nullopt;
  if (instruction.opcode == Opcode::kGetTupleElement) {
    int64_t element = instruction.As<ir::TupleElementAttributes>().index;
    return IndexValue{.value = instruction.operands[0], .element = element, .factor = 1};
  }
  return IndexValue{.value = place.id, .factor = 1};
}

// The scalar at `element` of a tuple, or the scalar itself.
IndexValue ElementValue(const Module& module, InstrId value, int64_t element) {
  const Instruction& instruction = module.instruction(value);
  if (element < 0) return IndexValueOf(module, value);
  if (instruction.opcode == Opcode::kTuple) return IndexValueOf(module, instruction.operands[element]);
  return {.value = value, .element = element, .factor = 1};
}

// The symbol with its value written as `inner`.
std::optional<SymbolMeaning> Composed(const Symbol& symbol, const IndexValue& inner) {
  std::optional<IndexValue> value = Product(inner, {.addend = symbol.factor});
  if (value) value = Sum(*value, {.addend = symbol.addend}, 1);
  if (!value) return std::nullopt;
  if (value->factor == 0) return SymbolMeaning{.start = std::clamp<int64_t>(value->addend, 0, symbol.high)};
  Symbol composed{value->value, value->element, value->factor, value->addend, symbol.high, symbol.type};
  return SymbolMeaning{.factor = 1, .symbol = composed};
}

// The loop hands the element of its state on as it is.
bool StaysTheSame(const Module& module, InstrId loop, int64_t element) {
  ir::ComputationId body = module.instruction(loop).called[1];
  const Instruction& root = module.instruction(module.root(body));
  if (element < 0 || root.opcode != Opcode::kTuple) return false;
  IndexValue next = IndexValueOf(module, root.operands[element]);
  return next.value == module.computation(body).parameters[0] && next.element == element && next.factor == 1 &&
         next.addend == 0;
}

}  // namespace

IndexValue IndexValueOf(const Module& module, InstrId scalar) {
  int bits = ir::ElementBits(module.shape(scalar).element_type);
  std::optional<IndexValue> value = Linear(module, Trace(module, {scalar, {}}), bits, kDepthLimit);
  return value ? *value : IndexValue{.value = scalar, .factor = 1};
}

SymbolMeaning ClampedIndex(const Module& module, InstrId scalar, int64_t high) {
  Symbol whole{.value = scalar, .high = high, .type = module.shape(scalar).element_type};
  return Composed(whole, IndexValueOf(module, scalar)).value_or(SymbolMeaning{.factor = 1, .symbol = whole});
}

void LoopCounters::Add(const Module& module, InstrId loop) {
  Counters counters{loop, CountersOf(module, loop)};
  if (counters.counters.empty()) return;
  by_parameter_[module.computation(module.instruction(loop).called[1]).parameters.at(0)] = std::move(counters);
}

Footprint LoopCounters::ByIteration(const Footprint& footprint) const {
  if (by_parameter_.empty() || footprint.is_known()) return footprint;
  return Replaced(footprint, [&](const Symbol& symbol) -> std::optional<SymbolMeaning> {
    const SymbolMeaning unchanged{.factor = 1, .symbol = symbol};
    auto found = by_parameter_.find(symbol.value);
    if (found == by_parameter_.end()) return unchanged;
    const auto& [loop, counters] = found->second;
    auto counter = std::ranges::find(counters, symbol.element, &LoopCounter::element);
    if (counter == counters.end() || counter->trips < 1) return unchanged;
    if (!IsSmall(counter->start) || !IsSmall(counter->step) || !IsSmall(counter->trips)) return unchanged;
    std::optional<IndexValue> first = Product({.addend = counter->start}, {.addend = symbol.factor});
    std::optional<IndexValue> step = Product({.addend = counter->step}, {.addend = symbol.factor});
    if (!first || !step) return unchanged;
    int64_t start = first->addend + symbol.addend, end = start + step->addend * (counter->trips - 1);
    if (std::min(start, end) < 0 || std::max(start, end) > symbol.high) return unchanged;
    if (counter->trips == 1) return SymbolMeaning{.start = start};
    return SymbolMeaning{start, step->addend, Symbol{.value = loop, .high = counter->trips - 1}};
  });
}

Footprint InCaller(const Module& module, InstrId caller, size_t called, const Footprint& footprint) {
  const Instruction& instruction = module.instruction(caller);
  bool is_loop = instruction.opcode == Opcode::kWhile;
  InstrId parameter = module.computation(instruction.called[called]).parameters.at(0);
  InstrId operand = instruction.operands[is_loop ? 0 : called + 1];
  return Replaced(footprint, [&](const Symbol& symbol) -> std::optional<SymbolMeaning> {
    if (symbol.value != parameter) return std::nullopt;
    if (is_loop && !StaysTheSame(module, caller, symbol.element)) return std::nullopt;
    return Composed(symbol, ElementValue(module, operand, symbol.element));
  });
}

Footprint OutsideFusion(const Module& module, InstrId fusion, const Footprint& footprint) {
  return Replaced(footprint, [&](const Symbol& symbol) -> std::optional<SymbolMeaning> {
    const Instruction& value = module.instruction(symbol.value);
    if (value.opcode != Opcode::kParameter || symbol.element >= 0) return std::nullopt;
    InstrId operand = module.operand(fusion, value.As<ir::ParameterAttributes>().number);
    return Composed(symbol, IndexValueOf(module, operand));
  });
}

}  // namespace stead::analysis
