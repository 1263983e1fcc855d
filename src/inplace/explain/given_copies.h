// The copies of a module as somebody else compiled it: which stand together for one cause, what overwrites the value, who
// still reads it, and whether reading first would have been legal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inplace/explain.h"

namespace stead::inplace {

// One cause: copies of one value on account of one overwriting instruction.
struct GivenCause {
  ir::CopyReason reason = ir::CopyReason::kWritten;
  ir::InstrId value;  // where the copied bytes were made
  std::vector<ir::InstrId> copies;
  ir::InstrId writer;                // overwrites a copy of the value; none when nothing does
  std::vector<ir::InstrId> readers;  // need the value as it was
  // Some reader must come after the writer; the path of dependences from one to the other. Empty: reading first is legal.
  std::vector<ir::InstrId> forced_path;
  int64_t bytes = 0;  // of one copy
  int64_t executions = 1;
  std::string why, fix;
};

struct GivenCopies {
  Totals totals;
  std::vector<GivenCause> causes;  // largest first
};

GivenCopies AnalyseGivenCopies(const ir::Module& module, int64_t unknown_trip_count);

// What to write, and where, so that a custom call may overwrite its operand.
std::string UndeclaredAliasFix();

// Bytes that live at the worst moment of the given order: one buffer per chain of forwarding and in-place ops, aliased
// results in their parameters' buffers, called computations on top of their callers.
int64_t GivenPeakBytes(const ir::Module& module);

}  // namespace stead::inplace
