// Field numbers of the messages of hlo.proto and xla.proto that describe a program: one enum per message. Numbers never
// change their meaning; the names follow the .proto files. The messages that these are made of: data_fields.h.
#pragma once

#include "frontend/hlo_proto/data/data_fields.h"

namespace stead::frontend {

// Messages that hold a module: HloProto (a dump with its buffer assignment), HloModuleProtoWithConfig, HloSnapshot and
// HloUnoptimizedSnapshot all have it, or another of them, in field 1.
enum class WrapperField : ProtoTag { kModule = 1 };
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
  kPjrtId = 23,
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
  kOutfeedConfig = 22,
  kDistribution = 23,
  kEpsilon = 24,
  kFeatureIndex = 25,
  kChannelId = 26,
  kInfeedConfig = 27,
  kCustomCallTarget = 28,
  kOutfeedShape = 29,
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
  kIsHostTransfer = 47,
  kScatterDimensionNumbers = 48,
  kReplicaGroups = 49,
  kFeatureGroupCount = 50,
  kPrecisionConfig = 51,
  kSourceTargetPairs = 52,
  kDomainEntrySharding = 54,
  kDomainExitSharding = 55,
  kConstrainLayout = 56,
  kOperandShapesWithLayout = 57,
  kBatchGroupCount = 58,
  kTriangularSolveOptions = 59,
  kIsStable = 60,
  kParameterReplication = 61,
  kCholeskyOptions = 62,
  kComparisonDirection = 63,
  kCustomCallHasSideEffect = 65,
  kDelta = 66,
  kIndicesAreSorted = 67,
  kFrontendAttributes = 68,
  kUniqueIndices = 69,
  kRngAlgorithm = 70,
  kUseGlobalDeviceIds = 71,
  kComparisonType = 72,
  kOutputOperandAliasing = 74,
  kPaddingType = 75,
  kCustomCallSchedule = 76,
  kCustomCallApiVersion = 77,
  kAsyncExecutionThread = 79,
  kCrossProgramPrefetchIndex = 80,
  kK = 81,
  kStatisticsViz = 82,
  kLargest = 85,
  kCollectiveDeviceList = 87,
  kIsComposite = 89,
  kRaggedDotDimensionNumbers = 90,
  kResultAccuracy = 91,
  kIotaCollectiveDeviceList = 92,
  kMeshAxesReplicaGroupList = 93,
  kIsReverse = 94,
  kNumCarries = 95,
  kIsAssociative = 96,
  kSparsityConfig = 98,
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

// HloInputOutputAliasProto's Kind.
inline constexpr int kMayAlias = 1;
inline constexpr int kMustAlias = 2;

}  // namespace stead::frontend
