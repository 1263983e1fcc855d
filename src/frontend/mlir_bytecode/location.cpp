#include "frontend/mlir_bytecode/location.h"

#include <algorithm>

namespace stead::frontend::mlir {

namespace {

constexpr int kMaximumLocationDepth = 64;

int ToInt(uint64_t number) { return static_cast<int>(std::min<uint64_t>(number, INT32_MAX)); }

}  // namespace

// A name around a call stack is the operation's; the names inside are those of the functions of the stack. Of a call
// site, the callee is nearer to the operation than the caller.
Location DecodeLocation(const AttributePool& pool, AttributeId id) {
  Location location;
  bool is_outermost = true;
  for (int depth = 0; id.valid() && depth < kMaximumLocationDepth; ++depth) {
    Result<Attribute> attribute = pool.attribute(id);
    if (!attribute.ok()) break;
    if (const auto* name = std::get_if<NameLocation>(&*attribute)) {
      (is_outermost ? location.name : location.function) = name->name;
      id = name->child;
    } else if (const auto* call_site = std::get_if<CallSiteLocation>(&*attribute)) {
      id = call_site->callee;
    } else if (const auto* fused = std::get_if<FusedLocation>(&*attribute); fused && !fused->parts.empty()) {
      id = fused->parts.front();
      continue;  // its parts are alternatives to it, not inside it
    } else {
      if (const auto* file = std::get_if<FileLocation>(&*attribute)) {
        location.file = file->file;
        location.line = ToInt(file->line);
        location.column = ToInt(file->column);
      }
      break;
    }
    is_outermost = false;
  }
  return location;
}

}  // namespace stead::frontend::mlir
