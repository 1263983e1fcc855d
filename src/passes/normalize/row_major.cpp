#include "passes/normalize/row_major.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// Packed arrays are there only for their bytes, which lie in one order whatever that of the elements is.
bool IsRowMajor(const Shape& shape) {
  bool all = true;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
    all = all && (!leaf.is_array() || leaf.is_row_major() || leaf.is_packed());
  });
  return all;
}

// The bytes of a packed parameter or result.
bool IsOfPackedMemory(const ir::Module& module, const Instruction& bitcast) {
  return bitcast.opcode == Opcode::kBitcast &&
         (bitcast.shape.is_packed() || module.shape(bitcast.operands[0]).is_packed());
}

bool HasForeignMemory(const Shape& shape) {
  bool any = false;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) {
    any = any || (!leaf.layout.suffix.empty() && !leaf.is_packed());
  });
  return any;
}

Shape WithoutLayout(Shape shape) {
  shape.layout = {};
  for (Shape& element : shape.elements) element = WithoutLayout(std::move(element));
  return shape;
}

// Dimensions from the slowest to the fastest in memory.
Dimensions MajorToMinor(const Shape& shape) {
  Dimensions order(shape.layout.minor_to_major.rbegin(), shape.layout.minor_to_major.rend());
  if (order.empty()) {
    order.resize(shape.dimensions.size());
    std::iota(order.begin(), order.end(), 0);
  }
  return order;
}

Dimensions Permuted(const Dimensions& dimensions, const Dimensions& order) {
  Dimensions permuted;
  for (int64_t dim : order) permuted.push_back(dimensions[static_cast<size_t>(dim)]);
  return permuted;
}

Dimensions Inverse(const Dimensions& order) {
  Dimensions inverse(order.size());
  for (size_t position = 0; position < order.size(); ++position) {
    inverse[static_cast<size_t>(order[position])] = static_cast<int64_t>(position);
  }
  return inverse;
}

InstrId Transpose(Builder& build, InstrId operand, const Dimensions& order) {
  if (std::ranges::is_sorted(order)) return operand;
  const Shape& shape = build.module().shape(operand);
  Shape result = Shape::Array(shape.element_type, Permuted(shape.dimensions, order));
  return build.Op(Opcode::kTranspose, std::move(result), {operand}, ir::DimensionsAttributes{order});
}

// --- may the module be changed?

bool IsExpressibleBitcast(const ir::Module& module, const Instruction& bitcast) {
  const Shape& operand = module.shape(bitcast.operands[0]);
  return operand.is_array() && bitcast.shape.is_array() && operand.element_type == bitcast.shape.element_type &&
         operand.element_count() == bitcast.shape.element_count();
}

// Ops that hand bytes to someone who knows their layout, in a way that copies around them cannot express.
bool LeavesTheProgram(const ir::Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (ir::InfoOf(instruction.opcode).family == ir::OpFamily::kCommunication) return true;
  if (instruction.opcode != Opcode::kCustomCall) return false;
  bool taken_apart = instruction.shape.is_array() || std::ranges::all_of(module.users(id), [&](InstrId user) {
                       return module.instruction(user).opcode == Opcode::kGetTupleElement;
                     });
  auto is_nested = [&](const Shape& shape) {
    return std::ranges::any_of(shape.elements, [](const Shape& element) { return element.is_tuple(); });
  };
  return !taken_apart || is_nested(instruction.shape) ||
         std::ranges::any_of(instruction.operands, [&](InstrId operand) { return module.shape(operand).is_tuple(); });
}

// A parameter, a result or an element of it that may be laid out anew.
bool IsExpressibleAtBorder(const Shape& shape) {
  return (shape.is_array() || IsRowMajor(shape)) && !HasForeignMemory(shape);
}

bool HasExpressibleBorder(const ir::ProgramShape& border) {
  const std::vector<Shape> result = border.result.is_tuple() ? border.result.elements : std::vector{border.result};
  return std::ranges::all_of(border.parameters, IsExpressibleAtBorder) &&
         std::ranges::all_of(result, IsExpressibleAtBorder);
}

bool MayBeChanged(const ir::Module& module) {
  for (InstrId parameter : module.entry_computation().parameters) {
    if (!IsRowMajor(module.shape(parameter))) return false;
  }
  if (!IsRowMajor(module.shape(module.entry_computation().root))) return false;
  if (module.entry_layout && !HasExpressibleBorder(*module.entry_layout)) return false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      const Instruction& instruction = module.instruction(id);
      if (HasForeignMemory(instruction.shape)) return false;
      if (IsOfPackedMemory(module, instruction)) continue;
      if (instruction.opcode == Opcode::kBitcast && !IsExpressibleBitcast(module, instruction)) return false;
      if (LeavesTheProgram(module, id) && !IsRowMajor(instruction.shape)) return false;
    }
  }
  return true;
}

// --- custom calls

// The layouts in `operand_layout_constraints={f32[4,4]{0,1}, s32[]}`; one entry per operand, empty for row major.
std::vector<Dimensions> ConstrainedLayouts(const Instruction& call) {
  std::vector<Dimensions> layouts;
  for (const ir::ExtraAttribute& extra : call.extra) {
    if (extra.key != "operand_layout_constraints") continue;
    const std::string& text = extra.value;
    for (size_t at = text.find(']'); at != std::string::npos; at = text.find(']', at + 1)) {
      Dimensions layout;
      const char* cursor = text.data() + at + 1;
      const char* end = text.data() + text.size();
      while (cursor < end && (*cursor == '{' || *cursor == ',')) {
        int64_t dim = 0;
        auto [next, error] = std::from_chars(cursor + 1, end, dim);
        if (error != std::errc()) break;
        layout.push_back(dim);
        cursor = next;
      }
      layouts.push_back(std::move(layout));
    }
  }
  return layouts;
}

// The shape of an operand as a custom call wants to read it: as constrained, else as the given module laid it out.
Shape WantedOperandShape(const ir::Module& module, const Instruction& call, size_t number) {
  std::vector<Dimensions> constrained = ConstrainedLayouts(call);
  Shape shape = module.shape(call.operands[number]);
  bool applies = constrained.size() == call.operands.size() && constrained[number].size() == shape.dimensions.size();
  if (applies) shape.layout.minor_to_major = constrained[number];
  return shape;
}

class Converter {
 public:
  explicit Converter(ir::Module& module) : module_(module) {}

  bool Run() {
    Collect();
    if (bitcasts_.empty() && calls_.empty() && others_.empty() && HasRowMajorBorder()) return false;
    for (const Bitcast& bitcast : bitcasts_) Rewrite(bitcast);
    for (const Call& call : calls_) SurroundByTransposes(call);
    for (InstrId id : others_) module_.SetShape(id, WithoutLayout(module_.shape(id)));
    if (!HasRowMajorBorder()) LayOutBorder(*module_.entry_layout);
    return true;
  }

 private:
  // A bitcast and the shapes that give it its meaning, from before any layout is changed.
  struct Bitcast {
    InstrId id;
    Shape from, to;
  };
  struct Call {
    InstrId id;
    std::vector<Shape> operands;
  };

  ir::Module& module_;
  std::vector<Bitcast> bitcasts_;
  std::vector<Call> calls_;
  std::vector<InstrId> others_;  // every other instruction that is not row major

  void Collect() {
    for (ir::ComputationId computation : module_.ComputationsPostOrder()) {
      for (InstrId id : module_.computation(computation).instructions) CollectOne(id);
    }
  }

  void CollectOne(InstrId id) {
    const Instruction& instruction = module_.instruction(id);
    if (IsOfPackedMemory(module_, instruction)) return;
    if (instruction.opcode == Opcode::kBitcast) {
      const Shape& from = module_.shape(instruction.operands[0]);
      if (!from.is_row_major() || !instruction.shape.is_row_major()) bitcasts_.push_back({id, from, instruction.shape});
    } else if (instruction.opcode == Opcode::kCustomCall) {
      Call call{id, {}};
      for (size_t number = 0; number < instruction.operands.size(); ++number) {
        call.operands.push_back(WantedOperandShape(module_, instruction, number));
      }
      if (!IsRowMajor(instruction.shape) || !std::ranges::all_of(call.operands, IsRowMajor))
        calls_.push_back(std::move(call));
    } else if (!IsRowMajor(instruction.shape)) {
      others_.push_back(id);
    }
  }

  // The elements in the order of memory, under the new dimensions in the order of memory, and back to their names.
  void Rewrite(const Bitcast& bitcast) {
    Builder build(module_, bitcast.id);
    const Dimensions order = MajorToMinor(bitcast.to);
    InstrId in_memory = Transpose(build, module_.operand(bitcast.id, 0), MajorToMinor(bitcast.from));
    InstrId reshaped = build.Reshape(in_memory, Permuted(bitcast.to.dimensions, order));
    InstrId value = Transpose(build, reshaped, Inverse(order));
    module_.ReplaceAllUses(bitcast.id, value);
  }

  // An array in another order of memory is the bytes of a transposed one: the transpose is an op like any other, which may
  // be fused, meet its inverse or be done in place, and the bitcast costs nothing.
  void SurroundByTransposes(const Call& call) {
    Builder build(module_, call.id);
    for (size_t number = 0; number < call.operands.size(); ++number) {
      const Shape& wanted = call.operands[number];
      if (IsRowMajor(wanted)) continue;
      InstrId in_memory = Transpose(build, module_.operand(call.id, number), MajorToMinor(wanted));
      module_.SetOperand(call.id, number, build.Op(Opcode::kBitcast, wanted, {in_memory}));
    }
    if (module_.shape(call.id).is_array()) {
      TransposeResult(call.id);
      return;
    }
    const std::vector<InstrId> users = module_.users(call.id);
    for (InstrId user : users) TransposeResult(user);
  }

  // Lets everyone read the value in row-major order.
  void TransposeResult(InstrId value) {
    const Shape shape = module_.shape(value);
    if (IsRowMajor(shape)) return;
    std::erase(others_, value);
    const Dimensions order = MajorToMinor(shape);
    const InstrId in_memory =
        PutBehind(value, Opcode::kBitcast, Shape::Array(shape.element_type, Permuted(shape.dimensions, order)), {});
    PutBehind(in_memory, Opcode::kTranspose, Shape::Array(shape.element_type, shape.dimensions),
              ir::DimensionsAttributes{Inverse(order)});
  }

  bool HasRowMajorBorder() const {
    const std::optional<ir::ProgramShape>& border = module_.entry_layout;
    return !border || (IsRowMajor(border->result) && std::ranges::all_of(border->parameters, IsRowMajor));
  }

  void LayOutBorder(const ir::ProgramShape& border) {
    const std::vector<InstrId> parameters = module_.entry_computation().parameters;
    for (size_t number = 0; number < parameters.size(); ++number) {
      if (IsRowMajor(border.parameters[number])) continue;
      module_.SetShape(parameters[number], border.parameters[number]);
      TransposeResult(parameters[number]);
    }
    if (!IsRowMajor(border.result)) LayOutRoot(border.result);
  }

  void LayOutRoot(const Shape& wanted) {
    const InstrId root = module_.entry_computation().root;
    if (!wanted.is_tuple()) {
      module_.SetRoot(module_.entry, InOrderOf(root, wanted));
      return;
    }
    std::vector<InstrId> elements;
    for (size_t number = 0; number < wanted.elements.size(); ++number) {
      const InstrId element = ElementOf(root, number);
      const Shape& shape = wanted.elements[number];
      elements.push_back(IsRowMajor(shape) ? element : InOrderOf(element, shape));
    }
    module_.SetRoot(module_.entry, AddAtEnd(Opcode::kTuple, wanted, std::move(elements), {}));
  }

  InstrId ElementOf(InstrId tuple, size_t number) {
    if (module_.instruction(tuple).opcode == Opcode::kTuple) return module_.operand(tuple, number);
    return AddAtEnd(Opcode::kGetTupleElement, module_.shape(tuple).elements[number], {tuple},
                    ir::TupleElementAttributes{static_cast<int64_t>(number)});
  }

  // The bytes of a transposed array, read as an array of another layout.
  InstrId InOrderOf(InstrId value, const Shape& wanted) {
    const Dimensions order = MajorToMinor(wanted);
    const InstrId in_memory =
        AddAtEnd(Opcode::kTranspose, Shape::Array(wanted.element_type, Permuted(wanted.dimensions, order)), {value},
                 ir::DimensionsAttributes{order});
    return AddAtEnd(Opcode::kBitcast, wanted, {in_memory}, {});
  }

  // Adds an op that makes the entry's result, or a part of it.
  InstrId AddAtEnd(Opcode opcode, Shape shape, std::vector<InstrId> operands, ir::Attributes attributes) {
    const Instruction& root = module_.instruction(module_.entry_computation().root);
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.shape = std::move(shape);
    instruction.operands = std::move(operands);
    instruction.attributes = std::move(attributes);
    instruction.metadata = root.metadata;
    instruction.text_place = root.text_place;
    return module_.Add(module_.entry, std::move(instruction));
  }

  // Adds an op on `value` right behind it, and lets everyone else read that instead.
  InstrId PutBehind(InstrId value, Opcode opcode, Shape shape, ir::Attributes attributes) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.shape = std::move(shape);
    instruction.operands = {value};
    instruction.attributes = std::move(attributes);
    instruction.metadata = module_.instruction(value).metadata;
    instruction.text_place = module_.instruction(value).text_place;
    const ir::ComputationId computation = module_.instruction(value).computation;
    const std::vector<InstrId>& list = module_.computation(computation).instructions;
    auto next = std::next(std::ranges::find(list, value));
    InstrId id = next == list.end() ? module_.Add(computation, std::move(instruction))
                                    : module_.AddBefore(*next, std::move(instruction));
    module_.ReplaceAllUses(value, id);
    return id;
  }
};

}  // namespace

Result<PassReport> MakeRowMajor(ir::Module& module) {
  if (!MayBeChanged(module)) return PassReport{false};
  bool changed = Converter(module).Run();
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
