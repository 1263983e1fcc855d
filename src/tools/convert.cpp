// `stead convert FILE`: reads any accepted format and writes HLO text or an HloModuleProto, unchanged in meaning, order and
// names. What breaks the rules of its ops is written as it is: it is refused where it would be run.
#include <fmt/format.h>

#include "base/file.h"
#include "frontend/hlo_proto/writer.h"
#include "ir/text/printer.h"
#include "tools/commands.h"

namespace stead::tools {
namespace {

Status ConvertProgram(const ConvertOptions& options) {
  TRY(std::string bytes, ReadFile(options.file));
  TRY(ir::Module module, driver::LoadAsWritten(std::as_bytes(std::span(bytes)), nullptr, options.file));
  std::string converted;
  if (options.to == "proto") {
    TRY(converted, frontend::WriteHloProto(module));
  } else {
    converted = ir::PrintModule(module);
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
