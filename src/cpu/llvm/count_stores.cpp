#include "cpu/llvm/count_stores.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace stead::cpu {
namespace {

bool IsLocal(const llvm::Value* address) { return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(address)); }

// Bytes of the lanes of `vector` that the mask lets through.
llvm::Value* MaskedBytes(llvm::IRBuilder<>& builder, const llvm::DataLayout& layout, llvm::Type* vector,
                         llvm::Value* mask) {
  auto* type = llvm::cast<llvm::FixedVectorType>(vector);
  llvm::Type* counters = llvm::FixedVectorType::get(builder.getInt64Ty(), type->getNumElements());
  llvm::Value* lanes = builder.CreateAddReduce(builder.CreateZExt(mask, counters));
  return builder.CreateMul(lanes, builder.getInt64(layout.getTypeStoreSize(type->getElementType())));
}

// How many bytes of the program's memory the instruction stores; null: none.
llvm::Value* StoredBytes(llvm::IRBuilder<>& builder, const llvm::DataLayout& layout, llvm::Instruction& instruction) {
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    if (IsLocal(store->getPointerOperand())) return nullptr;
    return builder.getInt64(layout.getTypeStoreSize(store->getValueOperand()->getType()));
  }
  if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    if (IsLocal(memory->getDest())) return nullptr;
    return builder.CreateZExtOrTrunc(memory->getLength(), builder.getInt64Ty());
  }
  auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (intrinsic == nullptr) return nullptr;
  bool is_store = intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_store;
  if (!is_store && intrinsic->getIntrinsicID() != llvm::Intrinsic::masked_scatter) return nullptr;
  if (is_store && IsLocal(intrinsic->getArgOperand(1))) return nullptr;
  return MaskedBytes(builder, layout, intrinsic->getArgOperand(0)->getType(), intrinsic->getArgOperand(3));
}

}  // namespace

void CountStores(llvm::Module& module) {
  llvm::Type* integer = llvm::Type::getInt64Ty(module.getContext());
  auto* counter = new llvm::GlobalVariable(module, integer, false, llvm::GlobalValue::ExternalLinkage,
                                           llvm::ConstantInt::get(integer, 0), kStoredBytesSymbol);
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value* bytes = StoredBytes(builder, module.getDataLayout(), instruction);
      if (bytes == nullptr) continue;
      builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, bytes, llvm::Align(8),
                              llvm::AtomicOrdering::Monotonic);
    }
  }
}

}  // namespace stead::cpu
