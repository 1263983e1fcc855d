// Statements about parts of arrays: strided, flat, at constant indices, in branches and in loops. Each update is followed by a read of
// some part of the array as it was before, often behind a barrier, so that plans depend on which parts meet.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trials/program_writer.h"

namespace stead::trials {

std::string ProgramWriter::EveryOtherRow(const std::string& array, int first) {
  return Inner(fmt::format("s32[2,{}]", columns_),
               fmt::format("slice({}), slice={{[{}:4:2], [0:{}]}}", array, first, columns_));
}

// Rows 0 and 2, or 1 and 3, or one of them and a row that is outside.
std::string ProgramWriter::ScatterEveryOtherRow(const std::string& array) {
  int first = Below(2), second = OneIn(4) ? 9 : first + 2;
  std::string at = Inner("s32[2,1]", fmt::format("constant({{{{{}}}, {{{}}}}})", first, second));
  std::string rows = EveryOtherRow(Any(Kind::kArray), Below(2));
  return Add(Kind::kArray,
             fmt::format("scatter({}, {}, {}), update_window_dims={{1}}, inserted_window_dims={{0}}, "
                         "scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, indices_are_sorted=true, "
                         "unique_indices=true, to_apply={}",
                         array, at, rows, OneIn(2) ? "plus" : "replace"));
}

// A piece of the flat array, which may begin in the middle of a row.
std::string ProgramWriter::UpdateFlat(const std::string& array) {
  std::string type = fmt::format("s32[{}]", 4 * columns_);
  std::string flat = Inner(type, fmt::format("reshape({})", array));
  std::string next = Inner(type, fmt::format("dynamic-update-slice({}, {}, {})", flat, Any(Kind::kVector),
                                             Integer(Below(3 * columns_ + 1))));
  return Add(Kind::kArray, fmt::format("reshape({})", next));
}

std::string ProgramWriter::UpdateKnownRow(const std::string& array, int row) {
  return Add(Kind::kArray,
             fmt::format("dynamic-update-slice({}, {}, {}, {})", array, Any(Kind::kRow), Integer(row), Integer(0)));
}

void ProgramWriter::ReadPart(const std::string& array) {
  switch (Below(6)) {
    case 0: {
      std::string rows = EveryOtherRow(array, Below(2));
      Add(Kind::kVector, fmt::format("reduce({}, {}), dimensions={{0}}, to_apply=plus", rows, Integer(0)));
      break;
    }
    case 1: {
      std::string flat = Inner(fmt::format("s32[{}]", 4 * columns_), fmt::format("reshape({})", array));
      int start = Below(3 * columns_ + 1);
      Add(Kind::kVector, fmt::format("slice({}), slice={{[{}:{}]}}", flat, start, start + columns_));
      break;
    }
    case 2: {
      std::string at = Inner("s32[2,1]", fmt::format("constant({{{{{}}}, {{{}}}}})", Below(4), Below(7) - 1));
      std::string rows =
          Inner(fmt::format("s32[2,{}]", columns_),
                fmt::format("gather({}, {}), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}}, "
                            "index_vector_dim=1, slice_sizes={{1,{}}}",
                            array, at, columns_));
      Add(Kind::kVector, fmt::format("reduce({}, {}), dimensions={{0}}, to_apply=largest", rows, Integer(0)));
      break;
    }
    case 3: {
      std::string turned =
          Inner(fmt::format("s32[{},4]", columns_), fmt::format("transpose({}), dimensions={{1,0}}", array));
      int row = Below(4);
      std::string column = Inner(fmt::format("s32[{},1]", columns_),
                                 fmt::format("slice({}), slice={{[0:{}], [{}:{}]}}", turned, columns_, row, row + 1));
      Add(Kind::kVector, fmt::format("reshape({})", column));
      break;
    }
    default: {
      int row = Below(4);
      Add(Kind::kRow, fmt::format("slice({}), slice={{[{}:{}], [0:{}]}}", array, row, row + 1, columns_));
    }
  }
}

void ProgramWriter::ReadBehind(const std::string& updated, const std::string& before) {
  if (OneIn(3)) return ReadPart(before);
  const Kinds kinds = {Kind::kArray, Kind::kArray};
  Names behind =
      TakeApart(kinds, Inner(TupleType(kinds), fmt::format("opt-barrier({})", Tuple(kinds, {updated, before}))));
  // Later statements go on with the updated array.
  std::swap(scope_.values[Kind::kArray].back(), *(scope_.values[Kind::kArray].end() - 2));
  ReadPart(behind[1]);
}

void ProgramWriter::UpdatePart() {
  std::string array = Any(Kind::kArray);
  switch (Below(3)) {
    case 0: return ReadBehind(ScatterEveryOtherRow(array), array);
    case 1: return ReadBehind(UpdateFlat(array), array);
    default: return ReadBehind(UpdateKnownRow(array, Below(4)), array);
  }
}

// Takes an array and a row; hands the array on, or with one or two rows changed, or something else.
std::string ProgramWriter::RowBranch() {
  std::string name = NewName("branch"), state = NewName("p");
  const Kinds operands = {Kind::kArray, Kind::kRow};
  Scope outer = Open();
  scope_.body = fmt::format("  {} = {} parameter(0)\n", state, TupleType(operands));
  std::string result = TakeApart(operands, state)[0];
  for (int updates = Below(3); updates > 0; --updates) result = UpdateKnownRow(result, Below(4));
  if (OneIn(6)) ReadPart(result);
  if (OneIn(6)) result = Add(Kind::kArray, fmt::format("negate({})", result));
  Root({Kind::kArray}, {result}, true);
  Close(std::move(outer), name);
  return name;
}

void ProgramWriter::BranchesUpdateRows() {
  std::string array = Any(Kind::kArray), first = RowBranch(), second = RowBranch();
  std::string given = Tuple({Kind::kArray, Kind::kRow}, {array, Any(Kind::kRow)});
  std::string updated =
      Add(Kind::kArray, fmt::format("conditional({}, {}, {}), true_computation={}, false_computation={}", Flag(), given,
                                    given, first, second));
  ReadBehind(updated, array);
}

// Writes a row per iteration, and may read the one before or behind it.
void ProgramWriter::LoopUpdatesRows() {
  const Kinds kinds = {Kind::kScalar, Kind::kArray, Kind::kRow};
  int first = Below(3), end = first + options_.least_trips + Below(4 - options_.least_trips);
  std::string condition = NewName("condition"), body = NewName("body"), state = NewName("p"), tested = NewName("p");
  computations_ += fmt::format(
      "{0} {{\n  {1} = {2} parameter(0)\n  {1}.i = s32[] get-tuple-element({1}), index=0\n  {1}.n = s32[] "
      "constant({3})\n"
      "  ROOT {1}.t = pred[] compare({1}.i, {1}.n), direction=LT\n}}\n",
      condition, tested, TupleType(kinds), end);
  std::string array = Any(Kind::kArray), row = Any(Kind::kRow), start = Integer(first);
  Scope outer = Open();
  scope_.body = fmt::format("  {} = {} parameter(0)\n", state, TupleType(kinds));
  Names given = TakeApart(kinds, state);
  std::string zero = Integer(0), one = Integer(1);
  std::string next = Inner("s32[]", fmt::format("add({}, {})", given[0], one));
  std::string beside = OneIn(2) ? next : Inner("s32[]", fmt::format("subtract({}, {})", given[0], one));
  std::string old = Inner(Type(Kind::kRow), fmt::format("dynamic-slice({}, {}, {}), dynamic_slice_sizes={{1,{}}}",
                                                        given[1], beside, zero, columns_));
  std::string sum = Inner(Type(Kind::kRow), fmt::format("add({}, {})", OneIn(2) ? old : given[2], given[2]));
  std::string updated =
      Inner(Type(Kind::kArray), fmt::format("dynamic-update-slice({}, {}, {}, {})", given[1], sum, given[0], zero));
  Root(kinds, {next, updated, OneIn(2) ? old : given[2]}, false);
  Close(std::move(outer), body);
  std::string loop = Inner(TupleType(kinds), fmt::format("while({}), condition={}, body={}",
                                                         Tuple(kinds, {start, array, row}), condition, body));
  ReadBehind(TakeApart(kinds, loop)[1], array);
}

}  // namespace stead::trials
