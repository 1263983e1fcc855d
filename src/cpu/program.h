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

#include "cpu/kernels/convolution.h"
#include "cpu/kernels/fft/fft.h"
#include "cpu/kernels/linear_algebra.h"
#include "cpu/kernels/matmul.h"
#include "cpu/kernels/random/random_bits.h"
#include "cpu/llvm/kernel_compiler.h"
#include "cpu/llvm/step.h"
#include "ffi/custom_call.h"
#include "inplace/plan.h"
#include "ir/literal.h"

namespace stead::cpu {

// How a slot's pointer is set when a run starts.
struct Slot {
  inplace::Buffer::Kind kind = inplace::Buffer::Kind::kScratch;
  int64_t bytes = 0;
  int64_t offset = 0;     // kScratch: in the arena, or in the memory of `host`
  int64_t host = -1;      // kScratch: the number of a slot that does not need its memory then; -1: none
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
  std::vector<std::string> loops;  // the functions of loops that run without the walk
  std::vector<MatMul> matmuls;
  std::vector<Convolution> convolutions;
  std::vector<Fft> ffts;
  std::vector<Cholesky> choleskys;
  std::vector<TriangularSolve> triangular_solves;
  std::vector<RandomBits> random_bits;
  std::vector<uint64_t> random_deltas;  // what each rng-get-and-update-state takes in a run
  std::vector<Window> windows;
  std::vector<ffi::CallSite> custom_calls;
  std::vector<ir::Literal> constants;  // elements in the order of memory
  std::vector<Place> results;          // per result leaf
  std::vector<int64_t> result_bytes;
  int64_t arena_bytes = 0;
};

// One line per step, for people.
std::string ToString(const Program& program, const ir::Module& module);

}  // namespace stead::cpu
