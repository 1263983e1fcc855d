// Emits the function of one kernel: which loops run, in which order, and where results are stored. Values come from Generator.
//   Results are computed by one of these nests:
//     loop      over the result's elements, vectors along its fastest dimension (flat over all of them where possible);
//               over pairs of elements when the request asks for it
//     rows      the same without vectors, where each element is itself a vectorised reduction
//     window    dynamic-update-slice: only the window is written; the rest is copied first unless it is in place
//     pieces    concatenate: one loop per operand
//     running   cumulative reduce-windows: one pass along the dimension
//     scatter   a loop over the updates, in order
//     select-and-scatter  a loop over the windows
//     sort      row by row, by a routine that calls the program's comparator, or what makes the numbers that it compares
//   Results of the same shape share one nest, and all their values are computed before the first is stored.
#pragma once

#include <llvm/IR/Function.h>

#include <set>

#include "cpu/llvm/emitter/sort_key.h"
#include "cpu/llvm/generator/generator.h"
#include "cpu/llvm/kernel_compiler.h"

namespace stead::cpu {

class KernelEmitter {
 public:
  // `function` has the type KernelFunction and no body.
  KernelEmitter(const ir::Module& module, const KernelRequest& request, llvm::Function* function);

  // RETURNS error (kUnimplemented) when results that take over operands cannot be ordered so that each operand is read
  // before it is overwritten.
  Result<Kernel> Emit();

 private:
  enum class NestKind : uint8_t { kLoop, kRows, kWindow, kPieces, kRunning, kScatter, kSort, kTopK, kSelectAndScatter };
  struct Output {
    ir::InstrId root;
    int64_t leaf = 0;  // of the root's value
    MemoryArray array;
    int64_t in_place = -1;  // operand leaf
  };
  struct Nest {
    NestKind kind = NestKind::kLoop;
    std::vector<Output> outputs;
    std::set<int64_t> reads;   // operand leaves
    std::set<int64_t> writes;  // operand leaves whose memory is overwritten
  };

  void BindOperands();
  std::vector<Output> Outputs();
  NestKind KindOf(ir::InstrId root) const;
  std::vector<Nest> Nests();
  Status Order(std::vector<Nest>& nests) const;
  // True for a nest whose outermost loop may run in parts, in any order and at the same time.
  bool IsDivisible(const Nest& nest) const;
  bool ReducesFastestDimension(ir::InstrId id) const;
  // The instruction behind bitcasts and reshapes that leave every byte where it is.
  ir::InstrId BehindViews(ir::InstrId id) const;
  int64_t OperandLeafOf(ir::InstrId id) const;

  void EmitNest(const Nest& nest);
  void EmitLoop(const std::vector<Output>& outputs, bool with_vectors);
  void EmitFlat(const std::vector<Output>& outputs, int64_t count,
                const std::function<Index(const IndexExpression&)>& index_of);
  void EmitBody(const std::vector<Output>& outputs, const Index& index);
  // Loops over `dims` (slowest first), the last one in vectors.
  void EmitVectorNest(const std::vector<Output>& outputs, const std::vector<int64_t>& dims);
  // Rows `tile` and following of the result, as many as a vector has lanes; what lies along `tiled` is read in whole vectors.
  void EmitSquare(const std::vector<Output>& outputs, Index index, int64_t tiled, const IndexExpression& tile);
  bool FitsSquares(const std::vector<Output>& outputs) const;
  // The vectors at the positions that follow `position`, each lane of which starts at another place.
  std::vector<llvm::Value*> LoadTurned(const MemoryArray& array, const IndexExpression& position);
  // A dimension other than the last along which some operand is contiguous; -1 when there is none.
  int64_t TransposedDimension(const std::vector<Output>& outputs, const std::vector<int64_t>& dims);
  // The loop at `level` of a nest; the outermost one runs over the caller's share of the work.
  IndexExpression OpenLevel(size_t level, int64_t count);
  // Iterations [begin, end) of the loop over one dimension. dimension -1: of none.
  struct Share {
    int64_t dimension = -1;
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
  };
  // The caller's share of a nest over a box in the order of memory.
  Share OuterShare(const std::vector<int64_t>& sizes, const std::vector<int64_t>& order, int64_t vector_dim);
  // What lies at [start, start + count), counted from `start`.
  Share PartOfShare(const Share& whole, int64_t start, int64_t count);
  // A loop over the pairs of elements that the request names, tile by tile.
  void EmitPairs(const std::vector<Output>& outputs);
  Index PartnerOf(const Index& index) const;
  void EmitWindow(const Output& output);
  void EmitPieces(const Output& output);
  // The arrays whose elements k make the elements k * n to k * n + n - 1 of the result: those of a concatenation along a last
  // dimension in which each has one element, or one that a broadcast repeats there. Nothing when the result is made otherwise.
  std::vector<ir::InstrId> DealtPieces(const Nest& nest) const;
  void EmitDealt(const Output& output, const std::vector<ir::InstrId>& pieces);
  // How many elements in turn along the dimension `last` are made alike, since arrays are spread out there by interior padding; 1 where
  // none are.
  int64_t PhasesOf(const std::vector<Output>& outputs, int64_t last) const;
  // Each of so many neighbours by an expression of its own, in which it is known whether it is padding.
  void EmitPhases(const Output& output, const std::vector<int64_t>& dims, int64_t phases);
  // Element k of each of `values`, from `position` on.
  void StoreDealt(const MemoryArray& array, const IndexExpression& position, std::vector<llvm::Value*> values);
  void EmitRunning(const std::vector<Output>& outputs);
  void EmitScatter(const std::vector<Output>& outputs);
  void EmitScatterUpdate(const std::vector<Output>& outputs, const ir::Instruction& scatter, const Index& update_index);
  void EmitSelectAndScatter(const Output& output);
  // Each row is brought to the result and sorted there before the next.
  bool CopiesRowByRow(const std::vector<Output>& outputs) const;
  void EmitSort(const std::vector<Output>& outputs);
  void EmitTopK(const std::vector<Output>& outputs);
  // Of type bool(ptr elements), or i64(ptr elements): what SortRow and SortRowByKey take.
  llvm::Function* EmitComparator(const ir::Instruction& sort);
  llvm::Function* EmitSortKey(const ir::Instruction& sort, const SortKey& key);
  // A call of the sorting routine, without the rows that it is for.
  std::function<void(llvm::Value* rows)> SortCall(const ir::Instruction& sort, const std::vector<Output>& outputs);
  // Fills `array` with the value of `id`, unless it lies there already.
  void EmitInitial(const Output& output, ir::InstrId id);
  // A loop nest over a box in the order of memory, or a share of it; the dimension `vector_dim` (-1: none) innermost, in vectors.
  void ForEachElement(const std::vector<int64_t>& sizes, const std::vector<int64_t>& order, int64_t vector_dim,
                      const Share& share, const std::function<void(const Index&)>& body);
  // The outermost loop: over all items when the kernel is one nest, else over the items the caller asks for.
  llvm::Value* Begin();
  llvm::Value* End(int64_t items);

  const ir::Module& module_;
  const KernelRequest& request_;
  const ir::Instruction& instruction_;
  llvm::Function* function_;
  LoopBuilder loops_;
  llvm::IRBuilder<>& builder_;
  Generator generator_;
  std::unordered_map<ir::InstrId, int64_t> operand_leaves_;
  int64_t operand_leaf_count_ = 0;
  bool shares_work_ = false;
  Kernel kernel_;
};

}  // namespace stead::cpu
