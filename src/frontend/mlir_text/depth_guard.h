// Counts how deep a reader has gone into nested text, so that no text can exhaust the stack.
#pragma once

#include <string_view>

#include "base/result.h"
#include "frontend/mlir_text/text_cursor.h"

namespace stead::frontend::mlir {

class DepthGuard {
 public:
  explicit DepthGuard(int& depth) : depth_(depth) { ++depth_; }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

  // An error at the cursor when `what` are nested deeper than anything real.
  Status Check(TextCursor& cursor, std::string_view what, int limit) const;

 private:
  int& depth_;
};

}  // namespace stead::frontend::mlir
