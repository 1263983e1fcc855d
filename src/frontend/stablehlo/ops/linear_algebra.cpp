// Products, convolutions, transforms and factorisations.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "frontend/stablehlo/ops/op_importers.h"
#include "frontend/stablehlo/ops/window.h"

namespace stead::frontend {

namespace {

constexpr std::array<std::string_view, 3> kPrecisions = {"default", "high", "highest"};

// `operand_precision` as HLO text, nothing when it is the default for every operand.
Status AddPrecision(OpImport& op, std::vector<ir::ExtraAttribute>& extra) {
  TRY(std::optional<mlir::ArrayAttribute> config, op.Find<mlir::ArrayAttribute>("precision_config"));
  if (!config) return {};
  std::string text;
  bool is_default = true;
  for (mlir::AttributeId id : config->items) {
    TRY(mlir::EnumAttribute precision, op.importer().source().pool.Get<mlir::EnumAttribute>(id));
    if (precision.kind != mlir::EnumKind::kPrecision || precision.value >= kPrecisions.size()) {
      return op.Bad("has an unknown precision");
    }
    is_default = is_default && precision.value == 0;
    text += fmt::format("{}{}", text.empty() ? "" : ",", kPrecisions[precision.value]);
  }
  if (!is_default) extra.push_back({"operand_precision", fmt::format("{{{}}}", text)});
  return {};
}

}  // namespace

// The product of vectors and matrices that `dot` was before `dot_general`: the last dimension of the left operand with the first
// of the right one.
Status ImportDot(OpImport& op) {
  const int64_t rank = op.shape(op.operand(0)).rank();
  if (rank < 1 || rank > 2)
    return op.Bad(fmt::format("multiplies an array of rank {}; `dot` takes vectors and matrices", rank));
  ir::DotAttributes attributes;
  attributes.lhs_contracting = {rank - 1};
  attributes.rhs_contracting = {0};
  std::vector<ir::ExtraAttribute> extra;
  TRY_STATUS(AddPrecision(op, extra));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes), {}, std::move(extra));
}

Status ImportDotGeneral(OpImport& op) {
  ir::DotAttributes attributes;
  TRY(attributes.lhs_batch, op.Integers("lhs_batching_dimensions"));
  TRY(attributes.rhs_batch, op.Integers("rhs_batching_dimensions"));
  TRY(attributes.lhs_contracting, op.Integers("lhs_contracting_dimensions"));
  TRY(attributes.rhs_contracting, op.Integers("rhs_contracting_dimensions"));
  std::vector<ir::ExtraAttribute> extra;
  TRY_STATUS(AddPrecision(op, extra));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes), {}, std::move(extra));
}

Status ImportConvolution(OpImport& op) {
  ir::ConvolutionAttributes attributes;
  TRY(attributes.input_batch, op.Integer("input_batch_dimension"));
  TRY(attributes.input_feature, op.Integer("input_feature_dimension"));
  TRY(attributes.input_spatial, op.Integers("input_spatial_dimensions"));
  TRY(attributes.kernel_input_feature, op.Integer("kernel_input_feature_dimension"));
  TRY(attributes.kernel_output_feature, op.Integer("kernel_output_feature_dimension"));
  TRY(attributes.kernel_spatial, op.Integers("kernel_spatial_dimensions"));
  TRY(attributes.output_batch, op.Integer("output_batch_dimension"));
  TRY(attributes.output_feature, op.Integer("output_feature_dimension"));
  TRY(attributes.output_spatial, op.Integers("output_spatial_dimensions"));
  TRY(attributes.feature_group_count, op.Integer("feature_group_count"));
  TRY(attributes.batch_group_count, op.Integer("batch_group_count"));
  ir::Dimensions sizes;
  const ir::Shape& kernel = op.shape(op.operand(1));
  for (int64_t dim : attributes.kernel_spatial) {
    if (dim < 0 || dim >= kernel.rank()) return op.Bad("has a kernel dimension that its kernel does not have");
    sizes.push_back(kernel.dimensions[static_cast<size_t>(dim)]);
  }
  WindowNames names{.base_dilation = "lhs_dilation", .window_dilation = "rhs_dilation", .reversal = "window_reversal"};
  TRY(attributes.window, ImportWindow(op, sizes, names));
  std::vector<ir::ExtraAttribute> extra;
  TRY_STATUS(AddPrecision(op, extra));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes), {}, std::move(extra));
}

Status ImportFft(OpImport& op) {
  static constexpr std::array<std::string_view, 4> kTypes = {"FFT", "IFFT", "RFFT", "IRFFT"};
  TRY(std::string_view type, op.OneOf("fft_type", mlir::EnumKind::kFftType, kTypes));
  TRY(ir::Dimensions length, op.Integers("fft_length"));
  return op.Finish(op.opcode(), op.operands(), ir::FftAttributes{std::string(type), std::move(length)});
}

Status ImportCholesky(OpImport& op) {
  TRY(bool lower, op.Bool("lower"));
  return op.Finish(op.opcode(), op.operands(), ir::CholeskyAttributes{lower});
}

Status ImportTriangularSolve(OpImport& op) {
  static constexpr std::array<std::string_view, 4> kTransposes = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE",
                                                                  "ADJOINT"};
  ir::TriangularSolveAttributes attributes;
  TRY(attributes.left_side, op.Bool("left_side"));
  TRY(attributes.lower, op.Bool("lower"));
  TRY(attributes.unit_diagonal, op.Bool("unit_diagonal"));
  TRY(attributes.transpose_a, op.OneOf("transpose_a", mlir::EnumKind::kTranspose, kTransposes));
  return op.Finish(op.opcode(), op.operands(), std::move(attributes));
}

Status ImportBatchNorm(OpImport& op) {
  TRY(mlir::FloatAttribute epsilon, op.Get<mlir::FloatAttribute>("epsilon"));
  TRY(int64_t feature_index, op.Integer("feature_index"));
  float value = std::bit_cast<float>(static_cast<uint32_t>(epsilon.bits));
  std::vector<ir::ExtraAttribute> extra = {{"epsilon", fmt::format("{}", value)},
                                           {"feature_index", fmt::format("{}", feature_index)}};
  return op.Finish(op.opcode(), op.operands(), {}, {}, std::move(extra));
}

}  // namespace stead::frontend
