#include "cpu/llvm/kernel_compiler.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <utility>

#include "cpu/llvm/count_stores.h"
#include "cpu/llvm/emitter/kernel_emitter.h"
#include "cpu/llvm/loop_emitter.h"
#include "cpu/llvm/support.h"

namespace stead::cpu {

KernelCompiler::KernelCompiler(const ir::Module& module) : module_(module), code_(module.name) {}
KernelCompiler::~KernelCompiler() = default;

Result<Kernel> KernelCompiler::Add(const KernelRequest& request) {
  TRY_STATUS(CheckEmittable(module_, request.instruction));
  llvm::IRBuilder<> types(code_.context());
  llvm::FunctionType* const type =
      llvm::FunctionType::get(types.getVoidTy(), {types.getPtrTy(), types.getInt64Ty(), types.getInt64Ty()}, false);
  const std::string symbol = fmt::format("kernel{}.{}", next_number_++, module_.instruction(request.instruction).name);
  llvm::Function* const function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, code_.ir());
  return KernelEmitter(module_, request, function).Emit();
}

std::string KernelCompiler::AddLoop(const LoopRequest& request) {
  llvm::IRBuilder<> types(code_.context());
  llvm::FunctionType* const type = llvm::FunctionType::get(types.getVoidTy(), {types.getPtrTy()}, false);
  std::string symbol = fmt::format("loop{}.{}", next_number_++, request.name);
  LoopEmitter(request, llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, code_.ir())).Emit();
  return symbol;
}

Result<MachineCode> KernelCompiler::Finish(const DumpSink& dump, bool count_stores) {
  if (count_stores) CountStores(code_.ir());
  return MachineCode::Compile(std::move(code_), dump);
}

}  // namespace stead::cpu
