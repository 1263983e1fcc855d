#include "inplace/plan_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "analysis/effects.h"
#include "interp/elements.h"
#include "interp/evaluate.h"

namespace stead::inplace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Literal;
using ir::Opcode;
using ir::Shape;

namespace {

constexpr std::byte kPoison{0xA5};
// A wrong plan may overwrite the counter of a loop. Far above what a test runs.
constexpr int64_t kStepLimit = 20'000;

// Where a pointer variable points.
struct Pointer {
  size_t block = 0;
  int64_t offset = 0;
};

class Replay {
 public:
  explicit Replay(const BufferPlan& plan)
      : plan_(plan), pointers_(plan.buffers.size()), block_of_(plan.buffers.size(), 0) {}

  Result<std::vector<Literal>> Run(std::span<const Literal> arguments) {
    TRY_STATUS(MakeMemory(arguments));
    TRY_STATUS(RunComputation(plan_.module.entry));
    TRY_STATUS(CheckKeptMemory(arguments));
    TRY_STATUS(CheckReturnedMemory());
    std::vector<Literal> results;
    for (const Shape& leaf : ArrayLeaves(plan_.module.shape(plan_.module.root(plan_.module.entry)))) {
      TRY(Literal result, Load(leaf, plan_.results[results.size()]));
      results.push_back(std::move(result));
    }
    return results;
  }

 private:
  Status MakeMemory(std::span<const Literal> arguments) {
    blocks_.emplace_back(plan_.arena_bytes, kPoison);
    for (size_t number = 0; number < plan_.buffers.size(); ++number) {
      const Buffer& buffer = plan_.buffers[BufferId(number)];
      if (buffer.kind == Buffer::Kind::kPointer) continue;
      if (buffer.kind == Buffer::Kind::kScratch) {
        pointers_[BufferId(number)] = {0, buffer.scratch_offset};
        continue;
      }
      pointers_[BufferId(number)] = {blocks_.size(), 0};
      block_of_[BufferId(number)] = blocks_.size();
      blocks_.emplace_back(buffer.bytes, kPoison);
      const Literal* content = ContentOf(buffer, arguments);
      if (content == nullptr) continue;
      if (content->bytes().size() != blocks_.back().size())
        return Wrong("has a buffer of another size than its content");
      std::ranges::copy(content->bytes(), blocks_.back().begin());
    }
    for (size_t number = 0; number < plan_.buffers.size(); ++number) {
      const Buffer& buffer = plan_.buffers[BufferId(number)];
      if (buffer.host.valid()) pointers_[BufferId(number)] = {block_of_[buffer.host], buffer.scratch_offset};
    }
    return {};
  }

  // What lies in the buffer from the start.
  const Literal* ContentOf(const Buffer& buffer, std::span<const Literal> arguments) const {
    switch (buffer.kind) {
      case Buffer::Kind::kParameter: return &arguments[static_cast<size_t>(buffer.parameter)];
      case Buffer::Kind::kConstant: return &plan_.module.instruction(buffer.constant).As<Literal>();
      case Buffer::Kind::kOwned:
      case Buffer::Kind::kScratch:
      case Buffer::Kind::kPointer: break;
    }
    return nullptr;
  }

  // The `bytes` at a slice.
  Result<std::span<std::byte>> At(const Slice& slice, int64_t bytes) {
    const Pointer& pointer = pointers_[slice.buffer];
    std::vector<std::byte>& block = blocks_[pointer.block];
    int64_t start = pointer.offset + slice.offset;
    if (start < 0 || start + bytes > static_cast<int64_t>(block.size())) return Wrong("reaches outside of its memory");
    return std::span(block).subspan(static_cast<size_t>(start), static_cast<size_t>(bytes));
  }

  Result<Literal> Load(const Shape& shape, const Slice& slice) {
    Literal literal = Literal::Zeros(shape);
    TRY(std::span<std::byte> bytes, At(slice, static_cast<int64_t>(literal.bytes().size())));
    std::ranges::copy(bytes, literal.mutable_bytes().begin());
    return literal;
  }

  // The value of an instruction, read from where its leaves lie from `next` on.
  Result<Literal> LoadValue(const Shape& shape, const std::vector<Slice>& slices, size_t& next) {
    if (!shape.is_tuple()) return Load(shape, slices.at(next++));
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) {
      TRY(Literal value, LoadValue(element, slices, next));
      elements.push_back(std::move(value));
    }
    return Literal::Tuple(std::move(elements));
  }

  Status StoreValue(const Literal& literal, const std::vector<Slice>& slices, size_t& next) {
    if (literal.shape().is_tuple()) {
      for (const Literal& element : literal.elements()) TRY_STATUS(StoreValue(element, slices, next));
      return {};
    }
    TRY(std::span<std::byte> bytes, At(slices.at(next++), static_cast<int64_t>(literal.bytes().size())));
    std::ranges::copy(literal.bytes(), bytes.begin());
    return {};
  }

  static Diagnostic Wrong(std::string what) {
    return {ErrorCode::kInternal, "the plan " + std::move(what), {}, {}, {}};
  }

  // What the caller keeps, and constants, are as they were.
  Status CheckKeptMemory(std::span<const Literal> arguments) const {
    std::vector<bool> is_donated = DonatedLeaves();
    for (size_t number = 0; number < plan_.buffers.size(); ++number) {
      const Buffer& buffer = plan_.buffers[BufferId(number)];
      if (buffer.kind == Buffer::Kind::kParameter && is_donated[buffer.parameter]) continue;
      const Literal* content = ContentOf(buffer, arguments);
      if (content == nullptr || std::ranges::equal(content->bytes(), blocks_[block_of_[BufferId(number)]])) continue;
      return Wrong(fmt::format("overwrites buffer {}, which it must not change", number));
    }
    return {};
  }

  // Results lie in allocations of their own: owned ones or donated parameters.
  Status CheckReturnedMemory() const {
    std::vector<bool> is_donated = DonatedLeaves();
    std::vector<bool> may_leave(blocks_.size(), false);
    for (size_t number = 0; number < plan_.buffers.size(); ++number) {
      const Buffer& buffer = plan_.buffers[BufferId(number)];
      bool given = buffer.kind == Buffer::Kind::kParameter && is_donated[buffer.parameter];
      if (given || buffer.kind == Buffer::Kind::kOwned) may_leave[block_of_[BufferId(number)]] = true;
    }
    for (size_t leaf = 0; leaf < plan_.results.size(); ++leaf) {
      const Pointer& pointer = pointers_[plan_.results[leaf].buffer];
      if (!may_leave[pointer.block] || pointer.offset + plan_.results[leaf].offset != 0)
        return Wrong(fmt::format("returns result {} in memory that it cannot hand out", leaf));
      may_leave[pointer.block] = false;
    }
    return {};
  }

  std::vector<bool> DonatedLeaves() const {
    std::vector<bool> donated;
    const std::vector<InstrId>& parameters = plan_.module.entry_computation().parameters;
    for (size_t number = 0; number < parameters.size(); ++number) {
      ir::ForEachLeaf(plan_.module.shape(parameters[number]), [&](const ir::ShapeIndex& index, const Shape& leaf) {
        if (leaf.is_array()) donated.push_back(plan_.module.IsDonated(static_cast<int64_t>(number), index));
      });
    }
    return donated;
  }

  static std::vector<Shape> ArrayLeaves(const Shape& shape) {
    std::vector<Shape> leaves;
    ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
      if (leaf.is_array()) leaves.push_back(leaf);
    });
    return leaves;
  }

  void Move(const std::vector<PointerMove>& moves) {
    IdVector<BufferId, Pointer> before = pointers_;
    for (const PointerMove& move : moves) {
      pointers_[move.target] = before[move.source];
      pointers_[move.target].offset += move.source_offset;
    }
  }

  Status RunComputation(ComputationId computation) {
    for (InstrId id : plan_.module.computation(computation).instructions) TRY_STATUS(RunInstruction(id));
    return {};
  }

  Status RunInstruction(InstrId id) {
    const Instruction& instruction = plan_.module.instruction(id);
    if (++steps_ > kStepLimit) return Wrong("does not end");
    switch (instruction.opcode) {
      case Opcode::kParameter: return {};
      case Opcode::kWhile: return RunLoop(id);
      case Opcode::kConditional: return RunBranch(id);
      case Opcode::kConstant:
        if (plan_.buffers[plan_.placements[id][0].buffer].kind == Buffer::Kind::kConstant) return {};
        break;
      default: break;
    }
    if (plan_.windows.contains(id)) return SetWindow(id);
    if (plan_.IsView(id)) return {};
    bool row_major = true;
    ir::ForEachLeaf(instruction.shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
      row_major = row_major && (!leaf.is_array() || leaf.is_row_major());
    });
    if (!row_major) return Unimplemented(fmt::format("`{}` is not row major", instruction.name));
    std::vector<Literal> operands;
    for (InstrId operand : instruction.operands) {
      size_t next = 0;
      TRY(Literal value, LoadValue(plan_.module.shape(operand), plan_.placements[operand], next));
      operands.push_back(std::move(value));
    }
    TRY(Literal result, interp::EvaluateInstruction(plan_.module, id, operands));
    size_t next = 0;
    return StoreValue(result, plan_.placements[id], next);
  }

  Status SetWindow(InstrId id) {
    const Instruction& slice = plan_.module.instruction(id);
    const Shape& array = plan_.module.shape(slice.operands[0]);
    const std::vector<int64_t> strides = ir::RowMajorStrides(array.dimensions);
    const Slice& base = plan_.windows.at(id);
    Pointer pointer = pointers_[base.buffer];
    pointer.offset += base.offset;
    for (size_t dim = 0; dim < strides.size(); ++dim) {
      InstrId start = slice.operands[1 + dim];
      int64_t last = array.dimensions[dim] - slice.shape.dimensions[dim];
      TRY(Literal index, Load(plan_.module.shape(start), plan_.placements[start][0]));
      pointer.offset +=
          std::clamp<int64_t>(interp::IndexAt(index, 0), 0, last) * strides[dim] * ir::ElementBytes(array.element_type);
    }
    pointers_[plan_.placements[id][0].buffer] = pointer;
    return {};
  }

  Status RunLoop(InstrId id) {
    const Instruction& loop = plan_.module.instruction(id);
    const LoopPlan& plan = plan_.loops.at(id);
    Move(plan.entry);
    for (;;) {
      TRY_STATUS(RunComputation(loop.called[0]));
      InstrId test = plan_.module.root(loop.called[0]);
      TRY(Literal holds, Load(plan_.module.shape(test), plan_.placements[test][0]));
      if (holds.AsInteger(0) == 0) return {};
      TRY_STATUS(RunComputation(loop.called[1]));
      Move(plan.back_edge);
    }
  }

  Status RunBranch(InstrId id) {
    const Instruction& conditional = plan_.module.instruction(id);
    InstrId selector = conditional.operands[0];
    TRY(Literal selected, Load(plan_.module.shape(selector), plan_.placements[selector][0]));
    int64_t value = selected.AsInteger(0);
    size_t last = conditional.called.size() - 1;
    size_t branch = value < 0 || value > static_cast<int64_t>(last) ? last : static_cast<size_t>(value);
    // A truth value names the first branch by `true`.
    if (plan_.module.shape(selector).element_type == ir::ElementType::kPred) branch = value != 0 ? 0 : 1;
    TRY_STATUS(RunComputation(conditional.called[branch]));
    Move(plan_.branches.at(id).ends[branch]);
    return {};
  }

  const BufferPlan& plan_;
  std::vector<std::vector<std::byte>> blocks_;  // the arena first
  IdVector<BufferId, Pointer> pointers_;
  IdVector<BufferId, size_t> block_of_;  // the memory that a buffer begins with; the arena for scratch
  int64_t steps_ = 0;
};

}  // namespace

Result<std::vector<Literal>> ReplayPlan(const BufferPlan& plan, std::span<const Literal> arguments) {
  return Replay(plan).Run(arguments);
}

}  // namespace stead::inplace
