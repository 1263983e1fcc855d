#include "passes/packed/packed.h"

#include "base/check.h"

namespace stead::passes {

using ir::Dimensions;
using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

namespace {

bool IsSplat(const ir::Module& module, InstrId value) {
  return module.instruction(value).opcode == Opcode::kBroadcast && module.shape(module.operand(value, 0)).is_scalar() &&
         HasRowsOfBytes(module.shape(value));
}

// The same byte everywhere, so that a fill stays one.
InstrId PackSplat(Builder& build, InstrId splat, const Dimensions& dimensions) {
  const InstrId scalar = build.module().operand(splat, 0);
  const InstrId elements = build.Splat(scalar, {ElementsPerByte(build.module().shape(splat).element_type)});
  return build.Splat(build.Op(Opcode::kBitcastConvert, Shape::Array(ElementType::kU8, {}), {elements}), dimensions);
}

}  // namespace

int64_t ElementsPerByte(ElementType type) { return ir::PackedSuffix(type).empty() ? 1 : 8 / ir::ElementBits(type); }

bool HasRowsOfBytes(const Shape& shape) {
  const int64_t per_byte = ElementsPerByte(shape.element_type);
  return per_byte > 1 && !shape.dimensions.empty() && shape.dimensions.back() % per_byte == 0;
}

InstrId SourceBytes(const ir::Module& module, InstrId value) {
  while (module.instruction(value).opcode == Opcode::kReshape) value = module.operand(value, 0);
  const ir::Instruction& instruction = module.instruction(value);
  if (instruction.opcode != Opcode::kBitcastConvert) return {};
  const InstrId bytes = instruction.operands[0];
  return module.shape(bytes).element_type == ElementType::kU8 ? bytes : InstrId();
}

Shape BytesShape(const Shape& shape) {
  const int64_t per_byte = ElementsPerByte(shape.element_type);
  Shape bytes = Shape::Array(ElementType::kU8, shape.dimensions);
  if (HasRowsOfBytes(shape)) {
    bytes.dimensions.back() /= per_byte;
  } else {
    bytes.dimensions = {(shape.element_count() + per_byte - 1) / per_byte};
  }
  return bytes;
}

InstrId Unpack(Builder& build, InstrId bytes, const Shape& shape) {
  const int64_t per_byte = ElementsPerByte(shape.element_type);
  STEAD_CHECK(per_byte > 1);
  Dimensions parts = build.module().shape(bytes).dimensions;
  parts.push_back(per_byte);
  const InstrId elements = build.Op(Opcode::kBitcastConvert, Shape::Array(shape.element_type, parts), {bytes});
  const int64_t count = shape.element_count();
  const int64_t held = build.module().shape(elements).element_count();
  if (held == count) return build.Reshape(elements, shape.dimensions);
  return build.Reshape(build.Slice(build.Reshape(elements, {held}), {0}, {count}), shape.dimensions);
}

bool IsUnpacked(const ir::Module& module, InstrId value) {
  return HasRowsOfBytes(module.shape(value)) && SourceBytes(module, value).valid();
}

InstrId Pack(Builder& build, InstrId value) {
  const Shape shape = build.module().shape(value);
  const int64_t per_byte = ElementsPerByte(shape.element_type);
  STEAD_CHECK(per_byte > 1);
  const Dimensions dimensions = BytesShape(shape).dimensions;
  if (IsUnpacked(build.module(), value)) return build.Reshape(SourceBytes(build.module(), value), dimensions);
  if (IsSplat(build.module(), value)) return PackSplat(build, value, dimensions);
  Dimensions parts = dimensions;
  parts.push_back(per_byte);
  const int64_t count = shape.element_count();
  const int64_t missing = HasRowsOfBytes(shape) ? 0 : dimensions.back() * per_byte - count;
  if (missing > 0) {
    const InstrId zero = build.Constant(ir::Literal::Zeros(Shape::Array(shape.element_type, {})));
    value = build.Op(Opcode::kPad, Shape::Array(shape.element_type, {count + missing}),
                     {build.Reshape(value, {count}), zero}, ir::PadAttributes{{0}, {missing}, {0}});
  }
  return build.Op(Opcode::kBitcastConvert, Shape::Array(ElementType::kU8, dimensions), {build.Reshape(value, parts)});
}

}  // namespace stead::passes
