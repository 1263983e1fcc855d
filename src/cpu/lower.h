// BufferPlan -> Program: one step per instruction that does something, jumps for loops and branches.
//   Values that forward their operand's bytes make no step. Kernels are added to `compiler`, which the caller compiles after.
#pragma once

#include "base/result.h"
#include "cpu/llvm/kernel_compiler.h"
#include "cpu/program.h"
#include "inplace/plan.h"

namespace stead::cpu {

// RETURNS `UNIMPLEMENTED: op 'x' ...` with its source for the first instruction that no step can compute.
Result<Program> Lower(const inplace::BufferPlan& plan, KernelCompiler& compiler);

}  // namespace stead::cpu
