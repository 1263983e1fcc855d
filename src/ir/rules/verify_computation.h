// Checks of one computation and its instructions; ir/verify.h runs them. Private to ir/.
#pragma once

#include "base/result.h"
#include "ir/module.h"

namespace stead::ir {

// Lists, tables of parameters and users, topological order of operands and control edges, attributes of the right kind.
Status VerifyComputation(const Module& module, ComputationId id);

// The rule of every instruction, and shapes that can be computed with. REQUIRES: VerifyComputation.
Status VerifyRules(const Module& module, ComputationId id);

// A name that every reader of HLO text takes: a letter or '_', then letters, digits, '_', '.', '-'.
Status VerifyName(const std::string& name, const SourcePlace& place);

}  // namespace stead::ir
