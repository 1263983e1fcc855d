#include "inplace/plan_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "analysis/effects.h"
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

// Where a pointer variable points.
struct Pointer {
  size_t block = 0;
  int64_t offset = 0;
};

class Replay {
 public:
  explicit Replay(const BufferPlan& plan) : plan_(plan), pointers_(plan.buffers.size()) {}

  Result<std::vector<Literal>> Run(std::span<const Literal> arguments) {
    MakeMemory(arguments);
    TRY_STATUS(RunComputation(plan_.module.entry));
    std::vector<Literal> results;
    const Shape& shape = plan_.module.shape(plan_.module.root(plan_.module.entry));
    size_t next = 0;
    ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
      if (leaf.is_array()) results.push_back(Load(leaf, plan_.results[next++]));
    });
    return results;
  }

 private:
  void MakeMemory(std::span<const Literal> arguments) {
    blocks_.emplace_back(plan_.arena_bytes, kPoison);
    for (size_t number = 0; number < plan_.buffers.size(); ++number) {
      const Buffer& buffer = plan_.buffers[BufferId(number)];
      if (buffer.kind == Buffer::Kind::kPointer) continue;
      if (buffer.kind == Buffer::Kind::kScratch) {
        pointers_[BufferId(number)] = {0, buffer.arena_offset};
        continue;
      }
      pointers_[BufferId(number)] = {blocks_.size(), 0};
      blocks_.emplace_back(buffer.bytes, kPoison);
      if (buffer.kind == Buffer::Kind::kParameter)
        std::ranges::copy(arguments[buffer.parameter].bytes(), blocks_.back().begin());
      if (buffer.kind == Buffer::Kind::kConstant) {
        const Literal& literal = plan_.module.instruction(buffer.constant).As<Literal>();
        std::ranges::copy(literal.bytes(), blocks_.back().begin());
      }
    }
  }

  std::byte* At(const Slice& slice) {
    const Pointer& pointer = pointers_[slice.buffer];
    return blocks_[pointer.block].data() + pointer.offset + slice.offset;
  }

  Literal Load(const Shape& shape, const Slice& slice) {
    Literal literal = Literal::Zeros(shape);
    std::memcpy(literal.mutable_bytes().data(), At(slice), literal.bytes().size());
    return literal;
  }

  // The value of an instruction, read from where its leaves lie from `next` on.
  Literal LoadValue(const Shape& shape, const std::vector<Slice>& slices, size_t& next) {
    if (!shape.is_tuple()) return Load(shape, slices[next++]);
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements) elements.push_back(LoadValue(element, slices, next));
    return Literal::Tuple(std::move(elements));
  }

  void StoreValue(const Literal& literal, const std::vector<Slice>& slices, size_t& next) {
    if (literal.shape().is_tuple()) {
      for (const Literal& element : literal.elements()) StoreValue(element, slices, next);
      return;
    }
    std::memcpy(At(slices[next++]), literal.bytes().data(), literal.bytes().size());
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
    switch (instruction.opcode) {
      case Opcode::kParameter: return {};
      case Opcode::kWhile: return RunLoop(id);
      case Opcode::kConditional: return RunBranch(id);
      case Opcode::kConstant:
        if (plan_.buffers[plan_.placements[id][0].buffer].kind == Buffer::Kind::kConstant) return {};
        break;
      default: break;
    }
    if (plan_.IsView(id)) return {};
    bool row_major = true;
    ir::ForEachLeaf(instruction.shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
      row_major = row_major && (!leaf.is_array() || leaf.is_row_major());
    });
    if (!row_major) return Unimplemented(fmt::format("`{}` is not row major", instruction.name));
    std::vector<Literal> operands;
    for (InstrId operand : instruction.operands) {
      size_t next = 0;
      operands.push_back(LoadValue(plan_.module.shape(operand), plan_.placements[operand], next));
    }
    TRY(Literal result, interp::EvaluateInstruction(plan_.module, id, operands));
    size_t next = 0;
    StoreValue(result, plan_.placements[id], next);
    return {};
  }

  Status RunLoop(InstrId id) {
    const Instruction& loop = plan_.module.instruction(id);
    const LoopPlan& plan = plan_.loops.at(id);
    Move(plan.entry);
    for (;;) {
      TRY_STATUS(RunComputation(loop.called[0]));
      InstrId test = plan_.module.root(loop.called[0]);
      if (Load(plan_.module.shape(test), plan_.placements[test][0]).AsInteger(0) == 0) return {};
      TRY_STATUS(RunComputation(loop.called[1]));
      Move(plan.back_edge);
    }
  }

  Status RunBranch(InstrId id) {
    const Instruction& conditional = plan_.module.instruction(id);
    InstrId selector = conditional.operands[0];
    int64_t value = Load(plan_.module.shape(selector), plan_.placements[selector][0]).AsInteger(0);
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
};

}  // namespace

Result<std::vector<Literal>> ReplayPlan(const BufferPlan& plan, std::span<const Literal> arguments) {
  return Replay(plan).Run(arguments);
}

}  // namespace stead::inplace
