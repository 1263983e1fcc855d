// The body of a computation, "{ instructions }", and one line of it: `[ROOT] name = shape opcode(operands), attributes`.
#pragma once

#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "frontend/hlo_text/cursor.h"
#include "ir/module.h"

namespace stead::frontend {

// What names mean while a module is read. The keys are parts of the text.
struct Names {
  std::unordered_map<std::string_view, ir::ComputationId> computations;
  std::unordered_map<std::string_view, ir::InstrId> instructions;  // of the computation that is being read
  int open_bodies = 0;                                             // computations that stand inside of each other
};

struct ParsedInstruction {
  ir::InstrId id;
  bool is_root = false;
};

// Reads the instructions of a computation; the last is the root when none says ROOT.
Status ReadBody(Cursor& cursor, ir::Module& module, ir::ComputationId computation, Names& names);

// Reads one instruction and appends it to the computation.
Result<ParsedInstruction> ReadInstruction(Cursor& cursor, ir::Module& module, ir::ComputationId computation,
                                          Names& names);

}  // namespace stead::frontend
