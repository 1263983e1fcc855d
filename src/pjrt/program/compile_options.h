// What the framework asks of one compilation: CompileOptionsProto, decoded by field number.
//   Read: the device assignment, the number of devices, and the overrides that jit(compiler_options=...) hands over.
//   Skipped: everything else; most of XLA's own debug options say nothing that this compiler could obey.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/compile.h"
#include "pjrt/program/dump.h"

namespace stead::pjrt {

struct CompileOptions {
  std::string serialized;                 // as it came
  std::string device_assignment;          // DeviceAssignmentProto, echoed to whoever asks
  std::vector<int64_t> device_ids = {0};  // one per partition of the program
  driver::Options driver;
  FinalDump final_dump;
};

// RETURNS InvalidArgument for bytes that are no such message and for compile options that nobody knows,
// Unimplemented for a program with replicas.
Result<CompileOptions> ParseCompileOptions(std::string_view bytes);

}  // namespace stead::pjrt
