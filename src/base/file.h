// Whole files in and out, with errors that name the file and the system's reason.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stead {

// "-" is standard input.
Result<std::string> ReadFile(const std::string& path);
// Creates or replaces the file. A full disk is an error, found at the latest when the file is closed.
Status WriteFile(const std::string& path, std::string_view bytes);

}  // namespace stead
