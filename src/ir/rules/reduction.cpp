// Rules of ops that apply a computation of scalars: reduce, reduce-window, select-and-scatter, map, sort.
#include <algorithm>

#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

// reduce and reduce-window: 2N operands (inputs, then initial values), a computation of 2N scalars to N scalars.
struct ReducerRules {
  std::string_view count, dimensions, init, body;
};

// The element types of the N results.
Result<std::vector<ElementType>> CheckReducer(const Op& op, const ReducerRules& rules) {
  if (op.operand_count() == 0 || op.operand_count() % 2 != 0) {
    return op.Violation(rules.count, "has {} operands; it takes inputs and as many initial values", op.operand_count());
  }
  size_t count = op.operand_count() / 2;
  TRY_STATUS(op.RequireSameDimensions(0, count, rules.dimensions));
  TRY(ScalarSignature signature, CalledSignature(op, 0, rules.body));
  if (signature.parameters.size() != 2 * count || signature.results.size() != count) {
    return op.Violation(rules.body, "the called computation takes {} scalars and gives {}, expected {} and {}",
                        signature.parameters.size(), signature.results.size(), 2 * count, count);
  }
  for (size_t number = 0; number < count; ++number) {
    const Shape& input = op.operand(number);
    const Shape& init = op.operand(count + number);
    if (!init.is_scalar() || init.element_type != input.element_type) {
      return op.Violation(rules.init,
                          "input {} has shape {}, its initial value {}; it must be a scalar of the same type", number,
                          input.ToString(false), init.ToString(false));
    }
    ElementType type = signature.results[number];
    bool fits = signature.parameters[number] == type && signature.parameters[count + number] == type &&
                IsPromotable(input.element_type, type);
    if (fits) continue;
    return op.Violation(rules.body, "input {} has element type {}, the called computation takes {} and {} and gives {}",
                        number, ElementTypeName(input.element_type), ElementTypeName(signature.parameters[number]),
                        ElementTypeName(signature.parameters[count + number]), ElementTypeName(type));
  }
  return signature.results;
}

Shape ArraysOf(const std::vector<ElementType>& types, const Dimensions& dimensions) {
  std::vector<Shape> shapes;
  for (ElementType type : types) shapes.push_back(Shape::Array(type, dimensions));
  return ArrayOrTuple(std::move(shapes));
}

Result<Shape> InferReduce(const Op& op) {
  TRY(std::vector<ElementType> types, CheckReducer(op, {"reduce C3", "reduce C1", "reduce C2", "reduce C6"}));
  const Shape& input = op.operand(0);
  const Dimensions& reduced = op.attributes<DimensionsAttributes>().dimensions;
  if (!InRange(reduced, input.rank())) {
    return op.Violation("reduce C4", "dimensions is {}, input has shape {}; they must be its dimensions",
                        DimensionsText(reduced), input.ToString(false));
  }
  if (!AllDifferent(reduced)) {
    return op.Violation("reduce C5", "dimensions is {}; they must differ", DimensionsText(reduced));
  }
  Dimensions kept;
  for (int64_t dim = 0; dim < input.rank(); ++dim) {
    if (!Contains(reduced, dim)) kept.push_back(input.dimensions[static_cast<size_t>(dim)]);
  }
  return ArraysOf(types, kept);
}

struct WindowRules {
  std::string_view rank, size, stride, base_dilation, window_dilation;
};

// The number of places for the window in each dimension.
Result<Dimensions> CheckWindow(const Op& op, const Shape& input, const WindowRules& rules) {
  const std::vector<WindowDimension>& window = op.attributes<WindowAttributes>().window;
  if (window.size() != input.dimensions.size()) {
    return op.Violation(rules.rank, "the window has {} dimensions, input has shape {}; they must be as many",
                        window.size(), input.ToString(false));
  }
  Dimensions counts;
  for (size_t dim = 0; dim < window.size(); ++dim) {
    auto require_positive = [&](int64_t value, std::string_view what, std::string_view rule) -> Status {
      if (value >= 1) return {};
      return op.Violation(rule, "{} of window dimension {} is {}; it must be positive", what, dim, value);
    };
    TRY_STATUS(require_positive(window[dim].size, "size", rules.size));
    TRY_STATUS(require_positive(window[dim].stride, "stride", rules.stride));
    TRY_STATUS(require_positive(window[dim].base_dilation, "base dilation", rules.base_dilation));
    TRY_STATUS(require_positive(window[dim].window_dilation, "window dilation", rules.window_dilation));
    std::optional<int64_t> count = WindowCount(input.dimensions[dim], window[dim]);
    if (!count) return op.Violation(rules.size, "window dimension {} has too many places", dim);
    counts.push_back(*count);
  }
  return counts;
}

Result<Shape> InferReduceWindow(const Op& op) {
  TRY(std::vector<ElementType> types,
      CheckReducer(op, {"reduce_window C1", "reduce_window C2", "reduce_window C3", "reduce_window C13"}));
  TRY(Dimensions counts, CheckWindow(op, op.operand(0),
                                     {"reduce_window C4", "reduce_window C5", "reduce_window C7", "reduce_window C9",
                                      "reduce_window C11"}));
  return ArraysOf(types, counts);
}

Status CheckBinaryScalars(const Op& op, size_t called_number, ElementType in, ElementType out, std::string_view rule) {
  TRY(ScalarSignature signature, CalledSignature(op, called_number, rule));
  bool fits =
      signature.parameters == std::vector<ElementType>{in, in} && signature.results == std::vector<ElementType>{out};
  if (fits) return {};
  return op.Violation(rule, "`{}` must take two scalars of {} and give one of {}",
                      op.module().computation(op.instruction().called[called_number]).name, ElementTypeName(in),
                      ElementTypeName(out));
}

Result<Shape> InferSelectAndScatter(const Op& op) {
  const Shape& operand = op.operand(0);
  const Shape& source = op.operand(1);
  const Shape& init = op.operand(2);
  if (source.element_type != operand.element_type) {
    return op.Violation("select_and_scatter C1", "operand has element type {}, source has {}; they must be the same",
                        ElementTypeName(operand.element_type), ElementTypeName(source.element_type));
  }
  if (!init.is_scalar() || init.element_type != operand.element_type) {
    return op.Violation("select_and_scatter C3",
                        "operand has shape {}, initial value {}; it must be a scalar of the same type",
                        operand.ToString(false), init.ToString(false));
  }
  TRY(Dimensions counts, CheckWindow(op, operand,
                                     {"select_and_scatter C4", "select_and_scatter C5", "select_and_scatter C7",
                                      "select_and_scatter C5", "select_and_scatter C5"}));
  if (counts != source.dimensions) {
    return op.Violation("select_and_scatter C2",
                        "the window has {} places in the operand, source has shape {}; they must agree",
                        DimensionsText(counts), source.ToString(false));
  }
  TRY_STATUS(CheckBinaryScalars(op, 0, operand.element_type, ElementType::kPred, "select_and_scatter C9"));
  TRY_STATUS(CheckBinaryScalars(op, 1, operand.element_type, operand.element_type, "select_and_scatter C10"));
  return operand;
}

Result<Shape> InferMap(const Op& op) {
  TRY_STATUS(op.RequireSameDimensions(0, op.operand_count(), "map C1"));
  TRY(ScalarSignature signature, CalledSignature(op, 0, "map C4"));
  bool fits = signature.parameters.size() == op.operand_count() && signature.results.size() == 1;
  for (size_t number = 0; fits && number < op.operand_count(); ++number) {
    fits = signature.parameters[number] == op.operand(number).element_type;
  }
  if (!fits) {
    return op.Violation("map C4", "the called computation must take one scalar of each operand's type and give one");
  }
  Shape result = op.operand(0);
  result.element_type = signature.results.front();
  return result;
}

Result<Shape> InferSort(const Op& op) {
  TRY_STATUS(op.RequireSameDimensions(0, op.operand_count(), "sort C3"));
  int64_t dimension = op.attributes<SortAttributes>().dimension;
  int64_t rank = op.operand(0).rank();
  if (dimension < 0 || dimension >= rank) {
    return op.Violation("sort C4", "dimension is {}, operand has shape {}; it must be one of its dimensions", dimension,
                        op.operand(0).ToString(false));
  }
  TRY(ScalarSignature signature, CalledSignature(op, 0, "sort C5"));
  bool fits = signature.parameters.size() == 2 * op.operand_count() &&
              signature.results == std::vector<ElementType>{ElementType::kPred};
  std::vector<Shape> shapes;
  for (size_t number = 0; fits && number < op.operand_count(); ++number) {
    ElementType type = op.operand(number).element_type;
    fits = signature.parameters[2 * number] == type && signature.parameters[2 * number + 1] == type;
    shapes.push_back(op.operand(number));
  }
  if (fits) return ArrayOrTuple(std::move(shapes));
  return op.Violation("sort C5", "the comparator must take two scalars of each operand's type and give a pred");
}

}  // namespace

Result<Shape> InferReduction(const Op& op) {
  TRY_STATUS(op.RequireOperandsAtLeast(1));
  TRY_STATUS(op.RequireArrays());
  switch (op.opcode()) {
    case Opcode::kReduce: return InferReduce(op);
    case Opcode::kReduceWindow: return InferReduceWindow(op);
    case Opcode::kSelectAndScatter: return InferSelectAndScatter(op);
    case Opcode::kMap: return InferMap(op);
    case Opcode::kSort: return InferSort(op);
    // topk, scan: the attributes that say their shapes are kept as text.
    default: return op.own_shape();
  }
}

}  // namespace stead::ir
