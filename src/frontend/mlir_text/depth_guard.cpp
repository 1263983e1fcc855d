#include "frontend/mlir_text/depth_guard.h"

#include <fmt/format.h>

namespace stead::frontend::mlir {

Status DepthGuard::Check(TextCursor& cursor, std::string_view what, int limit) const {
  if (depth_ <= limit) return {};
  return cursor.ErrorAt(cursor.Next(), fmt::format("{} are nested deeper than {}", what, limit));
}

}  // namespace stead::frontend::mlir
