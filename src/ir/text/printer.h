// Module -> HLO text that XLA's own parser reads back as the same module.
//   Names carry no '%'; operands are printed without shapes; layouts are printed (XLA's default). Deterministic.
#pragma once

#include <string>

#include "ir/module.h"

namespace stead::ir {

std::string PrintModule(const Module& module);
// One instruction as it stands in the module's text, without indentation or line end.
std::string PrintInstruction(const Module& module, InstrId id);
// A literal as it stands inside `constant(...)`. Large arrays are printed in full.
std::string PrintLiteral(const Literal& literal);

}  // namespace stead::ir
