// Programs written to files as they are compiled, because the environment or the compile options ask for it.
#pragma once

#include <string>

#include "base/result.h"
#include "driver/compile.h"
#include "ir/module.h"

namespace stead::pjrt {

// Where the final program goes: XLA's options `xla_dump_to` and `xla_dump_hlo_as_proto`, by which frameworks ask for it.
struct FinalDump {
  std::string folder;  // empty: nowhere
  bool as_proto = false;
};

// torch_xla hands over no compile options of the user, so the passes can be asked for by the environment too: STEAD_DUMP_TO
// gets a folder per program, numbered in the order of compilation.
void DumpAsEnvironmentSays(const std::string& program_name, driver::Options& options);

// FOLDER/module_NNNN.NAME.stead_after_optimizations.txt, and .hlo.pb beside it: names that XLA's readers of dumps look for.
Status DumpFinalProgram(const ir::Module& module, const FinalDump& dump);

}  // namespace stead::pjrt
