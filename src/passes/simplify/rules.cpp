#include "passes/simplify/rules.h"

#include <algorithm>

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Opcode;

// Constants up to this many elements are looked at for being all alike, by every rule; larger ones only once.
constexpr int64_t kMaxLookedAt = 64;

bool IsUniform(const ir::Literal& literal) {
  if (!literal.shape().is_array() || literal.elided()) return false;
  if (literal.shape().element_count() < 1) return false;
  size_t width = static_cast<size_t>(ir::ElementBytes(literal.shape().element_type));
  std::span<const std::byte> bytes = literal.bytes();
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(width), bytes.end(), bytes.begin());
}

// The literal whose first element stands for all elements of the array. Nothing when they are not known to be alike.
const ir::Literal* UniformLiteral(const ir::Module& module, InstrId id) {
  InstrId scalar = SplatScalar(module, id);
  const ir::Instruction& source = module.instruction(scalar.valid() ? scalar : id);
  if (source.opcode != Opcode::kConstant || !source.shape.is_array() || source.shape.element_count() > kMaxLookedAt) {
    return nullptr;
  }
  if (!IsUniform(source.As<ir::Literal>())) return nullptr;
  return &source.As<ir::Literal>();
}

}  // namespace

std::optional<ir::Literal> UniformElement(const ir::Literal& literal) {
  if (!IsUniform(literal)) return std::nullopt;
  ir::Literal element = ir::Literal::Zeros(ir::Shape::Array(literal.shape().element_type, {}));
  std::copy_n(literal.bytes().begin(), element.bytes().size(), element.mutable_bytes().begin());
  return element;
}

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
  if (ir::IsFloat(module.shape(id).element_type) && ir::ElementBits(module.shape(id).element_type) < 16)
    return std::nullopt;
  const ir::Literal* literal = UniformLiteral(module, id);
  if (literal == nullptr) return std::nullopt;
  return literal->AsDouble(0);
}

}  // namespace stead::passes
