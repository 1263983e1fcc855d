#include "tools/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace stead::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

std::string Descriptor(ir::ElementType type) {
  int64_t bytes = ir::ElementBytes(type);
  switch (ir::ElementClassOf(type)) {
    case ir::ElementClass::kBoolean: return "|b1";
    case ir::ElementClass::kSigned:
      return ir::ElementBits(type) < 8 ? "|V1" : fmt::format("{}i{}", bytes > 1 ? '<' : '|', bytes);
    case ir::ElementClass::kUnsigned:
      return ir::ElementBits(type) < 8 ? "|V1" : fmt::format("{}u{}", bytes > 1 ? '<' : '|', bytes);
    case ir::ElementClass::kComplex: return fmt::format("<c{}", bytes);
    case ir::ElementClass::kFloat: break;
  }
  bool numpy_has_it = type == ir::ElementType::kF16 || type == ir::ElementType::kF32 || type == ir::ElementType::kF64;
  return numpy_has_it ? fmt::format("<f{}", bytes) : fmt::format("|V{}", bytes);
}

std::string ShapeText(const std::vector<int64_t>& dimensions) {
  std::string text = "(";
  for (int64_t dimension : dimensions)
    text += fmt::format("{},{}", dimension, &dimension == &dimensions.back() ? "" : " ");
  return text + ")";
}

std::string HeaderFor(const ir::Shape& shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", Descriptor(shape.element_type),
                     ShapeText(shape.dimensions));
}

// The header without blanks, so that writers which space it differently compare equal.
std::string Squeezed(std::string_view header) {
  std::string text;
  std::ranges::copy_if(header, std::back_inserter(text), [](char c) { return c != ' ' && c != '\n'; });
  // "(3,)" and "(3, 4)" against our "(3,4,)".
  for (size_t at = 0; (at = text.find(",)", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

}  // namespace

Result<ir::Literal> ReadNpy(std::string_view bytes, const ir::Shape& shape, const std::string& file_name) {
  SourcePlace place{file_name, 0, 0};
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) return InvalidArgument("not a .npy file", place);
  size_t length_bytes = bytes[6] == 1 ? 2 : 4;
  uint32_t header_length = 0;
  std::memcpy(&header_length, bytes.data() + 8, length_bytes);
  size_t data_start = 8 + length_bytes + header_length;
  if (data_start > bytes.size()) return InvalidArgument("the .npy header is cut off", place);
  std::string_view header = bytes.substr(8 + length_bytes, header_length);
  if (Squeezed(header) != Squeezed(HeaderFor(shape))) {
    return InvalidArgument(
        fmt::format("the file holds {}", Squeezed(header)), place,
        fmt::format("the parameter is {}, which needs {}", shape.ToString(false), Squeezed(HeaderFor(shape))));
  }
  std::string_view data = bytes.substr(data_start);
  ir::Literal literal = ir::Literal::Zeros(ir::Shape::Array(shape.element_type, shape.dimensions));
  if (data.size() != literal.bytes().size()) {
    return InvalidArgument(
        fmt::format("the file holds {} bytes of elements, {} are needed", data.size(), literal.bytes().size()), place);
  }
  std::memcpy(literal.mutable_bytes().data(), data.data(), data.size());
  return literal;
}

std::string WriteNpy(const ir::Literal& literal) {
  std::string header = HeaderFor(literal.shape());
  // The elements start at a multiple of 64 bytes.
  size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header += std::string((64 - unpadded % 64) % 64, ' ') + "\n";
  std::string file(kMagic);
  file += '\x01';
  file += '\x00';
  uint16_t length = static_cast<uint16_t>(header.size());
  file.append(reinterpret_cast<const char*>(&length), 2);
  file += header;
  file.append(reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size());
  return file;
}

}  // namespace stead::tools
