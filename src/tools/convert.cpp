// `stead convert FILE`: reads any accepted format and writes HLO text or an HloModuleProto, unchanged in meaning, order and
// names.
#include <fmt/format.h>

#include "base/file.h"
#include "frontend/hlo_proto/writer.h"
#include "ir/text/printer.h"
#include "tools/commands.h"

namespace stead::tools {
namespace {

Status ConvertProgram(const ConvertOptions& options) {
  TRY(Program program, LoadProgram(options.file));
  std::string converted;
  if (options.to == "proto") {
    TRY(converted, frontend::WriteHloProto(program.module));
  } else {
    converted = ir::PrintModule(program.module);
  }
  if (!options.output.empty()) return WriteFile(options.output, converted);
  std::fwrite(converted.data(), 1, converted.size(), stdout);
  return {};
}

}  // namespace

int Convert(const ConvertOptions& options) {
  const Status status = ConvertProgram(options);
  return status.ok() ? kDone : Refuse(status.error());
}

}  // namespace stead::tools
