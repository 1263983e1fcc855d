#include "frontend/hlo_proto/data/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "frontend/hlo_proto/data/element_types.h"
#include "frontend/hlo_proto/text/layout_text.h"

namespace stead::frontend {

namespace {

// As in HLO text: hostile bytes must not exhaust the machine's stack.
constexpr int kMaxTupleDepth = 64;
constexpr size_t kMaxRank = 64;
constexpr int64_t kUnboundedInProto = std::numeric_limits<int64_t>::min();

int PrimitiveTypeOf(const ir::Shape& shape) {
  switch (shape.kind) {
    case ir::Shape::Kind::kArray: return ir::ElementTypeProtoNumber(shape.element_type);
    case ir::Shape::Kind::kTuple: return kTuplePrimitiveType;
    case ir::Shape::Kind::kToken: return kTokenPrimitiveType;
    case ir::Shape::Kind::kOpaque: return kOpaquePrimitiveType;
    case ir::Shape::Kind::kBuffer: return kBufferPrimitiveType;
  }
  return 0;
}

std::vector<int64_t> RowMajorOrder(int64_t rank) {
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

bool OrdersDimensions(std::vector<int64_t> order, int64_t rank) {
  std::ranges::sort(order);
  std::vector<int64_t> expected(static_cast<size_t>(rank));
  std::iota(expected.begin(), expected.end(), 0);
  return order == expected;
}

Status ReadLayout(std::string_view message, ir::Shape& shape) {
  MessageFields fields(message);
  ir::Layout& layout = shape.layout;
  layout.minor_to_major = fields.TakeIntegers(LayoutField::kMinorToMajor);
  if (!OrdersDimensions(layout.minor_to_major, shape.rank())) {
    return InvalidArgument(fmt::format("layout {{{}}} does not order the {} dimensions of the shape",
                                       fmt::join(layout.minor_to_major, ","), shape.rank()));
  }
  if (layout.minor_to_major == RowMajorOrder(shape.rank())) layout.minor_to_major.clear();
  TRY(layout.suffix, TakeLayoutSuffix(fields));
  return {};
}

Status ReadDimensions(MessageFields& fields, ir::Shape& shape) {
  shape.dimensions = fields.TakeIntegers(ShapeField::kDimensions);
  if (shape.dimensions.size() > kMaxRank) {
    return InvalidArgument(fmt::format("a shape has more than {} dimensions", kMaxRank));
  }
  for (int64_t& dimension : shape.dimensions) {
    if (dimension == kUnboundedInProto) {
      dimension = ir::kUnboundedDimension;
      continue;
    }
    if (dimension < 0) return InvalidArgument(fmt::format("dimension {} is negative", dimension));
  }
  const std::vector<int64_t> dynamic = fields.TakeIntegers(ShapeField::kIsDynamicDimension);
  if (std::ranges::none_of(dynamic, [](int64_t flag) { return flag != 0; })) return {};
  if (dynamic.size() != shape.dimensions.size()) {
    return InvalidArgument(fmt::format("{} marks of dynamic dimensions for a shape of {} dimensions", dynamic.size(),
                                       shape.dimensions.size()));
  }
  shape.dynamic_dimensions.assign(dynamic.begin(), dynamic.end());
  return {};
}

Status ReadArray(MessageFields& fields, int64_t primitive_type, ir::Shape& shape) {
  const std::optional<ir::ElementType> type = ElementTypeFromProtoNumber(primitive_type);
  if (!type) return Unimplemented(fmt::format("arrays of primitive type {} of xla_data.proto", primitive_type));
  shape.element_type = *type;
  TRY_STATUS(ReadDimensions(fields, shape));
  if (const std::optional<std::string_view> layout = fields.TakeMessage(ShapeField::kLayout)) {
    return ReadLayout(*layout, shape);
  }
  return {};
}

Result<ir::Shape> ReadNested(std::string_view message, int depth) {
  MessageFields fields(message);
  ir::Shape shape;
  const int64_t primitive_type = fields.TakeInteger(ShapeField::kElementType);
  if (primitive_type == kTuplePrimitiveType || primitive_type == kBufferPrimitiveType) {
    if (depth >= kMaxTupleDepth) {
      return InvalidArgument(fmt::format("tuple shapes nest deeper than {}", kMaxTupleDepth));
    }
    shape.kind = primitive_type == kTuplePrimitiveType ? ir::Shape::Kind::kTuple : ir::Shape::Kind::kBuffer;
    for (std::string_view element : fields.TakeAll(ShapeField::kTupleShapes)) {
      TRY(ir::Shape element_shape, ReadNested(element, depth + 1));
      shape.elements.push_back(std::move(element_shape));
    }
    const bool is_buffer = shape.kind == ir::Shape::Kind::kBuffer;
    if (is_buffer && (shape.elements.size() != 1 || !shape.elements[0].is_array())) {
      return InvalidArgument("a buffer holds one array");
    }
  } else if (primitive_type == kTokenPrimitiveType) {
    shape.kind = ir::Shape::Kind::kToken;
  } else if (primitive_type == kOpaquePrimitiveType) {
    shape.kind = ir::Shape::Kind::kOpaque;
  } else {
    TRY_STATUS(ReadArray(fields, primitive_type, shape));
  }
  // What else a shape may carry says nothing where it does not apply: the layout of a tuple, the order of a token.
  fields.Drop(ShapeField::kLayout);
  fields.Drop(ShapeField::kDimensions);
  fields.Drop(ShapeField::kIsDynamicDimension);
  const std::vector<ProtoTag> unknown = fields.RestNumbers();
  if (!unknown.empty()) return Unimplemented(fmt::format("field {} of ShapeProto", unknown.front()));
  return shape;
}

}  // namespace

Result<ir::Shape> ReadShape(std::string_view message) {
  TRY(ir::Shape shape, ReadNested(message, 0));
  if (!ir::IsReadable(shape)) {
    return InvalidArgument(fmt::format("the value takes more than {} bytes", ir::kMaxReadableBytes));
  }
  return shape;
}

Status WriteShape(ProtoMessage<ShapeField>& message, const ir::Shape& shape) {
  message.add_enum(ShapeField::kElementType, PrimitiveTypeOf(shape));
  for (const ir::Shape& element : shape.elements) {
    ProtoMessage<ShapeField> element_message(message, ShapeField::kTupleShapes);
    TRY_STATUS(WriteShape(element_message, element));
  }
  if (!shape.is_array()) return {};
  ir::Dimensions dimensions = shape.dimensions;
  std::ranges::replace(dimensions, ir::kUnboundedDimension, kUnboundedInProto);
  AddIntegers(message, ShapeField::kDimensions, dimensions);
  std::vector<bool> dynamic = shape.dynamic_dimensions;
  dynamic.resize(shape.dimensions.size());
  message.add_packed_bool(ShapeField::kIsDynamicDimension, dynamic.begin(), dynamic.end());
  // As bytes: a scalar's layout has no fields and must be there all the same.
  std::string layout_bytes;
  ProtoMessage<LayoutField> layout(layout_bytes);
  const std::vector<int64_t>& order = shape.layout.minor_to_major;
  AddIntegers(layout, LayoutField::kMinorToMajor, order.empty() ? RowMajorOrder(shape.rank()) : order);
  TRY_STATUS(WriteLayoutSuffix(layout, shape.layout.suffix));
  message.add_message(ShapeField::kLayout, layout_bytes);
  return {};
}

Result<ir::ProgramShape> ReadProgramShape(std::string_view message) {
  MessageFields fields(message);
  ir::ProgramShape shape;
  for (std::string_view parameter : fields.TakeAll(ProgramShapeField::kParameters)) {
    TRY(ir::Shape parameter_shape, ReadShape(parameter));
    shape.parameters.push_back(std::move(parameter_shape));
  }
  TRY(shape.result, ReadShape(fields.TakeBytes(ProgramShapeField::kResult)));
  return shape;
}

Status WriteProgramShape(ProtoMessage<ProgramShapeField>& message, const ir::ProgramShape& shape,
                         const std::vector<std::string>& parameter_names) {
  for (const ir::Shape& parameter : shape.parameters) {
    ProtoMessage<ShapeField> parameter_message(message, ProgramShapeField::kParameters);
    TRY_STATUS(WriteShape(parameter_message, parameter));
  }
  {
    ProtoMessage<ShapeField> result(message, ProgramShapeField::kResult);
    TRY_STATUS(WriteShape(result, shape.result));
  }
  for (const std::string& name : parameter_names) message.add_string(ProgramShapeField::kParameterNames, name);
  return {};
}

}  // namespace stead::frontend
