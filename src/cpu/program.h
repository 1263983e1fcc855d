// Program: a plan as a flat list of steps over a table of pointers ("slots", one per buffer of the plan).
//   No host addresses inside: kernels, products, custom calls and constants are named by number, memory by (slot, offset). A run is the
//   table and a step number, so it can stop at any step and go on later; the list could be written to a file as it is.
//   Made by Lower (lower.h), walked by the executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpu/kernels/fft/fft.h"
#include "cpu/kernels/matmul.h"
#include "cpu/llvm/kernel_compiler.h"
#include "ffi/custom_call.h"
#include "inplace/plan.h"
#include "ir/literal.h"

namespace stead::cpu {

// The bytes at slots[slot] + offset.
struct Place {
  uint32_t slot = 0;
  int64_t offset = 0;
};

struct Step {
  enum class Kind : uint8_t {
    kKernel,      // kernels[index] on `places`
    kMatMul,      // matmuls[index] on places lhs, rhs, out
    kFft,         // ffts[index] on places operand, result
    kCustomCall,  // custom_calls[index] on places of its operands and results
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
};

// How a slot's pointer is set when a run starts.
struct Slot {
  inplace::Buffer::Kind kind = inplace::Buffer::Kind::kScratch;
  int64_t bytes = 0;
  int64_t offset = 0;     // kScratch: in the arena
  int64_t parameter = 0;  // kParameter: leaf number
  bool overwritten =
      false;              // kParameter: the program writes it or returns it, so it must be given away or copied first
  uint32_t constant = 0;  // kConstant: number in `constants`
};

struct Program {
  std::vector<Step> steps;
  std::vector<Place> places;
  std::vector<uint32_t> targets;  // step numbers
  std::vector<Slot> slots;
  std::vector<Kernel> kernels;
  std::vector<MatMul> matmuls;
  std::vector<Fft> ffts;
  std::vector<ffi::CallSite> custom_calls;
  std::vector<ir::Literal> constants;  // elements in the order of memory
  std::vector<Place> results;          // per result leaf
  std::vector<int64_t> result_bytes;
  int64_t arena_bytes = 0;
};

// One line per step, for people.
std::string ToString(const Program& program, const ir::Module& module);

}  // namespace stead::cpu
