// Sorting: the operands are copied to the results, which are then sorted in place row by row. Selecting the first of a row leaves
// the row as it is.
#include <llvm/IR/Module.h>

#include <algorithm>

#include "cpu/kernels/top_k.h"
#include "cpu/llvm/emitter/kernel_emitter.h"

namespace stead::cpu {

using ir::InstrId;
using ir::Instruction;

namespace {

// A function of the elements that a comparator sees, left and right of each array; `load_from` says at which of the given
// addresses parameter k lies, `body` makes its result.
llvm::Function* EmitOfElements(llvm::IRBuilder<>& builder, const ir::Module& module, llvm::Function* kernel,
                               ir::ComputationId comparator, llvm::Type* result,
                               const std::function<size_t(size_t)>& load_from,
                               const std::function<llvm::Value*(const std::vector<llvm::Value*>&)>& body) {
  llvm::FunctionType* const type = llvm::FunctionType::get(result, {builder.getPtrTy()}, false);
  llvm::Function* const function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, kernel->getName() + ".order", *kernel->getParent());
  const llvm::IRBuilderBase::InsertPointGuard restore(builder);
  builder.SetInsertPoint(llvm::BasicBlock::Create(builder.getContext(), "entry", function));
  Registers registers(builder);
  std::vector<llvm::Value*> arguments;
  for (InstrId parameter : module.computation(comparator).parameters) {
    const ir::ElementType element = module.shape(parameter).element_type;
    llvm::Value* const slot =
        builder.CreateConstGEP1_64(builder.getPtrTy(), function->getArg(0), load_from(arguments.size()));
    llvm::Value* const address = builder.CreateLoad(builder.getPtrTy(), slot);
    arguments.push_back(
        registers.FromMemory(builder.CreateLoad(MemoryType(builder.getContext(), element), address), element));
  }
  builder.CreateRet(body(arguments));
  return function;
}

}  // namespace

llvm::Function* KernelEmitter::EmitComparator(const Instruction& sort) {
  llvm::Function* const function = EmitOfElements(
      builder_, module_, function_, sort.called[0], builder_.getInt1Ty(), [](size_t parameter) { return parameter; },
      [&](const std::vector<llvm::Value*>& arguments) { return generator_.Call(sort.called[0], arguments)[0]; });
  function->addRetAttr(llvm::Attribute::ZExt);
  return function;
}

// Both parameters of an array are its one element: the key is made from one of them.
llvm::Function* KernelEmitter::EmitSortKey(const Instruction& sort, const SortKey& key) {
  return EmitOfElements(
      builder_, module_, function_, sort.called[0], builder_.getInt64Ty(),
      [](size_t parameter) { return parameter / 2; },
      [&](const std::vector<llvm::Value*>& arguments) {
        llvm::Value* const number = generator_.ValueIn(sort.called[0], key.value, arguments)[0];
        return AscendingNumber(builder_, number, key);
      });
}

std::function<void(llvm::Value* rows)> KernelEmitter::SortCall(const Instruction& sort,
                                                               const std::vector<Output>& outputs) {
  llvm::SmallVector<uint64_t, 4> element_bytes;
  for (const Output& output : outputs) element_bytes.push_back(ir::ElementBytes(output.array.shape.element_type));
  llvm::Constant* const sizes = llvm::ConstantDataArray::get(builder_.getContext(), element_bytes);
  llvm::GlobalVariable* const table = new llvm::GlobalVariable(
      *function_->getParent(), sizes->getType(), true, llvm::GlobalValue::PrivateLinkage, sizes, "element_bytes");
  const std::optional<SortKey> key = SortKeyOf(module_, sort.called[0]);
  llvm::Type* const pointer = builder_.getPtrTy();
  llvm::Type* const integer = builder_.getInt64Ty();
  const llvm::FunctionCallee sort_row = function_->getParent()->getOrInsertFunction(
      key ? "stead.sort_row_by_key" : "stead.sort_row",
      llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, integer, integer, integer, pointer}, false));
  llvm::Function* const order = key ? EmitSortKey(sort, *key) : EmitComparator(sort);
  const ir::Shape& shape = outputs[0].array.shape;
  const int64_t sorted = sort.As<ir::SortAttributes>().dimension;
  llvm::Value* const count = builder_.getInt64(outputs.size());
  llvm::Value* const size = builder_.getInt64(shape.dimensions[sorted]);
  llvm::Value* const stride = builder_.getInt64(MemoryStrides(shape)[sorted]);
  return [=, this](llvm::Value* rows) { builder_.CreateCall(sort_row, {rows, table, count, size, stride, order}); };
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
  for (const Output& output : outputs) {
    STEAD_CHECK(MemoryOrder(output.array.shape) == MemoryOrder(shape), sort.name);
    if (!copies_row_by_row) EmitInitial(output, sort.operands[output.leaf]);
  }
  llvm::Type* const pointer = builder_.getPtrTy();
  llvm::Value* const rows = loops_.Local(llvm::ArrayType::get(pointer, outputs.size()));
  const std::function<void(llvm::Value*)> call = SortCall(sort, outputs);
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
    call(rows);
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
