// Drops what devices would exchange in groups of one: everyone's sum, gathering or permutation is then what one has.
//   all-reduce, all-gather, reduce-scatter, all-to-all, collective-broadcast and collective-permute -> their operands.
//   Needs: starts and ends joined (normalize/synchronous.h).  Keeps: meaning.
//   Does not: touch a module whose header names several replicas or partitions, nor groups of several devices.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> RemoveCollectives(ir::Module& module);

}  // namespace stead::passes
