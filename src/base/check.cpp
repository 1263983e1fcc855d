#include "base/check.h"

#include <fmt/format.h>

namespace stead {

void FailCheck(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(
      fmt::format("internal error: {}:{}: {} does not hold{}{}; this is a bug in stead, please report it", file, line,
                  condition, message.empty() ? "" : ": ", message));
}

}  // namespace stead
