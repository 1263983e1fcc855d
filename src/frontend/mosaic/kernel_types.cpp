#include "frontend/mosaic/kernel_types.h"

#include <fmt/format.h>

#include <charconv>

#include "frontend/stablehlo/types.h"

namespace stead::frontend {

Result<ir::Shape> ImportKernelType(const mlir::AttributePool& pool, mlir::TypeId id) {
  if (!id.valid()) return InvalidArgument("a value of a kernel has no type");
  TRY(mlir::Type type, pool.type(id));
  mlir::TypeId element_id = id;
  if (type.kind == mlir::TypeKind::kVector || type.kind == mlir::TypeKind::kMemref) element_id = type.parts[0];
  if (!element_id.valid()) return InvalidArgument("an array of a kernel has no element type");
  TRY(mlir::Type element, pool.type(element_id));
  ir::Shape shape = ir::Shape::Array(ir::ElementType::kS32, type.dimensions);
  if (element.kind != mlir::TypeKind::kScalar || element.name != "index") {
    TRY(shape.element_type, ImportElementType(pool, element_id));
  }
  for (int64_t dimension : shape.dimensions) {
    if (dimension < 0) return Unimplemented("arrays of unknown size in a kernel are not supported");
  }
  if (!ir::CheckedByteSize(shape)) return InvalidArgument("an array of a kernel is too large");
  return shape;
}

ir::ElementType UnsignedOf(ir::ElementType type) {
  if (!ir::IsSigned(type)) return type;
  std::string name(ir::ElementTypeName(type));
  name[0] = 'u';
  return *ir::ElementTypeFromName(name);
}

Result<bool> IsSemaphore(const mlir::AttributePool& pool, mlir::TypeId id) {
  if (!id.valid()) return false;
  TRY(mlir::Type type, pool.type(id));
  if (type.kind != mlir::TypeKind::kMemref || !type.parts[0].valid()) return false;
  TRY(mlir::Type element, pool.type(type.parts[0]));
  return element.kind == mlir::TypeKind::kUnknown && element.name == "tpu";
}

std::string_view TextArgument(std::string_view text) {
  size_t begin = text.find('<'), end = text.rfind('>');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  return text.substr(begin + 1, end - begin - 1);
}

std::vector<std::vector<int64_t>> TextLists(std::string_view text) {
  std::vector<std::vector<int64_t>> lists;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '[') lists.emplace_back();
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc() || lists.empty()) continue;
    lists.back().push_back(value);
    at = static_cast<size_t>(end - text.data()) - 1;
  }
  return lists;
}

}  // namespace stead::frontend
