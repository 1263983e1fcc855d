// A recursive descent over the part of MLIR's attribute syntax that configurations of custom calls use.
#include "ffi/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace stead::ffi {
namespace {

using ir::ElementType;

constexpr int kMaximumDepth = 16;

struct TypeName {
  std::string_view name;
  ElementType type;
};

// MLIR's integers without a sign are signed for handlers.
constexpr TypeName kTypes[] = {
    {"i1", ElementType::kPred},  {"i8", ElementType::kS8},   {"i16", ElementType::kS16},  {"i32", ElementType::kS32},
    {"i64", ElementType::kS64},  {"si8", ElementType::kS8},  {"si16", ElementType::kS16}, {"si32", ElementType::kS32},
    {"si64", ElementType::kS64}, {"ui8", ElementType::kU8},  {"ui16", ElementType::kU16}, {"ui32", ElementType::kU32},
    {"ui64", ElementType::kU64}, {"f32", ElementType::kF32}, {"f64", ElementType::kF64},
};

template <typename T>
void AppendBytes(std::vector<std::byte>& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

int HexDigit(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Dictionary> Whole() {
    SkipSpace();
    if (at_ == text_.size()) return Dictionary();
    TRY(Dictionary dictionary, ParseDictionary(0));
    SkipSpace();
    if (at_ != text_.size()) return Bad("the end");
    return dictionary;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;

  Diagnostic Bad(std::string_view expected) const {
    return InvalidArgument(fmt::format("backend_config: expected {} at `{}`", expected, text_.substr(at_, 30)));
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Peek(char letter) {
    SkipSpace();
    return at_ < text_.size() && text_[at_] == letter;
  }
  bool Accept(char letter) {
    if (!Peek(letter)) return false;
    ++at_;
    return true;
  }
  Status Expect(char letter) {
    if (Accept(letter)) return {};
    return Bad(fmt::format("`{}`", letter));
  }
  // Letters, digits and what else stands in names and numbers.
  std::string_view Word() {
    SkipSpace();
    const size_t begin = at_;
    const auto belongs = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.' || letter == '-' ||
             letter == '+';
    };
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Result<std::string> ParseString() {
    TRY_STATUS(Expect('"'));
    std::string value;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        value += text_[at_++];
        continue;
      }
      const std::string_view escape = text_.substr(at_ + 1, 2);
      if (!escape.empty() && (escape[0] == '\\' || escape[0] == '"' || escape[0] == 'n' || escape[0] == 't')) {
        value += escape[0] == 'n' ? '\n' : escape[0] == 't' ? '\t' : escape[0];
        at_ += 2;
      } else if (escape.size() == 2 && HexDigit(escape[0]) >= 0 && HexDigit(escape[1]) >= 0) {
        value += static_cast<char>(HexDigit(escape[0]) * 16 + HexDigit(escape[1]));
        at_ += 3;
      } else {
        return Bad("a character after the backslash");
      }
    }
    TRY_STATUS(Expect('"'));
    return value;
  }

  Result<Dictionary> ParseDictionary(int depth) {
    TRY_STATUS(Expect('{'));
    Dictionary dictionary;
    while (!Peek('}')) {
      if (!dictionary.empty()) TRY_STATUS(Expect(','));
      NamedAttribute entry;
      if (Peek('"')) {
        TRY(entry.name, ParseString());
      } else {
        entry.name = Word();
      }
      if (entry.name.empty()) return Bad("a name");
      TRY_STATUS(Expect('='));
      TRY(entry.value, ParseValue(depth + 1));
      dictionary.push_back(std::move(entry));
    }
    TRY_STATUS(Expect('}'));
    std::ranges::sort(dictionary, {}, &NamedAttribute::name);
    return dictionary;
  }

  Result<Attribute> ParseValue(int depth) {
    if (depth > kMaximumDepth) return Bad("less deeply nested values");
    if (Peek('"')) {
      TRY(std::string value, ParseString());
      return Attribute(std::move(value));
    }
    if (Peek('{')) {
      TRY(Dictionary value, ParseDictionary(depth));
      return Attribute(std::move(value));
    }
    if (Peek('[')) return Unimplemented("backend_config: a list of attributes cannot be handed to a custom call");
    const size_t begin = at_;
    const std::string_view word = Word();
    if (word == "dense") return ParseDense();
    if (word == "array") return ParseDenseArray();
    if (word.empty()) return Bad("a value");
    Scalar scalar;
    if (word == "true" || word == "false") {
      scalar.bytes.push_back(std::byte{word == "true"});
      return Attribute(std::move(scalar));
    }
    scalar.type = word.find_first_of(".eE") == std::string_view::npos || word.starts_with("0x") ? ElementType::kS64
                                                                                                : ElementType::kF64;
    if (Accept(':')) {
      TRY(scalar.type, ParseType(Word()));
    }
    if (!AppendNumber(scalar.bytes, scalar.type, word)) {
      at_ = begin;
      return Bad(fmt::format("a number of type {}", ir::ElementTypeName(scalar.type)));
    }
    return Attribute(std::move(scalar));
  }

  Result<ElementType> ParseType(std::string_view name) const {
    const auto* found = std::ranges::find(kTypes, name, &TypeName::name);
    if (found != std::end(kTypes)) return found->type;
    return Unimplemented(fmt::format("backend_config: numbers of type `{}` cannot be handed to a custom call", name));
  }

  // array<i64: 1, 2>
  Result<Attribute> ParseDenseArray() {
    TRY_STATUS(Expect('<'));
    Array array;
    TRY(array.type, ParseType(Word()));
    if (Accept(':')) {
      do TRY_STATUS(AppendElement(array));
      while (Accept(','));
    }
    TRY_STATUS(Expect('>'));
    return Attribute(std::move(array));
  }

  // dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>; one element stands for all; a string holds the bytes.
  Result<Attribute> ParseDense() {
    TRY_STATUS(Expect('<'));
    std::vector<std::string_view> elements;
    std::optional<std::string> raw;
    if (Peek('"')) {
      TRY(raw, ParseString());
    } else {
      while (!Peek('>')) {
        if (Accept('[') || Accept(']') || Accept(',')) continue;
        elements.push_back(Word());
        if (elements.back().empty()) return Bad("an element");
      }
    }
    TRY_STATUS(Expect('>'));
    TRY_STATUS(Expect(':'));
    Array array;
    TRY_STATUS(ParseTensorType(array));
    if (raw) {
      TRY_STATUS(AppendRaw(array, *raw));
      return Attribute(std::move(array));
    }
    const bool is_splat = elements.size() == 1;
    if (!is_splat && static_cast<int64_t>(elements.size()) != array.size)
      return Bad("as many elements as the type has");
    for (int64_t element = 0; element < array.size; ++element) {
      const std::string_view word = elements[is_splat ? 0 : static_cast<size_t>(element)];
      if (!AppendNumber(array.bytes, array.type, word)) return Bad("elements of the array's type");
    }
    return Attribute(std::move(array));
  }

  // "tensor<2x2xi32>": sets the element type and the number of elements.
  Status ParseTensorType(Array& array) {
    if (Word() != "tensor") return Bad("`tensor`");
    TRY_STATUS(Expect('<'));
    std::string_view word = Word();
    array.size = 1;
    for (size_t cross = word.find('x'); cross != std::string_view::npos; cross = word.find('x')) {
      int64_t extent = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + cross, extent);
      if (error != std::errc() || end != word.data() + cross || extent < 0) return Bad("a dimension");
      if (__builtin_mul_overflow(array.size, extent, &array.size)) return Bad("a smaller array");
      word.remove_prefix(cross + 1);
    }
    TRY(array.type, ParseType(word));
    // More elements than letters can only be one that stands for all.
    if (array.size > static_cast<int64_t>(text_.size()) * kLargestSplat) return Bad("a smaller array");
    return Expect('>');
  }
  static constexpr int64_t kLargestSplat = 1 << 16;

  Status AppendElement(Array& array) {
    if (!AppendNumber(array.bytes, array.type, Word())) return Bad("an element of the array's type");
    ++array.size;
    return {};
  }

  // "0x01000000": two digits per byte.
  Status AppendRaw(Array& array, std::string_view digits) {
    const size_t bytes = static_cast<size_t>(array.size * ir::ElementBytes(array.type));
    if (!digits.starts_with("0x") || digits.size() != 2 + 2 * bytes) return Bad("as many bytes as the type has");
    for (size_t at = 2; at < digits.size(); at += 2) {
      const int high = HexDigit(digits[at]), low = HexDigit(digits[at + 1]);
      if (high < 0 || low < 0) return Bad("hexadecimal digits");
      array.bytes.push_back(static_cast<std::byte>(high * 16 + low));
    }
    return {};
  }

  template <typename T>
  static bool AppendInteger(std::vector<std::byte>& bytes, std::string_view word) {
    T value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return false;
    AppendBytes(bytes, value);
    return true;
  }

  // Hexadecimal digits are the bits of the float.
  template <typename Float, typename Bits>
  static bool AppendFloat(std::vector<std::byte>& bytes, std::string_view word) {
    const char* const end = word.data() + word.size();
    if (word.starts_with("0x")) {
      Bits bits = 0;
      const auto [stop, error] = std::from_chars(word.data() + 2, end, bits, 16);
      if (error != std::errc() || stop != end) return false;
      AppendBytes(bytes, bits);
      return true;
    }
    Float value = 0;
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end) return false;
    AppendBytes(bytes, value);
    return true;
  }

  static bool AppendNumber(std::vector<std::byte>& bytes, ElementType type, std::string_view word) {
    switch (type) {
      case ElementType::kPred:
        if (word != "true" && word != "false") return false;
        bytes.push_back(std::byte{word == "true"});
        return true;
      case ElementType::kS8: return AppendInteger<int8_t>(bytes, word);
      case ElementType::kS16: return AppendInteger<int16_t>(bytes, word);
      case ElementType::kS32: return AppendInteger<int32_t>(bytes, word);
      case ElementType::kS64: return AppendInteger<int64_t>(bytes, word);
      case ElementType::kU8: return AppendInteger<uint8_t>(bytes, word);
      case ElementType::kU16: return AppendInteger<uint16_t>(bytes, word);
      case ElementType::kU32: return AppendInteger<uint32_t>(bytes, word);
      case ElementType::kU64: return AppendInteger<uint64_t>(bytes, word);
      case ElementType::kF32: return AppendFloat<float, uint32_t>(bytes, word);
      case ElementType::kF64: return AppendFloat<double, uint64_t>(bytes, word);
      default: return false;
    }
  }
};

}  // namespace

Result<Dictionary> ParseAttributes(std::string_view text) { return Parser(text).Whole(); }

}  // namespace stead::ffi
