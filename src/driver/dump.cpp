#include "driver/dump.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace stead::driver {
namespace {

Diagnostic CannotWrite(const std::string& path, const std::string& reason) {
  Diagnostic diagnostic;
  diagnostic.code = ErrorCode::kFailedPrecondition;
  diagnostic.what = fmt::format("cannot write `{}`: {}", path, reason);
  diagnostic.fix = "name a directory that can be written, on a disk with room";
  return diagnostic;
}

}  // namespace

Result<Dump> Dump::To(const std::string& directory) {
  Dump dump;
  if (directory.empty()) return dump;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return CannotWrite(directory, error.message());
  dump.directory_ = directory;
  return dump;
}

Status Dump::Write(std::string_view name, std::string_view text) const {
  if (!enabled()) return {};
  std::string path = (std::filesystem::path(directory_) / name).string();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return CannotWrite(path, std::strerror(errno));
  bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int write_error = errno;
  bool closed = std::fclose(file) == 0;
  if (!written || !closed) return CannotWrite(path, std::strerror(written ? errno : write_error));
  return {};
}

}  // namespace stead::driver
