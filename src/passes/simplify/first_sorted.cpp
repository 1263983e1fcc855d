#include "passes/simplify/first_sorted.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::CompareAttributes;
using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

using Direction = CompareAttributes::Direction;

// Falling or rising by the first array's elements alone, in an order of all values of their type.
std::optional<Direction> OrderOf(const ir::Module& module, ir::ComputationId comparator) {
  const std::vector<InstrId>& parameters = module.computation(comparator).parameters;
  const Instruction& root = module.instruction(module.root(comparator));
  if (root.opcode != Opcode::kCompare || root.operands != std::vector{parameters[0], parameters[1]})
    return std::nullopt;
  const ElementType type = module.shape(parameters[0]).element_type;
  const CompareAttributes& compare = root.As<CompareAttributes>();
  const bool is_known = ir::IsInteger(type) || type == ElementType::kF16 || type == ElementType::kBF16 ||
                        type == ElementType::kF32 || type == ElementType::kF64;
  const bool is_order = ir::IsInteger(type) || compare.type == CompareAttributes::Type::kTotalOrder;
  const bool is_strict = compare.direction == Direction::kGt || compare.direction == Direction::kLt;
  if (!is_known || !is_order || !is_strict || ir::ElementBits(type) < 8) return std::nullopt;
  return compare.direction;
}

// Small ones have become constants.
bool CountsPlacesInRows(const Instruction& constant) {
  if (constant.opcode != Opcode::kConstant || constant.shape.element_type != ElementType::kS32) return false;
  const ir::Literal& literal = constant.As<ir::Literal>();
  if (literal.elided()) return false;
  const int64_t row = constant.shape.dimensions.back();
  for (int64_t element = 0; element < constant.shape.element_count(); ++element) {
    if (literal.AsInteger(element) != element % row) return false;
  }
  return true;
}

bool CountsPlaces(const ir::Module& module, InstrId id, int64_t dimension) {
  const Instruction& iota = module.instruction(id);
  if (CountsPlacesInRows(iota)) return true;
  return iota.opcode == Opcode::kIota && iota.shape.element_type == ElementType::kS32 &&
         iota.As<ir::DimensionsAttributes>().dimensions == ir::Dimensions{dimension};
}

// How many elements of each row the slice takes, from the first on; none when it takes others.
std::optional<int64_t> FirstElements(const ir::Module& module, InstrId id) {
  const Instruction& slice = module.instruction(id);
  if (slice.opcode != Opcode::kSlice) return std::nullopt;
  const auto& attributes = slice.As<ir::SliceAttributes>();
  const ir::Dimensions& whole = module.shape(slice.operands[0]).dimensions;
  const bool is_first = std::ranges::all_of(attributes.starts, [](int64_t start) { return start == 0; }) &&
                        std::ranges::all_of(attributes.strides, [](int64_t stride) { return stride == 1; });
  const bool is_all_rows = std::equal(whole.begin(), whole.end() - 1, slice.shape.dimensions.begin());
  if (!is_first || !is_all_rows) return std::nullopt;
  return slice.shape.dimensions.back();
}

// The sort's users' users, if all of them are slices of one and the same number of first elements.
std::optional<std::vector<InstrId>> Slices(const ir::Module& module, InstrId sort) {
  std::vector<InstrId> slices;
  for (InstrId element : module.users(sort)) {
    if (module.instruction(element).opcode != Opcode::kGetTupleElement) return std::nullopt;
    const std::vector<InstrId>& users = module.users(element);
    slices.insert(slices.end(), users.begin(), users.end());
    if (module.root(module.instruction(element).computation) == element) return std::nullopt;
  }
  if (slices.empty()) return std::nullopt;
  const std::optional<int64_t> count = FirstElements(module, slices.front());
  const bool is_one_count = std::ranges::all_of(
      slices, [&](InstrId slice) { return count.has_value() && FirstElements(module, slice) == count; });
  if (!is_one_count) return std::nullopt;
  return slices;
}

bool Select(ir::Module& module, InstrId id) {
  const Instruction sort = module.instruction(id);
  if (sort.opcode != Opcode::kSort || sort.operands.size() != 2) return false;
  const Shape& rows = module.shape(sort.operands[0]);
  const int64_t dimension = sort.As<ir::SortAttributes>().dimension;
  if (dimension != rows.rank() - 1 || !rows.is_row_major() || !CountsPlaces(module, sort.operands[1], dimension))
    return false;
  const std::optional<Direction> order = OrderOf(module, sort.called[0]);
  const std::optional<std::vector<InstrId>> slices = order ? Slices(module, id) : std::nullopt;
  const bool has_edges = !sort.control_predecessors.empty() || !module.control_successors(id).empty();
  if (!slices || has_edges) return false;
  const int64_t count = module.shape(slices->front()).dimensions.back();
  Shape values = rows;
  values.dimensions.back() = count;
  Shape places = values;
  places.element_type = ElementType::kS32;
  Builder build(module, id);
  const InstrId selected = build.Op(Opcode::kTopK, Shape::Tuple({values, places}), {sort.operands[0]});
  const bool is_largest = *order == Direction::kGt;
  module.SetExtra(selected, {{"k", fmt::format("{}", count)}, {"largest", is_largest ? "true" : "false"}});
  bool changed = false;
  for (InstrId slice : *slices) {
    const InstrId element = module.operand(slice, 0);
    const int64_t index = module.instruction(element).As<ir::TupleElementAttributes>().index;
    changed |= Replace(module, slice, Builder(module, slice).TupleElement(selected, index));
  }
  return changed;
}

}  // namespace

Result<PassReport> SelectFirstSorted(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : SteppedComputations(module)) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (!module.instruction(id).erased) changed |= Select(module, id);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
