#include "passes/packed/packed_state.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/packed/packed.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/loop_elements.h"
#include "passes/rewrite/tuple_elements.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

int64_t LastDimension(const Shape& shape) { return shape.rank() - 1; }

bool Lists(const Dimensions& dimensions, int64_t dim) { return std::ranges::count(dimensions, dim) > 0; }

// A scatter that overwrites, of whole rows.
bool OverwritesRows(const ir::Module& module, const Instruction& scatter) {
  if (scatter.operands.size() != 3) return false;
  const ir::Computation& combiner = module.computation(scatter.called.at(0));
  const Instruction& result = module.instruction(combiner.root);
  if (result.opcode != Opcode::kParameter || result.As<ir::ParameterAttributes>().number != 1) return false;
  const auto& attributes = scatter.As<ir::ScatterAttributes>();
  const Shape& updates = module.shape(scatter.operands[2]);
  const int64_t last = LastDimension(scatter.shape);
  return !Lists(attributes.inserted_window_dims, last) && !Lists(attributes.input_batching_dims, last) &&
         !attributes.update_window_dims.empty() && attributes.update_window_dims.back() == LastDimension(updates) &&
         updates.dimensions.back() == scatter.shape.dimensions.back();
}

bool GathersRows(const Shape& operand, const Instruction& gather) {
  const auto& attributes = gather.As<ir::GatherAttributes>();
  const int64_t last = LastDimension(operand);
  return !Lists(attributes.collapsed_slice_dims, last) && !Lists(attributes.operand_batching_dims, last) &&
         !attributes.offset_dims.empty() && attributes.offset_dims.back() == LastDimension(gather.shape) &&
         attributes.slice_sizes.back() == operand.dimensions.back();
}

// Whether an op on rows of whole bytes leaves the elements of each byte together, and in their order.
bool KeepsBytesTogether(const ir::Module& module, const Instruction& instruction) {
  const Shape& operand = module.shape(instruction.operands[0]);
  const int64_t per_byte = ElementsPerByte(operand.element_type), last = LastDimension(operand);
  const auto dimensions = [&]() -> const Dimensions& { return instruction.As<ir::DimensionsAttributes>().dimensions; };
  switch (instruction.opcode) {
    case Opcode::kSlice: {
      const auto& slice = instruction.As<ir::SliceAttributes>();
      return slice.strides.back() == 1 && slice.starts.back() % per_byte == 0;
    }
    case Opcode::kDynamicSlice: return instruction.shape.dimensions.back() == operand.dimensions.back();
    case Opcode::kGather: return GathersRows(operand, instruction);
    case Opcode::kScatter: return OverwritesRows(module, instruction);
    case Opcode::kTranspose: return dimensions().back() == last;
    case Opcode::kReverse: return !Lists(dimensions(), last);
    case Opcode::kBroadcast:
      return dimensions().back() == LastDimension(instruction.shape) &&
             operand.dimensions.back() == instruction.shape.dimensions.back();
    case Opcode::kConcatenate:
      return std::ranges::all_of(instruction.operands, [&](InstrId piece) { return IsUnpacked(module, piece); });
    case Opcode::kCopy:
    case Opcode::kDynamicUpdateSlice: return true;
    default: return false;
  }
}

bool HasArrayOperand(const ir::Module& module, const Instruction& instruction) {
  return !instruction.operands.empty() && instruction.shape.is_array() &&
         module.shape(instruction.operands[0]).is_array();
}

bool CouldMoveBytes(const ir::Module& module, const Instruction& instruction) {
  return HasArrayOperand(module, instruction) && HasRowsOfBytes(instruction.shape) &&
         HasRowsOfBytes(module.shape(instruction.operands[0])) && KeepsBytesTogether(module, instruction);
}

bool CouldBePacked(const Shape& shape) { return shape.is_array() && shape.is_row_major() && HasRowsOfBytes(shape); }

bool IsKeptWell(const ir::Module& module, InstrId loop, size_t element);

// Made anew element by element, or by moving bytes of an array that is packed, as `packed` are going to be.
bool IsMadeWell(const ir::Module& module, InstrId value, const std::vector<InstrId>& packed) {
  const Instruction& instruction = module.instruction(value);
  if (std::ranges::count(packed, value) > 0 || IsUnpacked(module, value)) return true;
  if (ir::IsElementwise(instruction.opcode) || IsFill(module, value)) return true;
  if (instruction.opcode == Opcode::kReshape) {
    return HasRowsOfBytes(module.shape(instruction.operands[0])) && IsMadeWell(module, instruction.operands[0], packed);
  }
  if (instruction.opcode == Opcode::kGetTupleElement) {
    const InstrId loop = instruction.operands[0];
    const size_t element = static_cast<size_t>(instruction.As<ir::TupleElementAttributes>().index);
    return IsKeptWell(module, loop, element) &&
           IsMadeWell(module, module.operand(module.operand(loop, 0), element), packed);
  }
  return CouldMoveBytes(module, instruction) && instruction.opcode != Opcode::kConcatenate &&
         IsMadeWell(module, instruction.operands[0], packed);
}

// What one element of a loop's state would cost in the body if it were kept as bytes.
class ElementOfState {
 public:
  ElementOfState(const ir::Module& module, const LoopElements& loop, size_t element)
      : module_(module), loop_(loop), element_(element) {}

  bool MayBePacked() const { return IsKeptWell() && IsMadeWell(module_, module_.operand(loop_.init, element_), {}); }

  bool IsKeptWell() const {
    if (!CouldBePacked(module_.shape(loop_.init).elements[element_])) return false;
    const auto is_read_well = [&](InstrId reader) { return IsReadWell(reader); };
    return std::ranges::all_of(loop_.state[element_], is_read_well) &&
           std::ranges::all_of(loop_.tested[element_], is_read_well) &&
           IsMadeWell(module_, module_.operand(loop_.next, element_), loop_.state[element_]);
  }

 private:
  // Readers are done on bytes, or in one loop with the unpacking.
  bool IsReadWell(InstrId value) const {
    return std::ranges::all_of(module_.users(value), [&](InstrId user) {
      const Instruction& instruction = module_.instruction(user);
      if (user == loop_.next) return true;
      if (instruction.opcode == Opcode::kReshape) return IsReadWell(user);
      if (instruction.opcode == Opcode::kTuple) return EntersLoopsWell(value, user);
      switch (instruction.opcode) {
        case Opcode::kBroadcast:
        case Opcode::kConcatenate:
        case Opcode::kDynamicSlice:
        case Opcode::kPad:
        case Opcode::kReduce:
        case Opcode::kReverse:
        case Opcode::kSlice:
        case Opcode::kTranspose: return true;
        default: return ir::IsElementwise(instruction.opcode) || CouldMoveBytes(module_, instruction);
      }
    });
  }

  // The value becomes state of loops inside of the body, which keep it as bytes in turn.
  bool EntersLoopsWell(InstrId value, InstrId tuple) const {
    const std::vector<InstrId>& elements = module_.instruction(tuple).operands;
    return std::ranges::all_of(module_.users(tuple), [&](InstrId loop) {
      for (size_t element = 0; element < elements.size(); ++element) {
        if (elements[element] == value && !passes::IsKeptWell(module_, loop, element)) return false;
      }
      return true;
    });
  }

  const ir::Module& module_;
  const LoopElements& loop_;
  const size_t element_;
};

// The same of any instruction, which may be no loop.
bool IsKeptWell(const ir::Module& module, InstrId id, size_t element) {
  if (module.instruction(id).opcode != Opcode::kWhile) return false;
  const std::optional<LoopElements> loop = LoopElements::Of(module, id);
  return loop && ElementOfState(module, *loop, element).IsKeptWell();
}

// Lets everyone read an element that has become an array of bytes.
void UnpackReaders(ir::Module& module, const std::vector<InstrId>& readers, const Shape& shape) {
  for (InstrId reader : readers) {
    const std::vector<InstrId> users = module.users(reader);
    const ir::ComputationId computation = module.instruction(reader).computation;
    module.SetShape(reader, BytesShape(shape));
    if (module.root(computation) == reader) {
      const InstrId end = AddPlaceAtEnd(module, computation);
      Builder build(module, end, reader);
      module.SetRoot(computation, Unpack(build, reader, shape));
      module.Erase(end);
    }
    for (InstrId user : users) {
      Builder build(module, user, reader);
      const InstrId value = Unpack(build, reader, shape);
      for (size_t operand = 0; operand < module.instruction(user).operands.size(); ++operand) {
        if (module.operand(user, operand) == reader) module.SetOperand(user, operand, value);
      }
    }
  }
}

bool IsOnlyCaller(const ir::Module& module, const std::vector<ir::ComputationId>& called) {
  const IdVector<ir::ComputationId, int> callers = CountCallers(module);
  return std::ranges::all_of(called, [&](ir::ComputationId computation) { return callers[computation] == 1; });
}

Shape WithBytes(Shape state, const std::vector<size_t>& packed) {
  for (size_t element : packed) state.elements[element] = BytesShape(state.elements[element]);
  return state;
}

void PackOperands(ir::Module& module, InstrId tuple, const std::vector<size_t>& packed) {
  Builder build(module, tuple);
  for (size_t element : packed) module.SetOperand(tuple, element, Pack(build, module.operand(tuple, element)));
  module.SetShape(tuple, WithBytes(module.shape(tuple), packed));
}

// What goes into one branch.
bool PackInput(ir::Module& module, InstrId conditional, size_t operand, ir::ComputationId branch) {
  const InstrId input = module.operand(conditional, operand);
  const InstrId parameter = module.computation(branch).parameters[0];
  const Shape shape = module.shape(input);
  if (shape.is_array()) {
    if (!IsUnpacked(module, input)) return false;
    Builder build(module, conditional);
    module.SetOperand(conditional, operand, Pack(build, input));
    UnpackReaders(module, {parameter}, shape);
    return true;
  }
  const auto readers = ReadersByElement(module, parameter);
  if (!readers || module.instruction(input).opcode != Opcode::kTuple || module.users(input).size() > 1) return false;
  std::vector<size_t> packed;
  for (size_t element = 0; element < readers->size(); ++element) {
    if (IsUnpacked(module, module.operand(input, element))) packed.push_back(element);
  }
  if (packed.empty()) return false;
  PackOperands(module, input, packed);
  module.SetShape(parameter, module.shape(input));
  for (size_t element : packed) UnpackReaders(module, (*readers)[element], shape.elements[element]);
  return true;
}

bool PackOnlyResult(ir::Module& module, InstrId conditional, const std::vector<ir::ComputationId>& branches) {
  const Shape shape = module.shape(conditional);
  const bool is_made_well = std::ranges::all_of(
      branches, [&](ir::ComputationId branch) { return IsMadeWell(module, module.root(branch), {}); });
  if (!CouldBePacked(shape) || !is_made_well) return false;
  for (ir::ComputationId branch : branches) {
    const InstrId end = AddPlaceAtEnd(module, branch);
    Builder build(module, end, module.root(branch));
    module.SetRoot(branch, Pack(build, module.root(branch)));
    module.Erase(end);
  }
  UnpackReaders(module, {conditional}, shape);
  return true;
}

// What comes out of all branches.
bool PackResults(ir::Module& module, InstrId conditional, const std::vector<ir::ComputationId>& branches) {
  const Shape shape = module.shape(conditional);
  if (shape.is_array()) return PackOnlyResult(module, conditional, branches);
  const auto readers = ReadersByElement(module, conditional);
  const bool in_sight = std::ranges::all_of(branches, [&](ir::ComputationId branch) {
    return module.instruction(module.root(branch)).opcode == Opcode::kTuple;
  });
  if (!readers || !in_sight) return false;
  std::vector<size_t> packed;
  for (size_t element = 0; element < readers->size(); ++element) {
    const bool is_made_well = std::ranges::all_of(branches, [&](ir::ComputationId branch) {
      return IsMadeWell(module, module.operand(module.root(branch), element), {});
    });
    if (CouldBePacked(shape.elements[element]) && is_made_well) packed.push_back(element);
  }
  if (packed.empty()) return false;
  for (ir::ComputationId branch : branches) PackOperands(module, module.root(branch), packed);
  module.SetShape(conditional, WithBytes(shape, packed));
  for (size_t element : packed) UnpackReaders(module, (*readers)[element], shape.elements[element]);
  return true;
}

}  // namespace

bool MovesBytes(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  return CouldMoveBytes(module, instruction) && IsUnpacked(module, instruction.operands[0]);
}

bool PackState(ir::Module& module, InstrId id) {
  const std::optional<LoopElements> loop = LoopElements::Of(module, id);
  if (!loop || module.users(loop->init).size() > 1) return false;
  std::vector<size_t> packed;
  for (size_t element = 0; element < loop->size(); ++element) {
    if (ElementOfState(module, *loop, element).MayBePacked()) packed.push_back(element);
  }
  const std::vector<ir::ComputationId> called = module.instruction(id).called;
  if (packed.empty() || !IsOnlyCaller(module, called)) return false;
  const Shape state = module.shape(id);
  PackOperands(module, loop->init, packed);
  PackOperands(module, loop->next, packed);
  for (ir::ComputationId computation : called) {
    const InstrId parameter = module.computation(computation).parameters[0];
    module.SetShape(parameter, WithBytes(module.shape(parameter), packed));
  }
  module.SetShape(id, WithBytes(state, packed));
  for (size_t element : packed) {
    for (const auto* readers : {&loop->tested, &loop->state, &loop->results})
      UnpackReaders(module, (*readers)[element], state.elements[element]);
  }
  return true;
}

bool PackBranches(ir::Module& module, InstrId id) {
  const std::vector<ir::ComputationId> branches = module.instruction(id).called;
  if (!IsOnlyCaller(module, branches)) return false;
  bool changed = false;
  for (size_t branch = 0; branch < branches.size(); ++branch) {
    changed |= PackInput(module, id, branch + 1, branches[branch]);
  }
  return changed | PackResults(module, id, branches);
}

}  // namespace stead::passes
