#include "cpu/routines.h"

#include <algorithm>
#include <string_view>

#include "ir/random_blocks.h"

namespace stead::cpu {

using ir::ElementType;
using ir::Instruction;
using ir::Module;
using ir::Shape;

namespace {

// Of complex numbers, the type of their parts.
std::optional<MatMulType> ToMatMulType(ElementType type) {
  switch (type) {
    case ElementType::kS8: return MatMulType::kS8;
    case ElementType::kS16: return MatMulType::kS16;
    case ElementType::kS32: return MatMulType::kS32;
    case ElementType::kS64: return MatMulType::kS64;
    case ElementType::kU8: return MatMulType::kU8;
    case ElementType::kU16: return MatMulType::kU16;
    case ElementType::kU32: return MatMulType::kU32;
    case ElementType::kU64: return MatMulType::kU64;
    case ElementType::kF16: return MatMulType::kF16;
    case ElementType::kBF16: return MatMulType::kBF16;
    case ElementType::kF32:
    case ElementType::kC64: return MatMulType::kF32;
    case ElementType::kF64:
    case ElementType::kC128: return MatMulType::kF64;
    default: return std::nullopt;
  }
}

std::optional<MatrixType> ToMatrixType(ElementType type) {
  switch (type) {
    case ElementType::kF16: return MatrixType::kF16;
    case ElementType::kBF16: return MatrixType::kBF16;
    case ElementType::kF32: return MatrixType::kF32;
    case ElementType::kF64: return MatrixType::kF64;
    case ElementType::kC64: return MatrixType::kC64;
    case ElementType::kC128: return MatrixType::kC128;
    default: return std::nullopt;
  }
}

bool IsRowMajor(const Shape& shape) { return StridesOf(shape) == ir::RowMajorStrides(shape.dimensions); }

// How many matrices the two last dimensions of an array hold.
int64_t MatrixCount(const Shape& shape) {
  int64_t count = 1;
  for (size_t dim = 0; dim + 2 < shape.dimensions.size(); ++dim) count *= shape.dimensions[dim];
  return count;
}

FftKind ToFftKind(std::string_view type) {
  if (type == "FFT") return FftKind::kForward;
  if (type == "IFFT") return FftKind::kInverse;
  return type == "RFFT" ? FftKind::kRealToComplex : FftKind::kComplexToReal;
}

}  // namespace

std::vector<int64_t> StridesOf(const Shape& shape) {
  if (shape.layout.minor_to_major.empty()) return ir::RowMajorStrides(shape.dimensions);
  std::vector<int64_t> strides(shape.dimensions.size());
  int64_t stride = 1;
  for (int64_t dim : shape.layout.minor_to_major) {
    strides[dim] = stride;
    stride *= shape.dimensions[dim];
  }
  return strides;
}

bool IsSmallProduct(const Module& module, const Instruction& dot) {
  constexpr int64_t kMaxTerms = 128;
  if (ir::IsComplex(dot.shape.element_type)) return false;
  int64_t terms = dot.shape.element_count();
  for (int64_t dim : dot.As<ir::DotAttributes>().lhs_contracting)
    terms *= module.shape(dot.operands[0]).dimensions[dim];
  return terms > 0 && terms <= kMaxTerms;
}

std::optional<MatMul> ToMatMul(const ir::Module& module, const Instruction& dot) {
  const Shape& lhs = module.shape(dot.operands[0]);
  const Shape& rhs = module.shape(dot.operands[1]);
  const auto lhs_type = ToMatMulType(lhs.element_type);
  const auto rhs_type = ToMatMulType(rhs.element_type);
  const auto out_type = ToMatMulType(dot.shape.element_type);
  if (!lhs_type || !rhs_type || !out_type || dot.operands.size() != 2) return std::nullopt;
  if (ir::IsFloat(dot.shape.element_type) != (ir::IsFloat(lhs.element_type) || ir::IsFloat(rhs.element_type)))
    return std::nullopt;
  const bool is_complex = ir::IsComplex(lhs.element_type) || ir::IsComplex(rhs.element_type);
  if (is_complex && (lhs.element_type != dot.shape.element_type || rhs.element_type != dot.shape.element_type))
    return std::nullopt;
  MatMul matmul{*lhs_type, *rhs_type, *out_type, {}, {}, {}, {}, is_complex};
  const auto& attributes = dot.As<ir::DotAttributes>();
  const std::vector<int64_t> lhs_strides = StridesOf(lhs);
  const std::vector<int64_t> rhs_strides = StridesOf(rhs);
  const std::vector<int64_t> out_strides = StridesOf(dot.shape);
  const auto contains = [](const ir::Dimensions& list, int64_t item) { return std::ranges::count(list, item) > 0; };
  size_t out_dim = 0;
  for (size_t number = 0; number < attributes.lhs_batch.size(); ++number) {
    const int64_t left = attributes.lhs_batch[number];
    const int64_t right = attributes.rhs_batch[number];
    matmul.batch.push_back({lhs.dimensions[left], lhs_strides[left], rhs_strides[right], out_strides[out_dim++]});
  }
  for (int64_t dim = 0; dim < lhs.rank(); ++dim) {
    if (contains(attributes.lhs_batch, dim) || contains(attributes.lhs_contracting, dim)) continue;
    matmul.rows.push_back({lhs.dimensions[dim], lhs_strides[dim], 0, out_strides[out_dim++]});
  }
  for (int64_t dim = 0; dim < rhs.rank(); ++dim) {
    if (contains(attributes.rhs_batch, dim) || contains(attributes.rhs_contracting, dim)) continue;
    matmul.columns.push_back({rhs.dimensions[dim], 0, rhs_strides[dim], out_strides[out_dim++]});
  }
  for (size_t number = 0; number < attributes.lhs_contracting.size(); ++number) {
    const int64_t left = attributes.lhs_contracting[number];
    matmul.depth.push_back(
        {lhs.dimensions[left], lhs_strides[left], rhs_strides[attributes.rhs_contracting[number]], 0});
  }
  return matmul;
}

std::optional<Convolution> ToConvolution(const Module& module, const Instruction& convolution) {
  constexpr int64_t kMinGroupFeatures = 8;
  const auto& attributes = convolution.As<ir::ConvolutionAttributes>();
  const Shape& input = module.shape(convolution.operands[0]);
  const Shape& kernel = module.shape(convolution.operands[1]);
  const Shape& output = convolution.shape;
  const auto input_type = ToMatMulType(input.element_type);
  const auto kernel_type = ToMatMulType(kernel.element_type);
  const auto output_type = ToMatMulType(output.element_type);
  const int64_t groups = attributes.feature_group_count;
  const int64_t group_output_features = output.dimensions[attributes.output_feature] / groups;
  if (!input_type || !kernel_type || !output_type || ir::IsComplex(output.element_type)) return std::nullopt;
  if (ir::IsFloat(output.element_type) != (ir::IsFloat(input.element_type) || ir::IsFloat(kernel.element_type)))
    return std::nullopt;
  if (input.element_count() == 0 || kernel.element_count() == 0 || output.element_count() == 0) return std::nullopt;
  if (attributes.batch_group_count != 1) return std::nullopt;
  if (groups > 1 && group_output_features < kMinGroupFeatures) return std::nullopt;
  const std::vector<int64_t> input_strides = StridesOf(input);
  const std::vector<int64_t> kernel_strides = StridesOf(kernel);
  const std::vector<int64_t> output_strides = StridesOf(output);
  Convolution result{*input_type, *kernel_type, *output_type};
  result.batch = input.dimensions[attributes.input_batch];
  result.groups = groups;
  result.group_input_features = kernel.dimensions[attributes.kernel_input_feature];
  result.group_output_features = group_output_features;
  result.input_batch_stride = input_strides[attributes.input_batch];
  result.input_feature_stride = input_strides[attributes.input_feature];
  result.kernel_input_stride = kernel_strides[attributes.kernel_input_feature];
  result.kernel_output_stride = kernel_strides[attributes.kernel_output_feature];
  result.output_batch_stride = output_strides[attributes.output_batch];
  result.output_feature_stride = output_strides[attributes.output_feature];
  for (size_t number = 0; number < attributes.window.size(); ++number) {
    const ir::WindowDimension& window = attributes.window[number];
    SpatialDimension dimension;
    dimension.input_size = input.dimensions[attributes.input_spatial[number]];
    dimension.output_size = output.dimensions[attributes.output_spatial[number]];
    dimension.window_size = window.size;
    dimension.stride = window.stride;
    dimension.padding_low = window.padding_low;
    dimension.window_dilation = window.window_dilation;
    dimension.base_dilation = window.base_dilation;
    dimension.is_reversed = window.reversal;
    dimension.input_stride = input_strides[attributes.input_spatial[number]];
    dimension.kernel_stride = kernel_strides[attributes.kernel_spatial[number]];
    dimension.output_stride = output_strides[attributes.output_spatial[number]];
    result.spatial.push_back(dimension);
  }
  return result;
}

Fft ToFft(const ir::Module& module, const Instruction& instruction) {
  const auto& attributes = instruction.As<ir::FftAttributes>();
  const Shape& operand = module.shape(instruction.operands[0]);
  const std::vector<int64_t> operand_strides = StridesOf(operand);
  const std::vector<int64_t> result_strides = StridesOf(instruction.shape);
  const ElementType type = operand.element_type;
  Fft fft;
  fft.kind = ToFftKind(attributes.type);
  fft.is_wide = type == ElementType::kF64 || type == ElementType::kC128;
  const int64_t first_transformed = operand.rank() - static_cast<int64_t>(attributes.length.size());
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    if (dim < first_transformed) {
      fft.batch.push_back({operand.dimensions[dim], operand_strides[dim], result_strides[dim]});
    } else {
      fft.transformed.push_back(
          {attributes.length[dim - first_transformed], operand_strides[dim], result_strides[dim]});
    }
  }
  return fft;
}

std::optional<Cholesky> ToCholesky(const ir::Module& module, const Instruction& cholesky) {
  const Shape& shape = cholesky.shape;
  const auto type = ToMatrixType(shape.element_type);
  if (!type || !IsRowMajor(shape) || !IsRowMajor(module.shape(cholesky.operands[0]))) return std::nullopt;
  return Cholesky{*type, cholesky.As<ir::CholeskyAttributes>().lower, MatrixCount(shape), shape.dimensions.back()};
}

std::optional<TriangularSolve> ToTriangularSolve(const ir::Module& module, const Instruction& solve) {
  const Shape& matrix = module.shape(solve.operands[0]);
  const Shape& shape = solve.shape;
  const auto type = ToMatrixType(shape.element_type);
  const bool is_row_major = IsRowMajor(matrix) && IsRowMajor(module.shape(solve.operands[1])) && IsRowMajor(shape);
  if (!type || !is_row_major) return std::nullopt;
  const auto& attributes = solve.As<ir::TriangularSolveAttributes>();
  TriangularSolve result;
  result.type = *type;
  result.left_side = attributes.left_side;
  result.lower = attributes.lower;
  result.unit_diagonal = attributes.unit_diagonal;
  result.transposed = attributes.transpose_a != "NO_TRANSPOSE";
  result.conjugated = attributes.transpose_a == "ADJOINT";
  result.batch = MatrixCount(shape);
  result.size = matrix.dimensions.back();
  result.vectors = shape.dimensions[shape.dimensions.size() - (attributes.left_side ? 1 : 2)];
  return result;
}

std::optional<RandomBits> ToRandomBits(const Module& module, const Instruction& generator) {
  const auto blocks = ir::RandomBlocksOf(module, generator);
  if (!blocks || !IsRowMajor(generator.shape.elements[1])) return std::nullopt;
  RandomBits request;
  request.is_three_fry = blocks->is_three_fry;
  request.has_wide_state = blocks->has_wide_state;
  request.element_bytes = ir::ElementBytes(generator.shape.elements[1].element_type);
  request.outer = blocks->outer;
  request.extent = blocks->extent;
  request.inner = blocks->inner;
  return request;
}

}  // namespace stead::cpu
