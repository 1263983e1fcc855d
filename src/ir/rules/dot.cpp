// Rules of dot and convolution. The element type of the result is what the program asks for (preferred_element_type), so the
// instruction's own shape decides it.
#include <algorithm>

#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

struct DotSide {
  const Shape& shape;
  const Dimensions& batch;
  const Dimensions& contracting;
  std::string_view name, different, batch_range, contracting_range;
};

Status CheckSide(const Op& op, const DotSide& side) {
  auto complain = [&](std::string_view rule, std::string_view what, const Dimensions& dimensions) {
    return op.Violation(rule, "{} {} dimensions are {}, {} has shape {}; they must be its dimensions", side.name, what,
                        DimensionsText(dimensions), side.name, side.shape.ToString(false));
  };
  if (!InRange(side.batch, side.shape.rank())) return complain(side.batch_range, "batch", side.batch);
  if (!InRange(side.contracting, side.shape.rank())) {
    return complain(side.contracting_range, "contracting", side.contracting);
  }
  if (AllDifferent(Concatenated(side.batch, side.contracting))) return {};
  return op.Violation(side.different, "{} batch dimensions {} and contracting dimensions {} must differ", side.name,
                      DimensionsText(side.batch), DimensionsText(side.contracting));
}

Status CheckPairs(const Op& op, const Dimensions& lhs_dims, const Dimensions& rhs_dims, std::string_view what,
                  std::string_view count_rule, std::string_view extent_rule) {
  if (lhs_dims.size() != rhs_dims.size()) {
    return op.Violation(count_rule, "lhs has {} {} dimensions, rhs has {}; they must be as many", lhs_dims.size(), what,
                        rhs_dims.size());
  }
  for (size_t pair = 0; pair < lhs_dims.size(); ++pair) {
    int64_t lhs_extent = op.operand(0).dimensions[static_cast<size_t>(lhs_dims[pair])];
    int64_t rhs_extent = op.operand(1).dimensions[static_cast<size_t>(rhs_dims[pair])];
    if (lhs_extent == rhs_extent) continue;
    return op.Violation(extent_rule,
                        "{} dimension {} of lhs {} is {}, dimension {} of rhs {} is {}; they must be equal", what,
                        lhs_dims[pair], op.operand(0).ToString(false), lhs_extent, rhs_dims[pair],
                        op.operand(1).ToString(false), rhs_extent);
  }
  return {};
}

void AppendFree(Dimensions& result, const DotSide& side) {
  for (int64_t dim = 0; dim < side.shape.rank(); ++dim) {
    if (!Contains(side.batch, dim) && !Contains(side.contracting, dim)) {
      result.push_back(side.shape.dimensions[static_cast<size_t>(dim)]);
    }
  }
}

Result<Shape> InferPlainDot(const Op& op) {
  const auto& dot = op.attributes<DotAttributes>();
  DotSide lhs{op.operand(0),    dot.lhs_batch,    dot.lhs_contracting, "lhs",
              "dot_general C3", "dot_general C5", "dot_general C6"};
  DotSide rhs{op.operand(1),    dot.rhs_batch,    dot.rhs_contracting, "rhs",
              "dot_general C4", "dot_general C7", "dot_general C8"};
  TRY_STATUS(CheckSide(op, lhs));
  TRY_STATUS(CheckSide(op, rhs));
  TRY_STATUS(CheckPairs(op, dot.lhs_batch, dot.rhs_batch, "batch", "dot_general C1", "dot_general C9"));
  TRY_STATUS(
      CheckPairs(op, dot.lhs_contracting, dot.rhs_contracting, "contracting", "dot_general C2", "dot_general C10"));
  Dimensions dimensions;
  for (int64_t dim : dot.lhs_batch) dimensions.push_back(lhs.shape.dimensions[static_cast<size_t>(dim)]);
  AppendFree(dimensions, lhs);
  AppendFree(dimensions, rhs);
  return Shape::Array(op.own_shape().element_type, std::move(dimensions));
}

// Each element of a scale belongs to a block of its operand; a scalar belongs to all of it.
Status CheckScale(const Op& op, size_t scaled) {
  const Shape& operand = op.operand(scaled);
  const Shape& scale = op.operand(scaled + 2);
  if (!IsFloat(operand.element_type) || !IsFloat(scale.element_type)) {
    return op.Violation("", "operand {} has shape {}, its scale {}; both must be of floats", scaled,
                        operand.ToString(false), scale.ToString(false));
  }
  bool divides = scale.is_scalar() || scale.rank() == operand.rank();
  for (size_t dim = 0; divides && dim < scale.dimensions.size(); ++dim) {
    int64_t blocks = scale.dimensions[dim];
    divides = blocks == operand.dimensions[dim] || (blocks > 0 && operand.dimensions[dim] % blocks == 0);
  }
  if (divides) return {};
  return op.Violation("",
                      "operand {} has shape {}, its scale {}; each size of the scale must divide that of the operand",
                      scaled, operand.ToString(false), scale.ToString(false));
}

// Operands: lhs, rhs, scale of lhs, scale of rhs.
Result<Shape> InferScaledDot(const Op& op) {
  TRY_STATUS(CheckScale(op, 0));
  TRY_STATUS(CheckScale(op, 1));
  return InferPlainDot(op);
}

Status CheckLabels(const Op& op, int64_t first, int64_t second, const Dimensions& spatial, size_t rank,
                   std::string_view what, std::string_view count_rule, std::string_view range_rule) {
  if (spatial.size() + 2 != rank) {
    return op.Violation(count_rule, "{} has {} spatial dimensions, lhs has rank {}; there must be {}", what,
                        spatial.size(), rank, static_cast<int64_t>(rank) - 2);
  }
  Dimensions all = Concatenated({first, second}, spatial);
  if (AllDifferent(all) && InRange(all, static_cast<int64_t>(rank))) return {};
  return op.Violation(range_rule, "{} dimensions are {}; they must be all of its {}", what, DimensionsText(all), rank);
}

Status CheckConvolutionLabels(const Op& op, const ConvolutionAttributes& conv) {
  size_t rank = op.operand(0).dimensions.size();
  if (rank != op.operand(1).dimensions.size() || rank < 2) {
    return op.Violation("convolution C1", "lhs has shape {}, rhs has {}; they must have as many dimensions, at least 2",
                        op.operand(0).ToString(false), op.operand(1).ToString(false));
  }
  if (conv.window.size() + 2 != rank) {
    return op.Violation("convolution C2", "the window has {} dimensions, lhs has rank {}; there must be {}",
                        conv.window.size(), rank, rank - 2);
  }
  TRY_STATUS(CheckLabels(op, conv.input_batch, conv.input_feature, conv.input_spatial, rank, "input", "convolution C12",
                         "convolution C13"));
  TRY_STATUS(CheckLabels(op, conv.kernel_input_feature, conv.kernel_output_feature, conv.kernel_spatial, rank, "kernel",
                         "convolution C17", "convolution C18"));
  return CheckLabels(op, conv.output_batch, conv.output_feature, conv.output_spatial, rank, "output", "convolution C19",
                     "convolution C20");
}

Status CheckGroups(const Op& op, const ConvolutionAttributes& conv) {
  const Dimensions& lhs = op.operand(0).dimensions;
  const Dimensions& rhs = op.operand(1).dimensions;
  int64_t batch = lhs[static_cast<size_t>(conv.input_batch)], features = lhs[static_cast<size_t>(conv.input_feature)];
  int64_t kernel_in = rhs[static_cast<size_t>(conv.kernel_input_feature)],
          kernel_out = rhs[static_cast<size_t>(conv.kernel_output_feature)];
  int64_t feature_groups = conv.feature_group_count, batch_groups = conv.batch_group_count;
  auto require = [&](bool holds, std::string_view rule, std::string_view what, int64_t value,
                     int64_t groups) -> Status {
    if (holds) return {};
    return op.Violation(rule, "{} is {}, there are {} groups; it must divide into them", what, value, groups);
  };
  TRY_STATUS(require(feature_groups >= 1, "convolution C21", "feature_group_count", feature_groups, feature_groups));
  TRY_STATUS(require(batch_groups >= 1, "convolution C22", "batch_group_count", batch_groups, batch_groups));
  TRY_STATUS(require(feature_groups == 1 || batch_groups == 1, "convolution C23", "feature_group_count", feature_groups,
                     batch_groups));
  TRY_STATUS(require(batch % batch_groups == 0, "convolution C10", "input batch", batch, batch_groups));
  TRY_STATUS(
      require(features % feature_groups == 0, "convolution C11", "input feature dimension", features, feature_groups));
  TRY_STATUS(
      require(kernel_out % batch_groups == 0, "convolution C15", "kernel output dimension", kernel_out, batch_groups));
  TRY_STATUS(require(kernel_out % feature_groups == 0, "convolution C16", "kernel output dimension", kernel_out,
                     feature_groups));
  if (kernel_in == features / feature_groups) return {};
  return op.Violation("convolution C14", "kernel takes {} features, lhs has {} in {} groups; they must agree",
                      kernel_in, features, feature_groups);
}

}  // namespace

Result<Shape> InferDot(const Op& op) {
  TRY_STATUS(op.RequireOperandsAtLeast(2));
  TRY_STATUS(op.RequireArrays());
  if (!op.own_shape().is_array()) {
    return op.Violation("", "has shape {}; `{}` makes an array", op.own_shape().ToString(false),
                        OpcodeName(op.opcode()));
  }
  switch (op.opcode()) {
    case Opcode::kDot: return InferPlainDot(op);
    case Opcode::kScaledDot: return InferScaledDot(op);
    case Opcode::kConvolution: return InferConvolution(op);
    // ragged-dot: its group dimensions are kept as text.
    default: return op.own_shape();
  }
}

Result<Shape> InferConvolution(const Op& op) {
  const auto& conv = op.attributes<ConvolutionAttributes>();
  TRY_STATUS(CheckConvolutionLabels(op, conv));
  TRY_STATUS(CheckGroups(op, conv));
  const Dimensions& lhs = op.operand(0).dimensions;
  const Dimensions& rhs = op.operand(1).dimensions;
  Dimensions dimensions(lhs.size());
  dimensions[static_cast<size_t>(conv.output_batch)] =
      lhs[static_cast<size_t>(conv.input_batch)] / conv.batch_group_count;
  dimensions[static_cast<size_t>(conv.output_feature)] = rhs[static_cast<size_t>(conv.kernel_output_feature)];
  for (size_t spatial = 0; spatial < conv.window.size(); ++spatial) {
    const WindowDimension& window = conv.window[spatial];
    int64_t kernel = rhs[static_cast<size_t>(conv.kernel_spatial[spatial])];
    if (window.size != kernel) {
      return op.Violation("convolution C25", "window dimension {} has size {}, the kernel has {}; they must be equal",
                          spatial, window.size, kernel);
    }
    auto require_positive = [&](int64_t value, std::string_view what, std::string_view rule) -> Status {
      if (value >= 1) return {};
      return op.Violation(rule, "{} of window dimension {} is {}; it must be positive", what, spatial, value);
    };
    TRY_STATUS(require_positive(window.stride, "stride", "convolution C3"));
    TRY_STATUS(require_positive(window.base_dilation, "lhs dilation", "convolution C6"));
    TRY_STATUS(require_positive(window.window_dilation, "rhs dilation", "convolution C8"));
    std::optional<int64_t> count = WindowCount(lhs[static_cast<size_t>(conv.input_spatial[spatial])], window);
    if (!count) return op.Violation("convolution C25", "window dimension {} has too many places", spatial);
    dimensions[static_cast<size_t>(conv.output_spatial[spatial])] = *count;
  }
  return Shape::Array(op.own_shape().element_type, std::move(dimensions));
}

}  // namespace stead::ir
