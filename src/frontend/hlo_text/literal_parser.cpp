#include "frontend/hlo_text/literal_parser.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "frontend/hlo_text/shape_parser.h"
#include "ir/number/narrow_float.h"
#include "ir/number/small_float.h"

namespace stead::frontend {
namespace {

using ir::ElementType;
using ir::Literal;
using ir::Shape;

// Reads one element and writes its bytes to `target`.
using ElementReader = Status (*)(Cursor& cursor, ElementType type, std::byte* target);

template <typename T>
void Store(std::byte* target, T value) {
  std::memcpy(target, &value, sizeof(T));
}

Diagnostic OutOfRange(const Cursor& cursor, size_t offset, std::string_view text, ElementType type) {
  return cursor.ErrorAt(offset, fmt::format("`{}` is out of the range of {}", text, ir::ElementTypeName(type)));
}

template <typename T>
Status ReadIntegerElement(Cursor& cursor, ElementType type, std::byte* target) {
  size_t start = cursor.NextOffset();
  if (cursor.TryConsumeWord("true")) return Store<T>(target, 1), Status();
  if (cursor.TryConsumeWord("false")) return Store<T>(target, 0), Status();
  TRY(std::string_view word, cursor.ReadWord("an integer"));
  T value = 0;
  auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) return OutOfRange(cursor, start, word, type);
  if (error != std::errc() || last != word.data() + word.size()) {
    return cursor.ErrorAt(start, fmt::format("expected an integer, found `{}`", word));
  }
  int bits = ir::ElementBits(type);
  if (bits < 8) {
    int64_t low = ir::IsSigned(type) ? -(int64_t{1} << (bits - 1)) : 0;
    int64_t high = low + (int64_t{1} << bits) - 1;
    if (static_cast<int64_t>(value) < low || static_cast<int64_t>(value) > high) {
      return OutOfRange(cursor, start, word, type);
    }
  }
  Store<T>(target, value);
  return {};
}

Status ReadBooleanElement(Cursor& cursor, ElementType, std::byte* target) {
  bool value = cursor.TryConsumeWord("true") || cursor.TryConsumeWord("1");
  if (!value && !cursor.TryConsumeWord("false") && !cursor.TryConsumeWord("0")) {
    return cursor.Unexpected("`true` or `false`");
  }
  Store<uint8_t>(target, value ? 1 : 0);
  return {};
}

// "1.5", "-inf", "nan", "-nan", "0x1.8p3", "1e20", "7".
template <typename T>
Result<T> ParseFloat(const Cursor& cursor, size_t offset, std::string_view word, ElementType type) {
  bool negative = word.starts_with("-");
  std::string_view digits = negative ? word.substr(1) : word;
  if (digits.starts_with("+")) digits.remove_prefix(1);
  bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);
  T value = 0;
  auto format = hexadecimal ? std::chars_format::hex : std::chars_format::general;
  auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, format);
  if (error == std::errc::result_out_of_range) {
    // Also reported for values too small to represent, which round to a subnormal or zero.
    long double wide = std::strtold(std::string(word).c_str(), nullptr);
    if (std::fabs(wide) > 1) return OutOfRange(cursor, offset, word, type);
    return static_cast<T>(wide);
  }
  bool complete = error == std::errc() && last == digits.data() + digits.size() && !digits.starts_with("-");
  if (!complete) return cursor.ErrorAt(offset, fmt::format("expected a number, found `{}`", word));
  return negative ? -value : value;
}

// Words stop at a sign of an exponent that follows a plus: `1e+20` is one number.
Result<std::string_view> ReadNumberWord(Cursor& cursor) {
  size_t start = cursor.NextOffset();
  cursor.TryConsume("+");
  TRY(std::string_view word, cursor.ReadWord("a number"));
  if (cursor.PeekHere() == '+' && cursor.TryConsume("+")) {
    TRY(word, cursor.ReadWord("an exponent"));
  }
  return cursor.source().text().substr(start, cursor.offset() - start);
}

// XLA writes a quiet NaN as `nan`, and any other with its mantissa: `nan(0x7)`. Returns 0 when none is written.
Result<uint64_t> ReadNanPayload(Cursor& cursor, int mantissa_bits) {
  if (cursor.PeekHere() != '(' || !cursor.TryConsume("(")) return uint64_t{0};
  size_t start = cursor.offset();
  TRY(std::string_view word, cursor.ReadWord("the payload of a NaN"));
  uint64_t payload = 0;
  std::string_view digits = word.starts_with("0x") ? word.substr(2) : word;
  auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), payload, 16);
  bool fits =
      error == std::errc() && last == digits.data() + digits.size() && payload != 0 && payload >> mantissa_bits == 0;
  if (!fits) return cursor.ErrorAt(start, fmt::format("`{}` is no payload of a NaN", word));
  TRY_STATUS(cursor.Expect(")", "after the payload of a NaN"));
  return payload;
}

template <typename Bits>
Result<Bits> ApplyNanPayload(Cursor& cursor, Bits nan_bits, int mantissa_bits) {
  TRY(uint64_t payload, ReadNanPayload(cursor, mantissa_bits));
  if (payload == 0) return nan_bits;
  Bits mask = static_cast<Bits>((Bits{1} << mantissa_bits) - 1);
  return static_cast<Bits>((nan_bits & ~mask) | payload);
}

template <typename T, typename Bits>
Status ReadWideFloat(Cursor& cursor, ElementType type, std::byte* target) {
  TRY(std::string_view word, ReadNumberWord(cursor));
  TRY(T value, ParseFloat<T>(cursor, cursor.offset() - word.size(), word, type));
  Bits bits = std::bit_cast<Bits>(value);
  if (std::isnan(value)) {
    TRY(bits, ApplyNanPayload(cursor, bits, ir::NanMantissaBits(type)));
  }
  Store<Bits>(target, bits);
  return {};
}

constexpr auto ReadFloat32 = ReadWideFloat<float, uint32_t>;
constexpr auto ReadFloat64 = ReadWideFloat<double, uint64_t>;

// f16, bf16: read as f64, whose double rounding does not show at these widths for the digits that printers write.
Status ReadHalfFloat(Cursor& cursor, ElementType type, std::byte* target) {
  TRY(std::string_view word, ReadNumberWord(cursor));
  size_t start = cursor.offset() - word.size();
  TRY(double value, ParseFloat<double>(cursor, start, word, type));
  bool half = type == ElementType::kF16;
  uint16_t bits = half ? ir::FloatToHalf(static_cast<float>(value)) : ir::FloatToBFloat16(static_cast<float>(value));
  float rounded = half ? ir::HalfToFloat(bits) : ir::BFloat16ToFloat(bits);
  if (std::isinf(rounded) && !std::isinf(value)) return OutOfRange(cursor, start, word, type);
  if (std::isnan(value)) {
    TRY(bits, ApplyNanPayload(cursor, bits, ir::NanMantissaBits(type)));
  }
  Store<uint16_t>(target, bits);
  return {};
}

Status ReadSmallFloat(Cursor& cursor, ElementType type, std::byte* target) {
  TRY(std::string_view word, ReadNumberWord(cursor));
  size_t start = cursor.offset() - word.size();
  TRY(double value, ParseFloat<double>(cursor, start, word, type));
  uint8_t bits = ir::DoubleToSmallFloat(type, value);
  if (int mantissa_bits = ir::NanMantissaBits(type); std::isnan(value) && mantissa_bits > 0) {
    TRY(bits, ApplyNanPayload(cursor, bits, mantissa_bits));
  }
  if (std::isfinite(value) && !std::isfinite(ir::SmallFloatToDouble(type, bits))) {
    return OutOfRange(cursor, start, word, type);
  }
  Store<uint8_t>(target, bits);
  return {};
}

// "(re, im)", or a real number alone.
template <typename T, ElementReader kReadPart>
Status ReadComplexElement(Cursor& cursor, ElementType type, std::byte* target) {
  if (!cursor.TryConsume("(")) {
    Store<T>(target + sizeof(T), 0);
    return kReadPart(cursor, type, target);
  }
  TRY_STATUS(kReadPart(cursor, type, target));
  TRY_STATUS(cursor.Expect(",", "between the parts of a complex number"));
  TRY_STATUS(kReadPart(cursor, type, target + sizeof(T)));
  return cursor.Expect(")", "after a complex number");
}

ElementReader ReaderFor(ElementType type) {
  switch (type) {
    case ElementType::kPred: return ReadBooleanElement;
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8: return ReadIntegerElement<int8_t>;
    case ElementType::kS16: return ReadIntegerElement<int16_t>;
    case ElementType::kS32: return ReadIntegerElement<int32_t>;
    case ElementType::kS64: return ReadIntegerElement<int64_t>;
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return ReadIntegerElement<uint8_t>;
    case ElementType::kU16: return ReadIntegerElement<uint16_t>;
    case ElementType::kU32: return ReadIntegerElement<uint32_t>;
    case ElementType::kU64: return ReadIntegerElement<uint64_t>;
    case ElementType::kF16:
    case ElementType::kBF16: return ReadHalfFloat;
    case ElementType::kF32: return ReadFloat32;
    case ElementType::kF64: return ReadFloat64;
    case ElementType::kC64: return ReadComplexElement<float, ReadFloat32>;
    case ElementType::kC128: return ReadComplexElement<double, ReadFloat64>;
    case ElementType::kF8E5M2:
    case ElementType::kF8E4M3:
    case ElementType::kF8E4M3FN:
    case ElementType::kF8E4M3B11FNUZ:
    case ElementType::kF8E5M2FNUZ:
    case ElementType::kF8E4M3FNUZ:
    case ElementType::kF8E3M4:
    case ElementType::kF8E8M0FNU:
    case ElementType::kF4E2M1FN: return ReadSmallFloat;
  }
  return nullptr;
}

class ArrayReader {
 public:
  ArrayReader(Cursor& cursor, Literal& literal)
      : cursor_(cursor),
        type_(literal.shape().element_type),
        dimensions_(literal.shape().dimensions),
        read_element_(ReaderFor(type_)),
        target_(literal.mutable_bytes().data()) {}

  // XLA reads a number without braces as the first element of an array of zeros.
  Status ReadFirst() { return read_element_(cursor_, type_, target_); }

  // The braces of dimension `dim` and everything inside. Depth is bounded by the rank of a shape.
  Status Read(size_t dim = 0) {
    if (dim == dimensions_.size()) {
      TRY_STATUS(read_element_(cursor_, type_, target_));
      target_ += ir::ElementBytes(type_);
      return {};
    }
    TRY_STATUS(cursor_.Expect("{", fmt::format("before dimension {} of a constant", dim)));
    for (int64_t index = 0; index < dimensions_[dim]; ++index) {
      if (index > 0) TRY_STATUS(ExpectAnother(dim, index));
      TRY_STATUS(Read(dim + 1));
    }
    return cursor_.Expect("}", fmt::format("after the {} elements of dimension {}", dimensions_[dim], dim));
  }

 private:
  Cursor& cursor_;
  ElementType type_;
  const std::vector<int64_t>& dimensions_;
  ElementReader read_element_;
  std::byte* target_;

  Status ExpectAnother(size_t dim, int64_t count) {
    if (cursor_.TryConsume(",")) return {};
    return cursor_.Unexpected(
        fmt::format("`,` after {} of the {} elements of dimension {}", count, dimensions_[dim], dim));
  }
};

bool TryConsumeElision(Cursor& cursor) {
  Cursor ahead = cursor;
  if (!ahead.TryConsume("{") || !ahead.TryConsume("...") || !ahead.TryConsume("}")) return false;
  cursor = ahead;
  return true;
}

Result<Literal> ReadArrayLiteral(Cursor& cursor, const Shape& shape) {
  if (shape.is_unbounded()) return cursor.Error(fmt::format("a constant cannot have shape {}", shape.ToString()));
  int64_t count = shape.element_count();
  if (count == 0) {
    // Printers differ in how many braces they write around nothing.
    TRY_STATUS(cursor.ReadValue("an empty constant"));
    return Literal::Zeros(shape);
  }
  if (TryConsumeElision(cursor)) return Literal::Elided(shape);
  // Each element takes at least one character: checked before memory is taken for them. For a number alone that is the limit, too.
  if (count > static_cast<int64_t>(cursor.remaining_bytes())) {
    return cursor.Error(fmt::format("the text is too short for the {} elements of {}", count, shape.ToString()));
  }
  Literal literal = Literal::Zeros(shape);
  ArrayReader reader(cursor, literal);
  TRY_STATUS(cursor.Peek() == '{' ? reader.Read() : reader.ReadFirst());
  return literal;
}

}  // namespace

Result<Literal> ReadLiteral(Cursor& cursor, const Shape& shape) {
  if (shape.is_array()) {
    // Old texts repeat the shape before the value.
    if (cursor.Peek() != '(' && SeesShape(cursor)) {
      size_t start = cursor.offset();
      TRY(Shape repeated, ReadShape(cursor));
      if (!repeated.Compatible(shape)) {
        return cursor.ErrorAt(
            start, fmt::format("the constant is {}, its instruction {}", repeated.ToString(), shape.ToString()));
      }
    }
    return ReadArrayLiteral(cursor, shape);
  }
  if (!shape.is_tuple()) return cursor.Error(fmt::format("a constant cannot have shape {}", shape.ToString()));
  if (TryConsumeElision(cursor)) return Literal::Elided(shape);
  TRY_STATUS(cursor.Expect("(", "before a tuple constant"));
  std::vector<Literal> elements;
  for (const Shape& element_shape : shape.elements) {
    if (!elements.empty()) TRY_STATUS(cursor.Expect(",", "between the elements of a tuple constant"));
    TRY(Literal element, ReadLiteral(cursor, element_shape));
    elements.push_back(std::move(element));
  }
  TRY_STATUS(cursor.Expect(")", "after a tuple constant"));
  return Literal::Tuple(std::move(elements));
}

}  // namespace stead::frontend
