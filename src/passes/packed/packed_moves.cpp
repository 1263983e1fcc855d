#include "passes/packed/packed_moves.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "passes/packed/packed.h"
#include "passes/packed/packed_state.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

class ByteMover {
 public:
  ByteMover(ir::Module& module, InstrId id)
      : module_(module),
        id_(id),
        instruction_(module.instruction(id)),
        per_byte_(ElementsPerByte(instruction_.shape.element_type)),
        build_(module, id) {}

  // The result's bytes; no value when the op stays as it is.
  InstrId Run() {
    if (!MovesBytes(module_, id_)) return {};
    if (instruction_.opcode == Opcode::kDynamicUpdateSlice) return Update();
    std::vector<InstrId> operands = instruction_.operands;
    const size_t arrays = instruction_.opcode == Opcode::kConcatenate ? operands.size() : 1;
    for (size_t number = 0; number < arrays; ++number) operands[number] = Pack(build_, operands[number]);
    if (instruction_.opcode == Opcode::kScatter) return Scatter(std::move(operands));
    return build_.Op(instruction_.opcode, BytesShape(instruction_.shape), std::move(operands), AttributesOfBytes());
  }

 private:
  ir::Module& module_;
  const InstrId id_;
  const Instruction instruction_;
  const int64_t per_byte_;
  Builder build_;

  // The attributes of the op, on rows of bytes.
  ir::Attributes AttributesOfBytes() const {
    switch (instruction_.opcode) {
      case Opcode::kSlice: {
        auto slice = instruction_.As<ir::SliceAttributes>();
        slice.starts.back() /= per_byte_;
        slice.limits.back() /= per_byte_;
        return slice;
      }
      case Opcode::kDynamicSlice: {
        auto slice = instruction_.As<ir::DynamicSliceAttributes>();
        slice.sizes.back() /= per_byte_;
        return slice;
      }
      case Opcode::kGather: {
        auto gather = instruction_.As<ir::GatherAttributes>();
        gather.slice_sizes.back() /= per_byte_;
        return gather;
      }
      default: return instruction_.attributes;
    }
  }

  InstrId Scatter(std::vector<InstrId> operands) {
    operands[2] = Pack(build_, operands[2]);
    const InstrId scatter =
        build_.Op(Opcode::kScatter, BytesShape(instruction_.shape), std::move(operands), instruction_.attributes);
    module_.SetCalled(scatter, {TakesUpdate()});
    return scatter;
  }

  // (old, update) -> update, of bytes.
  ir::ComputationId TakesUpdate() {
    const ir::ComputationId computation = module_.AddComputation("take_update");
    for (int64_t number = 0; number < 2; ++number) {
      Instruction parameter;
      parameter.opcode = Opcode::kParameter;
      parameter.shape = Shape::Array(ElementType::kU8, {});
      parameter.attributes = ir::ParameterAttributes{number};
      module_.SetRoot(computation, module_.Add(computation, std::move(parameter)));
    }
    return computation;
  }

  InstrId Update() {
    const Shape shape = instruction_.shape;
    const InstrId update = instruction_.operands[1];
    const InstrId bytes = Pack(build_, instruction_.operands[0]);
    std::vector<InstrId> starts(instruction_.operands.begin() + 2, instruction_.operands.end());
    if (module_.shape(update).dimensions.back() == shape.dimensions.back())
      return build_.DynamicUpdateSlice(bytes, Pack(build_, update), std::move(starts));
    return UpdateParts(bytes, update, std::move(starts));
  }

  // The bytes that the update may touch, unpacked, updated and put back.
  // No value when that cannot be counted.
  InstrId UpdateParts(InstrId bytes, InstrId update, std::vector<InstrId> starts) {
    const int64_t row_bytes = module_.shape(bytes).dimensions.back();
    Dimensions sizes = module_.shape(update).dimensions;
    const int64_t row_elements = instruction_.shape.dimensions.back(), wanted = sizes.back();
    sizes.back() = std::min(row_bytes, (wanted + per_byte_ - 1) / per_byte_ + 1);
    const ElementType type = module_.shape(starts.back()).element_type;
    if (ir::ElementBits(type) < 32) return {};  // may not reach the end of a row
    const InstrId first = Clamped(starts.back(), type, row_elements - wanted);
    const InstrId first_byte =
        Clamped(build_.Op(Opcode::kDivide, Shape::Array(type, {}), {first, build_.Integer(type, per_byte_)}), type,
                row_bytes - sizes.back());
    starts.back() = first_byte;
    Shape window = Shape::Array(instruction_.shape.element_type, sizes);
    window.dimensions.back() *= per_byte_;
    const InstrId elements = Unpack(build_, build_.DynamicSlice(bytes, starts, sizes), window);
    std::vector<InstrId> inside;
    for (InstrId start : starts) inside.push_back(build_.Integer(module_.shape(start).element_type, 0));
    const InstrId skipped =
        build_.Op(Opcode::kMultiply, Shape::Array(type, {}), {first_byte, build_.Integer(type, per_byte_)});
    inside.back() = build_.Op(Opcode::kSubtract, Shape::Array(type, {}), {first, skipped});
    const InstrId updated = build_.DynamicUpdateSlice(elements, update, std::move(inside));
    return build_.DynamicUpdateSlice(bytes, Pack(build_, updated), std::move(starts));
  }

  // An index from 0 to `last`.
  InstrId Clamped(InstrId index, ElementType type, int64_t last) {
    return build_.Op(Opcode::kClamp, Shape::Array(type, {}),
                     {build_.Integer(type, 0), index, build_.Integer(type, last)});
  }
};

// Bytes that are unpacked only to be packed again.
InstrId PackedAgain(ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (instruction.opcode != Opcode::kBitcastConvert || instruction.shape.element_type != ElementType::kU8) return {};
  const InstrId elements = instruction.operands[0];
  if (!IsUnpacked(module, elements)) return {};
  Builder build(module, id);
  return build.Reshape(SourceBytes(module, elements), instruction.shape.dimensions);
}

bool MoveOne(ir::Module& module, InstrId id) {
  if (module.instruction(id).opcode == Opcode::kWhile) return PackState(module, id);
  if (module.instruction(id).opcode == Opcode::kConditional) return PackBranches(module, id);
  const Shape shape = module.shape(id);
  if (!shape.is_array() || !shape.is_row_major()) return false;
  if (const InstrId bytes = PackedAgain(module, id); bytes.valid()) return Forward(module, id, bytes);
  const InstrId bytes = ByteMover(module, id).Run();
  if (!bytes.valid()) return false;
  Builder build(module, id);
  const InstrId value = Unpack(build, bytes, shape);
  if (!Replace(module, id, value)) return false;
  // It is known by the name that users know, not what takes its bytes apart.
  module.SwapNames(value, bytes);
  return true;
}

}  // namespace

Result<PassReport> MovePackedBytes(ir::Module& module) {
  bool changed = false;
  // Callers first: what a loop starts with says whether its state is packed.
  const std::vector<ir::ComputationId> stepped = SteppedComputations(module);
  const std::vector<ir::ComputationId> callees_first = module.ComputationsPostOrder();
  for (ir::ComputationId computation : std::views::reverse(callees_first)) {
    if (std::ranges::count(stepped, computation) == 0) continue;
    const std::vector<InstrId> instructions = module.computation(computation).instructions;
    for (InstrId id : instructions) changed |= MoveOne(module, id);
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
