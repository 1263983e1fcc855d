#include "frontend/hlo_text/shape_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.h"

namespace stead::frontend {
namespace {

using ir::ElementType;
using ir::Shape;

// Tuples nest a few levels and arrays have a few dimensions; hostile text must not exhaust the machine's stack.
constexpr int kMaxTupleDepth = 64;
constexpr size_t kMaxRank = 64;

constexpr std::string_view kShapeWords[] = {
#define ELEMENT(enumerator, name, bits, type_class, number) name,
#include "ir/number/element_type.def"
#undef ELEMENT
    "token",
    "opaque",
};

bool IsRowMajorOrder(const std::vector<int64_t>& minor_to_major) {
  int64_t expected = static_cast<int64_t>(minor_to_major.size());
  return std::ranges::all_of(minor_to_major, [&](int64_t dim) { return dim == --expected; });
}

bool IsPermutation(std::vector<int64_t> order) {
  std::ranges::sort(order);
  for (size_t dim = 0; dim < order.size(); ++dim) {
    if (order[dim] != static_cast<int64_t>(dim)) return false;
  }
  return true;
}

Status ReadDimensions(Cursor& cursor, Shape& shape) {
  TRY_STATUS(cursor.Expect("[", "after the element type"));
  while (!cursor.TryConsume("]")) {
    if (!shape.dimensions.empty()) TRY_STATUS(cursor.Expect(",", "between dimensions"));
    if (shape.dimensions.size() >= kMaxRank) {
      return cursor.Error(fmt::format("a shape has more than {} dimensions", kMaxRank));
    }
    bool unbounded = cursor.TryConsume("?");
    bool dynamic = unbounded || cursor.TryConsume("<=");
    int64_t dimension = ir::kUnboundedDimension;
    if (!unbounded) {
      TRY(dimension, cursor.ReadInteger("a dimension"));
      if (dimension < 0) return cursor.Error(fmt::format("dimension {} is negative", dimension));
    }
    shape.dimensions.push_back(dimension);
    if (dynamic) shape.dynamic_dimensions.resize(shape.dimensions.size(), false);
    if (dynamic) shape.dynamic_dimensions.back() = true;
  }
  if (!shape.dynamic_dimensions.empty()) shape.dynamic_dimensions.resize(shape.dimensions.size(), false);
  return {};
}

// A brace after a shape opens a layout, unless it opens the body of a computation: `-> f32[2] {`.
bool SeesLayout(Cursor& cursor) {
  bool adjacent = cursor.PeekHere() == '{';
  Cursor ahead = cursor;
  if (!ahead.TryConsume("{")) return false;
  char first = ahead.Peek();
  return (first >= '0' && first <= '9') || first == ':' || (adjacent && first == '}');
}

// "{1,0:T(8,128)S(1)}".
Status ReadLayout(Cursor& cursor, Shape& shape) {
  size_t start = cursor.offset();
  TRY(std::string_view text, cursor.ReadValue("a layout"));
  Cursor inside(cursor.source(), text.substr(1, text.size() - 2));
  std::vector<int64_t>& order = shape.layout.minor_to_major;
  while (!inside.AtEnd() && inside.Peek() != ':') {
    if (!order.empty()) TRY_STATUS(inside.Expect(",", "between the dimensions of a layout"));
    TRY(int64_t dim, inside.ReadInteger("a dimension number"));
    order.push_back(dim);
  }
  if (!inside.AtEnd()) {
    size_t suffix_start = inside.offset() - static_cast<size_t>(text.data() - cursor.source().text().data());
    shape.layout.suffix = text.substr(suffix_start, text.size() - 1 - suffix_start);
  }
  const bool is_one_list = text.ends_with('}') && shape.layout.suffix.find_first_of("{}") == std::string::npos;
  if (!is_one_list || order.size() != shape.dimensions.size() || !IsPermutation(order)) {
    return cursor.ErrorAt(start,
                          fmt::format("layout {} does not order the {} dimensions of the shape", text, shape.rank()));
  }
  if (IsRowMajorOrder(order)) order.clear();
  return {};
}

Result<Shape> ReadArray(Cursor& cursor) {
  size_t start = cursor.offset();
  TRY(std::string_view word, cursor.ReadWord("a shape"));
  Shape shape;
  if (std::optional<ElementType> type = ir::ElementTypeFromName(word)) {
    shape.element_type = *type;
  } else if (word == "token") {
    shape.kind = Shape::Kind::kToken;
  } else if (word == "opaque") {
    shape.kind = Shape::Kind::kOpaque;
  } else {
    return cursor.ErrorAt(start, fmt::format("unknown element type `{}`", word), {}, DidYouMean(word, kShapeWords));
  }
  TRY_STATUS(ReadDimensions(cursor, shape));
  if (!shape.is_array() && !shape.dimensions.empty()) {
    return cursor.ErrorAt(start, fmt::format("`{}` has dimensions", word));
  }
  if (SeesLayout(cursor)) TRY_STATUS(ReadLayout(cursor, shape));
  return shape;
}

// "b(f32[2])": memory that holds an array.
bool SeesBuffer(Cursor& cursor) {
  if (cursor.PeekWord() != "b") return false;
  Cursor ahead = cursor;
  return ahead.TryConsume("b") && ahead.PeekHere() == '(';
}

Result<Shape> ReadNested(Cursor& cursor, int depth) {
  bool is_buffer = SeesBuffer(cursor);
  if (!is_buffer && cursor.Peek() != '(') return ReadArray(cursor);
  if (depth >= kMaxTupleDepth) return cursor.Error(fmt::format("tuple shapes nest deeper than {}", kMaxTupleDepth));
  if (is_buffer) cursor.TryConsume("b");
  TRY_STATUS(cursor.Expect("(", "before a tuple shape"));
  std::vector<Shape> elements;
  while (!cursor.TryConsume(")")) {
    if (!elements.empty()) TRY_STATUS(cursor.Expect(",", "or `)` between the elements of a tuple shape"));
    TRY(Shape element, ReadNested(cursor, depth + 1));
    elements.push_back(std::move(element));
  }
  Shape shape = Shape::Tuple(std::move(elements));
  if (!is_buffer) return shape;
  if (shape.elements.size() != 1 || !shape.elements[0].is_array()) return cursor.Error("a buffer holds one array");
  shape.kind = Shape::Kind::kBuffer;
  return shape;
}

}  // namespace

bool SeesShape(Cursor& cursor) {
  if (cursor.Peek() == '(' || SeesBuffer(cursor)) return true;
  std::string_view word = cursor.PeekWord();
  if (std::ranges::find(kShapeWords, word) == std::end(kShapeWords)) return false;
  Cursor ahead = cursor;
  return ahead.TryConsume(word) && ahead.PeekHere() == '[';
}

Result<Shape> ReadShape(Cursor& cursor) {
  size_t start = cursor.NextOffset();
  TRY(Shape shape, ReadNested(cursor, 0));
  if (!ir::IsReadable(shape)) {
    return cursor.ErrorAt(start, fmt::format("the value takes more than {} bytes", ir::kMaxReadableBytes));
  }
  return shape;
}

Result<ir::ShapeIndex> ReadShapeIndex(Cursor& cursor) {
  TRY_STATUS(cursor.Expect("{", "before a shape index"));
  ir::ShapeIndex index;
  while (!cursor.TryConsume("}")) {
    if (!index.empty()) TRY_STATUS(cursor.Expect(",", "or `}` in a shape index"));
    TRY(int64_t element, cursor.ReadInteger("a tuple element number"));
    index.push_back(element);
  }
  return index;
}

Result<ir::ProgramShape> ReadProgramShape(Cursor& cursor) {
  ir::ProgramShape program;
  TRY_STATUS(cursor.Expect("(", "before parameter shapes"));
  while (!cursor.TryConsume(")")) {
    if (!program.parameters.empty()) TRY_STATUS(cursor.Expect(",", "or `)` between parameter shapes"));
    TRY(Shape parameter, ReadShape(cursor));
    program.parameters.push_back(std::move(parameter));
  }
  TRY_STATUS(cursor.Expect("->", "before the result shape"));
  TRY(program.result, ReadShape(cursor));
  return program;
}

}  // namespace stead::frontend
