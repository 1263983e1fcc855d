// Programs as bytes that outlive the process: what JAX's compilation cache and its serialize_executable keep.
//   What is kept is the program as it came, with its compile options. Both are portable, so that a file never holds code for
//   another CPU or of another build of the compiler; whoever loads it compiles again.
//   The bytes say which version wrote them and end in a checksum: what is damaged, cut off or of another version is an error.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stead::pjrt {

struct SavedProgram {
  std::string format;  // of the code: "mlir" or "hlo"
  std::shared_ptr<const std::string> code;
  std::string options;      // CompileOptionsProto
  std::string fingerprint;  // of code and options
};

// `version`: that of this plugin; both sides must be the same.
std::string WriteSavedProgram(const SavedProgram& program, std::string_view version);
// RETURNS InvalidArgument for bytes that are no saved program or are damaged, FailedPrecondition for those of another version.
Result<SavedProgram> ReadSavedProgram(std::string_view bytes, std::string_view version);

}  // namespace stead::pjrt
