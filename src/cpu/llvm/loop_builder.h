// Loops, conditional blocks and the places in between where code may be added; index expressions become instructions here.
//   A scope is the function's start, a loop body or a conditional block. Outer scopes stay open while inner ones are filled, so
//   whatever depends only on outer counters is computed there, once, without a separate pass. Code moved outwards runs even
//   when the inner block would not have: only loads that are always in bounds may move.
//   Loops run at least once (arrays without elements have no kernel), so each is one block with its test at the end.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "cpu/llvm/index.h"
#include "ir/module.h"

namespace stead::cpu {

// Lanes whose value will be thrown away and whose memory may not exist; none: every lane counts.
struct Guard {
  llvm::Value* mask = nullptr;  // vector of i1
  int depth = 0;
  friend auto operator<=>(const Guard&, const Guard&) = default;
};

// What a computed value stands for; equal keys have equal values while the scope they were computed in is open.
using ValueKey = std::tuple<ir::InstrId, int64_t, Index, Guard>;

class LoopBuilder {
 public:
  // Starts at the first block of `function`. `lanes`: elements per vector of this kernel.
  LoopBuilder(llvm::Function* function, int64_t lanes);
  LoopBuilder(const LoopBuilder&) = delete;

  llvm::IRBuilder<>& ir() { return builder_; }
  IndexSpace& space() { return space_; }
  int64_t lanes() const { return lanes_; }
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  // A loop over [0, count), or over [begin, end) within [0, limit). Gives the counter.
  IndexExpression OpenLoop(int64_t count);
  IndexExpression OpenLoop(llvm::Value* begin, llvm::Value* end, int64_t limit);
  // A loop over the groups [begin, end) of `group` vectors each of an array of `limit` elements; the counter is the position of
  // the group's first element.
  IndexExpression OpenVectorLoop(llvm::Value* begin, llvm::Value* end, int64_t limit, int64_t group = 1);
  // One run for the vector at element `start` of such an array, with the lanes past `limit` switched off.
  IndexExpression OpenVector(int64_t start, int64_t limit);
  // A block that runs only if `condition` holds.
  void OpenIf(llvm::Value* condition);
  void Close();

  // Runs `body` for the vectors [begin, end) of an array of `limit` elements, then for the incomplete last one if it is there.
  void ForEachVector(llvm::Value* begin, llvm::Value* end, int64_t limit,
                     const std::function<void(IndexExpression)>& body);
  // The same for the whole array, `group` vectors per run of the loop while enough are left; `body` also gets the number of
  // the vector inside its group.
  void ForEachVector(int64_t limit, int64_t group, const std::function<void(IndexExpression, int64_t)>& body);
  // Nested loops over [0, sizes[k]), the last one innermost; `body` gets the counters.
  void ForEach(const std::vector<int64_t>& sizes, const std::function<void(const Index&)>& body);

  // Emits into the scope at `depth` (this one at most) and comes back.
  void AtDepth(int depth, const std::function<void()>& emit);
  // A value computed earlier and still valid here; none otherwise.
  llvm::Value* Find(const ValueKey& key) const;
  void Remember(ValueKey key, llvm::Value* value) { scopes_.back().values[std::move(key)] = value; }

  // The value of an expression that is the same in every lane (i64), or of any expression in each lane (vector of i32 when
  // the range allows, else i64).
  llvm::Value* Scalar(const IndexExpression& expression);
  llvm::Value* Lanes(const IndexExpression& expression);
  // A variable for a value computed at run time: one integer of any width, or one per lane.
  IndexExpression ValueExpression(llvm::Value* value, int64_t limit, int depth);
  // The lanes that exist here: none when all do.
  llvm::Value* ActiveLanes() const;
  llvm::Value* And(llvm::Value* left, llvm::Value* right);
  // 0 <= expression < size. A condition for all lanes (i1), or one per lane.
  llvm::Value* InRange(const IndexExpression& expression, int64_t size);

  // Step from lane to lane when the expression is regular, that is, built from the vector counter and scalars only.
  // RETURNS false otherwise.
  bool IsRegular(const IndexExpression& expression) const;
  int64_t LaneStep(const IndexExpression& expression) const;
  // base + expression * element_bytes; for lane 0 when the expression varies regularly.
  llvm::Value* Address(llvm::Value* base, const IndexExpression& expression, int64_t element_bytes);
  // Stack memory that lives as long as the function runs.
  llvm::Value* Local(llvm::Type* type);

 private:
  struct Scope {
    llvm::BasicBlock* block = nullptr;  // where code for this scope is appended
    llvm::BasicBlock* entry = nullptr;  // loops: the block to come back to; conditional blocks: the first block
    llvm::PHINode* counter = nullptr;   // loops
    llvm::Value* begin = nullptr;
    llvm::Value* end = nullptr;
    llvm::Value* condition = nullptr;  // conditional blocks
    bool is_vector = false;
    llvm::Value* active_lanes = nullptr;  // vector scopes: none when all lanes exist
    std::map<ValueKey, llvm::Value*> values;
  };
  llvm::BasicBlock* NewBlock(const char* name);
  void OpenCounted(llvm::Value* begin, llvm::Value* end);
  IndexExpression AddVariable(Variable::Kind kind, llvm::Value* value, int64_t limit, int depth, bool varies);
  void CloseLoop(Scope& loop);
  llvm::Value* ScalarTerm(VariableId variable);
  llvm::Value* LaneTerm(VariableId variable, llvm::Type* type);
  llvm::Value* SumAtDepth(const IndexExpression& expression, int depth);

  llvm::Function* function_;
  int64_t lanes_;
  llvm::IRBuilder<> builder_;
  IndexSpace space_;
  std::vector<Scope> scopes_;
};

}  // namespace stead::cpu
