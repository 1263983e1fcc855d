// Module -> HloModuleProto, the form in which JAX, torch_xla and XLA's tools exchange HLO.
//   Written through protozero by field number, so that no protocol buffer library enters a process that has its own.
//   Names, order (a schedule when the module is scheduled), aliases, donors, control edges, metadata and stack frames are
//   those of the module. Left out: computations that the entry does not reach, as in HLO text, constants whose elements the
//   module does not have, and what HLO text says of a module's
//   configuration (replica_count, allow_spmd_sharding_propagation_to_output, ...), which is another message. An attribute
//   that has no known form is Unimplemented.
#pragma once

#include <string>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// With all constants. RETURNS ResourceExhausted for a module of 2 GiB or more, which readers of the format refuse.
Result<std::string> WriteHloProto(const ir::Module& module);

// HloModuleProtoWithConfig, as frameworks ask for it to show it: with the layout of the entry and the numbers of replicas and
// partitions, and without the elements of constants over 1 MiB, which readers show as `constant({...})`.
Result<std::string> WriteHloProtoWithConfig(const ir::Module& module);

}  // namespace stead::frontend
