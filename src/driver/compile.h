// The story of one compile, top to bottom: bytes -> module -> passes -> plan -> check -> machine code.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "inplace/plan.h"
#include "ir/module.h"
#include "ir/tiling.h"
#include "runtime/executable.h"

namespace stead::driver {

// --assume-alias custom-call.2:0, custom-call.2{1}:0 : treat the custom call as if it declared the alias.
struct AssumedAlias {
  std::string instruction;
  ir::ShapeIndex output_index;
  int64_t operand = 0;
};

struct Options {
  std::string file_name = "module";  // for diagnostics
  std::vector<AssumedAlias> assumed_aliases;
  bool count_copies = false;  // runs say how many bytes they copied, and are slower
  std::string dump_to;        // directory: one file per pass (NN-pass-name.hlo); empty: none
  inplace::PlanOptions plan;
};

struct Compiled {
  inplace::BufferPlan plan;  // plan.module is the final HLO
  std::unique_ptr<runtime::Executable> executable;
};

// HLO text, HloModuleProto, StableHLO bytecode or text, told apart by content; verified. `owner` keeps `bytes` alive for large
// constants (null: copied).
Result<ir::Module> Load(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const std::string& file_name);

// The same, verified only as far as printing it needs.
Result<ir::Module> LoadAsWritten(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                 const std::string& file_name);

// How the arrays at the border of a program for several devices lie on them. The program itself is about whole arrays.
Result<ir::BorderTilings> LoadBorder(std::span<const std::byte> bytes, int64_t device_count);

// TPU kernels as calls of computations that do the same, which the interpreter can run. RETURNS the error of the first that
// cannot be read.
Result<ir::Module> OpenKernels(ir::Module module);

// Passes, in-place plan and its proof. Kernels that cannot be read stay closed calls.
Result<inplace::BufferPlan> Plan(ir::Module module, const Options& options);

// Plan and machine code. RETURNS Unimplemented in a build without LLVM.
Result<Compiled> Compile(ir::Module module, const Options& options);

}  // namespace stead::driver
