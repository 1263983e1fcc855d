// The fields of HloInstructionProto that keep each attribute struct: one list that the reader reads by and the writer
// writes by, as ir/attribute_fields.h is for HLO text.
//   VisitProtoFields(attributes, visit) calls for every field, in the order of their names in the struct:
//     visit.Integer(field, number)  visit.Flag(field, flag)  visit.Integers(field, list)  visit.Text(field, text)
//     visit.Count(field, number)              absent means 1
//     visit.Word(field, word, words)          an enum, which the module keeps as a word
//     visit.FreeWord(field, word)             a word that the protocol keeps as text
//     visit.Named(field, value, name, from)   an enum that the protocol keeps as a word; visit.OptionalNamed may be absent
//     visit.Message<F>(field, visit_inner)    a message that readers insist on, even when it is empty
//     visit.Rows<F>(field, Column...)         a message per row of a table that the struct keeps by columns
//     visit.Records<F>(field, list, visit_one)  a message per element
#pragma once

#include <string_view>

#include "frontend/hlo_proto/fields.h"
#include "ir/text/attribute_fields.h"

namespace stead::frontend {

template <typename Field, typename List>
struct Column {
  Field field;
  List& values;
};

inline constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
inline constexpr std::string_view kTransposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
inline constexpr std::string_view kRandomAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};

// Structs that the protocol keeps elsewhere (literals, the trip count of a loop) have no fields here.
template <typename A>
inline constexpr bool HasProtoFields = !ir::Is<A, std::monostate> && !ir::Is<A, ir::Literal> &&
                                       !ir::Is<A, ir::CopyAttributes> && !ir::Is<A, ir::WhileAttributes>;

template <ir::Is<ir::ParameterAttributes> A, typename Visitor>
void VisitProtoFields(A& parameter, Visitor& visit) {
  visit.Integer(InstructionField::kParameterNumber, parameter.number);
}

template <ir::Is<ir::TupleElementAttributes> A, typename Visitor>
void VisitProtoFields(A& element, Visitor& visit) {
  visit.Integer(InstructionField::kTupleIndex, element.index);
}

template <ir::Is<ir::CompareAttributes> A, typename Visitor>
void VisitProtoFields(A& compare, Visitor& visit) {
  visit.Named(InstructionField::kComparisonDirection, compare.direction, ir::DirectionName, ir::DirectionFromName);
  visit.OptionalNamed(InstructionField::kComparisonType, compare.type, ir::CompareTypeName, ir::CompareTypeFromName);
}

template <ir::Is<ir::DimensionsAttributes> A, typename Visitor>
void VisitProtoFields(A& attributes, Visitor& visit) {
  visit.Integers(InstructionField::kDimensions, attributes.dimensions);
}

template <ir::Is<ir::SliceAttributes> A, typename Visitor>
void VisitProtoFields(A& slice, Visitor& visit) {
  visit.template Rows<SliceDimensionsField>(
      InstructionField::kSliceDimensions, Column{SliceDimensionsField::kStart, slice.starts},
      Column{SliceDimensionsField::kLimit, slice.limits}, Column{SliceDimensionsField::kStride, slice.strides});
}

template <ir::Is<ir::DynamicSliceAttributes> A, typename Visitor>
void VisitProtoFields(A& slice, Visitor& visit) {
  visit.Integers(InstructionField::kDynamicSliceSizes, slice.sizes);
}

template <ir::Is<ir::PadAttributes> A, typename Visitor>
void VisitProtoFields(A& pad, Visitor& visit) {
  visit.template Message<PaddingConfigField>(InstructionField::kPaddingConfig, [&](auto& config) {
    config.template Rows<PaddingDimensionField>(
        PaddingConfigField::kDimensions, Column{PaddingDimensionField::kLow, pad.low},
        Column{PaddingDimensionField::kHigh, pad.high}, Column{PaddingDimensionField::kInterior, pad.interior});
  });
}

template <ir::Is<ir::DotAttributes> A, typename Visitor>
void VisitDotNumbers(A& dot, Visitor& numbers) {
  numbers.Integers(DotField::kLhsContracting, dot.lhs_contracting);
  numbers.Integers(DotField::kRhsContracting, dot.rhs_contracting);
  numbers.Integers(DotField::kLhsBatch, dot.lhs_batch);
  numbers.Integers(DotField::kRhsBatch, dot.rhs_batch);
}

// Of dot. What ragged-dot says stands one message deeper, among what the module keeps as text.
template <ir::Is<ir::DotAttributes> A, typename Visitor>
void VisitProtoFields(A& dot, Visitor& visit) {
  visit.template Message<DotField>(InstructionField::kDotDimensionNumbers,
                                   [&](auto& numbers) { VisitDotNumbers(dot, numbers); });
}

template <typename Window, typename Visitor>
void VisitWindow(Window& window, Visitor& visit) {
  visit.template Message<WindowField>(InstructionField::kWindow, [&](auto& message) {
    message.template Records<WindowDimensionField>(WindowField::kDimensions, window, [](auto& fields, auto& dimension) {
      fields.Integer(WindowDimensionField::kSize, dimension.size);
      fields.Integer(WindowDimensionField::kStride, dimension.stride);
      fields.Integer(WindowDimensionField::kPaddingLow, dimension.padding_low);
      fields.Integer(WindowDimensionField::kPaddingHigh, dimension.padding_high);
      fields.Integer(WindowDimensionField::kWindowDilation, dimension.window_dilation);
      fields.Integer(WindowDimensionField::kBaseDilation, dimension.base_dilation);
      fields.Flag(WindowDimensionField::kReversal, dimension.reversal);
    });
  });
}

template <ir::Is<ir::WindowAttributes> A, typename Visitor>
void VisitProtoFields(A& window, Visitor& visit) {
  VisitWindow(window.window, visit);
}

template <ir::Is<ir::ConvolutionAttributes> A, typename Visitor>
void VisitConvolutionNumbers(A& convolution, Visitor& visit) {
  visit.template Message<ConvolutionField>(InstructionField::kConvolutionDimensionNumbers, [&](auto& numbers) {
    numbers.Integer(ConvolutionField::kKernelInputFeature, convolution.kernel_input_feature);
    numbers.Integer(ConvolutionField::kKernelOutputFeature, convolution.kernel_output_feature);
    numbers.Integers(ConvolutionField::kKernelSpatial, convolution.kernel_spatial);
    numbers.Integer(ConvolutionField::kInputBatch, convolution.input_batch);
    numbers.Integer(ConvolutionField::kInputFeature, convolution.input_feature);
    numbers.Integer(ConvolutionField::kOutputBatch, convolution.output_batch);
    numbers.Integer(ConvolutionField::kOutputFeature, convolution.output_feature);
    numbers.Integers(ConvolutionField::kInputSpatial, convolution.input_spatial);
    numbers.Integers(ConvolutionField::kOutputSpatial, convolution.output_spatial);
  });
}

template <ir::Is<ir::ConvolutionAttributes> A, typename Visitor>
void VisitProtoFields(A& convolution, Visitor& visit) {
  VisitWindow(convolution.window, visit);
  visit.Count(InstructionField::kFeatureGroupCount, convolution.feature_group_count);
  visit.Count(InstructionField::kBatchGroupCount, convolution.batch_group_count);
  VisitConvolutionNumbers(convolution, visit);
}

template <ir::Is<ir::GatherAttributes> A, typename Visitor>
void VisitProtoFields(A& gather, Visitor& visit) {
  visit.Integers(InstructionField::kGatherSliceSizes, gather.slice_sizes);
  visit.Flag(InstructionField::kIndicesAreSorted, gather.indices_are_sorted);
  visit.template Message<GatherField>(InstructionField::kGatherDimensionNumbers, [&](auto& numbers) {
    numbers.Integers(GatherField::kOffsetDims, gather.offset_dims);
    numbers.Integers(GatherField::kCollapsedSliceDims, gather.collapsed_slice_dims);
    numbers.Integers(GatherField::kStartIndexMap, gather.start_index_map);
    numbers.Integer(GatherField::kIndexVectorDim, gather.index_vector_dim);
    numbers.Integers(GatherField::kOperandBatchingDims, gather.operand_batching_dims);
    numbers.Integers(GatherField::kStartIndicesBatchingDims, gather.start_indices_batching_dims);
  });
}

template <ir::Is<ir::ScatterAttributes> A, typename Visitor>
void VisitProtoFields(A& scatter, Visitor& visit) {
  visit.Flag(InstructionField::kIndicesAreSorted, scatter.indices_are_sorted);
  visit.Flag(InstructionField::kUniqueIndices, scatter.unique_indices);
  visit.template Message<ScatterField>(InstructionField::kScatterDimensionNumbers, [&](auto& numbers) {
    numbers.Integers(ScatterField::kUpdateWindowDims, scatter.update_window_dims);
    numbers.Integers(ScatterField::kInsertedWindowDims, scatter.inserted_window_dims);
    numbers.Integers(ScatterField::kScatterDimsToOperandDims, scatter.scatter_dims_to_operand_dims);
    numbers.Integer(ScatterField::kIndexVectorDim, scatter.index_vector_dim);
    numbers.Integers(ScatterField::kInputBatchingDims, scatter.input_batching_dims);
    numbers.Integers(ScatterField::kScatterIndicesBatchingDims, scatter.scatter_indices_batching_dims);
  });
}

template <ir::Is<ir::SortAttributes> A, typename Visitor>
void VisitProtoFields(A& sort, Visitor& visit) {
  visit.OnlyElement(InstructionField::kDimensions, sort.dimension);
  visit.Flag(InstructionField::kIsStable, sort.is_stable);
}

template <ir::Is<ir::FusionAttributes> A, typename Visitor>
void VisitProtoFields(A& fusion, Visitor& visit) {
  visit.FreeWord(InstructionField::kFusionKind, fusion.kind);
}

template <typename Aliases, typename Visitor>
void VisitAliases(Aliases& aliases, Visitor& visit) {
  visit.template Records<OperandAliasingField>(
      InstructionField::kOutputOperandAliasing, aliases, [](auto& fields, auto& alias) {
        fields.Integers(OperandAliasingField::kOutputShapeIndex, alias.output_index);
        fields.Integer(OperandAliasingField::kOperandIndex, alias.operand);
        fields.Integers(OperandAliasingField::kOperandShapeIndex, alias.operand_index);
      });
}

template <ir::Is<ir::CustomCallAttributes> A, typename Visitor>
void VisitProtoFields(A& call, Visitor& visit) {
  visit.Text(InstructionField::kCustomCallTarget, call.target);
  visit.Flag(InstructionField::kCustomCallHasSideEffect, call.has_side_effect);
  VisitAliases(call.aliases, visit);
}

template <ir::Is<ir::ReducePrecisionAttributes> A, typename Visitor>
void VisitProtoFields(A& precision, Visitor& visit) {
  visit.Integer(InstructionField::kExponentBits, precision.exponent_bits);
  visit.Integer(InstructionField::kMantissaBits, precision.mantissa_bits);
}

template <ir::Is<ir::RngBitGeneratorAttributes> A, typename Visitor>
void VisitProtoFields(A& rng, Visitor& visit) {
  visit.Word(InstructionField::kRngAlgorithm, rng.algorithm, kRandomAlgorithms);
}

template <ir::Is<ir::FftAttributes> A, typename Visitor>
void VisitProtoFields(A& fft, Visitor& visit) {
  visit.Word(InstructionField::kFftType, fft.type, kFftTypes);
  visit.Integers(InstructionField::kFftLength, fft.length);
}

template <ir::Is<ir::CholeskyAttributes> A, typename Visitor>
void VisitProtoFields(A& cholesky, Visitor& visit) {
  visit.template Message<CholeskyField>(InstructionField::kCholeskyOptions,
                                        [&](auto& options) { options.Flag(CholeskyField::kLower, cholesky.lower); });
}

template <ir::Is<ir::TriangularSolveAttributes> A, typename Visitor>
void VisitProtoFields(A& solve, Visitor& visit) {
  visit.template Message<TriangularSolveField>(InstructionField::kTriangularSolveOptions, [&](auto& options) {
    options.Flag(TriangularSolveField::kLeftSide, solve.left_side);
    options.Flag(TriangularSolveField::kLower, solve.lower);
    options.Flag(TriangularSolveField::kUnitDiagonal, solve.unit_diagonal);
    options.Word(TriangularSolveField::kTransposeA, solve.transpose_a, kTransposes);
  });
}

}  // namespace stead::frontend
