#include "frontend/hlo_proto/attribute_writer.h"

#include <charconv>
#include <string_view>
#include <variant>

#include "ir/attribute_fields.h"

namespace stead::frontend {

namespace {

using InstructionMessage = ProtoMessage<InstructionField>;

// Position of `name` in a list of enumerators that are numbered from 0.
template <size_t size>
int NumberOf(std::string_view name, const std::string_view (&names)[size]) {
  for (size_t number = 0; number < size; ++number) {
    if (names[number] == name) return static_cast<int>(number);
  }
  return 0;
}

constexpr std::string_view kFftTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
constexpr std::string_view kTransposes[] = {"", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
constexpr std::string_view kRandomAlgorithms[] = {"rng_default", "rng_three_fry", "rng_philox"};
constexpr std::string_view kRandomDistributions[] = {"rng_invalid", "rng_uniform", "rng_normal"};
constexpr std::string_view kPrecisions[] = {"default", "high", "highest"};
constexpr std::string_view kApiVersions[] = {"", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                                             "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};

void AddFrontendAttribute(ProtoMessage<FrontendAttributesField>& attributes, std::string_view key,
                          std::string_view value) {
  ProtoMessage<MapEntryField> entry(attributes, FrontendAttributesField::kMap);
  entry.add_string(MapEntryField::kKey, key.data(), key.size());
  entry.add_string(MapEntryField::kValue, value.data(), value.size());
}

// Writes the fields of one attribute struct; one overload per struct.
//   A sub-message without fields vanishes unless its bytes are added as a whole, which is done where readers insist on it.
class AttributeWriter {
 public:
  explicit AttributeWriter(InstructionMessage& message) : message_(message) {}

  void operator()(std::monostate) {}
  // As HLO text has it: among the frontend attributes, to which the module's own are added.
  void operator()(const ir::CopyAttributes& copy) {
    if (copy.reason == ir::CopyReason::kWritten) return;
    ProtoMessage<FrontendAttributesField> attributes(message_, InstructionField::kFrontendAttributes);
    AddFrontendAttribute(attributes, ir::kCopyReasonKey, ir::CopyReasonCode(copy.reason));
  }
  // The trip count stands in the backend_config.
  void operator()(const ir::WhileAttributes&) {}

  void operator()(const ir::Literal& literal) {
    if (!IsWritable(literal)) return;
    ProtoMessage<LiteralField> message(message_, InstructionField::kLiteral);
    WriteLiteral(message, literal);
  }
  void operator()(const ir::ParameterAttributes& parameter) {
    message_.add_int64(InstructionField::kParameterNumber, parameter.number);
  }
  void operator()(const ir::TupleElementAttributes& element) {
    message_.add_int64(InstructionField::kTupleIndex, element.index);
  }
  void operator()(const ir::CompareAttributes& compare) {
    AddText(InstructionField::kComparisonDirection, ir::DirectionName(compare.direction));
    if (compare.type == ir::CompareAttributes::Type::kDefault) return;
    AddText(InstructionField::kComparisonType, ir::CompareTypeName(compare.type));
  }
  void operator()(const ir::DimensionsAttributes& attributes) {
    AddIntegers(message_, InstructionField::kDimensions, attributes.dimensions);
  }
  void operator()(const ir::SliceAttributes& slice) {
    for (size_t dim = 0; dim < slice.starts.size(); ++dim) {
      ProtoMessage<SliceDimensionsField> dimension(message_, InstructionField::kSliceDimensions);
      dimension.add_int64(SliceDimensionsField::kStart, slice.starts[dim]);
      dimension.add_int64(SliceDimensionsField::kLimit, slice.limits[dim]);
      dimension.add_int64(SliceDimensionsField::kStride, slice.strides[dim]);
    }
  }
  void operator()(const ir::DynamicSliceAttributes& slice) {
    AddIntegers(message_, InstructionField::kDynamicSliceSizes, slice.sizes);
  }
  void operator()(const ir::PadAttributes& pad) {
    std::string bytes;
    ProtoMessage<PaddingConfigField> config(bytes);
    for (size_t dim = 0; dim < pad.low.size(); ++dim) {
      ProtoMessage<PaddingDimensionField> dimension(config, PaddingConfigField::kDimensions);
      dimension.add_int64(PaddingDimensionField::kLow, pad.low[dim]);
      dimension.add_int64(PaddingDimensionField::kHigh, pad.high[dim]);
      dimension.add_int64(PaddingDimensionField::kInterior, pad.interior[dim]);
    }
    message_.add_message(InstructionField::kPaddingConfig, bytes);
  }
  void operator()(const ir::DotAttributes& dot) {
    std::string bytes;
    ProtoMessage<DotField> numbers(bytes);
    AddIntegers(numbers, DotField::kLhsContracting, dot.lhs_contracting);
    AddIntegers(numbers, DotField::kRhsContracting, dot.rhs_contracting);
    AddIntegers(numbers, DotField::kLhsBatch, dot.lhs_batch);
    AddIntegers(numbers, DotField::kRhsBatch, dot.rhs_batch);
    message_.add_message(InstructionField::kDotDimensionNumbers, bytes);
  }
  void operator()(const ir::WindowAttributes& window) { AddWindow(window.window); }
  void operator()(const ir::ConvolutionAttributes& convolution) {
    AddWindow(convolution.window);
    message_.add_int64(InstructionField::kFeatureGroupCount, convolution.feature_group_count);
    message_.add_int64(InstructionField::kBatchGroupCount, convolution.batch_group_count);
    ProtoMessage<ConvolutionField> numbers(message_, InstructionField::kConvolutionDimensionNumbers);
    numbers.add_int64(ConvolutionField::kKernelInputFeature, convolution.kernel_input_feature);
    numbers.add_int64(ConvolutionField::kKernelOutputFeature, convolution.kernel_output_feature);
    AddIntegers(numbers, ConvolutionField::kKernelSpatial, convolution.kernel_spatial);
    numbers.add_int64(ConvolutionField::kInputBatch, convolution.input_batch);
    numbers.add_int64(ConvolutionField::kInputFeature, convolution.input_feature);
    numbers.add_int64(ConvolutionField::kOutputBatch, convolution.output_batch);
    numbers.add_int64(ConvolutionField::kOutputFeature, convolution.output_feature);
    AddIntegers(numbers, ConvolutionField::kInputSpatial, convolution.input_spatial);
    AddIntegers(numbers, ConvolutionField::kOutputSpatial, convolution.output_spatial);
  }
  void operator()(const ir::GatherAttributes& gather) {
    AddIntegers(message_, InstructionField::kGatherSliceSizes, gather.slice_sizes);
    message_.add_bool(InstructionField::kIndicesAreSorted, gather.indices_are_sorted);
    ProtoMessage<GatherField> numbers(message_, InstructionField::kGatherDimensionNumbers);
    AddIntegers(numbers, GatherField::kOffsetDims, gather.offset_dims);
    AddIntegers(numbers, GatherField::kCollapsedSliceDims, gather.collapsed_slice_dims);
    AddIntegers(numbers, GatherField::kStartIndexMap, gather.start_index_map);
    numbers.add_int64(GatherField::kIndexVectorDim, gather.index_vector_dim);
    AddIntegers(numbers, GatherField::kOperandBatchingDims, gather.operand_batching_dims);
    AddIntegers(numbers, GatherField::kStartIndicesBatchingDims, gather.start_indices_batching_dims);
  }
  void operator()(const ir::ScatterAttributes& scatter) {
    message_.add_bool(InstructionField::kIndicesAreSorted, scatter.indices_are_sorted);
    message_.add_bool(InstructionField::kUniqueIndices, scatter.unique_indices);
    ProtoMessage<ScatterField> numbers(message_, InstructionField::kScatterDimensionNumbers);
    AddIntegers(numbers, ScatterField::kUpdateWindowDims, scatter.update_window_dims);
    AddIntegers(numbers, ScatterField::kInsertedWindowDims, scatter.inserted_window_dims);
    AddIntegers(numbers, ScatterField::kScatterDimsToOperandDims, scatter.scatter_dims_to_operand_dims);
    numbers.add_int64(ScatterField::kIndexVectorDim, scatter.index_vector_dim);
    AddIntegers(numbers, ScatterField::kInputBatchingDims, scatter.input_batching_dims);
    AddIntegers(numbers, ScatterField::kScatterIndicesBatchingDims, scatter.scatter_indices_batching_dims);
  }
  void operator()(const ir::SortAttributes& sort) {
    AddIntegers(message_, InstructionField::kDimensions, {sort.dimension});
    message_.add_bool(InstructionField::kIsStable, sort.is_stable);
  }
  void operator()(const ir::FusionAttributes& fusion) { AddText(InstructionField::kFusionKind, fusion.kind); }
  void operator()(const ir::CustomCallAttributes& call) {
    AddText(InstructionField::kCustomCallTarget, call.target);
    message_.add_bool(InstructionField::kCustomCallHasSideEffect, call.has_side_effect);
    for (const ir::OutputOperandAlias& alias : call.aliases) {
      ProtoMessage<OperandAliasingField> entry(message_, InstructionField::kOutputOperandAliasing);
      AddIntegers(entry, OperandAliasingField::kOutputShapeIndex, alias.output_index);
      entry.add_int64(OperandAliasingField::kOperandIndex, alias.operand);
      AddIntegers(entry, OperandAliasingField::kOperandShapeIndex, alias.operand_index);
    }
  }
  void operator()(const ir::ReducePrecisionAttributes& precision) {
    message_.add_int32(InstructionField::kExponentBits, static_cast<int32_t>(precision.exponent_bits));
    message_.add_int32(InstructionField::kMantissaBits, static_cast<int32_t>(precision.mantissa_bits));
  }
  void operator()(const ir::RngBitGeneratorAttributes& rng) {
    message_.add_enum(InstructionField::kRngAlgorithm, NumberOf(rng.algorithm, kRandomAlgorithms));
  }
  void operator()(const ir::FftAttributes& fft) {
    message_.add_enum(InstructionField::kFftType, NumberOf(fft.type, kFftTypes));
    AddIntegers(message_, InstructionField::kFftLength, fft.length);
  }
  void operator()(const ir::CholeskyAttributes& cholesky) {
    ProtoMessage<CholeskyField> options(message_, InstructionField::kCholeskyOptions);
    options.add_bool(CholeskyField::kLower, cholesky.lower);
  }
  void operator()(const ir::TriangularSolveAttributes& solve) {
    ProtoMessage<TriangularSolveField> options(message_, InstructionField::kTriangularSolveOptions);
    options.add_bool(TriangularSolveField::kLeftSide, solve.left_side);
    options.add_bool(TriangularSolveField::kLower, solve.lower);
    options.add_bool(TriangularSolveField::kUnitDiagonal, solve.unit_diagonal);
    options.add_enum(TriangularSolveField::kTransposeA, NumberOf(solve.transpose_a, kTransposes));
  }

 private:
  void AddText(InstructionField field, std::string_view text) {
    if (!text.empty()) message_.add_string(field, text.data(), text.size());
  }
  void AddWindow(const std::vector<ir::WindowDimension>& window) {
    ProtoMessage<WindowField> message(message_, InstructionField::kWindow);
    for (const ir::WindowDimension& dimension : window) {
      ProtoMessage<WindowDimensionField> entry(message, WindowField::kDimensions);
      entry.add_int64(WindowDimensionField::kSize, dimension.size);
      entry.add_int64(WindowDimensionField::kStride, dimension.stride);
      entry.add_int64(WindowDimensionField::kPaddingLow, dimension.padding_low);
      entry.add_int64(WindowDimensionField::kPaddingHigh, dimension.padding_high);
      entry.add_int64(WindowDimensionField::kWindowDilation, dimension.window_dilation);
      entry.add_int64(WindowDimensionField::kBaseDilation, dimension.base_dilation);
      entry.add_bool(WindowDimensionField::kReversal, dimension.reversal);
    }
  }

  InstructionMessage& message_;
};

// The text without its outer braces, or all of it where it has none.
std::string_view WithoutBraces(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return text;
  return text.substr(1, text.size() - 2);
}

// The text inside the quotes at the start of `text`, escapes undone; removes it, and the quotes, from `text`.
std::string TakeQuoted(std::string_view& text) {
  std::string taken;
  size_t position = 1;
  while (position < text.size() && text[position] != '"') {
    if (text[position] == '\\' && position + 1 < text.size()) ++position;
    taken += text[position++];
  }
  text.remove_prefix(std::min(position + 1, text.size()));
  return taken;
}

std::string Unquoted(std::string_view text) { return text.starts_with('"') ? TakeQuoted(text) : std::string(text); }

// {high,default}
void WritePrecision(InstructionMessage& message, std::string_view text) {
  std::vector<int64_t> precisions;
  text = WithoutBraces(text);
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    precisions.push_back(NumberOf(name, kPrecisions));
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  ProtoMessage<PrecisionConfigField> config(message, InstructionField::kPrecisionConfig);
  AddIntegers(config, PrecisionConfigField::kOperandPrecision, precisions);
}

// An unquoted value: up to the next comma that stands in no brackets.
std::string_view BareValue(std::string_view text) {
  int depth = 0;
  for (size_t position = 0; position < text.size(); ++position) {
    const char character = text[position];
    if (character == ',' && depth == 0) return text.substr(0, position);
    if (std::string_view("{[(<").find(character) != std::string_view::npos) ++depth;
    if (std::string_view("}])>").find(character) != std::string_view::npos) --depth;
  }
  return text;
}

int64_t IntegerFrom(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void WriteExtraAttribute(InstructionMessage& message, const ir::ExtraAttribute& extra) {
  if (extra.key == "frontend_attributes") {
    ProtoMessage<FrontendAttributesField> attributes(message, InstructionField::kFrontendAttributes);
    WriteFrontendAttributes(attributes, extra.value);
  } else if (extra.key == "backend_config") {
    message.add_bytes(InstructionField::kBackendConfig, Unquoted(extra.value));
  } else if (extra.key == "operand_precision") {
    WritePrecision(message, extra.value);
  } else if (extra.key == "distribution") {
    message.add_enum(InstructionField::kDistribution, NumberOf(extra.value, kRandomDistributions));
  } else if (extra.key == "delta") {
    message.add_int64(InstructionField::kDelta, IntegerFrom(extra.value));
  } else if (extra.key == "k") {
    message.add_int64(InstructionField::kK, IntegerFrom(extra.value));
  } else if (extra.key == "largest") {
    message.add_bool(InstructionField::kLargest, extra.value == "true");
  } else if (extra.key == "sharding" && extra.value == "{replicated}") {
    message.add_message(InstructionField::kSharding, std::string());
  }
}

}  // namespace

void WriteFrontendAttributes(ProtoMessage<FrontendAttributesField>& attributes, std::string_view text) {
  text = WithoutBraces(text);
  while (!text.empty()) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view key = text.substr(0, equals);
    text.remove_prefix(equals + 1);
    std::string value;
    if (text.starts_with('"')) {
      value = TakeQuoted(text);
    } else {
      const std::string_view bare = BareValue(text);
      value = bare;
      text.remove_prefix(bare.size());
    }
    AddFrontendAttribute(attributes, key, value);
    if (text.starts_with(',')) text.remove_prefix(1);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
}

void WriteAttributes(InstructionMessage& message, const ir::Instruction& instruction) {
  std::visit(AttributeWriter(message), instruction.attributes);
}

void WriteExtraAttributes(InstructionMessage& message, const ir::Instruction& instruction) {
  // Readers take a missing version for an unspecified one.
  int api_version = NumberOf("API_VERSION_ORIGINAL", kApiVersions);
  for (const ir::ExtraAttribute& extra : instruction.extra) {
    if (extra.key == "api_version") {
      api_version = NumberOf(extra.value, kApiVersions);
    } else {
      WriteExtraAttribute(message, extra);
    }
  }
  if (instruction.opcode == ir::Opcode::kCustomCall) {
    message.add_enum(InstructionField::kCustomCallApiVersion, api_version);
  }
}

}  // namespace stead::frontend
