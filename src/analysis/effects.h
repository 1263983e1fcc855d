// What one instruction reads of its operands and which operands' buffers its result may take over.
//   Composed through fusions from the effects of what they hold. The one home of the sharing rule: planner, checker, fusion
//   and code generation ask here. Safe wrong answers: "reads the whole operand", "no tie".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/exchange.h"
#include "analysis/footprint.h"
#include "ir/module.h"

namespace stead::analysis {

// How an instruction reads one operand (arrays; a tuple operand counts all its leaves alike).
struct OperandRead {
  bool reads = false;       // false: only forwarded or unused
  Footprint bytes;          // a superset of the operand's bytes that are read
  bool same_index = false;  // element k is read only to make element k of the result, before that is written
  bool same_pair = false;   // or to make its partner in `Effects::exchange`, before either is written
};

enum class TieKind : uint8_t {
  kMust,         // the op overwrites the operand's buffer by its own definition (declared custom-call alias)
  kWindow,       // keeps the operand's bytes except a window, which it writes (dynamic-update-slice, scatter)
  kElementwise,  // writes every element, each after its last read: the buffer may be reused if the operand dies here
  kExchange,     // the same, if the elements of each pair of `Effects::exchange` are read before either is written
};

// The result is not all new: what is not written must be there already.
inline bool KeepsBytes(TieKind kind) { return kind == TieKind::kMust || kind == TieKind::kWindow; }

// The result leaf may be built in operand `operand`'s buffer.
struct Tie {
  int64_t operand = 0;
  ir::ShapeIndex operand_index;  // leaf inside a tuple operand
  ir::ShapeIndex result_index;
  TieKind kind = TieKind::kElementwise;
  Footprint written;  // of the result's bytes: what is written when the tie is used
};

struct Effects {
  std::vector<OperandRead> reads;  // per operand
  std::vector<Tie> ties;
  std::optional<Exchange> exchange;  // what kExchange ties need
  bool has_side_effect = false;
  bool forwards = false;  // result leaves are operand leaves (tuple, get-tuple-element, bitcast, reshape, barrier)
};

Effects EffectsOf(const ir::Module& module, ir::InstrId id);

// The instruction, or something it calls, does more than make its result.
bool HasSideEffect(const ir::Module& module, ir::InstrId id);

}  // namespace stead::analysis
