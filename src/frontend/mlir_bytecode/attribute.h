// The attributes and types of an MLIR bytecode file, one level deep: what they refer to stays an id.
//   Text and payloads are views into the file's bytes. Builtin and VHLO spellings of one idea give one struct here.
//   What we have no use for (quantized types, rules of sharding, ...) becomes Unknown, an error only where it is needed.
//   Read next: attribute_pool.h, which decodes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "base/id.h"

namespace stead::frontend::mlir {

using AttributeId = Id<struct AttributeTag>;
using TypeId = Id<struct TypeTag>;

enum class TypeKind : uint8_t {
  kScalar,
  kComplex,
  kTensor,
  kVector,
  kMemref,
  kTuple,
  kFunction,
  kToken,
  kNone,
  kUnknown
};

struct Type {
  TypeKind kind = TypeKind::kUnknown;
  std::string_view name;  // of a scalar: "f32", "i4", "ui32", "bool", "f8E4M3FN", "index"; of kUnknown: its dialect
  int bit_width = 0;      // of a scalar
  std::vector<int64_t> dimensions;  // of a tensor, vector or memref; kDynamicDimension where unknown
  std::vector<TypeId>
      parts;  // element type of an array or complex; members of a tuple; inputs, then results of a function
  size_t input_count = 0;  // of a function
};

inline constexpr int64_t kDynamicDimension = INT64_MIN;

// The closed lists of names that VHLO encodes as a number.
enum class EnumKind : uint8_t {
  kComparisonDirection,
  kComparisonType,
  kCustomCallVersion,
  kFftType,
  kPrecision,
  kRngAlgorithm,
  kRngDistribution,
  kTranspose,
};

struct ArrayAttribute {
  std::vector<AttributeId> items;
};
struct DictionaryAttribute {
  struct Entry {
    std::string_view name;
    AttributeId value;
  };
  std::vector<Entry> entries;
};
// A string or the name of a symbol.
struct StringAttribute {
  std::string_view text;
};
// An integer or a bool; `type` is none for VHLO's bool.
struct IntegerAttribute {
  TypeId type;
  int64_t value = 0;
};
// A float as its bit pattern in the format of `type`.
struct FloatAttribute {
  TypeId type;
  uint64_t bits = 0;
};
struct TypeAttribute {
  TypeId type;
};
// A member of a closed list, by its number in VHLO.
struct EnumAttribute {
  EnumKind kind;
  uint64_t value = 0;
};
// An array constant; `payload` is little endian, one element where all are equal (a splat), bools packed 8 to a byte,
// other elements narrower than a byte one to a byte.
struct TensorAttribute {
  TypeId type;
  std::span<const std::byte> payload;
};
// A list of integers or bools, of MLIR's builtin dialect; VHLO writes tensors.
struct IntegersAttribute {
  std::vector<int64_t> values;
};
// One result of a custom call that shares the memory of an operand.
struct OutputOperandAliasAttribute {
  std::vector<int64_t> output_tuple_indices;
  int64_t operand_index = 0;
  std::vector<int64_t> operand_tuple_indices;
};
// Locations. `line` and `column` count from 1; 0 is unknown.
struct FileLocation {
  std::string_view file;
  uint64_t line = 0;
  uint64_t column = 0;
};
struct NameLocation {
  std::string_view name;
  AttributeId child;
};
struct CallSiteLocation {
  AttributeId callee;
  AttributeId caller;
};
struct FusedLocation {
  std::vector<AttributeId> parts;
};
// An attribute without contents: the unit attribute, an unknown location.
struct UnitAttribute {};
// An attribute written as assembly text, of a dialect that has no encoding of its own: "#vector.kind<add>".
struct TextAttribute {
  std::string_view text;
};
// Shardy's words for several devices. A mesh: its axes (MeshAxisAttribute), the outermost first, and the devices in the order of
// their positions where that is not 0, 1, 2, ...
struct MeshAttribute {
  std::vector<AttributeId> axes;
  std::vector<int64_t> device_ids;
};
struct MeshAxisAttribute {
  std::string_view name;
  int64_t size = 0;
};
// A part of an axis: of `pre_size` times `size` times the rest, the middle.
struct SubAxisAttribute {
  int64_t pre_size = 1;
  int64_t size = 0;
};
// An axis or a part of it (SubAxisAttribute; none: all of it).
struct AxisReferenceAttribute {
  std::string_view name;
  AttributeId sub_axis;
};
// The axes (AxisReferenceAttribute) over which one dimension of an array is cut, the outermost cut first.
struct DimensionShardingAttribute {
  std::vector<AttributeId> axes;
};
// How one array lies on the devices of a mesh (MeshAttribute, or the name of one): per dimension a DimensionShardingAttribute.
struct ShardingAttribute {
  AttributeId mesh;
  std::vector<AttributeId> dimensions;
  std::vector<AttributeId> unreduced_axes;  // devices along these hold parts of a sum
};
// One ShardingAttribute per value.
struct ShardingsAttribute {
  std::vector<AttributeId> shardings;
};
struct ManualAxesAttribute {
  std::vector<std::string_view> names;
};
// Anything else.
struct UnknownAttribute {
  std::string_view dialect;
  uint64_t code = 0;
};

using Attribute =
    std::variant<UnknownAttribute, UnitAttribute, ArrayAttribute, DictionaryAttribute, StringAttribute,
                 IntegerAttribute, FloatAttribute, TypeAttribute, EnumAttribute, TensorAttribute, IntegersAttribute,
                 OutputOperandAliasAttribute, FileLocation, NameLocation, CallSiteLocation, FusedLocation,
                 TextAttribute, MeshAttribute, MeshAxisAttribute, SubAxisAttribute, AxisReferenceAttribute,
                 DimensionShardingAttribute, ShardingAttribute, ShardingsAttribute, ManualAxesAttribute>;

// What an attribute is, in words for an error.
std::string_view KindName(const Attribute& attribute);

}  // namespace stead::frontend::mlir
