#include "pjrt/program/default_layouts.h"

#include <algorithm>

namespace stead::pjrt {

namespace {

ir::Shape RowMajor(ir::Shape shape) {
  shape.layout = {};
  for (ir::Shape& element : shape.elements) element = RowMajor(std::move(element));
  return shape;
}

// Lets elements below 8 bits lie side by side. RETURNS whether there are any.
bool PackArray(ir::Shape& shape) {
  if (!shape.is_array()) return false;
  shape.layout.suffix = ir::PackedSuffix(shape.element_type);
  return !shape.layout.suffix.empty();
}

bool HasMeaningfulLayout(const ir::Module& module, ir::InstrId id) {
  const ir::Opcode opcode = module.instruction(id).opcode;
  return opcode == ir::Opcode::kBitcast || opcode == ir::Opcode::kCustomCall;
}

}  // namespace

void UseDefaultLayouts(ir::Module& module) {
  const ir::Computation entry = module.entry_computation();
  if (!HasMeaningfulLayout(module, entry.root)) module.SetShape(entry.root, RowMajor(module.shape(entry.root)));
  for (ir::InstrId parameter : entry.parameters) {
    const bool is_reinterpreted = std::ranges::any_of(
        module.users(parameter), [&](ir::InstrId user) { return HasMeaningfulLayout(module, user); });
    if (!is_reinterpreted) module.SetShape(parameter, RowMajor(module.shape(parameter)));
  }
  if (!module.entry_layout) return;
  for (ir::Shape& parameter : module.entry_layout->parameters) parameter = RowMajor(std::move(parameter));
  module.entry_layout->result = RowMajor(std::move(module.entry_layout->result));
}

void UsePackedBorder(ir::Module& module) {
  ir::ProgramShape border;
  if (module.entry_layout) {
    border = *module.entry_layout;
  } else {
    for (ir::InstrId parameter : module.entry_computation().parameters) {
      border.parameters.push_back(module.shape(parameter));
    }
    border.result = module.shape(module.root(module.entry));
  }
  bool is_packed = PackArray(border.result);
  for (ir::Shape& parameter : border.parameters) is_packed |= PackArray(parameter);
  for (ir::Shape& element : border.result.elements) is_packed |= PackArray(element);
  if (is_packed) module.entry_layout = std::move(border);
}

}  // namespace stead::pjrt
