#include "frontend/hlo_proto/shape_writer.h"

#include <numeric>
#include <optional>

namespace stead::frontend {

namespace {

// Readers hold the message in one piece of at most 2 GiB, and print no more than a few elements of a constant.
constexpr int64_t kLargestLiteralBytes = int64_t{1} << 20;

int PrimitiveTypeOf(const ir::Shape& shape) {
  switch (shape.kind) {
    case ir::Shape::Kind::kArray: return ir::ElementTypeProtoNumber(shape.element_type);
    case ir::Shape::Kind::kTuple: return kTuplePrimitiveType;
    case ir::Shape::Kind::kToken: return kTokenPrimitiveType;
    case ir::Shape::Kind::kOpaque: return kOpaquePrimitiveType;
  }
  return 0;
}

std::vector<int64_t> MinorToMajor(const ir::Shape& shape) {
  if (!shape.layout.minor_to_major.empty()) return shape.layout.minor_to_major;
  std::vector<int64_t> order(shape.dimensions.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

// The field that takes the elements as they lie in memory, for types that are written so.
std::optional<LiteralField> BytesField(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::kS8: return LiteralField::kS8s;
    case ir::ElementType::kU8: return LiteralField::kU8s;
    case ir::ElementType::kS16: return LiteralField::kS16s;
    case ir::ElementType::kU16: return LiteralField::kU16s;
    case ir::ElementType::kF16: return LiteralField::kF16s;
    case ir::ElementType::kBF16: return LiteralField::kBF16s;
    case ir::ElementType::kF8E5M2: return LiteralField::kF8E5M2s;
    case ir::ElementType::kF8E4M3: return LiteralField::kF8E4M3s;
    case ir::ElementType::kF8E4M3FN: return LiteralField::kF8E4M3FNs;
    case ir::ElementType::kF8E4M3B11FNUZ: return LiteralField::kF8E4M3B11FNUZs;
    case ir::ElementType::kF8E5M2FNUZ: return LiteralField::kF8E5M2FNUZs;
    case ir::ElementType::kF8E4M3FNUZ: return LiteralField::kF8E4M3FNUZs;
    case ir::ElementType::kF8E3M4: return LiteralField::kF8E3M4s;
    case ir::ElementType::kF8E8M0FNU: return LiteralField::kF8E8M0FNUs;
    default: return std::nullopt;
  }
}

// The elements as numbers of type T; of complex ones, the real and imaginary parts in turn.
template <typename T>
std::span<const T> Numbers(const ir::Literal& literal) {
  return {reinterpret_cast<const T*>(literal.bytes().data()), literal.bytes().size() / sizeof(T)};
}

// Adds the elements of a type that is written as a list of numbers. Returns false for other types.
bool WriteNumbers(ProtoMessage<LiteralField>& message, const ir::Literal& literal) {
  const auto u8 = Numbers<uint8_t>(literal);
  const auto s32 = Numbers<int32_t>(literal);
  const auto s64 = Numbers<int64_t>(literal);
  const auto u32 = Numbers<uint32_t>(literal);
  const auto u64 = Numbers<uint64_t>(literal);
  const auto f32 = Numbers<float>(literal);
  const auto f64 = Numbers<double>(literal);
  switch (literal.shape().element_type) {
    case ir::ElementType::kPred: return message.add_packed_bool(LiteralField::kPreds, u8.begin(), u8.end()), true;
    case ir::ElementType::kS32: return message.add_packed_int32(LiteralField::kS32s, s32.begin(), s32.end()), true;
    case ir::ElementType::kS64: return message.add_packed_int64(LiteralField::kS64s, s64.begin(), s64.end()), true;
    case ir::ElementType::kU32: return message.add_packed_uint32(LiteralField::kU32s, u32.begin(), u32.end()), true;
    case ir::ElementType::kU64: return message.add_packed_uint64(LiteralField::kU64s, u64.begin(), u64.end()), true;
    case ir::ElementType::kF32: return message.add_packed_float(LiteralField::kF32s, f32.begin(), f32.end()), true;
    case ir::ElementType::kF64: return message.add_packed_double(LiteralField::kF64s, f64.begin(), f64.end()), true;
    case ir::ElementType::kC64: return message.add_packed_float(LiteralField::kC64s, f32.begin(), f32.end()), true;
    case ir::ElementType::kC128: return message.add_packed_double(LiteralField::kC128s, f64.begin(), f64.end()), true;
    default: return false;
  }
}

}  // namespace

void WriteShape(ProtoMessage<ShapeField>& message, const ir::Shape& shape) {
  message.add_enum(ShapeField::kElementType, PrimitiveTypeOf(shape));
  for (const ir::Shape& element : shape.elements) {
    ProtoMessage<ShapeField> element_message(message, ShapeField::kTupleShapes);
    WriteShape(element_message, element);
  }
  if (!shape.is_array()) return;
  AddIntegers(message, ShapeField::kDimensions, shape.dimensions);
  std::vector<bool> dynamic = shape.dynamic_dimensions;
  dynamic.resize(shape.dimensions.size());
  message.add_packed_bool(ShapeField::kIsDynamicDimension, dynamic.begin(), dynamic.end());
  // As bytes: a scalar's layout has no fields and must be there all the same.
  std::string layout_bytes;
  ProtoMessage<LayoutField> layout(layout_bytes);
  AddIntegers(layout, LayoutField::kMinorToMajor, MinorToMajor(shape));
  message.add_message(ShapeField::kLayout, layout_bytes);
}

void WriteProgramShape(ProtoMessage<ProgramShapeField>& message, const std::vector<ir::Shape>& parameters,
                       const std::vector<std::string>& parameter_names, const ir::Shape& result) {
  for (const ir::Shape& parameter : parameters) {
    ProtoMessage<ShapeField> shape(message, ProgramShapeField::kParameters);
    WriteShape(shape, parameter);
  }
  {
    ProtoMessage<ShapeField> shape(message, ProgramShapeField::kResult);
    WriteShape(shape, result);
  }
  for (const std::string& name : parameter_names) message.add_string(ProgramShapeField::kParameterNames, name);
}

bool IsWritable(const ir::Literal& literal) {
  const ir::Shape& shape = literal.shape();
  return shape.is_array() && !literal.elided() && shape.is_row_major() && ir::ElementBits(shape.element_type) >= 8 &&
         shape.byte_size() <= kLargestLiteralBytes;
}

void WriteLiteral(ProtoMessage<LiteralField>& message, const ir::Literal& literal) {
  {
    ProtoMessage<ShapeField> shape(message, LiteralField::kShape);
    WriteShape(shape, literal.shape());
  }
  if (WriteNumbers(message, literal)) return;
  const std::optional<LiteralField> field = BytesField(literal.shape().element_type);
  STEAD_CHECK(field.has_value(), literal.shape().ToString());
  message.add_bytes(*field, reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size());
}

}  // namespace stead::frontend
