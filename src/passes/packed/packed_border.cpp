#include "passes/packed/packed_border.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "passes/packed/packed.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

bool HasPackedLeaf(const Shape& shape) {
  bool any = false;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const Shape& leaf) { any = any || leaf.is_packed(); });
  return any;
}

Shape Unpacked(Shape shape) {
  if (shape.is_packed()) shape.layout.suffix.clear();
  for (Shape& element : shape.elements) element = Unpacked(std::move(element));
  return shape;
}

// Ops to which it matters how the elements of their operands and results lie.
bool SeesMemory(const Instruction& instruction) {
  return instruction.opcode == Opcode::kBitcast || instruction.opcode == Opcode::kCustomCall ||
         ir::InfoOf(instruction.opcode).family == ir::OpFamily::kCommunication;
}

bool MayBeChanged(const ir::Module& module) {
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      const Instruction& instruction = module.instruction(id);
      if (!SeesMemory(instruction)) continue;
      const auto is_packed = [&](InstrId value) { return HasPackedLeaf(module.shape(value)); };
      if (is_packed(id) || std::ranges::any_of(instruction.operands, is_packed)) return false;
    }
  }
  return true;
}

ir::ProgramShape BorderOf(const ir::Module& module) {
  if (module.entry_layout) return *module.entry_layout;
  ir::ProgramShape border;
  for (InstrId parameter : module.entry_computation().parameters) border.parameters.push_back(module.shape(parameter));
  border.result = module.shape(module.root(module.entry));
  return border;
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

class Packer {
 public:
  explicit Packer(ir::Module& module) : module_(module), end_(AddPlaceAtEnd(module, module.entry)) {}

  void PackParameter(InstrId parameter, const Shape& wanted) {
    const std::vector<InstrId> users = module_.users(parameter);
    const bool is_root = module_.root(module_.entry) == parameter;
    module_.SetShape(parameter, wanted);
    const std::vector<InstrId>& list = module_.entry_computation().instructions;
    Builder build(module_, *std::next(std::ranges::find(list, parameter)), parameter);
    const InstrId value = UnpackAll(build, parameter);
    for (InstrId user : users) {
      for (size_t operand = 0; operand < module_.instruction(user).operands.size(); ++operand) {
        if (module_.operand(user, operand) == parameter) module_.SetOperand(user, operand, value);
      }
    }
    if (is_root) module_.SetRoot(module_.entry, value);
  }

  void PackResult(const Shape& wanted) {
    const InstrId root = module_.root(module_.entry);
    Builder build(module_, end_, root);
    if (!wanted.is_tuple()) {
      module_.SetRoot(module_.entry, PackAll(build, root, wanted));
      return;
    }
    const bool is_made_here = module_.instruction(root).opcode == Opcode::kTuple;
    std::vector<InstrId> elements;
    std::vector<Shape> shapes;
    for (size_t number = 0; number < wanted.elements.size(); ++number) {
      InstrId element =
          is_made_here ? module_.operand(root, number) : build.TupleElement(root, static_cast<int64_t>(number));
      if (wanted.elements[number].is_packed()) element = PackAll(build, element, wanted.elements[number]);
      elements.push_back(element);
      shapes.push_back(module_.shape(element));
    }
    module_.SetRoot(module_.entry, build.Op(Opcode::kTuple, Shape::Tuple(std::move(shapes)), std::move(elements)));
  }

  void Finish() {
    module_.Erase(end_);
    SweepUnused(module_);
  }

 private:
  ir::Module& module_;
  const InstrId end_;

  // The elements of packed memory as a row-major array.
  InstrId UnpackAll(Builder& build, InstrId packed) {
    const Shape shape = module_.shape(packed);
    const Dimensions order = MajorToMinor(shape);
    Shape in_memory = Shape::Array(shape.element_type, {});
    Dimensions inverse(order.size());
    for (size_t position = 0; position < order.size(); ++position) {
      in_memory.dimensions.push_back(shape.dimensions[static_cast<size_t>(order[position])]);
      inverse[static_cast<size_t>(order[position])] = static_cast<int64_t>(position);
    }
    const InstrId bytes = build.Op(Opcode::kBitcast, BytesShape(in_memory), {packed});
    const InstrId elements = Unpack(build, bytes, in_memory);
    if (std::ranges::is_sorted(order)) return elements;
    return build.Op(Opcode::kTranspose, Shape::Array(shape.element_type, shape.dimensions), {elements},
                    ir::DimensionsAttributes{inverse});
  }

  InstrId PackAll(Builder& build, InstrId value, const Shape& wanted) {
    const Dimensions order = MajorToMinor(wanted);
    if (!std::ranges::is_sorted(order)) {
      Shape in_memory = Shape::Array(wanted.element_type, {});
      for (int64_t dim : order) in_memory.dimensions.push_back(wanted.dimensions[static_cast<size_t>(dim)]);
      value = build.Op(Opcode::kTranspose, std::move(in_memory), {value}, ir::DimensionsAttributes{order});
    }
    return build.Op(Opcode::kBitcast, wanted, {Pack(build, value)});
  }
};

}  // namespace

Result<PassReport> PackBorder(ir::Module& module) {
  const ir::ProgramShape border = BorderOf(module);
  bool changed = false;
  if (!MayBeChanged(module)) return PassReport{false};
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      if (!HasPackedLeaf(module.shape(id))) continue;
      module.SetShape(id, Unpacked(module.shape(id)));
      changed = true;
    }
  }
  const bool is_packed = HasPackedLeaf(border.result) || std::ranges::any_of(border.parameters, HasPackedLeaf);
  if (!is_packed) return PassReport{changed};
  Packer packer(module);
  const std::vector<InstrId> parameters = module.entry_computation().parameters;
  for (size_t number = 0; number < parameters.size(); ++number) {
    if (border.parameters[number].is_packed()) packer.PackParameter(parameters[number], border.parameters[number]);
  }
  if (HasPackedLeaf(border.result)) packer.PackResult(border.result);
  packer.Finish();
  return PassReport{true};
}

}  // namespace stead::passes
