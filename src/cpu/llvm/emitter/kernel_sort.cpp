// Sorting: the operands are copied to the results, which are then sorted in place row by row. Selecting the first of a row leaves
// the row as it is.
#include <llvm/IR/Module.h>

#include <algorithm>

#include "cpu/kernels/top_k.h"
#include "cpu/llvm/emitter/kernel_emitter.h"

namespace stead::cpu {

using ir::InstrId;
using ir::Instruction;

// bool(ptr elements): loads the left and right element of every array and runs the program's comparator on them.
llvm::Function* KernelEmitter::EmitComparator(const Instruction& sort) {
  llvm::FunctionType* const type = llvm::FunctionType::get(builder_.getInt1Ty(), {builder_.getPtrTy()}, false);
  llvm::Function* const function = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                                          function_->getName() + ".compare", *function_->getParent());
  function->addRetAttr(llvm::Attribute::ZExt);
  const llvm::IRBuilderBase::InsertPointGuard restore(builder_);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(builder_.getContext(), "entry", function));
  Registers registers(builder_);
  std::vector<llvm::Value*> arguments;
  for (InstrId parameter : module_.computation(sort.called[0]).parameters) {
    const ir::ElementType element = module_.shape(parameter).element_type;
    llvm::Value* const slot = builder_.CreateConstGEP1_64(builder_.getPtrTy(), function->getArg(0), arguments.size());
    llvm::Value* const address = builder_.CreateLoad(builder_.getPtrTy(), slot);
    arguments.push_back(
        registers.FromMemory(builder_.CreateLoad(MemoryType(builder_.getContext(), element), address), element));
  }
  builder_.CreateRet(generator_.Call(sort.called[0], arguments)[0]);
  return function;
}

bool KernelEmitter::CopiesRowByRow(const std::vector<Output>& outputs) const {
  const Instruction& sort = module_.instruction(outputs[0].root);
  return std::ranges::all_of(outputs, [&](const Output& output) {
    const InstrId operand = sort.operands[output.leaf];
    if (output.in_place >= 0 && OperandLeafOf(operand) == output.in_place) return true;
    const MemoryArray* const array = generator_.Bound(operand);
    return array != nullptr && MemoryOrder(array->shape) == MemoryOrder(output.array.shape) &&
           MemoryOrder(array->shape).back() == sort.As<ir::SortAttributes>().dimension;
  });
}

void KernelEmitter::EmitSort(const std::vector<Output>& outputs) {
  const Instruction& sort = module_.instruction(outputs[0].root);
  const int64_t sorted = sort.As<ir::SortAttributes>().dimension;
  const ir::Shape& shape = outputs[0].array.shape;
  const bool copies_row_by_row = CopiesRowByRow(outputs);
  llvm::SmallVector<uint64_t, 4> element_bytes;
  for (const Output& output : outputs) {
    STEAD_CHECK(MemoryOrder(output.array.shape) == MemoryOrder(shape), sort.name);
    if (!copies_row_by_row) EmitInitial(output, sort.operands[output.leaf]);
    element_bytes.push_back(ir::ElementBytes(output.array.shape.element_type));
  }
  const int64_t count = static_cast<int64_t>(outputs.size());
  llvm::Constant* const sizes = llvm::ConstantDataArray::get(builder_.getContext(), element_bytes);
  llvm::GlobalVariable* const table = new llvm::GlobalVariable(
      *function_->getParent(), sizes->getType(), true, llvm::GlobalValue::PrivateLinkage, sizes, "element_bytes");
  llvm::Value* const rows = loops_.Local(llvm::ArrayType::get(builder_.getPtrTy(), count));
  llvm::Type* const pointer = builder_.getPtrTy();
  llvm::Type* const integer = builder_.getInt64Ty();
  const llvm::FunctionCallee sort_row = function_->getParent()->getOrInsertFunction(
      "stead.sort_row",
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, integer, integer, integer, pointer}, false));
  llvm::Function* const comparator = EmitComparator(sort);
  std::vector<int64_t> other_sizes = shape.dimensions;
  other_sizes[sorted] = 1;
  const Share share = OuterShare(other_sizes, MemoryOrder(shape), -1);
  ForEachElement(other_sizes, MemoryOrder(shape), -1, share, [&](const Index& index) {
    for (const Output& output : outputs) {
      const IndexExpression start = loops_.space().Linear(index, MemoryStrides(output.array.shape));
      const int64_t bytes = ir::ElementBytes(output.array.shape.element_type);
      llvm::Value* const address = loops_.Address(output.array.base, start, bytes);
      const InstrId operand = sort.operands[output.leaf];
      if (copies_row_by_row && OperandLeafOf(operand) != output.in_place) {
        llvm::Value* const from = loops_.Address(generator_.Bound(operand)->base, start, bytes);
        builder_.CreateMemCpy(address, llvm::Align(1), from, llvm::Align(1), shape.dimensions[sorted] * bytes);
      }
      builder_.CreateStore(address, builder_.CreateConstGEP1_64(pointer, rows, output.leaf));
    }
    builder_.CreateCall(sort_row, {rows, table, builder_.getInt64(count), builder_.getInt64(shape.dimensions[sorted]),
                                   builder_.getInt64(MemoryStrides(shape)[sorted]), comparator});
  });
}

void KernelEmitter::EmitTopK(const std::vector<Output>& outputs) {
  const Instruction& top = module_.instruction(outputs[0].root);
  const MemoryArray& rows = *generator_.Bound(top.operands[0]);
  STEAD_CHECK(outputs.size() == 2 && outputs[0].leaf == 0, top.name);
  const ir::ElementType type = rows.shape.element_type;
  const ElementOrder order = ir::IsFloat(type)    ? ElementOrder::kFloat
                             : ir::IsSigned(type) ? ElementOrder::kSigned
                                                  : ElementOrder::kUnsigned;
  const auto largest = std::ranges::find(top.extra, "largest", &ir::ExtraAttribute::key);
  const bool is_largest = largest == top.extra.end() || largest->value != "false";
  llvm::Type* const pointer = builder_.getPtrTy();
  llvm::Type* const integer = builder_.getInt64Ty();
  const llvm::FunctionCallee select_row = function_->getParent()->getOrInsertFunction(
      "stead.select_row",
      llvm::FunctionType::get(
          builder_.getVoidTy(),
          {pointer, integer, integer, builder_.getInt32Ty(), integer, builder_.getInt1Ty(), pointer, pointer}, false));
  std::vector<int64_t> other_sizes = rows.shape.dimensions;
  other_sizes.back() = 1;
  const Share share = OuterShare(other_sizes, MemoryOrder(rows.shape), -1);
  ForEachElement(other_sizes, MemoryOrder(rows.shape), -1, share, [&](const Index& index) {
    const auto row_of = [&](const MemoryArray& array) {
      const IndexExpression start = loops_.space().Linear(index, MemoryStrides(array.shape));
      return loops_.Address(array.base, start, ir::ElementBytes(array.shape.element_type));
    };
    llvm::CallInst* const call = builder_.CreateCall(
        select_row, {row_of(rows), builder_.getInt64(rows.shape.dimensions.back()),
                     builder_.getInt64(outputs[0].array.shape.dimensions.back()),
                     builder_.getInt32(static_cast<uint32_t>(order)), builder_.getInt64(ir::ElementBytes(type)),
                     builder_.getInt1(is_largest), row_of(outputs[0].array), row_of(outputs[1].array)});
    call->addParamAttr(5, llvm::Attribute::ZExt);
  });
}

}  // namespace stead::cpu
