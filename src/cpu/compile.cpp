#include "cpu/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cpu/executable.h"
#include "cpu/lower.h"
#include "cpu/small_loops.h"

namespace stead::cpu {
namespace {

using inplace::Buffer;
using inplace::BufferPlan;

runtime::Signature MakeSignature(const BufferPlan& plan) {
  const ir::Module& module = plan.module;
  runtime::Signature signature;
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    const int64_t number = module.instruction(parameter).As<ir::ParameterAttributes>().number;
    ir::ForEachLeaf(module.shape(parameter), [&](const ir::ShapeIndex& index, const ir::Shape& leaf) {
      if (!leaf.is_array()) return;
      signature.parameters.push_back(leaf);
      signature.donatable.push_back(module.IsDonated(number, index));
    });
  }
  ir::ForEachLeaf(module.shape(module.root(module.entry)), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    if (leaf.is_array()) signature.results.push_back(leaf);
  });
  return signature;
}

runtime::MemoryStats MakeMemoryStats(const BufferPlan& plan, const runtime::Signature& signature) {
  runtime::MemoryStats stats;
  for (const ir::Shape& shape : signature.parameters) stats.argument_bytes += shape.byte_size();
  for (const ir::Shape& shape : signature.results) stats.output_bytes += shape.byte_size();
  for (const inplace::Donation& donation : plan.donations) {
    stats.alias_bytes += signature.results[donation.result_leaf].byte_size();
  }
  int64_t owned_bytes = 0;
  for (const Buffer& buffer : plan.buffers) owned_bytes += buffer.kind == Buffer::Kind::kOwned ? buffer.bytes : 0;
  // What is allocated beyond the results that leave the program.
  stats.temp_bytes = plan.arena_bytes + std::max<int64_t>(0, owned_bytes - (stats.output_bytes - stats.alias_bytes));
  stats.peak_bytes = plan.peak_bytes;
  return stats;
}

}  // namespace

Result<std::unique_ptr<runtime::Executable>> CompileToMachineCode(const BufferPlan& plan,
                                                                  const CodegenOptions& options) {
  KernelCompiler compiler(plan.module);
  TRY(Program program, Lower(plan, compiler));
  // Counting looks at each step.
  if (!options.count_copies) CompileSmallLoops(program, compiler, plan.module);
  DumpSink sink;
  if (options.dump) {
    options.dump("steps.txt", ToString(program, plan.module));
    sink = [&](std::string_view stage, std::string_view text) {
      options.dump(fmt::format("{}{}", stage, stage == "assembly" ? ".s" : ".ll"), std::string(text));
    };
  }
  TRY(MachineCode code, compiler.Finish(sink, options.count_copies));
  runtime::Signature signature = MakeSignature(plan);
  runtime::MemoryStats memory_stats = MakeMemoryStats(plan, signature);
  memory_stats.code_bytes = code.bytes();
  TRY(std::unique_ptr<CpuExecutable> executable,
      CpuExecutable::Make(std::move(program), std::move(code), std::move(signature), memory_stats,
                          options.count_copies));
  return std::unique_ptr<runtime::Executable>(std::move(executable));
}

}  // namespace stead::cpu
