#include "cpu/llvm/loop_emitter.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <set>

#include "base/check.h"

namespace stead::cpu {
namespace {

// LLVM instructions: a kernel as large as this does enough for a call not to matter, and a function as large as this compiles
// slowly.
constexpr size_t kMaxInlinedKernel = 400;
constexpr size_t kMaxInlinedLoop = 20'000;

}  // namespace

LoopEmitter::LoopEmitter(const LoopRequest& request, llvm::Function* function)
    : request_(request), function_(function), builder_(function->getContext()) {}

void LoopEmitter::Emit() {
  builder_.SetInsertPoint(llvm::BasicBlock::Create(function_->getContext(), "entry", function_));
  for (size_t number = 0; number <= request_.steps.size(); ++number) {
    blocks_.push_back(llvm::BasicBlock::Create(function_->getContext(), "step", function_));
  }
  LoadSlots();
  builder_.CreateBr(blocks_.front());
  for (size_t number = 0; number < request_.steps.size(); ++number) {
    builder_.SetInsertPoint(blocks_[number]);
    EmitStep(request_.steps[number], blocks_[number + 1]);
  }
  builder_.SetInsertPoint(blocks_.back());
  StoreMovedSlots();
  builder_.CreateRetVoid();
  InlineSmallKernels();
}

// Places in the arena are counted from one of them, so that the optimiser sees that they are different memory.
void LoopEmitter::LoadSlots() {
  std::set<uint32_t> used;
  for (const Step& step : request_.steps) {
    for (const Place& place : request_.places.subspan(step.first_place, step.place_count)) used.insert(place.slot);
  }
  llvm::Value* arena = nullptr;
  for (uint32_t slot : used) {
    const int64_t offset = request_.arena_offsets[slot];
    if (offset >= 0 && arena != nullptr) {
      pointers_[slot] = builder_.CreatePtrAdd(arena, builder_.getInt64(offset));
      continue;
    }
    llvm::Value* const pointer = builder_.CreateLoad(
        builder_.getPtrTy(), builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_->getArg(0), slot));
    if (offset >= 0) {
      arena = builder_.CreatePtrAdd(pointer, builder_.getInt64(-offset));
      pointers_[slot] = pointer;
    } else {
      variables_[slot] = builder_.CreateAlloca(builder_.getPtrTy());
      builder_.CreateStore(pointer, variables_[slot]);
    }
  }
}

void LoopEmitter::StoreMovedSlots() {
  std::set<uint32_t> moved;
  for (const Step& step : request_.steps) {
    if (step.kind != Step::Kind::kMove) continue;
    for (uint32_t pair = 0; pair < step.place_count; pair += 2)
      moved.insert(request_.places[step.first_place + pair].slot);
  }
  for (uint32_t slot : moved) {
    llvm::Value* const pointer = builder_.CreateLoad(builder_.getPtrTy(), variables_.at(slot));
    builder_.CreateStore(pointer, builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_->getArg(0), slot));
  }
}

llvm::Value* LoopEmitter::Address(uint32_t place) {
  const auto [slot, offset] = request_.places[place];
  const auto fixed = pointers_.find(slot);
  llvm::Value* const pointer =
      fixed != pointers_.end() ? fixed->second : builder_.CreateLoad(builder_.getPtrTy(), variables_.at(slot));
  return offset == 0 ? pointer : builder_.CreatePtrAdd(pointer, builder_.getInt64(offset));
}

void LoopEmitter::EmitStep(const Step& step, llvm::BasicBlock* next) {
  switch (step.kind) {
    case Step::Kind::kKernel: EmitKernel(step); break;
    case Step::Kind::kCopy:
      builder_.CreateMemCpy(Address(step.first_place), llvm::Align(1), Address(step.first_place + 1), llvm::Align(1),
                            static_cast<uint64_t>(step.bytes));
      break;
    case Step::Kind::kMove: EmitMove(step); break;
    case Step::Kind::kWindow: EmitWindow(step); break;
    case Step::Kind::kJump: builder_.CreateBr(Target(step, 0)); return;
    case Step::Kind::kJumpUnless: {
      llvm::Value* const holds = builder_.CreateLoad(builder_.getInt8Ty(), Address(step.first_place));
      builder_.CreateCondBr(builder_.CreateIsNotNull(holds), next, Target(step, 0));
      return;
    }
    case Step::Kind::kSwitch: EmitSwitch(step); return;
    case Step::Kind::kLoop:
    case Step::Kind::kMatMul:
    case Step::Kind::kConvolution:
    case Step::Kind::kFft:
    case Step::Kind::kCholesky:
    case Step::Kind::kTriangularSolve:
    case Step::Kind::kRandomBits:
    case Step::Kind::kRandomState:
    case Step::Kind::kCustomCall: FailCheck(__FILE__, __LINE__, "a step that may be part of a compiled loop", "");
  }
  builder_.CreateBr(next);
}

void LoopEmitter::EmitKernel(const Step& step) {
  llvm::IRBuilder<> entry(&function_->getEntryBlock(), function_->getEntryBlock().begin());
  llvm::Value* const arguments = entry.CreateAlloca(llvm::ArrayType::get(builder_.getPtrTy(), step.place_count));
  for (uint32_t number = 0; number < step.place_count; ++number) {
    builder_.CreateStore(Address(step.first_place + number),
                         builder_.CreateConstGEP1_64(builder_.getPtrTy(), arguments, number));
  }
  const Kernel& kernel = request_.kernels[step.index];
  llvm::Function* const callee = function_->getParent()->getFunction(kernel.symbol);
  calls_.push_back(
      builder_.CreateCall(callee, {arguments, builder_.getInt64(0), builder_.getInt64(kernel.work_items)}));
}

void LoopEmitter::EmitMove(const Step& step) {
  std::vector<llvm::Value*> sources;
  for (uint32_t pair = 0; pair < step.place_count; pair += 2) sources.push_back(Address(step.first_place + pair + 1));
  for (uint32_t pair = 0; pair < step.place_count; pair += 2) {
    builder_.CreateStore(sources[pair / 2], variables_.at(request_.places[step.first_place + pair].slot));
  }
}

void LoopEmitter::EmitWindow(const Step& step) {
  llvm::Value* data = Address(step.first_place + 1);
  uint32_t place = step.first_place + 2;
  for (const Window::Start& start : request_.windows[step.index].starts) {
    llvm::Value* const read = builder_.CreateAlignedLoad(builder_.getIntNTy(static_cast<unsigned>(8 * start.bytes)),
                                                         Address(place++), llvm::Align(1));
    llvm::Value* index = start.is_signed ? builder_.CreateSExt(read, builder_.getInt64Ty())
                                         : builder_.CreateZExt(read, builder_.getInt64Ty());
    if (start.is_signed) index = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index, builder_.getInt64(0));
    index = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, builder_.getInt64(start.last));
    data = builder_.CreatePtrAdd(data, builder_.CreateMul(index, builder_.getInt64(start.stride_bytes)));
  }
  builder_.CreateStore(data, variables_.at(request_.places[step.first_place].slot));
}

void LoopEmitter::EmitSwitch(const Step& step) {
  llvm::Value* const branch =
      builder_.CreateAlignedLoad(builder_.getInt32Ty(), Address(step.first_place), llvm::Align(4));
  llvm::SwitchInst* const choice =
      builder_.CreateSwitch(branch, Target(step, step.target_count - 1), step.target_count);
  for (uint32_t number = 0; number + 1 < step.target_count; ++number) {
    choice->addCase(builder_.getInt32(number), Target(step, number));
  }
}

void LoopEmitter::InlineSmallKernels() {
  size_t size = 0;
  for (llvm::CallInst* call : calls_) {
    llvm::Function* const kernel = call->getCalledFunction();
    kernel->setLinkage(llvm::Function::InternalLinkage);
    const size_t kernel_size = kernel->getInstructionCount();
    if (kernel_size > kMaxInlinedKernel || size + kernel_size > kMaxInlinedLoop) continue;
    size += kernel_size;
    llvm::InlineFunctionInfo info;
    const llvm::InlineResult result = llvm::InlineFunction(*call, info);
    STEAD_CHECK(result.isSuccess(), result.getFailureReason());
    if (kernel->use_empty()) kernel->eraseFromParent();
  }
}

}  // namespace stead::cpu
