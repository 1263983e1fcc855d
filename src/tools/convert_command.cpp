// `stead convert FILE`: reads any accepted format and prints HLO text, unchanged in meaning, order and names.
#include <fmt/format.h>

#include "ir/printer.h"
#include "tools/command.h"

namespace stead::tools {

void AddConvertCommand(CLI::App& app, int& exit_code) {
  auto file = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("convert", "read a program in any accepted format and print it as HLO text");
  command->add_option("FILE", *file, "HLO text or StableHLO portable artifact; - for standard input")->required();
  command->callback([file, &exit_code] {
    auto program = LoadProgram(*file);
    if (!program.ok()) {
      exit_code = Refuse(program.error());
      return;
    }
    fmt::print("{}", ir::PrintModule(program->module));
  });
}

}  // namespace stead::tools
