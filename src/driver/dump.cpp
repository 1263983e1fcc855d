#include "driver/dump.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"

namespace stead::driver {
Result<Dump> Dump::To(const std::string& directory) {
  Dump dump;
  if (directory.empty()) return dump;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    Diagnostic diagnostic;
    diagnostic.code = ErrorCode::kFailedPrecondition;
    diagnostic.what = fmt::format("cannot write `{}`: {}", directory, error.message());
    diagnostic.fix = "name a directory that can be made";
    return diagnostic;
  }
  dump.directory_ = directory;
  return dump;
}

Status Dump::Write(std::string_view name, std::string_view text) const {
  if (!enabled()) return {};
  return WriteFile((std::filesystem::path(directory_) / name).string(), text);
}

}  // namespace stead::driver
