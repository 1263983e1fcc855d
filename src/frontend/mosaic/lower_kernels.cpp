#include "frontend/mosaic/lower_kernels.h"

#include "frontend/mlir_bytecode/reader.h"
#include "frontend/mosaic/kernel_call.h"
#include "frontend/mosaic/kernel_importer.h"
#include "ir/verify.h"

namespace stead::frontend {

namespace {

std::vector<ir::InstrId> KernelCalls(const ir::Module& module) {
  std::vector<ir::InstrId> calls;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (ir::InstrId id : module.computation(computation).instructions) {
      if (IsKernelCall(module.instruction(id))) calls.push_back(id);
    }
  }
  return calls;
}

// The kernel as a computation that nobody calls yet.
Result<ir::ComputationId> ImportKernel(ir::Module& module, ir::InstrId call) {
  TRY(std::vector<std::byte> body, ReadKernelBody(module.instruction(call)));
  TRY(mlir::ParsedModule source, mlir::ReadBytecode(body));
  return KernelImporter(source, module, call).Import();
}

// The call of the computation takes the place and the name of the call of the kernel.
void Replace(ir::Module& module, ir::InstrId kernel_call, ir::ComputationId computation) {
  ir::Instruction call = module.instruction(kernel_call);
  call.opcode = ir::Opcode::kCall;
  call.attributes = {};
  call.extra.clear();
  call.called = {computation};
  ir::InstrId made = module.AddBefore(kernel_call, std::move(call));
  module.SwapNames(made, kernel_call);
  module.ReplaceAllUses(kernel_call, made);
  module.Erase(kernel_call);
}

}  // namespace

Result<std::vector<UnreadKernel>> LowerKernels(ir::Module& module) {
  std::vector<UnreadKernel> unread;
  const std::vector<ir::InstrId> calls = KernelCalls(module);
  if (calls.empty()) return unread;
  for (ir::InstrId call : calls) {
    const std::string name = module.instruction(call).name;
    Result<ir::ComputationId> computation = ImportKernel(module, call);
    const bool fits = computation.ok() && module.shape(module.root(*computation)) == module.shape(call);
    if (fits) {
      Replace(module, call, *computation);
    } else if (computation.ok()) {
      unread.push_back({name, InvalidArgument("the kernel gives another shape than its call", module.SourceOf(call))});
    } else {
      unread.push_back({name, computation.error()});
      if (!unread.back().reason.where.known()) unread.back().reason.where = module.SourceOf(call);
    }
  }
  TRY_STATUS(ir::VerifyModule(module));
  return unread;
}

}  // namespace stead::frontend
