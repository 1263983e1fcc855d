#include "passes/rewrite/tuple_elements.h"

#include "passes/rewrite/build.h"

namespace stead::passes {

using ir::InstrId;
using ir::Opcode;
using ir::Shape;

std::optional<ElementFlags> UsedElements(const ir::Module& module, InstrId tuple) {
  const ir::Instruction& instruction = module.instruction(tuple);
  if (!instruction.shape.is_tuple() || module.root(instruction.computation) == tuple) return std::nullopt;
  ElementFlags used(instruction.shape.elements.size(), false);
  for (InstrId user : module.users(tuple)) {
    if (module.instruction(user).opcode != Opcode::kGetTupleElement) return std::nullopt;
    bool is_root = module.root(instruction.computation) == user;
    if (!is_root && module.users(user).empty()) continue;
    used[static_cast<size_t>(module.instruction(user).As<ir::TupleElementAttributes>().index)] = true;
  }
  return used;
}

Shape KeepElements(const Shape& shape, const ElementFlags& kept) {
  std::vector<Shape> elements;
  for (size_t element = 0; element < kept.size(); ++element) {
    if (kept[element]) elements.push_back(shape.elements[element]);
  }
  return Shape::Tuple(std::move(elements));
}

void DropElements(ir::Module& module, InstrId tuple, const ElementFlags& kept) {
  std::vector<int64_t> new_index(kept.size(), 0);
  int64_t next = 0;
  for (size_t element = 0; element < kept.size(); ++element) {
    if (kept[element]) new_index[element] = next++;
  }
  module.SetShape(tuple, KeepElements(module.shape(tuple), kept));
  for (InstrId user : module.users(tuple)) {
    size_t element = static_cast<size_t>(module.instruction(user).As<ir::TupleElementAttributes>().index);
    if (kept[element]) module.SetAttributes(user, ir::TupleElementAttributes{new_index[element]});
  }
}

InstrId TupleOfKept(ir::Module& module, InstrId user, InstrId tuple, const ElementFlags& kept) {
  bool in_sight = module.instruction(tuple).opcode == Opcode::kTuple;
  Builder build(module, user, tuple);
  std::vector<InstrId> elements;
  for (size_t element = 0; element < kept.size(); ++element) {
    if (!kept[element]) continue;
    elements.push_back(in_sight ? module.operand(tuple, element)
                                : build.TupleElement(tuple, static_cast<int64_t>(element)));
  }
  return build.Op(Opcode::kTuple, KeepElements(module.shape(tuple), kept), std::move(elements));
}

void ShrinkTuple(ir::Module& module, InstrId tuple, const ElementFlags& kept) {
  std::vector<InstrId> elements;
  for (size_t element = 0; element < kept.size(); ++element) {
    if (kept[element]) elements.push_back(module.operand(tuple, element));
  }
  module.SetShape(tuple, KeepElements(module.shape(tuple), kept));
  module.SetOperands(tuple, std::move(elements));
}

std::optional<std::vector<std::vector<ir::InstrId>>> ReadersByElement(const ir::Module& module, ir::InstrId tuple) {
  std::vector<std::vector<ir::InstrId>> readers(module.shape(tuple).elements.size());
  if (module.root(module.instruction(tuple).computation) == tuple) return std::nullopt;
  for (ir::InstrId user : module.users(tuple)) {
    const ir::Instruction& reader = module.instruction(user);
    if (reader.opcode != ir::Opcode::kGetTupleElement) return std::nullopt;
    readers[static_cast<size_t>(reader.As<ir::TupleElementAttributes>().index)].push_back(user);
  }
  return readers;
}

}  // namespace stead::passes
