// Field numbers of the protocol buffers that describe HLO (hlo.proto, xla_data.proto, xla.proto): one enum per message,
// only the fields that we write. Numbers never change their meaning; the names follow the .proto files.
#pragma once

#include <protozero/types.hpp>

namespace stead::frontend {

using ProtoTag = protozero::pbf_tag_type;

enum class ModuleWithConfigField : ProtoTag { kHloModule = 1, kConfig = 2 };
enum class ModuleConfigField : ProtoTag { kEntryComputationLayout = 1, kReplicaCount = 4, kNumPartitions = 5 };
enum class ModuleField : ProtoTag {
  kName = 1,
  kEntryComputationName = 2,
  kComputations = 3,
  kHostProgramShape = 4,
  kId = 5,
  kEntryComputationId = 6,
  kSchedule = 7,
  kInputOutputAlias = 8,
  kStackFrameIndex = 17,
  kBufferDonor = 18,
  kFrontendAttributes = 19,
};
enum class ComputationField : ProtoTag {
  kName = 1,
  kInstructions = 2,
  kProgramShape = 4,
  kId = 5,
  kRootId = 6,
  kIsFusionComputation = 7,
  kExecutionThread = 8,
};
enum class InstructionField : ProtoTag {
  kName = 1,
  kOpcode = 2,
  kShape = 3,
  kMetadata = 7,
  kLiteral = 8,
  kParameterNumber = 9,
  kFusionKind = 11,
  kTupleIndex = 13,
  kDimensions = 14,
  kWindow = 15,
  kConvolutionDimensionNumbers = 16,
  kSliceDimensions = 17,
  kExponentBits = 18,
  kMantissaBits = 19,
  kDynamicSliceSizes = 20,
  kPaddingConfig = 21,
  kDistribution = 23,
  kCustomCallTarget = 28,
  kDotDimensionNumbers = 30,
  kFftType = 31,
  kFftLength = 32,
  kGatherDimensionNumbers = 33,
  kGatherSliceSizes = 34,
  kId = 35,
  kOperandIds = 36,
  kControlPredecessorIds = 37,
  kCalledComputationIds = 38,
  kSharding = 40,
  kBackendConfig = 43,
  kScatterDimensionNumbers = 48,
  kFeatureGroupCount = 50,
  kPrecisionConfig = 51,
  kConstrainLayout = 56,
  kOperandShapesWithLayout = 57,
  kBatchGroupCount = 58,
  kTriangularSolveOptions = 59,
  kIsStable = 60,
  kCholeskyOptions = 62,
  kComparisonDirection = 63,
  kCustomCallHasSideEffect = 65,
  kDelta = 66,
  kIndicesAreSorted = 67,
  kFrontendAttributes = 68,
  kUniqueIndices = 69,
  kRngAlgorithm = 70,
  kComparisonType = 72,
  kOutputOperandAliasing = 74,
  kCustomCallApiVersion = 77,
  kK = 81,
  kLargest = 85,
};
enum class SliceDimensionsField : ProtoTag { kStart = 1, kLimit = 2, kStride = 3 };
enum class ScheduleField : ProtoTag { kSequences = 1 };
enum class MapEntryField : ProtoTag { kKey = 1, kValue = 2 };
enum class SequenceField : ProtoTag { kInstructionIds = 1 };
enum class EntriesField : ProtoTag { kEntries = 1 };
enum class AliasEntryField : ProtoTag {
  kOutputShapeIndex = 1,
  kParameterNumber = 2,
  kParameterShapeIndex = 3,
  kKind = 4
};
enum class DonorEntryField : ProtoTag { kParameterNumber = 1, kParameterShapeIndex = 2 };
enum class StackFrameIndexField : ProtoTag { kFileNames = 1, kFunctionNames = 2, kFileLocations = 3, kStackFrames = 4 };
enum class FileLocationField : ProtoTag {
  kFileNameId = 1,
  kFunctionNameId = 2,
  kLine = 3,
  kColumn = 4,
  kEndLine = 5,
  kEndColumn = 6,
};
enum class StackFrameField : ProtoTag { kFileLocationId = 1, kParentFrameId = 2 };

enum class ShapeField : ProtoTag {
  kElementType = 2,
  kDimensions = 3,
  kTupleShapes = 4,
  kLayout = 5,
  kIsDynamicDimension = 6
};
enum class LayoutField : ProtoTag { kMinorToMajor = 1 };
enum class ProgramShapeField : ProtoTag { kParameters = 1, kResult = 2, kParameterNames = 3 };
enum class LiteralField : ProtoTag {
  kShape = 1,
  kPreds = 2,
  kU8s = 3,
  kS32s = 4,
  kS64s = 5,
  kU32s = 6,
  kU64s = 7,
  kF32s = 8,
  kF64s = 9,
  kF16s = 11,
  kC64s = 12,
  kBF16s = 13,
  kS8s = 15,
  kU16s = 16,
  kS16s = 17,
  kC128s = 18,
  kF8E5M2s = 19,
  kF8E4M3FNs = 20,
  kF8E4M3B11FNUZs = 23,
  kF8E5M2FNUZs = 24,
  kF8E4M3FNUZs = 25,
  kF8E4M3s = 28,
  kF8E3M4s = 29,
  kF8E8M0FNUs = 33,
};
enum class MetadataField : ProtoTag { kOpType = 1, kOpName = 2, kSourceFile = 3, kSourceLine = 4, kStackFrameId = 15 };
enum class PaddingConfigField : ProtoTag { kDimensions = 1 };
enum class PaddingDimensionField : ProtoTag { kLow = 1, kHigh = 2, kInterior = 3 };
enum class WindowField : ProtoTag { kDimensions = 1 };
enum class WindowDimensionField : ProtoTag {
  kSize = 1,
  kStride = 2,
  kPaddingLow = 3,
  kPaddingHigh = 4,
  kWindowDilation = 5,
  kBaseDilation = 6,
  kReversal = 7,
};
enum class GatherField : ProtoTag {
  kOffsetDims = 1,
  kCollapsedSliceDims = 2,
  kStartIndexMap = 3,
  kIndexVectorDim = 4,
  kOperandBatchingDims = 5,
  kStartIndicesBatchingDims = 6,
};
enum class ScatterField : ProtoTag {
  kUpdateWindowDims = 1,
  kInsertedWindowDims = 2,
  kScatterDimsToOperandDims = 3,
  kIndexVectorDim = 4,
  kInputBatchingDims = 5,
  kScatterIndicesBatchingDims = 6,
};
enum class ConvolutionField : ProtoTag {
  kKernelInputFeature = 3,
  kKernelOutputFeature = 4,
  kKernelSpatial = 6,
  kInputBatch = 7,
  kInputFeature = 8,
  kOutputBatch = 9,
  kOutputFeature = 10,
  kInputSpatial = 11,
  kOutputSpatial = 12,
};
enum class DotField : ProtoTag { kLhsContracting = 1, kRhsContracting = 2, kLhsBatch = 3, kRhsBatch = 4 };
enum class TriangularSolveField : ProtoTag { kLeftSide = 1, kLower = 2, kUnitDiagonal = 3, kTransposeA = 4 };
enum class CholeskyField : ProtoTag { kLower = 1 };
enum class FrontendAttributesField : ProtoTag { kMap = 1 };
enum class OperandAliasingField : ProtoTag { kOutputShapeIndex = 1, kOperandIndex = 2, kOperandShapeIndex = 3 };
enum class PrecisionConfigField : ProtoTag { kOperandPrecision = 1 };

// Numbers of the kinds of shapes that are no arrays, in PrimitiveType.
inline constexpr int kTuplePrimitiveType = 13;
inline constexpr int kOpaquePrimitiveType = 14;
inline constexpr int kTokenPrimitiveType = 17;
// HloInputOutputAliasProto's Kind.
inline constexpr int kMayAlias = 1;
inline constexpr int kMustAlias = 2;

}  // namespace stead::frontend
