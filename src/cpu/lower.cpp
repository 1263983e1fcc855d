#include "cpu/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analysis/effects.h"
#include "cpu/call_site.h"
#include "cpu/routines.h"
#include "cpu/window_bytes.h"
#include "ir/extra_number.h"

namespace stead::cpu {
namespace {

using inplace::Buffer;
using inplace::BufferId;
using inplace::BufferPlan;
using inplace::PointerMove;
using inplace::Slice;
using ir::ComputationId;
using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

std::vector<Shape> ArrayLeaves(const Shape& shape) {
  std::vector<Shape> leaves;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
    if (leaf.is_array()) leaves.push_back(leaf);
  });
  return leaves;
}

// A constant's elements in the order of its layout, aligned for its element type.
ir::Literal InMemoryOrder(const ir::Literal& literal, const Shape& shape) {
  const size_t element = ir::ElementBytes(shape.element_type);
  const bool is_aligned = reinterpret_cast<uintptr_t>(literal.bytes().data()) % element == 0;
  if (shape.is_row_major() && is_aligned) return literal;
  ir::Literal ordered = ir::Literal::Zeros(Shape::Array(shape.element_type, shape.dimensions));
  const std::vector<int64_t> from = ir::RowMajorStrides(shape.dimensions);
  const std::vector<int64_t> to = StridesOf(shape);
  for (int64_t number = 0; number < shape.element_count(); ++number) {
    int64_t target = 0;
    for (int64_t dim = 0; dim < shape.rank(); ++dim) target += number / from[dim] % shape.dimensions[dim] * to[dim];
    std::memcpy(ordered.mutable_bytes().data() + target * element, literal.bytes().data() + number * element, element);
  }
  return ordered;
}

class Lowering {
 public:
  Lowering(const BufferPlan& plan, KernelCompiler& compiler) : plan_(plan), module_(plan.module), compiler_(compiler) {}

  Result<Program> Run() {
    TRY_STATUS(MakeSlots());
    TRY_STATUS(Computation(module_.entry));
    for (const Slice& slice : plan_.results) program_.results.push_back(ToPlace(slice));
    for (const Shape& leaf : ArrayLeaves(module_.shape(module_.root(module_.entry)))) {
      program_.result_bytes.push_back(leaf.byte_size());
    }
    program_.arena_bytes = plan_.arena_bytes;
    MarkOverwritten();
    return std::move(program_);
  }

 private:
  static Place ToPlace(const Slice& slice) { return {slice.buffer.index(), slice.offset}; }

  Status MakeSlots() {
    for (const Buffer& buffer : plan_.buffers) {
      Slot slot;
      slot.kind = buffer.kind;
      slot.bytes = buffer.bytes;
      slot.offset = buffer.scratch_offset;
      if (buffer.host.valid()) slot.host = static_cast<int64_t>(buffer.host.index());
      slot.parameter = buffer.parameter;
      if (buffer.kind == Buffer::Kind::kConstant) {
        TRY(slot.constant, AddConstant(buffer.constant));
      }
      program_.slots.push_back(slot);
    }
    return {};
  }

  Result<uint32_t> AddConstant(InstrId id) {
    const ir::Literal& literal = module_.instruction(id).As<ir::Literal>();
    if (literal.elided()) {
      return InvalidArgument(fmt::format("constant `{}` was elided in the text", module_.instruction(id).name),
                             module_.SourceOf(id), "its elements are not known, so the program cannot run");
    }
    program_.constants.push_back(InMemoryOrder(literal, module_.shape(id)));
    return static_cast<uint32_t>(program_.constants.size() - 1);
  }

  // A parameter's memory must not be the caller's if any step writes to it or it leaves the program.
  void MarkOverwritten() {
    // Pointers may carry a donated parameter anywhere, so donated counts as overwritten.
    for (size_t number = 0; number < plan_.buffers.size(); ++number) {
      const Buffer& buffer = plan_.buffers[BufferId(number)];
      if (buffer.kind == Buffer::Kind::kParameter && buffer.donated) program_.slots[number].overwritten = true;
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Steps.

  Step& AddStep(Step::Kind kind, InstrId id, std::initializer_list<Place> places = {}) {
    Step step;
    step.kind = kind;
    step.instruction = id;
    step.first_place = static_cast<uint32_t>(program_.places.size());
    step.place_count = static_cast<uint32_t>(places.size());
    program_.places.insert(program_.places.end(), places);
    program_.steps.push_back(step);
    return program_.steps.back();
  }

  // Reserves jump targets of the step added last; they are filled in when the target is known.
  uint32_t AddTargets(uint32_t count) {
    Step& step = program_.steps.back();
    step.first_target = static_cast<uint32_t>(program_.targets.size());
    step.target_count = count;
    program_.targets.resize(program_.targets.size() + count);
    return step.first_target;
  }
  uint32_t Here() const { return static_cast<uint32_t>(program_.steps.size()); }

  void AddMoves(InstrId id, const std::vector<PointerMove>& moves) {
    std::vector<Place> pairs;
    for (const PointerMove& move : moves) {
      if (move.target == move.source && move.source_offset == 0) continue;
      pairs.push_back({move.target.index(), 0});
      pairs.push_back({move.source.index(), move.source_offset});
    }
    if (pairs.empty()) return;
    Step& step = AddStep(Step::Kind::kMove, id);
    step.place_count = static_cast<uint32_t>(pairs.size());
    program_.places.insert(program_.places.end(), pairs.begin(), pairs.end());
  }

  Status Computation(ComputationId id) {
    for (InstrId member : module_.computation(id).instructions) TRY_STATUS(One(member));
    return {};
  }

  // Whoever takes packed elements apart reads the bytes, through a bitcast.
  Status RefusePacked(InstrId id) const {
    const Instruction& instruction = module_.instruction(id);
    const auto is_packed = [&](InstrId value) {
      return std::ranges::any_of(ArrayLeaves(module_.shape(value)), &Shape::is_packed);
    };
    if (!is_packed(id) && !std::ranges::any_of(instruction.operands, is_packed)) return {};
    return Unimplemented(fmt::format("`{}` (`{}`) on elements that are packed in memory",
                                     ir::OpcodeName(instruction.opcode), instruction.name),
                         module_.SourceOf(id));
  }

  Status One(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    switch (instruction.opcode) {
      case Opcode::kParameter: return {};
      case Opcode::kWhile: return While(id);
      case Opcode::kConditional: return Conditional(id);
      default: break;
    }
    const bool moves_bytes =
        instruction.opcode == Opcode::kCopy && instruction.shape == module_.shape(module_.operand(id, 0));
    if (!plan_.IsView(id) && !moves_bytes) TRY_STATUS(RefusePacked(id));
    switch (instruction.opcode) {
      case Opcode::kConstant: return Constant(id);
      case Opcode::kCustomCall: return CustomCall(id);
      default: break;
    }
    if (plan_.windows.contains(id)) return SetWindow(id);
    if (plan_.placements[id].empty() || plan_.IsView(id)) return {};
    if (moves_bytes) return Copy(id);
    return Compute(id);
  }

  // Routines for what they know, a kernel for everything else.
  Status Compute(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    switch (instruction.opcode) {
      case Opcode::kDot:
        if (IsSmallProduct(module_, instruction)) break;
        if (const auto product = ToMatMul(module_, instruction))
          return Routine(id, Step::Kind::kMatMul, *product, program_.matmuls);
        break;
      case Opcode::kConvolution:
        if (const auto convolution = ToConvolution(module_, instruction))
          return Routine(id, Step::Kind::kConvolution, *convolution, program_.convolutions);
        break;
      case Opcode::kFft: return Fft(id);
      case Opcode::kCholesky:
        if (const auto cholesky = ToCholesky(module_, instruction))
          return Routine(id, Step::Kind::kCholesky, *cholesky, program_.choleskys);
        break;
      case Opcode::kTriangularSolve:
        if (const auto solve = ToTriangularSolve(module_, instruction))
          return Routine(id, Step::Kind::kTriangularSolve, *solve, program_.triangular_solves);
        break;
      case Opcode::kRngBitGenerator: return Random(id);
      case Opcode::kRngGetAndUpdateState: return RandomState(id);
      default: break;
    }
    return Kernel(id);
  }

  Status Copy(InstrId id) {
    const InstrId operand = module_.operand(id, 0);
    if (module_.shape(id).byte_size() == 0) return {};
    Step& step =
        AddStep(Step::Kind::kCopy, id, {ToPlace(plan_.placements[id][0]), ToPlace(plan_.placements[operand][0])});
    step.bytes = module_.shape(id).byte_size();
    step.new_bytes = 0;
    return {};
  }

  Status SetWindow(InstrId id) {
    const Instruction& slice = module_.instruction(id);
    const Shape& array = module_.shape(slice.operands[0]);
    const std::vector<int64_t> strides = ir::RowMajorStrides(array.dimensions);
    std::vector<Place> places = {ToPlace(plan_.placements[id][0]), ToPlace(plan_.windows.at(id))};
    Window window;
    for (size_t dim = 0; dim < strides.size(); ++dim) {
      const InstrId start = slice.operands[1 + dim];
      const int64_t last = array.dimensions[dim] - slice.shape.dimensions[dim];
      if (last == 0) continue;
      const ElementType type = module_.shape(start).element_type;
      window.starts.push_back(
          {last, strides[dim] * ir::ElementBytes(array.element_type), ir::ElementBytes(type), ir::IsSigned(type)});
      places.push_back(ToPlace(plan_.placements[start][0]));
    }
    Step& step = AddStep(Step::Kind::kWindow, id);
    step.index = static_cast<uint32_t>(program_.windows.size());
    step.place_count = static_cast<uint32_t>(places.size());
    program_.places.insert(program_.places.end(), places.begin(), places.end());
    program_.windows.push_back(std::move(window));
    return {};
  }

  // A constant is its own buffer; one that is placed elsewhere is copied there each time it is reached.
  Status Constant(InstrId id) {
    const std::vector<Slice>& placed = plan_.placements[id];
    if (placed.empty() || plan_.buffers[placed[0].buffer].kind == Buffer::Kind::kConstant) return {};
    if (module_.shape(id).byte_size() == 0) return {};
    Slot slot;
    slot.kind = Buffer::Kind::kConstant;
    slot.bytes = module_.shape(id).byte_size();
    TRY(slot.constant, AddConstant(id));
    program_.slots.push_back(slot);
    const Place source{static_cast<uint32_t>(program_.slots.size() - 1), 0};
    AddStep(Step::Kind::kCopy, id, {ToPlace(placed[0]), source}).bytes = slot.bytes;
    return {};
  }

  // A step on the places of the operands and of the results; what else its routine is told goes to `requests`.
  template <typename Request>
  Status Routine(InstrId id, Step::Kind kind, Request request, std::vector<Request>& requests) {
    if (module_.shape(id).is_array() && module_.shape(id).element_count() == 0) return {};
    std::vector<Place> places;
    for (InstrId operand : module_.instruction(id).operands) places.push_back(ToPlace(plan_.placements[operand][0]));
    for (const Slice& result : plan_.placements[id]) places.push_back(ToPlace(result));
    Step& step = AddStep(kind, id);
    step.place_count = static_cast<uint32_t>(places.size());
    program_.places.insert(program_.places.end(), places.begin(), places.end());
    step.index = static_cast<uint32_t>(requests.size());
    requests.push_back(std::move(request));
    return {};
  }

  // A result takes over an operand of which it also reads the partners of the elements it writes.
  bool OverwritesInPairs(InstrId id) const {
    const std::vector<Slice>& results = plan_.placements[id];
    return std::ranges::any_of(analysis::EffectsOf(module_, id).ties, [&](const analysis::Tie& tie) {
      if (tie.kind != analysis::TieKind::kExchange) return false;
      const Slice& operand = plan_.placements[module_.operand(id, static_cast<size_t>(tie.operand))].at(0);
      return std::ranges::any_of(results, [&](const Slice& result) {
        return result.buffer == operand.buffer && result.offset == operand.offset;
      });
    });
  }

  Status Fft(InstrId id) {
    if (module_.shape(id).element_count() == 0) return {};
    if (module_.shape(module_.operand(id, 0)).element_count() == 0) {
      return Unimplemented(fmt::format("op `fft` (`{}`) transforms lines of length 0", module_.instruction(id).name),
                           module_.SourceOf(id));
    }
    return Routine(id, Step::Kind::kFft, ToFft(module_, module_.instruction(id)), program_.ffts);
  }

  Status Random(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    const auto request = ToRandomBits(module_, instruction);
    if (!request) {
      return Unimplemented(fmt::format("op `rng-bit-generator` (`{}`) with result {}", instruction.name,
                                       instruction.shape.ToString(false)),
                           module_.SourceOf(id),
                           "it makes integers of 8 to 64 bits from a state that is u64[2] or u64[3]");
    }
    return Routine(id, Step::Kind::kRandomBits, *request, program_.random_bits);
  }

  Status RandomState(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    if (instruction.shape.element_type != ElementType::kU64 || instruction.shape.dimensions != ir::Dimensions{2}) {
      return Unimplemented(fmt::format("op `rng-get-and-update-state` (`{}`) with result {}", instruction.name,
                                       instruction.shape.ToString(false)),
                           module_.SourceOf(id), "the state is u64[2]");
    }
    const uint64_t delta = ir::ExtraNumber<uint64_t>(instruction, "delta").value_or(0);
    return Routine(id, Step::Kind::kRandomState, delta, program_.random_deltas);
  }

  Status Kernel(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    KernelRequest request{id, {}};
    std::vector<Place> operands;
    for (InstrId operand : instruction.operands) {
      for (const Slice& slice : plan_.placements[operand]) operands.push_back(ToPlace(slice));
    }
    std::vector<Place> results;
    for (const Slice& slice : plan_.placements[id]) {
      const Place place = ToPlace(slice);
      const auto shared = std::ranges::find_if(
          operands, [&](const Place& operand) { return operand.slot == place.slot && operand.offset == place.offset; });
      request.in_place.push_back(shared == operands.end() ? -1 : shared - operands.begin());
      results.push_back(place);
    }
    if (OverwritesInPairs(id)) {
      const analysis::Exchange exchange = *analysis::EffectsOf(module_, id).exchange;
      request.pairs = ElementPairs{exchange.dimensions, exchange.permutation, exchange.reversed};
    }
    TRY(cpu::Kernel kernel, compiler_.Add(request));
    if (kernel.work_items == 0) return {};
    Step& step = AddStep(Step::Kind::kKernel, id);
    step.index = static_cast<uint32_t>(program_.kernels.size());
    step.place_count = static_cast<uint32_t>(operands.size() + results.size());
    // A copy into another layout is emitted like any op.
    step.new_bytes = instruction.opcode == Opcode::kCopy ? 0 : WindowBytes(module_, id).value_or(-1);
    program_.places.insert(program_.places.end(), operands.begin(), operands.end());
    program_.places.insert(program_.places.end(), results.begin(), results.end());
    program_.kernels.push_back(std::move(kernel));
    return {};
  }

  // Runs for its effects too, so it makes a step whether or not it has a result.
  Status CustomCall(InstrId id) {
    TRY(ffi::CallSite site, ToCallSite(module_, id));
    Step& step = AddStep(Step::Kind::kCustomCall, id);
    const auto add_places = [&](InstrId value) {
      for (const Slice& slice : plan_.placements[value]) program_.places.push_back(ToPlace(slice));
    };
    for (InstrId operand : module_.instruction(id).operands) add_places(operand);
    add_places(id);
    step.place_count = static_cast<uint32_t>(program_.places.size()) - step.first_place;
    step.index = static_cast<uint32_t>(program_.custom_calls.size());
    program_.custom_calls.push_back(std::move(site));
    return {};
  }

  // entry moves; test: condition, leave unless it holds; body; back edge moves; jump to test.
  Status While(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    const ComputationId condition = instruction.called[0];
    const ComputationId body = instruction.called[1];
    const inplace::LoopPlan& loop = plan_.loops.at(id);
    AddMoves(id, loop.entry);
    const uint32_t test = Here();
    TRY_STATUS(Computation(condition));
    AddStep(Step::Kind::kJumpUnless, id, {ToPlace(plan_.placements[module_.root(condition)][0])});
    const uint32_t leave = AddTargets(1);
    TRY_STATUS(Computation(body));
    AddMoves(id, loop.back_edge);
    AddStep(Step::Kind::kJump, id);
    const uint32_t again = AddTargets(1);
    program_.targets[again] = test;
    program_.targets[leave] = Here();
    return {};
  }

  Status Conditional(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    const inplace::BranchPlan& branches = plan_.branches.at(id);
    const InstrId selector = instruction.operands[0];
    const size_t count = instruction.called.size();
    const bool is_pred = module_.shape(selector).element_type == ElementType::kPred;
    AddStep(is_pred ? Step::Kind::kJumpUnless : Step::Kind::kSwitch, id, {ToPlace(plan_.placements[selector][0])});
    // A true predicate falls through into the first branch.
    const uint32_t starts = AddTargets(static_cast<uint32_t>(is_pred ? 1 : count));
    std::vector<uint32_t> ends;
    for (size_t branch = 0; branch < count; ++branch) {
      if (!is_pred) program_.targets[starts + branch] = Here();
      if (is_pred && branch == 1) program_.targets[starts] = Here();
      TRY_STATUS(Computation(instruction.called[branch]));
      AddMoves(id, branches.ends[branch]);
      if (branch + 1 == count) break;
      AddStep(Step::Kind::kJump, id);
      ends.push_back(AddTargets(1));
    }
    for (uint32_t end : ends) program_.targets[end] = Here();
    return {};
  }

  const BufferPlan& plan_;
  const ir::Module& module_;
  KernelCompiler& compiler_;
  Program program_;
};

}  // namespace

Result<Program> Lower(const BufferPlan& plan, KernelCompiler& compiler) { return Lowering(plan, compiler).Run(); }

}  // namespace stead::cpu
