#include "frontend/mlir_text/dense_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "ir/number/narrow_float.h"
#include "ir/number/small_float.h"

namespace stead::frontend::mlir {

namespace {

size_t ElementBytes(const Type& element) { return static_cast<size_t>(std::max(element.bit_width, 8) + 7) / 8; }

void AppendLittleEndian(uint64_t bits, size_t byte_count, std::string& payload) {
  for (size_t byte = 0; byte < byte_count; ++byte) payload += static_cast<char>(bits >> (8 * byte));
}

// Nothing for a type that we have no word for.
std::optional<uint64_t> FloatBits(double value, const Type& scalar) {
  if (scalar.name == "f64") return std::bit_cast<uint64_t>(value);
  if (scalar.name == "f32") return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(value))};
  if (scalar.name == "f16") return uint64_t{std::bit_cast<uint16_t>(static_cast<_Float16>(value))};
  if (scalar.name == "bf16") {
    // f32 may round up to a value half way between two of bf16: its last bit then remembers that something was cut off.
    float narrow = static_cast<float>(value);
    if (std::isfinite(narrow) && static_cast<double>(narrow) != value) {
      const bool is_above = std::fabs(static_cast<double>(narrow)) > std::fabs(value);
      uint32_t bits = std::bit_cast<uint32_t>(narrow);
      narrow = std::bit_cast<float>((is_above ? bits - 1 : bits) | 1);
    }
    return uint64_t{ir::FloatToBFloat16(narrow)};
  }
  std::string name(scalar.name);
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const std::optional<ir::ElementType> type = ir::ElementTypeFromName(name);
  if (!type || !ir::IsSmallFloat(*type)) return std::nullopt;
  return uint64_t{ir::DoubleToSmallFloat(*type, value)};
}

// The magnitude and sign of an integer in decimal or hexadecimal, as the bits of a number of 64 bits.
Result<uint64_t> IntegerBits(const TextCursor& cursor, size_t start, std::string_view number, int bit_width) {
  const bool is_negative = number.starts_with('-');
  std::string_view digits = number.substr(is_negative);
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  const uint64_t largest = bit_width >= 64 ? UINT64_MAX : (uint64_t{1} << bit_width) - 1;
  const bool fits = error == std::errc() && end == digits.data() + digits.size() && magnitude <= largest &&
                    (!is_negative || magnitude <= largest / 2 + 1);
  if (!fits) return cursor.ErrorAt(start, fmt::format("`{}` is no integer of {} bits", number, bit_width));
  return is_negative ? (0 - magnitude) & largest : magnitude;
}

// One bit for each element; of a splat, the same bit eight times.
std::string PackBools(const std::string& bytes) {
  std::string packed((bytes.size() + 7) / 8, '\0');
  for (size_t element = 0; element < bytes.size(); ++element) {
    const unsigned bit = bytes[element] != 0 ? 1 : 0;
    packed[element / 8] = static_cast<char>(static_cast<unsigned char>(packed[element / 8]) | bit << (element % 8));
  }
  return packed;
}

std::string BoolSplat(bool value) { return std::string(1, value ? '\xFF' : '\0'); }

// Reads elements one by one, in brackets or not, and checks the brackets against the dimensions.
class ElementReader {
 public:
  ElementReader(TextCursor& cursor, const DenseShape& shape) : cursor_(cursor), shape_(shape) {}

  Status Read(size_t dimension) {
    if (dimension == shape_.dimensions.size()) return ReadElement();
    TRY_STATUS(cursor_.Expect("["));
    for (int64_t position = 0; position < shape_.dimensions[dimension]; ++position) {
      if (position > 0) TRY_STATUS(cursor_.Expect(","));
      TRY_STATUS(Read(dimension + 1));
    }
    return cursor_.Expect("]");
  }

  Status ReadElement() {
    if (!shape_.is_complex) return ReadPart();
    TRY_STATUS(cursor_.Expect("("));
    TRY_STATUS(ReadPart());
    TRY_STATUS(cursor_.Expect(","));
    TRY_STATUS(ReadPart());
    return cursor_.Expect(")");
  }

  std::string& bytes() { return bytes_; }

 private:
  Status ReadPart() {
    const bool is_true = cursor_.TryConsumeWord("true");
    if (is_true || cursor_.TryConsumeWord("false")) {
      if (shape_.element.name != "bool") return cursor_.Unexpected("a number");
      bytes_ += static_cast<char>(is_true);
      return {};
    }
    const size_t start = cursor_.Next();
    TRY(std::string_view number, cursor_.ReadNumber());
    TRY(uint64_t bits, NumberBits(cursor_, start, number, shape_.element));
    AppendLittleEndian(bits, ElementBytes(shape_.element), bytes_);
    return {};
  }

  TextCursor& cursor_;
  const DenseShape& shape_;
  std::string bytes_;
};

// "0x00FF...": the bytes of the elements, two digits each.
Result<std::string> ReadHexPayload(TextCursor& cursor) {
  const size_t start = cursor.Next();
  TRY(std::string_view digits, cursor.ReadQuoted("the bytes of a constant"));
  const bool is_hex = digits.starts_with("0x") && digits.size() % 2 == 0 &&
                      std::ranges::all_of(digits.substr(2), [](unsigned char digit) { return std::isxdigit(digit); });
  if (!is_hex) return cursor.ErrorAt(start, "the bytes of a constant are no hexadecimal digits");
  std::string payload((digits.size() - 2) / 2, '\0');
  for (size_t byte = 0; byte < payload.size(); ++byte) {
    unsigned value = 0;
    std::from_chars(&digits[2 + 2 * byte], &digits[2 + 2 * byte] + 2, value, 16);
    payload[byte] = static_cast<char>(value);
  }
  return payload;
}

bool AllElementsEqual(const std::string& bytes, size_t element_bytes) {
  for (size_t byte = element_bytes; byte < bytes.size(); ++byte) {
    if (bytes[byte] != bytes[byte - element_bytes]) return false;
  }
  return true;
}

// Elements of a byte or more each, in VHLO's form.
std::string Compact(std::string bytes, size_t element_bytes, bool are_bools) {
  const bool is_splat = bytes.size() > element_bytes && AllElementsEqual(bytes, element_bytes);
  if (are_bools) return is_splat ? BoolSplat(bytes[0] != 0) : PackBools(bytes);
  if (is_splat) bytes.resize(element_bytes);
  return bytes;
}

// How many elements a shape has, up to a number that no text can list.
size_t ElementCount(const std::vector<int64_t>& dimensions) {
  constexpr int64_t kMany = int64_t{1} << 40;
  int64_t count = 1;
  for (int64_t dimension : dimensions) {
    if (dimension <= 0) return 0;
    count = dimension > kMany / count ? kMany : count * dimension;
  }
  return static_cast<size_t>(count);
}

}  // namespace

bool IsFloatType(const Type& scalar) {
  return scalar.kind == TypeKind::kScalar &&
         (scalar.name.starts_with('f') || scalar.name.ends_with("f16") || scalar.name == "tf32");
}

Result<uint64_t> NumberBits(TextCursor& cursor, size_t start, std::string_view number, const Type& scalar) {
  if (scalar.kind != TypeKind::kScalar)
    return Unimplemented("numbers of a type that is no scalar are not read", cursor.PlaceOf(start));
  const bool is_hex = number.starts_with("0x");
  if (!IsFloatType(scalar) || is_hex) return IntegerBits(cursor, start, number, scalar.bit_width);
  const std::optional<uint64_t> bits = FloatBits(std::strtod(std::string(number).c_str(), nullptr), scalar);
  if (bits) return *bits;
  return Unimplemented(fmt::format("numbers of type `{}` are not read", scalar.name), cursor.PlaceOf(start));
}

Result<std::string> ReadDensePayload(TextCursor& cursor, size_t length, const DenseShape& shape) {
  const size_t start = cursor.offset(), end = start + length;
  const size_t element_bytes = ElementBytes(shape.element) * (shape.is_complex ? 2 : 1);
  const bool are_bools = shape.element.name == "bool";
  const size_t count = ElementCount(shape.dimensions);
  const char first = cursor.Next() == end ? '\0' : cursor.Peek();
  if (first == '\0') return count == 0 ? Result<std::string>(std::string()) : cursor.Unexpected("an element");
  std::string payload;
  if (first == '"') {
    TRY(std::string bytes, ReadHexPayload(cursor));
    const bool is_packed = are_bools && count > 1 && bytes.size() == (count + 7) / 8;
    const bool is_splat = bytes.size() == element_bytes && count > 0;
    if (!is_packed && !is_splat && bytes.size() / element_bytes != count)
      return cursor.ErrorAt(start, fmt::format("a constant of {} elements has {} bytes", count, bytes.size()));
    payload = is_packed ? std::move(bytes) : Compact(std::move(bytes), element_bytes, are_bools);
  } else {
    ElementReader reader(cursor, shape);
    const bool is_splat = first != '[';
    TRY_STATUS(is_splat ? reader.ReadElement() : reader.Read(0));
    const bool value = is_splat && are_bools && reader.bytes()[0] != 0;
    payload = is_splat && are_bools ? BoolSplat(value) : Compact(std::move(reader.bytes()), element_bytes, are_bools);
  }
  if (cursor.Next() != end) return cursor.Unexpected("the end of the constant");
  return payload;
}

std::string PackFloat(double value, const Type& scalar) {
  std::string payload;
  AppendLittleEndian(FloatBits(value, scalar).value(), ElementBytes(scalar), payload);
  return payload;
}

std::string PackIntegers(const std::vector<int64_t>& values, const Type& element) {
  std::string bytes;
  for (int64_t value : values) AppendLittleEndian(static_cast<uint64_t>(value), ElementBytes(element), bytes);
  return Compact(std::move(bytes), ElementBytes(element), element.name == "bool");
}

}  // namespace stead::frontend::mlir
