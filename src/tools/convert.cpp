// `stead convert FILE`: reads any accepted format and prints HLO text, unchanged in meaning, order and names.
#include <fmt/format.h>

#include "ir/text/printer.h"
#include "tools/commands.h"

namespace stead::tools {

int Convert(const std::string& file) {
  auto program = LoadProgram(file);
  if (!program.ok()) return Refuse(program.error());
  fmt::print("{}", ir::PrintModule(program->module));
  return kDone;
}

}  // namespace stead::tools
