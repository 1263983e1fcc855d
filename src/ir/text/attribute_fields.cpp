#include "ir/text/attribute_fields.h"

#include <algorithm>
#include <iterator>

namespace stead::ir {
namespace {

constexpr std::string_view kDirectionNames[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
constexpr std::string_view kCompareTypeNames[] = {"DEFAULT", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};

template <typename Enum, size_t kCount>
std::optional<Enum> FromName(const std::string_view (&names)[kCount], std::string_view name) {
  auto found = std::ranges::find(names, name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Enum>(found - std::begin(names));
}

constexpr std::string_view kWhileKeys[] = {"condition", "body"};
constexpr std::string_view kSelectAndScatterKeys[] = {"select", "scatter"};
constexpr std::string_view kCallsKeys[] = {"calls"};
constexpr std::string_view kToApplyKeys[] = {"to_apply"};

}  // namespace

std::string_view DirectionName(CompareAttributes::Direction direction) {
  return kDirectionNames[static_cast<int>(direction)];
}
std::optional<CompareAttributes::Direction> DirectionFromName(std::string_view name) {
  return FromName<CompareAttributes::Direction>(kDirectionNames, name);
}
std::string_view CompareTypeName(CompareAttributes::Type type) { return kCompareTypeNames[static_cast<int>(type)]; }
std::optional<CompareAttributes::Type> CompareTypeFromName(std::string_view name) {
  return FromName<CompareAttributes::Type>(kCompareTypeNames, name);
}

Attributes DefaultAttributes(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConstant: return Literal();
    case Opcode::kParameter: return ParameterAttributes();
    case Opcode::kGetTupleElement: return TupleElementAttributes();
    case Opcode::kCompare: return CompareAttributes();
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kTranspose:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize: return DimensionsAttributes();
    case Opcode::kSlice: return SliceAttributes();
    case Opcode::kDynamicSlice: return DynamicSliceAttributes();
    case Opcode::kPad: return PadAttributes();
    case Opcode::kDot:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot: return DotAttributes();
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter: return WindowAttributes();
    case Opcode::kConvolution: return ConvolutionAttributes();
    case Opcode::kGather: return GatherAttributes();
    case Opcode::kScatter: return ScatterAttributes();
    case Opcode::kSort: return SortAttributes();
    case Opcode::kFusion: return FusionAttributes();
    case Opcode::kCustomCall: return CustomCallAttributes();
    case Opcode::kCopy: return CopyAttributes();
    case Opcode::kReducePrecision: return ReducePrecisionAttributes();
    case Opcode::kRngBitGenerator: return RngBitGeneratorAttributes();
    case Opcode::kFft: return FftAttributes();
    case Opcode::kCholesky: return CholeskyAttributes();
    case Opcode::kTriangularSolve: return TriangularSolveAttributes();
    case Opcode::kWhile: return WhileAttributes();
    default: return std::monostate();
  }
}

std::span<const std::string_view> CalledKeys(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWhile: return kWhileKeys;
    case Opcode::kSelectAndScatter: return kSelectAndScatterKeys;
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: return kCallsKeys;
    case Opcode::kConditional:
    case Opcode::kCustomCall: return {};
    default:
      return HasTrait(opcode, kCalls) ? std::span<const std::string_view>(kToApplyKeys)
                                      : std::span<const std::string_view>();
  }
}

}  // namespace stead::ir
