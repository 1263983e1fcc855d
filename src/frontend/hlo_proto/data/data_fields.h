// Field numbers of the messages of xla_data.proto, of which the messages of hlo.proto (fields.h) are made: one enum per
// message, with the names of the .proto file.
#pragma once

#include <protozero/types.hpp>

namespace stead::frontend {

using ProtoTag = protozero::pbf_tag_type;

enum class ShapeField : ProtoTag {
  kElementType = 2,
  kDimensions = 3,
  kTupleShapes = 4,
  kLayout = 5,
  kIsDynamicDimension = 6
};
enum class LayoutField : ProtoTag {
  kMinorToMajor = 1,
  kFormat = 4,  // of old versions, which knew dense layouts only
  kTiles = 6,
  kElementSizeInBits = 7,
  kMemorySpace = 8,
  kIndexPrimitiveType = 11,
  kPointerPrimitiveType = 12,
  kDynamicShapeMetadataPrefixBytes = 15,
  kTailPaddingAlignment = 16,
  kSplitConfigs = 17,
};
enum class TileField : ProtoTag { kDimensions = 1 };
enum class SplitConfigField : ProtoTag { kDimension = 1, kSplitIndices = 2 };
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
  kTupleLiterals = 10,
  kF16s = 11,
  kC64s = 12,
  kBF16s = 13,
  kS8s = 15,
  kU16s = 16,
  kS16s = 17,
  kC128s = 18,
  kF8E5M2s = 19,
  kF8E4M3FNs = 20,
  kS4s = 21,
  kU4s = 22,
  kF8E4M3B11FNUZs = 23,
  kF8E5M2FNUZs = 24,
  kF8E4M3FNUZs = 25,
  kS2s = 26,
  kU2s = 27,
  kF8E4M3s = 28,
  kF8E3M4s = 29,
  kF4E2M1FNs = 32,
  kF8E8M0FNUs = 33,
};
enum class MetadataField : ProtoTag {
  kOpType = 1,
  kOpName = 2,
  kSourceFile = 3,
  kSourceLine = 4,
  kProfileType = 5,
  kDeduplicatedName = 12,
  kStackFrameId = 15,
  kSchedulingName = 16,
  kSourceEndLine = 17,
  kSourceColumn = 18,
  kSourceEndColumn = 19,
};
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
enum class RaggedDotField : ProtoTag { kDotDimensionNumbers = 1, kLhsRagged = 2, kRhsGroup = 3 };
enum class TriangularSolveField : ProtoTag { kLeftSide = 1, kLower = 2, kUnitDiagonal = 3, kTransposeA = 4 };
enum class CholeskyField : ProtoTag { kLower = 1 };
enum class FrontendAttributesField : ProtoTag { kMap = 1 };
enum class OperandAliasingField : ProtoTag { kOutputShapeIndex = 1, kOperandIndex = 2, kOperandShapeIndex = 3 };
enum class PrecisionConfigField : ProtoTag { kOperandPrecision = 1, kAlgorithm = 2 };
enum class ReplicaGroupField : ProtoTag { kReplicaIds = 1 };
enum class DeviceListField : ProtoTag { kReplicaGroups = 1 };
enum class IotaDeviceListField : ProtoTag {
  kGroupCount = 1,
  kDevicesPerGroup = 2,
  kReshapeDimensions = 3,
  kTransposePermutation = 4,
};
enum class SourceTargetField : ProtoTag { kSource = 1, kTarget = 2 };
enum class ParameterReplicationField : ProtoTag { kLeaves = 1 };
enum class StatisticsField : ProtoTag { kVisualizedIndex = 1, kStatistics = 2 };
enum class StatisticField : ProtoTag { kName = 1, kValue = 2 };
enum class ResultAccuracyField : ProtoTag { kMode = 1, kTolerance = 2 };
enum class ToleranceField : ProtoTag { kAbsolute = 1, kRelative = 2, kUlps = 3 };
enum class ShardingField : ProtoTag {
  kType = 1,
  kTileDimensions = 3,
  kTileDevices = 4,
  kTupleShardings = 5,
  kReplicateOnLastTileDimension = 6,
  kLastTileDimensions = 8,
  kIotaReshapeDimensions = 9,
  kIotaTransposePermutation = 10,
  kIsShardGroup = 11,
  kShardGroupId = 12,
  kShardGroupType = 13,
  kNamedSharding = 14,
};
enum class NamedShardingField : ProtoTag {
  kMesh = 2,
  kDimensions = 3,
  kReplicatedAxes = 4,
  kUnreducedAxes = 5,
  kManualAxes = 7,
};
enum class DimensionShardingField : ProtoTag { kAxes = 1, kIsClosed = 2 };
enum class MeshField : ProtoTag { kAxes = 1, kDeviceIds = 2, kIotaTransform = 3 };
enum class MeshAxisField : ProtoTag { kName = 1, kSize = 2 };
enum class IotaTransformField : ProtoTag { kReshapeDimensions = 1, kTransposePermutation = 2 };
enum class AxisReferenceField : ProtoTag { kIndex = 1, kSubAxis = 2 };
enum class SubAxisField : ProtoTag { kPreSize = 1, kSize = 2 };
enum class MeshGroupsField : ProtoTag { kMesh = 1, kAxes = 2 };

// Numbers of the kinds of shapes that are no arrays, in PrimitiveType.
inline constexpr int kTuplePrimitiveType = 13;
inline constexpr int kOpaquePrimitiveType = 14;
inline constexpr int kBufferPrimitiveType = 34;
inline constexpr int kTokenPrimitiveType = 17;

}  // namespace stead::frontend
