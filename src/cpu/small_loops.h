// Loops of small steps become one function each.
#pragma once

#include "cpu/program.h"

namespace stead::cpu {

// Replaces the outermost loops that consist of small kernels, copies, moves and jumps only by one step each.
void CompileSmallLoops(Program& program, KernelCompiler& compiler, const ir::Module& module);

}  // namespace stead::cpu
