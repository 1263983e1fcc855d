#include "cpu/llvm/loop_builder.h"

#include <limits>
#include <utility>

namespace stead::cpu {

LoopBuilder::LoopBuilder(llvm::Function* function, int64_t lanes)
    : function_(function), lanes_(lanes), builder_(function->getContext()) {
  Scope root;
  root.block = llvm::BasicBlock::Create(function->getContext(), "entry", function);
  builder_.SetInsertPoint(root.block);
  scopes_.push_back(std::move(root));
}

llvm::BasicBlock* LoopBuilder::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(builder_.getContext(), name, function_);
}

// ---------------------------------------------------------------------------------------------------------------------
// Scopes.

IndexExpression LoopBuilder::AddVariable(Variable::Kind kind, llvm::Value* value, int64_t limit, int depth,
                                         bool varies) {
  Variable variable;
  variable.kind = kind;
  variable.limit = limit;
  variable.depth = depth;
  variable.varies = varies;
  variable.value = value;
  return IndexExpression::Of(space_.Add(std::move(variable)));
}

// The outer scope's block gets its branch into the loop only when the loop closes: until then code may still be added to it.
void LoopBuilder::OpenCounted(llvm::Value* begin, llvm::Value* end) {
  scopes_.back().block = builder_.GetInsertBlock();
  Scope loop;
  loop.entry = loop.block = NewBlock("loop");
  loop.begin = begin;
  loop.end = end;
  builder_.SetInsertPoint(loop.entry);
  loop.counter = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  scopes_.push_back(std::move(loop));
}

IndexExpression LoopBuilder::OpenLoop(int64_t count) {
  STEAD_CHECK(count > 0);
  if (count == 1) {
    // No loop, but a scope of its own all the same, so that Close has something to close.
    OpenIf(builder_.getTrue());
    return {};
  }
  return OpenLoop(builder_.getInt64(0), builder_.getInt64(count), count);
}

IndexExpression LoopBuilder::OpenLoop(llvm::Value* begin, llvm::Value* end, int64_t limit) {
  OpenCounted(begin, end);
  return AddVariable(Variable::Kind::kScalar, scopes_.back().counter, limit, depth(), false);
}

IndexExpression LoopBuilder::OpenVectorLoop(llvm::Value* begin, llvm::Value* end, int64_t limit, int64_t group) {
  OpenCounted(begin, end);
  scopes_.back().is_vector = true;
  llvm::Value* const position = builder_.CreateMul(scopes_.back().counter, builder_.getInt64(lanes_ * group));
  return AddVariable(Variable::Kind::kVectorCounter, position, limit, depth(), true);
}

IndexExpression LoopBuilder::OpenVector(int64_t start, int64_t limit) {
  OpenIf(builder_.getTrue());
  scopes_.back().is_vector = true;
  if (start + lanes_ > limit) {
    llvm::SmallVector<llvm::Constant*, 64> active;
    for (int64_t lane = 0; lane < lanes_; ++lane) active.push_back(builder_.getInt1(start + lane < limit));
    scopes_.back().active_lanes = llvm::ConstantVector::get(active);
  }
  return AddVariable(Variable::Kind::kVectorCounter, builder_.getInt64(start), limit, depth(), true);
}

void LoopBuilder::OpenIf(llvm::Value* condition) {
  scopes_.back().block = builder_.GetInsertBlock();
  Scope block;
  block.entry = block.block = NewBlock("block");
  block.condition = condition;
  builder_.SetInsertPoint(block.entry);
  scopes_.push_back(std::move(block));
}

void LoopBuilder::CloseLoop(Scope& loop) {
  Scope& outer = scopes_.back();
  llvm::Value* const next = builder_.CreateAdd(loop.counter, builder_.getInt64(1));
  llvm::BasicBlock* const after = NewBlock("after");
  builder_.CreateCondBr(builder_.CreateICmpSLT(next, loop.end), loop.entry, after);
  loop.counter->addIncoming(next, builder_.GetInsertBlock());
  loop.counter->addIncoming(loop.begin, outer.block);
  builder_.SetInsertPoint(outer.block);
  builder_.CreateBr(loop.entry);
  builder_.SetInsertPoint(after);
}

void LoopBuilder::Close() {
  STEAD_CHECK(scopes_.size() > 1);
  Scope closing = std::move(scopes_.back());
  scopes_.pop_back();
  if (closing.counter != nullptr) {
    CloseLoop(closing);
  } else {
    llvm::BasicBlock* const after = NewBlock("after");
    builder_.CreateBr(after);
    builder_.SetInsertPoint(scopes_.back().block);
    builder_.CreateCondBr(closing.condition, closing.entry, after);
    builder_.SetInsertPoint(after);
  }
  scopes_.back().block = builder_.GetInsertBlock();
}

void LoopBuilder::ForEachVector(llvm::Value* begin, llvm::Value* end, int64_t limit,
                                const std::function<void(IndexExpression)>& body) {
  const int64_t full = limit / lanes_;
  const bool has_tail = limit % lanes_ != 0;
  if (full > 0) {
    llvm::Value* const full_end =
        has_tail ? builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, builder_.getInt64(full)) : end;
    if (has_tail) OpenIf(builder_.CreateICmpSLT(begin, full_end));
    body(OpenVectorLoop(begin, full_end, limit));
    Close();
    if (has_tail) Close();
  }
  if (!has_tail) return;
  OpenIf(builder_.CreateICmpSGT(end, builder_.getInt64(full)));
  body(OpenVector(full * lanes_, limit));
  Close();
  Close();
}

void LoopBuilder::ForEachVector(int64_t limit, int64_t group,
                                const std::function<void(IndexExpression, int64_t)>& body) {
  int64_t done = 0;
  for (int64_t size : {group, int64_t{1}}) {
    const int64_t runs = (limit - done) / (lanes_ * size);
    if (runs < 2) continue;
    const int64_t first = done / (lanes_ * size);
    const IndexExpression position =
        OpenVectorLoop(builder_.getInt64(first), builder_.getInt64(first + runs), limit, size);
    for (int64_t member = 0; member < size; ++member)
      body(position + IndexExpression::Constant(member * lanes_), member);
    Close();
    done += runs * lanes_ * size;
  }
  for (; done < limit; done += lanes_) {
    body(OpenVector(done, limit), 0);
    Close();
  }
}

void LoopBuilder::ForEach(const std::vector<int64_t>& sizes, const std::function<void(const Index&)>& body) {
  Index counters;
  for (int64_t size : sizes) counters.push_back(OpenLoop(size));
  body(counters);
  for (size_t level = 0; level < sizes.size(); ++level) Close();
}

void LoopBuilder::AtDepth(int depth, const std::function<void()>& emit) {
  if (depth >= this->depth()) return emit();
  scopes_.back().block = builder_.GetInsertBlock();
  std::vector<Scope> inner(std::make_move_iterator(scopes_.begin() + depth + 1),
                           std::make_move_iterator(scopes_.end()));
  scopes_.resize(depth + 1);
  builder_.SetInsertPoint(scopes_.back().block);
  emit();
  scopes_.back().block = builder_.GetInsertBlock();
  for (Scope& scope : inner) scopes_.push_back(std::move(scope));
  builder_.SetInsertPoint(scopes_.back().block);
}

llvm::Value* LoopBuilder::Find(const ValueKey& key) const {
  for (const Scope& scope : scopes_) {
    const auto found = scope.values.find(key);
    if (found != scope.values.end()) return found->second;
  }
  return nullptr;
}

// ---------------------------------------------------------------------------------------------------------------------
// Index expressions.

llvm::Value* LoopBuilder::ScalarTerm(VariableId id) {
  const Variable variable = space_[id];
  switch (variable.kind) {
    case Variable::Kind::kQuotient:
      return builder_.CreateUDiv(Scalar(variable.of), builder_.getInt64(variable.divisor));
    case Variable::Kind::kRemainder:
      return builder_.CreateURem(Scalar(variable.of), builder_.getInt64(variable.divisor));
    default: return variable.value;
  }
}

// The terms that depend on exactly this scope; none when there are none.
llvm::Value* LoopBuilder::SumAtDepth(const IndexExpression& expression, int depth) {
  llvm::Value* sum = nullptr;
  for (const auto& [id, coefficient] : expression.terms) {
    if (space_[id].depth != depth) continue;
    llvm::Value* const term = builder_.CreateMul(ScalarTerm(id), builder_.getInt64(coefficient));
    sum = sum == nullptr ? term : builder_.CreateAdd(sum, term);
  }
  return sum;
}

llvm::Value* LoopBuilder::Scalar(const IndexExpression& expression) {
  llvm::Value* sum = builder_.getInt64(expression.constant);
  for (int level = 0; level <= space_.Depth(expression); ++level) {
    AtDepth(level, [&] {
      if (llvm::Value* const part = SumAtDepth(expression, level)) sum = builder_.CreateAdd(part, sum);
    });
  }
  return sum;
}

llvm::Value* LoopBuilder::LaneTerm(VariableId id, llvm::Type* type) {
  const Variable variable = space_[id];
  const auto splat = [&](llvm::Value* scalar) {
    return builder_.CreateVectorSplat(lanes_, builder_.CreateIntCast(scalar, type->getScalarType(), true));
  };
  switch (variable.kind) {
    case Variable::Kind::kVectorCounter: {
      llvm::SmallVector<llvm::Constant*, 64> numbers;
      for (int64_t lane = 0; lane < lanes_; ++lane)
        numbers.push_back(llvm::ConstantInt::get(type->getScalarType(), lane));
      return builder_.CreateAdd(splat(variable.value), llvm::ConstantVector::get(numbers));
    }
    case Variable::Kind::kVector: return builder_.CreateIntCast(variable.value, type, true);
    case Variable::Kind::kScalar: return splat(variable.value);
    case Variable::Kind::kQuotient:
    case Variable::Kind::kRemainder: break;
  }
  if (!variable.varies) return splat(ScalarTerm(id));
  llvm::Value* const whole = Lanes(variable.of);
  llvm::Constant* const divisor = llvm::ConstantInt::get(whole->getType(), variable.divisor);
  llvm::Value* const part = variable.kind == Variable::Kind::kQuotient ? builder_.CreateUDiv(whole, divisor)
                                                                       : builder_.CreateURem(whole, divisor);
  return builder_.CreateIntCast(part, type, true);
}

llvm::Value* LoopBuilder::Lanes(const IndexExpression& expression) {
  // Lanes that do not matter may leave the range; they wrap around and are never used.
  const auto [low, high] = space_.Range(expression);
  const bool is_narrow = low >= std::numeric_limits<int32_t>::min() && high <= std::numeric_limits<int32_t>::max();
  llvm::Type* const type = llvm::FixedVectorType::get(builder_.getIntNTy(is_narrow ? 32 : 64), lanes_);
  IndexExpression uniform{expression.constant, {}};
  llvm::Value* sum = nullptr;
  for (const auto& [id, coefficient] : expression.terms) {
    if (!space_[id].varies) {
      uniform = uniform + IndexExpression::Of(id) * coefficient;
      continue;
    }
    llvm::Value* const term = builder_.CreateMul(LaneTerm(id, type), llvm::ConstantInt::get(type, coefficient, true));
    sum = sum == nullptr ? term : builder_.CreateAdd(sum, term);
  }
  llvm::Value* const scalar = builder_.CreateIntCast(Scalar(uniform), type->getScalarType(), true);
  llvm::Value* const splat = builder_.CreateVectorSplat(lanes_, scalar);
  return sum == nullptr ? splat : builder_.CreateAdd(sum, splat);
}

IndexExpression LoopBuilder::ValueExpression(llvm::Value* value, int64_t limit, int depth) {
  const bool varies = value->getType()->isVectorTy();
  if (!varies) value = builder_.CreateIntCast(value, builder_.getInt64Ty(), true);
  return AddVariable(varies ? Variable::Kind::kVector : Variable::Kind::kScalar, value, limit, depth, varies);
}

llvm::Value* LoopBuilder::ActiveLanes() const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->is_vector) return scope->active_lanes;
  }
  return nullptr;
}

llvm::Value* LoopBuilder::And(llvm::Value* left, llvm::Value* right) {
  if (left == nullptr || right == nullptr) return left == nullptr ? right : left;
  if (left->getType() == right->getType()) return builder_.CreateAnd(left, right);
  const auto widen = [&](llvm::Value* mask) {
    return mask->getType()->isVectorTy() ? mask : builder_.CreateVectorSplat(lanes_, mask);
  };
  return builder_.CreateAnd(widen(left), widen(right));
}

llvm::Value* LoopBuilder::InRange(const IndexExpression& expression, int64_t size) {
  llvm::Value* const position = space_.Varies(expression) ? Lanes(expression) : Scalar(expression);
  return builder_.CreateICmpULT(position, llvm::ConstantInt::get(position->getType(), size));
}

bool LoopBuilder::IsRegular(const IndexExpression& expression) const {
  for (const auto& [id, coefficient] : expression.terms) {
    if (space_[id].varies && space_[id].kind != Variable::Kind::kVectorCounter) return false;
  }
  return true;
}

int64_t LoopBuilder::LaneStep(const IndexExpression& expression) const {
  int64_t step = 0;
  for (const auto& [id, coefficient] : expression.terms) {
    if (space_[id].kind == Variable::Kind::kVectorCounter) step += coefficient;
  }
  return step;
}

llvm::Value* LoopBuilder::Address(llvm::Value* base, const IndexExpression& expression, int64_t element_bytes) {
  const IndexExpression bytes = expression * element_bytes;
  llvm::Value* address = base;
  for (int level = 0; level <= space_.Depth(bytes); ++level) {
    AtDepth(level, [&] {
      if (llvm::Value* const part = SumAtDepth(bytes, level)) address = builder_.CreatePtrAdd(address, part);
    });
  }
  return bytes.constant == 0 ? address : builder_.CreatePtrAdd(address, builder_.getInt64(bytes.constant));
}

llvm::Value* LoopBuilder::Local(llvm::Type* type) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> start(&entry, entry.begin());
  return start.CreateAlloca(type);
}

}  // namespace stead::cpu
