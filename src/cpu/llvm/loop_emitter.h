// Emits the function of a whole loop: its steps in order, jumps as branches, small kernels in place of their calls.
//   A walk over steps costs some ten cycles each, more than the work of a kernel that handles a few numbers. Here pointers
//   stay in registers, and the store of one kernel and the load of the next stand in one function.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <vector>

#include "cpu/llvm/kernel_compiler.h"

namespace stead::cpu {

class LoopEmitter {
 public:
  // `function` has the type LoopFunction and no body; the kernels of the request are in its module.
  LoopEmitter(const LoopRequest& request, llvm::Function* function);
  void Emit();

 private:
  void LoadSlots();
  void StoreMovedSlots();
  // The block where `target`, a step number of the program, starts.
  llvm::BasicBlock* BlockOf(uint32_t target) const { return blocks_[target - request_.first]; }
  llvm::BasicBlock* Target(const Step& step, uint32_t number) const {
    return BlockOf(request_.targets[step.first_target + number]);
  }
  llvm::Value* Address(uint32_t place);
  void EmitStep(const Step& step, llvm::BasicBlock* next);
  void EmitKernel(const Step& step);
  void EmitMove(const Step& step);
  void EmitSwitch(const Step& step);
  void EmitWindow(const Step& step);
  void InlineSmallKernels();

  const LoopRequest& request_;
  llvm::Function* function_;
  llvm::IRBuilder<> builder_;
  std::vector<llvm::BasicBlock*> blocks_;            // per step, and the one where the function ends
  std::map<uint32_t, llvm::Value*> pointers_;        // per slot with a fixed place
  std::map<uint32_t, llvm::AllocaInst*> variables_;  // per other slot
  std::vector<llvm::CallInst*> calls_;
};

}  // namespace stead::cpu
