// Module -> HloModuleProto, the form in which JAX, torch_xla and XLA's tools exchange HLO.
//   Written through protozero by field number, so that no protocol buffer library enters a process that has its own.
//   Names, order (a schedule when the module is scheduled), aliases, donors, control edges, metadata and stack frames are
//   those of the module. Left out: tiles and memory spaces of layouts, shardings other than replication, collectives'
//   groups, the algorithm of a dot, and the elements of constants over 1 MiB or of types below 8 bits.
#pragma once

#include <string>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// RETURNS ResourceExhausted for a module of 2 GiB or more, which readers of the format refuse.
Result<std::string> WriteHloProto(const ir::Module& module);

// HloModuleProtoWithConfig: the same module with the configuration of one replica and one partition.
Result<std::string> WriteHloProtoWithConfig(const ir::Module& module);

}  // namespace stead::frontend
