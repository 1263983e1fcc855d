#include "base/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace stead {

Result<std::string> ReadFile(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return NotFound(fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
  std::string bytes;
  char chunk[1 << 16];
  size_t count;
  while ((count = std::fread(chunk, 1, sizeof chunk, file)) > 0) bytes.append(chunk, count);
  int error = std::ferror(file) ? errno : 0;
  if (file != stdin) std::fclose(file);
  if (error != 0) return NotFound(fmt::format("cannot read `{}`: {}", path, std::strerror(error)));
  return bytes;
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  int error = 0;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    error = errno;
  } else {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) error = errno;
    // Small files reach the disk only here.
    if (std::fclose(file) != 0 && error == 0) error = errno;
  }
  if (error == 0) return {};
  Diagnostic diagnostic;
  diagnostic.code = ErrorCode::kFailedPrecondition;
  diagnostic.what = fmt::format("cannot write `{}`: {}", path, std::strerror(error));
  diagnostic.fix = "name a place that can be written, on a disk with room";
  return diagnostic;
}

}  // namespace stead
