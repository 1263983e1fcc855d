// Literals as text. Numbers are the shortest that read back as the same bits.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "ir/number/narrow_float.h"
#include "ir/number/small_float.h"
#include "ir/text/printer.h"

namespace stead::ir {
namespace {

template <typename T>
void AppendNumber(std::string& text, T value) {
  char buffer[64];
  auto [last, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  STEAD_CHECK(error == std::errc());
  text.append(buffer, last);
}

// "nan", "-nan", or with the mantissa of any other NaN than the usual quiet one: "nan(0x1)".
void AppendNan(std::string& text, ElementType type, bool negative, uint64_t bits) {
  text += negative ? "-nan" : "nan";
  int mantissa_bits = NanMantissaBits(type);
  if (mantissa_bits == 0) return;
  uint64_t mantissa = bits & ((uint64_t{1} << mantissa_bits) - 1);
  if (mantissa != uint64_t{1} << (mantissa_bits - 1)) text += fmt::format("(0x{:x})", mantissa);
}

// XLA reads `-0` as an integer, which has no sign at zero.
void AppendFinite(std::string& text, double value, auto shortest) {
  if (value == 0 && std::signbit(value)) {
    text += "-0.0";
  } else {
    AppendNumber(text, shortest);
  }
}

template <typename T>
void AppendFloat(std::string& text, ElementType type, T value) {
  if (std::isnan(value)) {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    return AppendNan(text, type, std::signbit(value), std::bit_cast<Bits>(value));
  }
  AppendFinite(text, value, value);
}

// The fewest digits that `narrow` (double -> bits of the type) turns back into `bits`.
template <typename Narrow>
void AppendNarrowFloat(std::string& text, ElementType type, double value, uint64_t bits, Narrow narrow) {
  if (std::isnan(value)) {
    // Types without payload have one NaN, or one of each sign.
    bool negative = NanMantissaBits(type) > 0 ? bits >> (ElementBits(type) - 1) != 0 : narrow(std::fabs(value)) != bits;
    return AppendNan(text, type, negative, bits);
  }
  if (value == 0 || std::isinf(value)) return AppendFinite(text, value, value);
  constexpr int kEnoughDigits = 6;
  for (int digits = 1; digits <= kEnoughDigits; ++digits) {
    std::string candidate = fmt::format("{:.{}g}", value, digits);
    double read_back = 0;
    std::from_chars(candidate.data(), candidate.data() + candidate.size(), read_back);
    if (narrow(read_back) != bits) continue;
    text += candidate;
    return;
  }
  AppendNumber(text, value);
}

void AppendElement(std::string& text, const Literal& literal, size_t index) {
  ElementType type = literal.shape().element_type;
  if (IsSmallFloat(type)) {
    uint8_t bits = literal.data<uint8_t>()[index];
    auto narrow = [type](double value) { return DoubleToSmallFloat(type, value); };
    return AppendNarrowFloat(text, type, SmallFloatToDouble(type, bits), bits, narrow);
  }
  switch (type) {
    case ElementType::kF32: return AppendFloat(text, type, literal.data<float>()[index]);
    case ElementType::kF64: return AppendFloat(text, type, literal.data<double>()[index]);
    case ElementType::kF16: {
      uint16_t bits = literal.data<uint16_t>()[index];
      auto narrow = [](double value) { return FloatToHalf(static_cast<float>(value)); };
      return AppendNarrowFloat(text, type, HalfToFloat(bits), bits, narrow);
    }
    case ElementType::kBF16: {
      uint16_t bits = literal.data<uint16_t>()[index];
      auto narrow = [](double value) { return FloatToBFloat16(static_cast<float>(value)); };
      return AppendNarrowFloat(text, type, BFloat16ToFloat(bits), bits, narrow);
    }
    case ElementType::kU64: return AppendNumber(text, literal.data<uint64_t>()[index]);
    default: return AppendNumber(text, literal.AsInteger(static_cast<int64_t>(index)));
  }
}

template <typename T>
void AppendComplex(std::string& text, const Literal& literal, size_t index) {
  const T* parts = reinterpret_cast<const T*>(literal.bytes().data()) + 2 * index;
  text += "(";
  AppendFloat(text, literal.shape().element_type, parts[0]);
  text += ", ";
  AppendFloat(text, literal.shape().element_type, parts[1]);
  text += ")";
}

void AppendScalar(std::string& text, const Literal& literal, size_t index) {
  switch (literal.shape().element_type) {
    case ElementType::kC64: return AppendComplex<float>(text, literal, index);
    case ElementType::kC128: return AppendComplex<double>(text, literal, index);
    case ElementType::kPred:
      if (literal.shape().is_scalar()) {
        text += literal.data<uint8_t>()[index] != 0 ? "true" : "false";
        return;
      }
      [[fallthrough]];
    default: return AppendElement(text, literal, index);
  }
}

// "{ {1, 2}, {3, 4} }": the braces of dimension `dim`; `next` is the row-major number of the next element.
void AppendArray(std::string& text, const Literal& literal, size_t dim, size_t& next) {
  const std::vector<int64_t>& dimensions = literal.shape().dimensions;
  if (dim == dimensions.size()) return AppendScalar(text, literal, next++);
  bool innermost = dim + 1 == dimensions.size();
  text += innermost ? "{" : "{ ";
  for (int64_t index = 0; index < dimensions[dim]; ++index) {
    if (index > 0) text += ", ";
    AppendArray(text, literal, dim + 1, next);
  }
  text += innermost ? "}" : " }";
}

void AppendLiteral(std::string& text, const Literal& literal) {
  bool empty = literal.shape().is_array() && literal.shape().element_count() == 0;
  // For an array without elements every reader takes the short form; the full one can have 2^38 empty braces.
  if (literal.elided() || empty) {
    text += "{...}";
    return;
  }
  if (literal.shape().is_array()) {
    size_t next = 0;
    return AppendArray(text, literal, 0, next);
  }
  text += "(";
  for (size_t element = 0; element < literal.elements().size(); ++element) {
    if (element > 0) text += ", ";
    AppendLiteral(text, literal.elements()[element]);
  }
  text += ")";
}

}  // namespace

std::string PrintLiteral(const Literal& literal) {
  std::string text;
  AppendLiteral(text, literal);
  return text;
}

}  // namespace stead::ir
