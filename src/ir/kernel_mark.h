// The mark on what stands for a TPU kernel, a loop or what became of it, so that a reader of the program, and a remark, can name the
// kernel.
//   In HLO text: frontend_attributes={kernel="scale_rows"}. It changes no meaning, and a pass may lose it.
#pragma once

#include <optional>
#include <string>

#include "ir/module.h"

namespace stead::ir {

// REQUIRES: a name that HLO text can carry without quotes.
ExtraAttribute KernelMark(const std::string& kernel_name);

// The name of the kernel that the instruction stands for; nothing when it has no mark.
std::optional<std::string> MarkedKernel(const Instruction& instruction);

}  // namespace stead::ir
