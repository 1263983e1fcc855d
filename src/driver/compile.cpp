#include "driver/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/dump.h"
#include "frontend/mosaic/lower_kernels.h"
#include "inplace/explain/given_copies.h"
#include "ir/text/printer.h"
#include "passes/pass_runner.h"
#ifdef STEAD_HAVE_LLVM
#include "cpu/compile.h"
#endif

namespace stead::driver {
namespace {

// --assume-alias: the user vouches that a custom call overwrites its operand; from here on the call declares it.
Status ApplyAssumedAlias(ir::Module& module, const AssumedAlias& assumed) {
  for (ir::InstrId id : module.entry_computation().instructions) {
    const ir::Instruction& instruction = module.instruction(id);
    if (instruction.name != assumed.instruction) continue;
    if (instruction.opcode != ir::Opcode::kCustomCall) {
      return InvalidArgument(
          fmt::format("`{}` is a `{}`, not a custom-call", assumed.instruction, ir::OpcodeName(instruction.opcode)),
          module.SourceOf(id), "only custom calls declare which operand they overwrite");
    }
    if (assumed.operand < 0 || assumed.operand >= static_cast<int64_t>(instruction.operands.size())) {
      return InvalidArgument(fmt::format("`{}` has {} operands, there is no operand {}", assumed.instruction,
                                         instruction.operands.size(), assumed.operand),
                             module.SourceOf(id));
    }
    ir::CustomCallAttributes attributes = instruction.As<ir::CustomCallAttributes>();
    attributes.aliases.push_back({assumed.output_index, assumed.operand, {}});
    module.SetAttributes(id, std::move(attributes));
    return {};
  }
  return NotFound(fmt::format("no instruction `{}` in the entry computation", assumed.instruction), {}, "",
                  "--assume-alias takes NAME:OPERAND, for example custom-call.2:0");
}

// What --dump-to shows of the memory plan: one line per buffer and per copy.
std::string PlanSummary(const inplace::BufferPlan& plan) {
  std::string text;
  for (size_t buffer = 0; buffer < plan.buffers.size(); ++buffer) {
    const inplace::Buffer& entry = plan.buffers[inplace::BufferId(buffer)];
    static constexpr const char* kKinds[] = {"parameter", "constant", "owned", "scratch", "pointer"};
    std::string place;
    if (entry.kind == inplace::Buffer::Kind::kScratch) place = fmt::format(" at {}", entry.scratch_offset);
    if (entry.host.valid()) place += fmt::format(" of buffer {}", entry.host.index());
    text += fmt::format("buffer {}: {} {} bytes{}{}\n", buffer, kKinds[static_cast<int>(entry.kind)], entry.bytes,
                        place, entry.donated ? ", donated" : "");
  }
  for (const inplace::CopyRecord& copy : plan.copies) {
    text += fmt::format("copy {}: {} bytes x {}, {}\n", plan.module.instruction(copy.copy).name, copy.bytes,
                        copy.executions, ir::CopyReasonCode(copy.reason));
  }
  return text + fmt::format("arena {} bytes, peak {} bytes, lower bound {} bytes copied, {}\n", plan.arena_bytes,
                            plan.peak_bytes, plan.lower_bound_bytes, plan.exact ? "exact" : "search limit reached");
}

// What the user vouches for, then kernels as what they do. RETURNS the kernels that cannot be read.
Result<std::vector<frontend::UnreadKernel>> OpenCalls(ir::Module& module, const Options& options) {
  for (const AssumedAlias& assumed : options.assumed_aliases) TRY_STATUS(ApplyAssumedAlias(module, assumed));
  return frontend::LowerKernels(module);
}

// As OpenCalls, where every kernel must be read.
Status OpenAllCalls(ir::Module& module, const Options& options) {
  TRY(std::vector<frontend::UnreadKernel> unread, OpenCalls(module, options));
  return unread.empty() ? Status() : Status(unread.front().reason);
}

inplace::PlanRemark ClosedKernel(const frontend::UnreadKernel& kernel) {
  inplace::PlanRemark remark;
  remark.code = "D003";
  remark.what = fmt::format("the body of kernel call `{}` was not read: {}", kernel.name, kernel.reason.what);
  remark.why =
      "what a closed call reads and writes is not known: its result gets memory of its own unless the call declares "
      "which "
      "operand it overwrites";
  remark.fix = inplace::UndeclaredAliasFix();
  return remark;
}

Result<inplace::BufferPlan> PlanOpened(ir::Module module, const Options& options) {
  TRY(Dump dump, Dump::To(options.dump_to));
  int last_number = 0;
  auto observe = [&](int number, std::string_view pass, const ir::Module& after) -> Status {
    last_number = number;
    if (!dump.enabled()) return {};
    return dump.Write(fmt::format("{:02}-{}.hlo", number, pass), ir::PrintModule(after));
  };
  TRY_STATUS(passes::RunPasses(module, passes::Pipeline(), observe));

  // Beyond this point no instruction changes its meaning; only an order is chosen and copies are added.
  TRY(inplace::BufferPlan plan, inplace::MakePlan(std::move(module), options.plan));
  TRY_STATUS(observe(last_number + 1, "in-place", plan.module));
  TRY_STATUS(dump.Write(fmt::format("{:02}-buffers.txt", last_number + 1), PlanSummary(plan)));

  // Beyond this point every value has an address and every copy a reason, and someone else has checked it.
  TRY_STATUS(inplace::CheckPlan(plan));
  return plan;
}

}  // namespace

Result<ir::Module> OpenKernels(ir::Module module) {
  TRY_STATUS(OpenAllCalls(module, {}));
  return module;
}

Result<inplace::BufferPlan> Plan(ir::Module module, const Options& options) {
  TRY(std::vector<frontend::UnreadKernel> unread, OpenCalls(module, options));
  TRY(inplace::BufferPlan plan, PlanOpened(std::move(module), options));
  std::ranges::transform(unread, std::back_inserter(plan.remarks), ClosedKernel);
  return plan;
}

Result<Compiled> Compile(ir::Module module, const Options& options) {
#ifdef STEAD_HAVE_LLVM
  TRY(Dump dump, Dump::To(options.dump_to));
  Compiled compiled;
  TRY_STATUS(OpenAllCalls(module, options));
  TRY(compiled.plan, PlanOpened(std::move(module), options));
  cpu::CodegenOptions codegen;
  codegen.count_copies = options.count_copies;
  Status dumped;
  if (dump.enabled()) {
    codegen.dump = [&](const std::string& name, const std::string& text) {
      if (dumped.ok()) dumped = dump.Write(name, text);
    };
  }
  TRY(compiled.executable, cpu::CompileToMachineCode(compiled.plan, codegen));
  TRY_STATUS(dumped);
  return compiled;
#else
  (void)module;
  (void)options;
  return Unimplemented("this build of stead has no machine code", {}, "it was built with STEAD_LLVM=OFF",
                       "build with LLVM, or run with the interpreter");
#endif
}

}  // namespace stead::driver
