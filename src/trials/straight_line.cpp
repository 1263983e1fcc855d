// Statements without computations of their own: whole arrays, rows, layers of a stack, scalars.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trials/program_writer.h"

namespace stead::trials {

const std::vector<ProgramWriter::Statement> ProgramWriter::kStraightLine = {
    {3, &ProgramWriter::UpdatePart},   {4, &ProgramWriter::Elementwise},  {1, &ProgramWriter::Select},
    {1, &ProgramWriter::Fill},         {2, &ProgramWriter::ReadRow},      {5, &ProgramWriter::UpdateRow},
    {1, &ProgramWriter::UpdateColumn}, {2, &ProgramWriter::UpdateOwnRow}, {2, &ProgramWriter::ReadLayer},
    {3, &ProgramWriter::UpdateLayer},  {2, &ProgramWriter::Scatter},      {2, &ProgramWriter::Reduce},
    {1, &ProgramWriter::Turn},         {2, &ProgramWriter::Join},         {1, &ProgramWriter::Reshape},
    {1, &ProgramWriter::Reinterpret},  {1, &ProgramWriter::ScalarMath},   {2, &ProgramWriter::Barrier},
    {1, &ProgramWriter::WrittenCopy},  {1, &ProgramWriter::UpdateFusion}, {1, &ProgramWriter::ElementwiseFusion}};

void ProgramWriter::Elementwise() {
  constexpr const char* kOps[] = {"add", "subtract", "multiply", "maximum", "xor"};
  Kind kind = AnyKind();
  if (OneIn(5)) {
    Add(kind, fmt::format("{}({})", OneIn(2) || kind == Kind::kBits ? "not" : "negate", Any(kind)));
  } else {
    Add(kind, fmt::format("{}({}, {})", kOps[Below(std::size(kOps))], Any(kind), Any(kind)));
  }
}

// Between two arrays, or between an array and its own update, as batched loops are lowered.
void ProgramWriter::Select() {
  std::string mask_type = fmt::format("pred{}", Type(Kind::kArray).substr(3));
  std::string mask =
      OneIn(2) ? Inner(mask_type, fmt::format("broadcast({}), dimensions={{}}", Flag()))
               : Inner(mask_type, fmt::format("compare({}, {}), direction=LT", Any(Kind::kArray), Any(Kind::kArray)));
  std::string array = Any(Kind::kArray), other = Any(Kind::kArray);
  if (OneIn(2)) {
    other = Inner(Type(Kind::kArray),
                  fmt::format("dynamic-update-slice({}, {}, {}, {})", array, SomeRow(), Index(), Integer(0)));
  }
  Add(Kind::kArray, OneIn(2) ? fmt::format("select({}, {}, {})", mask, array, other)
                             : fmt::format("select({}, {}, {})", mask, other, array));
}

void ProgramWriter::Fill() {
  if (!OneIn(3)) {
    Add(Kind::kArray, fmt::format("broadcast({}), dimensions={{1}}", Any(Kind::kVector)));
  } else if (OneIn(2)) {
    std::vector<int> elements;
    for (int column = 0; column < columns_; ++column) elements.push_back(100 + column);
    Add(Kind::kRow, fmt::format("constant({{{{{}}}}})", fmt::join(elements, ", ")));
  } else {
    Make(AnyKind());
  }
}

void ProgramWriter::ReadRow() {
  std::string array = Any(Kind::kArray);
  if (OneIn(2)) {
    int row = Below(4);
    Add(Kind::kRow, fmt::format("slice({}), slice={{[{}:{}], [0:{}]}}", array, row, row + 1, columns_));
  } else if (OneIn(3)) {
    std::string at = Inner("s32[1]", fmt::format("reshape({})", Index()));
    Add(Kind::kRow,
        fmt::format("gather({}, {}), offset_dims={{0,1}}, collapsed_slice_dims={{}}, start_index_map={{0}}, "
                    "index_vector_dim=0, slice_sizes={{1,{}}}",
                    array, at, columns_));
  } else {
    Add(Kind::kRow,
        fmt::format("dynamic-slice({}, {}, {}), dynamic_slice_sizes={{1,{}}}", array, Index(), Integer(0), columns_));
  }
}

// A row of the program, as it is or computed with.
std::string ProgramWriter::SomeRow() {
  if (OneIn(2)) ReadRow();
  std::string row = Any(Kind::kRow);
  return OneIn(2) ? row : Inner(Type(Kind::kRow), fmt::format("add({}, {})", row, Any(Kind::kRow)));
}

void ProgramWriter::UpdateRow() {
  Add(Kind::kArray,
      fmt::format("dynamic-update-slice({}, {}, {}, {})", Any(Kind::kArray), SomeRow(), Index(), Integer(0)));
}

void ProgramWriter::UpdateColumn() {
  std::string array = Any(Kind::kArray), type = "s32[4,1]", from = OneIn(2) ? array : Any(Kind::kArray);
  int column = Below(columns_);
  std::string piece = Inner(type, fmt::format("slice({}), slice={{[0:4], [{}:{}]}}", from, column, column + 1));
  if (OneIn(2)) piece = Inner(type, fmt::format("negate({})", piece));
  Add(Kind::kArray, fmt::format("dynamic-update-slice({}, {}, {}, {})", array, piece, Integer(0), Index()));
}

// Reads the row that it replaces, or the one beside it.
void ProgramWriter::UpdateOwnRow() {
  std::string array = Any(Kind::kArray), at = Index(), zero = Integer(0), from = at;
  if (OneIn(2)) from = Inner("s32[]", fmt::format("add({}, {})", at, Integer(1)));
  std::string row = Inner(Type(Kind::kRow), fmt::format("dynamic-slice({}, {}, {}), dynamic_slice_sizes={{1,{}}}",
                                                        array, from, zero, columns_));
  std::string sum = Inner(Type(Kind::kRow), fmt::format("add({}, {})", row, Any(Kind::kRow)));
  Add(Kind::kArray, fmt::format("dynamic-update-slice({}, {}, {}, {})", array, OneIn(3) ? row : sum, at, zero));
  if (OneIn(3)) scope_.values[Kind::kRow].push_back(row);
}

void ProgramWriter::ReadLayer() {
  std::string stack = Any(Kind::kStack), type = fmt::format("s32[1,4,{}]", columns_), zero = Integer(0);
  int layer = Below(3);
  std::string piece =
      OneIn(3)
          ? Inner(type, fmt::format("slice({}), slice={{[{}:{}], [0:4], [0:{}]}}", stack, layer, layer + 1, columns_))
          : Inner(type, fmt::format("dynamic-slice({}, {}, {}, {}), dynamic_slice_sizes={{1,4,{}}}", stack, Index(),
                                    zero, zero, columns_));
  Add(Kind::kArray, fmt::format("reshape({})", piece));
}

void ProgramWriter::UpdateLayer() {
  std::string stack = Any(Kind::kStack), type = fmt::format("s32[1,4,{}]", columns_), zero = Integer(0);
  std::string layer = Inner(type, fmt::format("reshape({})", Any(Kind::kArray)));
  Add(Kind::kStack, fmt::format("dynamic-update-slice({}, {}, {}, {}, {})", stack, layer, Index(), zero, zero));
}

// One row at an index, or two rows at two.
void ProgramWriter::Scatter() {
  const char* combine = OneIn(2) ? "plus" : OneIn(2) ? "replace" : "largest";
  std::string array = Any(Kind::kArray);
  if (OneIn(2)) {
    std::string at = Inner("s32[1]", fmt::format("reshape({})", Index()));
    Add(Kind::kArray, fmt::format("scatter({}, {}, {}), update_window_dims={{0}}, inserted_window_dims={{0}}, "
                                  "scatter_dims_to_operand_dims={{0}}, index_vector_dim=0, to_apply={}",
                                  array, at, Any(Kind::kVector), combine));
    return;
  }
  int first = Below(4), second = Below(4);
  std::string at = Inner("s32[2,1]", fmt::format("constant({{{{{}}}, {{{}}}}})", first, second));
  std::string rows = Inner(fmt::format("s32[2,{}]", columns_),
                           fmt::format("slice({}), slice={{[1:3], [0:{}]}}", Any(Kind::kArray), columns_));
  Add(Kind::kArray,
      fmt::format("scatter({}, {}, {}), update_window_dims={{1}}, inserted_window_dims={{0}}, "
                  "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, unique_indices={}, to_apply={}",
                  array, at, rows, first != second, combine));
}

void ProgramWriter::Reduce() {
  const char* combine = OneIn(2) ? "plus" : "largest";
  std::string array = Any(Kind::kArray), zero = Integer(0);
  switch (Below(3)) {
    case 0:
      Add(Kind::kVector, fmt::format("reduce({}, {}), dimensions={{0}}, to_apply={}", array, zero, combine));
      break;
    case 1:
      Add(Kind::kScalar, fmt::format("reduce({}, {}), dimensions={{0,1}}, to_apply={}", array, zero, combine));
      break;
    default:
      Add(Kind::kArray, fmt::format("reduce({}, {}), dimensions={{0}}, to_apply={}", Any(Kind::kStack), zero, combine));
  }
}

void ProgramWriter::Turn() {
  std::string turned =
      Inner(fmt::format("s32[{},4]", columns_), fmt::format("transpose({}), dimensions={{1,0}}", Any(Kind::kArray)));
  switch (Below(3)) {
    case 0: Add(Kind::kArray, fmt::format("reshape({})", turned)); break;
    case 1: {
      std::string back =
          Inner(fmt::format("s32[{},4]", columns_), fmt::format("reverse({}), dimensions={{0}}", turned));
      Add(Kind::kArray, fmt::format("transpose({}), dimensions={{1,0}}", back));
      break;
    }
    default: Add(Kind::kArray, fmt::format("reverse({}), dimensions={{{}}}", Any(Kind::kArray), Below(2)));
  }
}

// Arrays put together from parts of others, or from one part and padding.
void ProgramWriter::Join() {
  int cut = 1 + Below(3);
  std::string head = Inner(fmt::format("s32[{},{}]", cut, columns_),
                           fmt::format("slice({}), slice={{[0:{}], [0:{}]}}", Any(Kind::kArray), cut, columns_));
  if (OneIn(3)) {
    Add(Kind::kArray, fmt::format("pad({}, {}), padding=0_{}x0_0", head, Integer(7), 4 - cut));
    return;
  }
  if (OneIn(3)) {
    Names layers;
    for (int layer = 0; layer < 3; ++layer) {
      layers.push_back(Inner(fmt::format("s32[1,4,{}]", columns_), fmt::format("reshape({})", Any(Kind::kArray))));
    }
    Add(Kind::kStack, fmt::format("concatenate({}), dimensions={{0}}", fmt::join(layers, ", ")));
    return;
  }
  std::string tail = Inner(fmt::format("s32[{},{}]", 4 - cut, columns_),
                           fmt::format("slice({}), slice={{[{}:4], [0:{}]}}", Any(Kind::kArray), cut, columns_));
  if (OneIn(2)) std::swap(head, tail);
  Add(Kind::kArray, fmt::format("concatenate({}, {}), dimensions={{0}}", head, tail));
}

// An array updated as if it were flat; a row as a vector and back.
void ProgramWriter::Reshape() {
  if (OneIn(2)) Add(Kind::kVector, fmt::format("reshape({})", Any(Kind::kRow)));
  if (OneIn(2)) Add(Kind::kRow, fmt::format("reshape({})", Any(Kind::kVector)));
  std::string type = fmt::format("s32[{}]", 4 * columns_);
  std::string flat = Inner(type, fmt::format("reshape({})", Any(Kind::kArray)));
  std::string next = Inner(type, fmt::format("dynamic-update-slice({}, {}, {})", flat, Any(Kind::kVector), Index()));
  Add(Kind::kArray, fmt::format("reshape({})", next));
}

void ProgramWriter::Reinterpret() {
  if (OneIn(2)) Add(Kind::kBits, fmt::format("bitcast-convert({})", Any(Kind::kArray)));
  Add(Kind::kArray, fmt::format("{}({})", OneIn(2) ? "bitcast-convert" : "convert", Any(Kind::kBits)));
}

void ProgramWriter::ScalarMath() {
  if (OneIn(2)) {
    Add(Kind::kScalar, fmt::format("{}({}, {})", OneIn(2) ? "add" : "subtract", Index(), Index()));
    return;
  }
  std::string one = Inner("s32[1,1]", fmt::format("dynamic-slice({}, {}, {}), dynamic_slice_sizes={{1,1}}",
                                                  Any(Kind::kArray), Index(), Index()));
  Add(Kind::kScalar, fmt::format("reshape({})", one));
}

void ProgramWriter::Barrier() {
  Kinds kinds = AnyKinds(3);
  Names held;
  for (Kind kind : kinds) held.push_back(Any(kind));
  TakeApart(kinds, Inner(TupleType(kinds), fmt::format("opt-barrier({})", Tuple(kinds, held))));
}

void ProgramWriter::WrittenCopy() {
  Kind kind = AnyKind();
  Add(kind, fmt::format("copy({})", Any(kind)));
}

void ProgramWriter::ElementwiseFusion() {
  std::string name = NewName("fused"), type = Type(Kind::kArray);
  std::string other = OneIn(2) ? "negate(b)" : "reverse(b), dimensions={0}";
  computations_ += fmt::format(
      "{0} {{\n  a = {1} parameter(0)\n  b = {1} parameter(1)\n  c = {1} {2}\n  ROOT d = {1} add(a, c)\n}}\n", name,
      type, other);
  Add(Kind::kArray, fmt::format("fusion({}, {}), kind=kLoop, calls={}", Any(Kind::kArray), Any(Kind::kArray), name));
}

// An update by a row of another array and a row of its own, the one that is replaced or another.
void ProgramWriter::UpdateFusion() {
  std::string name = NewName("fused"), type = Type(Kind::kArray), row = Type(Kind::kRow);
  int start = Below(4), read = OneIn(2) ? start : Below(4), other = Below(4);
  auto slice = [&](const char* of, int from) {
    return fmt::format("{} slice({}), slice={{[{}:{}], [0:{}]}}", row, of, from, from + 1, columns_);
  };
  computations_ += fmt::format(
      "{0} {{\n  a = {1} parameter(0)\n  b = {1} parameter(1)\n  s = {2}\n  r = {3}\n  c = {4} subtract(s, r)\n"
      "  i = s32[] constant({5})\n  z = s32[] constant(0)\n  ROOT d = {1} dynamic-update-slice(a, c, i, z)\n}}\n",
      name, type, slice("a", read), slice("b", other), row, start);
  Add(Kind::kArray, fmt::format("fusion({}, {}), kind=kLoop, calls={}", Any(Kind::kArray), Any(Kind::kArray), name));
}

}  // namespace stead::trials
