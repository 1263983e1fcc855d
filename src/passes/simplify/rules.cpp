#include "passes/simplify/rules.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Opcode;

// Arrays of constants up to this many elements are looked at for being all alike.
constexpr int64_t kMaxLookedAt = 64;

// The literal whose first element stands for all elements of the array. Nothing when they are not known to be alike.
const ir::Literal* UniformLiteral(const ir::Module& module, InstrId id) {
  InstrId scalar = SplatScalar(module, id);
  const ir::Instruction& source = module.instruction(scalar.valid() ? scalar : id);
  if (source.opcode != Opcode::kConstant || !source.shape.is_array()) return nullptr;
  const ir::Literal& literal = source.As<ir::Literal>();
  int64_t count = source.shape.element_count();
  if (literal.elided() || count < 1 || count > kMaxLookedAt) return nullptr;
  int64_t width = ir::ElementBytes(source.shape.element_type);
  std::span<const std::byte> bytes = literal.bytes();
  for (int64_t offset = width; offset < count * width; ++offset) {
    if (bytes[static_cast<size_t>(offset)] != bytes[static_cast<size_t>(offset - width)]) return nullptr;
  }
  return &literal;
}

}  // namespace

InstrId SplatScalar(const ir::Module& module, InstrId id) {
  auto hands_on_one_scalar = [&] {
    Opcode opcode = module.instruction(id).opcode;
    return opcode == Opcode::kBroadcast || (opcode == Opcode::kReshape && module.shape(id).element_count() == 1);
  };
  while (!module.shape(id).is_scalar() && hands_on_one_scalar()) id = module.operand(id, 0);
  return module.shape(id).is_scalar() ? id : kNoValue;
}

std::optional<int64_t> KnownInteger(const ir::Module& module, InstrId id) {
  ir::ElementType type = module.shape(id).element_type;
  if (ir::IsFloat(type) || ir::IsComplex(type)) return std::nullopt;
  const ir::Literal* literal = UniformLiteral(module, id);
  if (literal == nullptr) return std::nullopt;
  return literal->AsInteger(0);
}

std::optional<double> KnownReal(const ir::Module& module, InstrId id) {
  if (ir::IsComplex(module.shape(id).element_type)) return std::nullopt;
  // The 8-bit and 4-bit floats have no conversion at this level.
  if (ir::IsFloat(module.shape(id).element_type) && ir::ElementBits(module.shape(id).element_type) < 16) return std::nullopt;
  const ir::Literal* literal = UniformLiteral(module, id);
  if (literal == nullptr) return std::nullopt;
  return literal->AsDouble(0);
}

}  // namespace stead::passes
