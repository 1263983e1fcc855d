// Writes what the compiler thought, one file per step, into the directory that --dump-to names.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace stead::driver {

class Dump {
 public:
  // An empty directory name: nothing is written. Otherwise the directory is made if it is missing.
  static Result<Dump> To(const std::string& directory);

  bool enabled() const { return !directory_.empty(); }
  // Writes DIRECTORY/name. RETURNS an error that names the file and the system's reason (no space, no permission).
  Status Write(std::string_view name, std::string_view text) const;

 private:
  std::string directory_;
};

}  // namespace stead::driver
