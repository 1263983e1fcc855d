#include "frontend/hlo_proto/data/literal.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "frontend/hlo_proto/data/shape.h"
#include "ir/literal_layout.h"

namespace stead::frontend {

namespace {

// The field that takes the elements as they lie in memory, for types that are written so.
std::optional<LiteralField> BytesField(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::kS2: return LiteralField::kS2s;
    case ir::ElementType::kU2: return LiteralField::kU2s;
    case ir::ElementType::kS4: return LiteralField::kS4s;
    case ir::ElementType::kU4: return LiteralField::kU4s;
    case ir::ElementType::kS8: return LiteralField::kS8s;
    case ir::ElementType::kU8: return LiteralField::kU8s;
    case ir::ElementType::kS16: return LiteralField::kS16s;
    case ir::ElementType::kU16: return LiteralField::kU16s;
    case ir::ElementType::kF16: return LiteralField::kF16s;
    case ir::ElementType::kBF16: return LiteralField::kBF16s;
    case ir::ElementType::kF4E2M1FN: return LiteralField::kF4E2M1FNs;
    case ir::ElementType::kF8E5M2: return LiteralField::kF8E5M2s;
    case ir::ElementType::kF8E4M3: return LiteralField::kF8E4M3s;
    case ir::ElementType::kF8E4M3FN: return LiteralField::kF8E4M3FNs;
    case ir::ElementType::kF8E4M3B11FNUZ: return LiteralField::kF8E4M3B11FNUZs;
    case ir::ElementType::kF8E5M2FNUZ: return LiteralField::kF8E5M2FNUZs;
    case ir::ElementType::kF8E4M3FNUZ: return LiteralField::kF8E4M3FNUZs;
    case ir::ElementType::kF8E3M4: return LiteralField::kF8E3M4s;
    case ir::ElementType::kF8E8M0FNU: return LiteralField::kF8E8M0FNUs;
    default: return std::nullopt;
  }
}

// The field of a type that is written as a packed list of fixed-size numbers.
std::optional<LiteralField> FixedField(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::kF32: return LiteralField::kF32s;
    case ir::ElementType::kF64: return LiteralField::kF64s;
    case ir::ElementType::kC64: return LiteralField::kC64s;
    case ir::ElementType::kC128: return LiteralField::kC128s;
    default: return std::nullopt;
  }
}

// The field of a type that is written as a packed list of varints. REQUIRES: one of the remaining types.
LiteralField VarintField(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::kS32: return LiteralField::kS32s;
    case ir::ElementType::kS64: return LiteralField::kS64s;
    case ir::ElementType::kU32: return LiteralField::kU32s;
    case ir::ElementType::kU64: return LiteralField::kU64s;
    default: STEAD_CHECK(type == ir::ElementType::kPred, ir::ElementTypeName(type)); return LiteralField::kPreds;
  }
}

Status CheckSize(size_t seen, int64_t expected, std::string_view unit, const ir::Shape& shape) {
  if (seen == static_cast<size_t>(expected)) return {};
  return InvalidArgument(
      fmt::format("a literal of shape {} has {} {}, expected {}", shape.ToString(false), seen, unit, expected));
}

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// One byte an element; only the low bits of a small one count, which signed types extend.
void SpreadSmallElements(ir::ElementType type, std::span<std::byte> elements) {
  const int unused_bits = 8 - ir::ElementBits(type);
  if (unused_bits <= 0) return;
  for (std::byte& element : elements) {
    const uint8_t high = static_cast<uint8_t>(std::to_integer<unsigned>(element) << unused_bits);
    const int extended = ir::IsSigned(type) ? static_cast<int8_t>(high) >> unused_bits : high >> unused_bits;
    element = static_cast<std::byte>(extended);
  }
}

template <typename T>
void StoreNumbers(const std::vector<int64_t>& numbers, std::vector<std::byte>& memory) {
  memory.reserve(numbers.size() * sizeof(T));
  for (int64_t number : numbers) {
    const T value = static_cast<T>(number);
    const auto bytes = std::as_bytes(std::span(&value, 1));
    memory.insert(memory.end(), bytes.begin(), bytes.end());
  }
}

Result<std::vector<std::byte>> ReadVarints(MessageFields& fields, const ir::Shape& shape) {
  const std::vector<int64_t> numbers = fields.TakeIntegers(VarintField(shape.element_type));
  TRY_STATUS(CheckSize(numbers.size(), shape.element_count(), "elements", shape));
  std::vector<std::byte> memory;
  switch (ir::ElementBytes(shape.element_type)) {
    case 1: StoreNumbers<bool>(numbers, memory); break;
    case 4: StoreNumbers<uint32_t>(numbers, memory); break;
    default: StoreNumbers<uint64_t>(numbers, memory);
  }
  return memory;
}

// The elements as they lie in memory in the layout of the shape.
Result<std::vector<std::byte>> ReadElements(MessageFields& fields, const ir::Shape& shape) {
  std::optional<LiteralField> field = BytesField(shape.element_type);
  if (!field) field = FixedField(shape.element_type);
  if (!field) return ReadVarints(fields, shape);
  std::string_view text = fields.TakeBytes(*field);
  TRY_STATUS(CheckSize(text.size(), shape.byte_size(), "bytes", shape));
  std::vector<std::byte> memory(Bytes(text).begin(), Bytes(text).end());
  SpreadSmallElements(shape.element_type, memory);
  return memory;
}

// The elements of a literal lie in the order of its layout; tiles and the size of elements in memory are not followed.
ir::Shape WithoutTiles(ir::Shape shape) {
  shape.layout.suffix.clear();
  for (ir::Shape& element : shape.elements) element = WithoutTiles(std::move(element));
  return shape;
}

Result<ir::Literal> ReadArray(MessageFields& fields, const ir::Shape& literal_shape, const ir::Shape& shape) {
  const ir::Shape memory_shape = WithoutTiles(literal_shape);
  TRY(std::vector<std::byte> memory, ReadElements(fields, memory_shape));
  if (!memory_shape.is_row_major()) return ir::LoadFromLayout(memory_shape, memory).WithShape(shape);
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(memory));
  return ir::Literal::View(shape, *owner, owner);
}

void WriteElements(ProtoMessage<LiteralField>& message, ir::ElementType type, std::span<const std::byte> memory) {
  const char* data = reinterpret_cast<const char*>(memory.data());
  std::optional<LiteralField> field = BytesField(type);
  if (!field) field = FixedField(type);
  if (field) return message.add_bytes(*field, data, memory.size());
  const LiteralField varints = VarintField(type);
  switch (type) {
    case ir::ElementType::kPred: return message.add_packed_bool(varints, data, data + memory.size());
    case ir::ElementType::kS32: {
      const int32_t* numbers = reinterpret_cast<const int32_t*>(data);
      return message.add_packed_int32(varints, numbers, numbers + memory.size() / sizeof(int32_t));
    }
    case ir::ElementType::kU32: {
      const uint32_t* numbers = reinterpret_cast<const uint32_t*>(data);
      return message.add_packed_uint32(varints, numbers, numbers + memory.size() / sizeof(uint32_t));
    }
    default: {
      // A signed number of 64 bits has the same varint as the unsigned one of the same bits.
      const uint64_t* numbers = reinterpret_cast<const uint64_t*>(data);
      return message.add_packed_uint64(varints, numbers, numbers + memory.size() / sizeof(uint64_t));
    }
  }
}

// Small elements have their upper bits cleared, as XLA writes them.
void ClearUnusedBits(ir::ElementType type, std::span<std::byte> elements) {
  const int bits = ir::ElementBits(type);
  if (bits >= 8) return;
  for (std::byte& element : elements) element &= static_cast<std::byte>((1 << bits) - 1);
}

}  // namespace

Result<ir::Literal> ReadLiteral(std::string_view message, const ir::Shape& shape) {
  MessageFields fields(message);
  TRY(ir::Shape literal_shape, ReadShape(fields.TakeBytes(LiteralField::kShape)));
  if (!literal_shape.Compatible(shape)) {
    return InvalidArgument(fmt::format("a constant of shape {} has a literal of shape {}", shape.ToString(false),
                                       literal_shape.ToString(false)));
  }
  if (shape.is_array()) return ReadArray(fields, literal_shape, shape);
  if (!shape.is_tuple()) return ir::Literal::Token();
  const std::vector<std::string_view> messages = fields.TakeAll(LiteralField::kTupleLiterals);
  TRY_STATUS(CheckSize(messages.size(), static_cast<int64_t>(shape.elements.size()), "literals", shape));
  std::vector<ir::Literal> elements;
  for (size_t number = 0; number < messages.size(); ++number) {
    TRY(ir::Literal element, ReadLiteral(messages[number], shape.elements[number]));
    elements.push_back(std::move(element));
  }
  return ir::Literal::Tuple(std::move(elements));
}

Status WriteLiteral(ProtoMessage<LiteralField>& message, const ir::Literal& literal) {
  const ir::Shape& shape = literal.shape();
  {
    ProtoMessage<ShapeField> shape_message(message, LiteralField::kShape);
    TRY_STATUS(WriteShape(shape_message, WithoutTiles(shape)));
  }
  for (const ir::Literal& element : literal.elements()) {
    ProtoMessage<LiteralField> element_message(message, LiteralField::kTupleLiterals);
    TRY_STATUS(WriteLiteral(element_message, element));
  }
  if (!shape.is_array()) return {};
  const bool lies_as_written = shape.layout.minor_to_major.empty() && ir::ElementBits(shape.element_type) >= 8;
  if (lies_as_written) {
    WriteElements(message, shape.element_type, literal.bytes());
    return {};
  }
  std::vector<std::byte> memory(literal.bytes().size());
  ir::StoreInLayout(literal, WithoutTiles(shape), memory);
  ClearUnusedBits(shape.element_type, memory);
  WriteElements(message, shape.element_type, memory);
  return {};
}

}  // namespace stead::frontend
