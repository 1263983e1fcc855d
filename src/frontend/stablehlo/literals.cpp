#include "frontend/stablehlo/literals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stead::frontend {

namespace {

Diagnostic WrongPayload(size_t bytes, const ir::Shape& shape) {
  return InvalidArgument(fmt::format("a constant of shape {} has a payload of {} bytes", shape.ToString(false), bytes));
}

// One byte per element from one bit per element, lowest bit first.
ir::Literal UnpackBools(const ir::Shape& shape, std::span<const std::byte> payload) {
  ir::Literal literal = ir::Literal::Zeros(shape);
  std::span<std::byte> elements = literal.mutable_bytes();
  for (size_t element = 0; element < elements.size(); ++element) {
    elements[element] = payload[element / 8] >> (element % 8) & std::byte{1};
  }
  return literal;
}

Result<ImportedLiteral> ImportBools(const ir::Shape& shape, std::span<const std::byte> payload) {
  size_t count = static_cast<size_t>(shape.element_count());
  if (payload.size() == 1 && count > 8)
    return ImportedLiteral{UnpackBools(ir::Shape::Array(shape.element_type, {}), payload), true};
  if (payload.size() == (count + 7) / 8) return ImportedLiteral{UnpackBools(shape, payload), false};
  if (payload.size() != count) return WrongPayload(payload.size(), shape);
  // Old writers spent a byte on each.
  ir::Literal literal = ir::Literal::Zeros(shape);
  std::memcpy(literal.mutable_bytes().data(), payload.data(), payload.size());
  for (std::byte& element : literal.mutable_bytes()) element = element != std::byte{0} ? std::byte{1} : std::byte{0};
  return ImportedLiteral{std::move(literal), false};
}

// Elements of 2 or 4 bits fill a byte in the IR: signed ones with their sign, others with zeros.
ir::Literal WidenNarrow(ir::Literal literal) {
  ir::ElementType type = literal.shape().element_type;
  int unused_bits = 8 - ir::ElementBits(type);
  for (std::byte& element : literal.mutable_bytes()) {
    uint8_t high = static_cast<uint8_t>(std::to_integer<unsigned>(element) << unused_bits);
    element = ir::IsSigned(type) ? static_cast<std::byte>(static_cast<int8_t>(high) >> unused_bits)
                                 : static_cast<std::byte>(high >> unused_bits);
  }
  return literal;
}

// Number of elements of a list in an attribute; refuses lengths that no program has.
Result<size_t> ListLength(const std::vector<int64_t>& dimensions) {
  constexpr int64_t kMaximumLength = 1 << 20;
  int64_t length = 1;
  for (int64_t dimension : dimensions) {
    if (dimension < 0 || dimension > kMaximumLength) return InvalidArgument("a list of numbers has no sensible length");
    length = std::min(length * dimension, kMaximumLength + 1);
  }
  if (length > kMaximumLength) return InvalidArgument("a list of numbers has no sensible length");
  return static_cast<size_t>(length);
}

// A signed number of 1 to 8 bytes.
int64_t LittleEndian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t byte = bytes.size(); byte-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[byte]);
  int unused_bits = 64 - 8 * static_cast<int>(bytes.size());
  return static_cast<int64_t>(value << unused_bits) >> unused_bits;
}

bool IsAligned(std::span<const std::byte> bytes, int64_t element_bytes) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % static_cast<uintptr_t>(element_bytes) == 0;
}

}  // namespace

Result<ImportedLiteral> ImportLiteral(const mlir::TensorAttribute& tensor, const ir::Shape& shape,
                                      const std::shared_ptr<const void>& owner) {
  if (!shape.is_array()) return InvalidArgument("a constant is not an array");
  // Empty arrays may keep the one element they were made from.
  std::span<const std::byte> payload = shape.element_count() == 0 ? std::span<const std::byte>() : tensor.payload;
  if (shape.element_type == ir::ElementType::kPred) return ImportBools(shape, payload);
  int64_t element_bytes = ir::ElementBytes(shape.element_type);
  bool is_splat = shape.element_count() > 1 && static_cast<int64_t>(payload.size()) == element_bytes;
  ir::Shape stored_shape = is_splat ? ir::Shape::Array(shape.element_type, {}) : shape;
  if (static_cast<int64_t>(payload.size()) != stored_shape.byte_size()) return WrongPayload(payload.size(), shape);
  bool is_narrow = ir::ElementBits(shape.element_type) < 8;
  if (owner != nullptr && !is_narrow && !is_splat && IsAligned(payload, element_bytes)) {
    return ImportedLiteral{ir::Literal::View(std::move(stored_shape), payload, owner), false};
  }
  ir::Literal literal = ir::Literal::Zeros(std::move(stored_shape));
  if (!payload.empty()) std::memcpy(literal.mutable_bytes().data(), payload.data(), payload.size());
  if (is_narrow) literal = WidenNarrow(std::move(literal));
  return ImportedLiteral{std::move(literal), is_splat};
}

Result<std::vector<int64_t>> ImportIntegers(const mlir::AttributePool& pool, const mlir::TensorAttribute& tensor) {
  TRY(mlir::Type type, pool.type(tensor.type));
  if (type.kind != mlir::TypeKind::kTensor) return InvalidArgument("a list of numbers is no tensor");
  TRY(mlir::Type element, pool.type(type.parts[0]));
  TRY(size_t count, ListLength(type.dimensions));
  size_t element_bytes = static_cast<size_t>(element.bit_width + 7) / 8;
  std::span<const std::byte> payload = tensor.payload;
  bool is_splat = payload.size() == std::max<size_t>(element_bytes, 1) && count > 0;
  bool is_packed = element.bit_width == 1 && payload.size() == (count + 7) / 8;
  bool is_readable = element_bytes >= 1 && element_bytes <= sizeof(int64_t) &&
                     (is_splat || is_packed || payload.size() == count * element_bytes);
  if (!is_readable) return InvalidArgument(fmt::format("{} numbers cannot lie in {} bytes", count, payload.size()));
  std::vector<int64_t> values(count);
  for (size_t index = 0; index < count; ++index) {
    if (is_packed) {
      values[index] = std::to_integer<int64_t>(payload[index / 8] >> (index % 8) & std::byte{1});
    } else {
      values[index] = LittleEndian(payload.subspan(is_splat ? 0 : index * element_bytes, element_bytes));
    }
  }
  return values;
}

}  // namespace stead::frontend
