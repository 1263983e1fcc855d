#include "ir/rules/rules.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace stead::ir {

Status Op::RequireArrays(size_t first) const {
  for (size_t number = first; number < operand_count(); ++number) {
    if (operand(number).is_array()) continue;
    return Violation("", "operand {} has shape {}; `{}` takes arrays", number, operand(number).ToString(false),
                     OpcodeName(opcode()));
  }
  return {};
}

Status Op::RequireOperandsAtLeast(size_t count) const {
  if (operand_count() >= count) return {};
  return Violation("", "has {} operands; `{}` takes at least {}", operand_count(), OpcodeName(opcode()), count);
}

Status Op::RequireSameDimensions(size_t first, size_t end, std::string_view rule) const {
  for (size_t number = first + 1; number < end; ++number) {
    if (operand(number).dimensions == operand(first).dimensions) continue;
    return Violation(rule, "operand {} has shape {}, operand {} has {}; their dimensions must be the same", first,
                     operand(first).ToString(false), number, operand(number).ToString(false));
  }
  return {};
}

Diagnostic Op::MakeViolation(std::string_view rule, std::string text) const {
  SourcePlace place = instruction_.text_place;
  if (!place.known()) place = {instruction_.metadata.source_file, instruction_.metadata.source_line, 0};
  std::string citation = rule.empty() ? std::string() : fmt::format(" [{}]", rule);
  return InvalidArgument(fmt::format("`{}`: {}{}", instruction_.name, text, citation), std::move(place));
}

std::string SpecificationName(Opcode opcode) {
  std::string name(OpcodeName(opcode));
  std::ranges::replace(name, '-', '_');
  return name;
}

bool InRange(const Dimensions& dimensions, int64_t rank) {
  return std::ranges::all_of(dimensions, [&](int64_t dim) { return dim >= 0 && dim < rank; });
}

bool AllDifferent(Dimensions dimensions) {
  std::ranges::sort(dimensions);
  return std::ranges::adjacent_find(dimensions) == dimensions.end();
}

bool Contains(const Dimensions& dimensions, int64_t dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

Dimensions Concatenated(const Dimensions& first, const Dimensions& second) {
  Dimensions all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

std::string DimensionsText(const Dimensions& dimensions) { return fmt::format("{{{}}}", fmt::join(dimensions, ",")); }

std::optional<int64_t> WindowCount(int64_t extent, const WindowDimension& window) {
  // Sizes come from text: 128 bits hold every product of two of them.
  using Wide = __int128;
  Wide dilated = extent == 0 ? 0 : Wide{extent - 1} * window.base_dilation + 1;
  Wide padded = dilated + window.padding_low + window.padding_high;
  Wide reach = Wide{window.size - 1} * window.window_dilation + 1;
  if (padded <= 0 || reach > padded) return 0;
  Wide count = (padded - reach) / window.stride + 1;
  if (count > kMaxValueBytes) return std::nullopt;
  return static_cast<int64_t>(count);
}

Result<ScalarSignature> CalledSignature(const Op& op, size_t called_number, std::string_view rule) {
  if (op.instruction().called.size() <= called_number) {
    return op.Violation(rule, "calls no computation; `{}` needs one", OpcodeName(op.opcode()));
  }
  const Computation& computation = op.module().computation(op.instruction().called[called_number]);
  ScalarSignature signature;
  auto take = [&](const Shape& shape, std::vector<ElementType>& types, std::string_view what) -> Status {
    if (!shape.is_scalar()) {
      return op.Violation(rule, "`{}` has a {} of shape {}; it must be a scalar", computation.name, what,
                          shape.ToString(false));
    }
    types.push_back(shape.element_type);
    return {};
  };
  for (InstrId parameter : computation.parameters) {
    if (!parameter.valid()) return op.Violation(rule, "`{}` lacks a parameter", computation.name);
    TRY_STATUS(take(op.module().shape(parameter), signature.parameters, "parameter"));
  }
  if (!computation.root.valid()) return op.Violation(rule, "`{}` has no root", computation.name);
  const Shape& result = op.module().shape(computation.root);
  if (!result.is_tuple()) {
    TRY_STATUS(take(result, signature.results, "result"));
    return signature;
  }
  for (const Shape& element : result.elements) TRY_STATUS(take(element, signature.results, "result"));
  return signature;
}

bool IsPromotable(ElementType from, ElementType to) {
  return from == to || (ElementClassOf(from) == ElementClassOf(to) && ElementBits(from) <= ElementBits(to));
}

Shape ArrayOrTuple(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes.front());
  return Shape::Tuple(std::move(shapes));
}

}  // namespace stead::ir
