// The value of any instruction at any index, as code: what fused computations are made of.
//   A kernel loops over its result and asks for the value there; the answer asks its operands, down to arrays in memory.
//   Where an index is the same in every lane the value is computed once, as one element, in the outermost scope that knows the
//   index (loop_builder.h); elsewhere it is a vector. Values are remembered per index, so shared parts are computed once.
//   Elements of one array outside its bounds are never loaded: scalar indices are clamped, lanes are switched off.
#pragma once

#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cpu/llvm/loop_builder.h"
#include "cpu/llvm/values/arithmetic.h"
#include "ir/module.h"

namespace stead::cpu {

// An array in memory: dense, in its shape's layout.
struct MemoryArray {
  llvm::Value* base = nullptr;
  ir::Shape shape;
};

// Strides in elements per dimension, and the dimensions from the slowest to the fastest, by the shape's layout.
std::vector<int64_t> MemoryStrides(const ir::Shape& shape);
std::vector<int64_t> MemoryOrder(const ir::Shape& shape);
// The fastest dimension with more than one element; -1 when there is none.
int64_t FastestDimension(const ir::Shape& shape);

// Sums of 16-bit floats are kept in f32 and rounded once at the end.
ir::ElementType AccumulatorType(ir::ElementType type);

class Generator {
 public:
  Generator(const ir::Module& module, LoopBuilder& loops)
      : module_(module), loops_(loops), builder_(loops.ir()), arithmetic_(builder_), registers_(builder_) {}

  // Says that the value of an array instruction lies in memory.
  void Bind(ir::InstrId id, MemoryArray array) { memory_.insert_or_assign(id, std::move(array)); }
  // The array bound to an instruction; none when it is computed.
  const MemoryArray* Bound(ir::InstrId id) const;

  // Leaf `leaf` of the instruction's value at `index`, in register form: a vector when the index varies between lanes.
  llvm::Value* At(ir::InstrId id, const Index& index, Guard guard = {}, int64_t leaf = 0);
  // The value at an index, the same in all lanes, that may lie outside the array: whether it is inside (none: always), the value
  // there (any value when outside), and the element's number in memory order.
  struct Probe {
    llvm::Value* inside;
    llvm::Value* value;
    llvm::Value* number;
  };
  Probe AtIfInside(ir::InstrId id, const Index& index);
  // Stores, for each of `length` steps, the operands' elements up to that step combined; `index_of` says where a step is.
  // `ascends`: steps are in the order of the elements, not against it.
  void Running(const ir::Instruction& reduce_window, int64_t length, bool ascends,
               const std::vector<MemoryArray>& results,
               const std::function<Index(const IndexExpression& step)>& index_of);
  // Stores to the lanes that exist and are set in `mask` (none: all).
  void Store(const MemoryArray& array, const Index& index, llvm::Value* value, llvm::Value* mask = nullptr);
  // The element at an index that is the same in every lane, or the lanes that exist and pass the guard.
  llvm::Value* Load(const MemoryArray& array, const Index& index, Guard guard = {});

  // Runs a computation over scalars (a reducer) on register values; gives the leaves of its root.
  std::vector<llvm::Value*> Call(ir::ComputationId computation, const std::vector<llvm::Value*>& arguments);
  // The same of another instruction of the computation than its root.
  std::vector<llvm::Value*> ValueIn(ir::ComputationId computation, ir::InstrId wanted,
                                    const std::vector<llvm::Value*>& arguments);

  // The start of a window of dynamic-slice or dynamic-update-slice, clamped so that the window fits.
  Index WindowStart(const ir::Instruction& instruction, size_t first_start_operand, const ir::Shape& array,
                    const std::vector<int64_t>& window_sizes);
  // A computed index number as an expression, moved into [0, limit). `value` has the element type `type`.
  IndexExpression ClampedIndex(llvm::Value* value, ir::ElementType type, int64_t limit, int depth);

  // Calls `enter` for `id` and for the instructions its value is made from, each once; operands follow where it returns true.
  void Walk(ir::InstrId id, const std::function<bool(ir::InstrId)>& enter) const;
  // True when position k of the value in memory order needs only position k of the arrays it is made from, all shaped
  // like `shape`: loops may then run over positions instead of coordinates.
  bool IsLinear(ir::InstrId id, const ir::Shape& shape) const;
  // Calls `visit` with every bound instruction, index and position in memory that the value at `index` is made from, as far as
  // only elementwise ops and movements lie between.
  void ForEachAccess(ir::InstrId id, const Index& index,
                     const std::function<void(ir::InstrId, const Index&, const IndexExpression& position)>& visit);
  // True when a reduction runs along the fastest dimension of its operand and can be done a vector at a time.
  bool IsRowReduction(ir::InstrId id) const;

  LoopBuilder& loops() { return loops_; }
  const ir::Module& module() const { return module_; }
  Arithmetic& arithmetic() { return arithmetic_; }

 private:
  // Computes what an elementwise instruction needs, innermost first, so that long chains of such ops do not nest calls.
  void PrepareOperands(ir::InstrId id, const Index& index, Guard guard);
  llvm::Value* Generate(const ir::Instruction& instruction, ir::InstrId id, const Index& index, Guard guard,
                        int64_t leaf);
  llvm::Value* Constant(const ir::Instruction& instruction, const Index& index, Guard guard);
  llvm::Value* Iota(const ir::Instruction& instruction, const Index& index);
  llvm::Value* Elementwise(const ir::Instruction& instruction, const Index& index, Guard guard);
  llvm::Value* BitcastConvert(const ir::Instruction& instruction, const Index& index, Guard guard);

  llvm::Value* PartLanes(const IndexExpression& part);

  int64_t LanesPerElement(const IndexExpression& position) const;
  bool StartsAtMultiple(const Variable& division) const;
  // A vector in which each element stands `repeats` times; the first is at `first`.
  llvm::Value* LoadRepeated(llvm::Value* first, llvm::Type* scalar, llvm::Align align, int64_t repeats);
  void StoreLeadingLanes(llvm::Value* vector, int64_t count, llvm::Value* address, llvm::Align align);

  // generator_complex.cpp: parts lie next to each other in memory. `position` as in Load and Store.
  // Elements `step` apart, the first of which is at `first`.
  llvm::Value* LoadSteps(llvm::Value* first, llvm::FixedVectorType* vector, llvm::Align align, int64_t step);
  llvm::Value* LoadComplexLanes(const MemoryArray& array, const IndexExpression& position, llvm::Value* mask);
  void StoreComplexLanes(const MemoryArray& array, const IndexExpression& position, llvm::Value* value,
                         llvm::Value* mask);

  // generator_shape.cpp
  Index OperandIndex(const ir::Instruction& instruction, const Index& index);
  llvm::Value* Pad(const ir::Instruction& instruction, const Index& index, Guard guard);
  llvm::Value* Concatenate(const ir::Instruction& instruction, const Index& index, Guard guard);
  // Index numbers that may lie outside an array: moved inside where they are the same in all lanes, guarded where not.
  struct Bounded {
    Index index;
    Guard guard;
    llvm::Value* inside = nullptr;  // none: always
  };
  void Restrict(Bounded& bounded, const IndexExpression& expression, int64_t size);
  // The same where the elements stand `step` places apart.
  void RestrictSpread(Bounded& bounded, const IndexExpression& expression, int64_t size, int64_t step);
  // `inside` where the index lies inside, `outside` elsewhere.
  llvm::Value* SelectInside(const Bounded& bounded, llvm::Value* inside, llvm::Value* outside);
  void Require(Bounded& bounded, llvm::Value* condition, int depth);

  // generator_indexing.cpp
  llvm::Value* DynamicSlice(const ir::Instruction& instruction, const Index& index, Guard guard);
  llvm::Value* DynamicUpdateSlice(const ir::Instruction& instruction, const Index& index, Guard guard);
  llvm::Value* Gather(const ir::Instruction& instruction, const Index& index, Guard guard);

  // generator_reduce.cpp
  using Values = std::vector<llvm::Value*>;
  Values Reduce(ir::InstrId id, const Index& index, Guard guard);
  Values ReduceInOrder(const ir::Instruction& reduce, const Index& index, Guard guard);
  llvm::Value* ReduceRow(ir::InstrId id, const Index& index);
  bool SelectsInRows(const ir::Instruction& reduce) const;
  Values SelectInRow(const ir::Instruction& reduce, const Index& index);
  Values SelectInLanes(const ir::Instruction& reduce, const Index& index, const Values& initial);
  std::vector<int64_t> RowDimensions(ir::InstrId id) const;
  llvm::Value* CombineLanes(ir::Opcode opcode, ir::ElementType type, llvm::Value* vector);
  llvm::Value* Dot(const ir::Instruction& instruction, const Index& index, Guard guard);
  // The value at `index`, converted to `type`.
  llvm::Value* Operand(ir::InstrId id, const Index& index, Guard guard, ir::ElementType type);
  llvm::Value* MultiplyAdd(ir::ElementType type, llvm::Value* left, llvm::Value* right, llvm::Value* sum);
  // Runs `step` over the box `sizes`, carrying accumulators that start at `initial`.
  Values Accumulate(const Values& initial, const std::vector<int64_t>& sizes,
                    const std::function<Values(const Index& counters, const Values& accumulators)>& step);

  // generator_window.cpp
  Values ReduceWindow(const ir::Instruction& instruction, const Index& index, Guard guard);
  llvm::Value* Convolution(const ir::Instruction& instruction, const Index& index, Guard guard);

  llvm::Value* Splat(llvm::Value* value) { return registers_.Splat(value, static_cast<unsigned>(loops_.lanes())); }

  const ir::Module& module_;
  LoopBuilder& loops_;
  llvm::IRBuilder<>& builder_;
  Arithmetic arithmetic_;
  Registers registers_;
  std::unordered_map<ir::InstrId, MemoryArray> memory_;
};

}  // namespace stead::cpu
