// What a program consists of: one thing to do with memory that is named by the number of its pointer in a table.
//   Made by the lowering; read by the executable, which walks the steps, and by loops compiled as one function.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace stead::cpu {

// The bytes at slots[slot] + offset.
struct Place {
  uint32_t slot = 0;
  int64_t offset = 0;
};

struct Step {
  enum class Kind : uint8_t {
    kKernel,           // kernels[index] on `places`
    kLoop,             // loops[index]: a whole loop of other steps, as one function over the table of pointers
    kMatMul,           // matmuls[index] on places lhs, rhs, out
    kConvolution,      // convolutions[index] on places input, kernel, out
    kFft,              // ffts[index] on places operand, result
    kCholesky,         // choleskys[index] on places matrix, factor
    kTriangularSolve,  // triangular_solves[index] on places matrix, sides, solution
    kRandomBits,       // random_bits[index] on places state, next state, bits
    kRandomState,      // random_deltas[index]: the place := what the instruction's state was before it was added
    kCustomCall,       // custom_calls[index] on places of its operands and results
    kWindow,      // pointer: slot of the first place := windows[index] of the second, its starts at the other places
    kCopy,        // `bytes` bytes, places to, from; they do not overlap
    kMove,        // pointers: slot of the first place of each pair := address of the second, all at once
    kJump,        // to targets[0]
    kJumpUnless,  // to targets[0] when the pred at places[0] is false
    kSwitch,      // to targets[s32 at places[0]]; outside: to the last target
  };
  Kind kind = Kind::kKernel;
  uint32_t index = 0;
  int64_t bytes = 0;
  uint32_t first_place = 0, place_count = 0;
  uint32_t first_target = 0, target_count = 0;
  ir::InstrId instruction;  // what the step is for
  // For counting. A step that stores more has copied the rest; -1: all it stores is new.
  int64_t new_bytes = -1;
};

// Where the window of a dynamic-slice starts: the sum of the clamped starts times their strides.
struct Window {
  struct Start {
    int64_t last = 0;          // the largest start
    int64_t stride_bytes = 0;  // that one more moves the window by
    int64_t bytes = 4;         // of the integer
    bool is_signed = true;
  };
  std::vector<Start> starts;
};

}  // namespace stead::cpu
