#include "frontend/stablehlo/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace stead::frontend {

namespace {

constexpr int kMaximumTupleDepth = 16;

// The name of a scalar type in HLO: "i32" is "s32", "ui8" is "u8", "f8E4M3FN" is "f8e4m3fn".
std::string HloElementName(std::string_view name) {
  if (name == "bool") return "pred";
  if (name.starts_with("ui")) return fmt::format("u{}", name.substr(2));
  if (name.starts_with("i")) return fmt::format("s{}", name.substr(1));
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return lower;
}

// Bounded so that sizes and strides in bytes never overflow, whatever dimensions of size 0 stand between the others.
Status CheckDimensions(const std::vector<int64_t>& dimensions) {
  constexpr int64_t kMaximumElements = int64_t{1} << 48;
  int64_t count = 1;
  for (int64_t dimension : dimensions) {
    if (dimension == mlir::kDynamicDimension) return Unimplemented("dynamic dimensions are not supported");
    if (dimension < 0) return InvalidArgument(fmt::format("a dimension of an array is negative: {}", dimension));
    if (dimension > kMaximumElements / count) return InvalidArgument("an array has more than 2^48 elements");
    count *= std::max<int64_t>(dimension, 1);
  }
  return {};
}

Result<ir::Shape> ImportShape(const mlir::AttributePool& pool, mlir::TypeId id, int depth) {
  if (!id.valid()) return InvalidArgument("a value has no type");
  TRY(mlir::Type type, pool.type(id));
  switch (type.kind) {
    case mlir::TypeKind::kTensor: {
      TRY(ir::ElementType element_type, ImportElementType(pool, type.parts[0]));
      TRY_STATUS(CheckDimensions(type.dimensions));
      return ir::Shape::Array(element_type, std::move(type.dimensions));
    }
    case mlir::TypeKind::kToken: return ir::Shape::Token();
    case mlir::TypeKind::kTuple: {
      if (depth >= kMaximumTupleDepth) return InvalidArgument("tuple types are nested too deeply");
      std::vector<ir::Shape> elements;
      for (mlir::TypeId part : type.parts) {
        TRY(ir::Shape element, ImportShape(pool, part, depth + 1));
        elements.push_back(std::move(element));
      }
      return ir::Shape::Tuple(std::move(elements));
    }
    default: return Unimplemented("a value is neither an array, a tuple nor a token");
  }
}

}  // namespace

Result<ir::ElementType> ImportElementType(const mlir::AttributePool& pool, mlir::TypeId id) {
  TRY(mlir::Type type, pool.type(id));
  std::string name = "of an unknown kind";
  if (type.kind == mlir::TypeKind::kScalar) {
    name = HloElementName(type.name);
  } else if (type.kind == mlir::TypeKind::kComplex) {
    TRY(mlir::Type part, pool.type(type.parts[0]));
    name = part.name == "f32" ? "c64" : part.name == "f64" ? "c128" : fmt::format("complex<{}>", part.name);
  }
  std::optional<ir::ElementType> element_type = ir::ElementTypeFromName(name);
  if (!element_type) return Unimplemented(fmt::format("element type `{}` is not supported", name));
  return *element_type;
}

Result<ir::Shape> ImportType(const mlir::AttributePool& pool, mlir::TypeId id) { return ImportShape(pool, id, 0); }

}  // namespace stead::frontend
