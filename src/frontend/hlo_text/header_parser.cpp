#include "frontend/hlo_text/header_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "frontend/hlo_text/attribute_parser.h"
#include "frontend/hlo_text/shape_parser.h"

namespace stead::frontend {
namespace {

// "{0}: (1, {}, may-alias)"; index and kind may be missing, and in old texts the parentheses.
Result<ir::InputOutputAlias> ReadInputOutputAlias(Cursor& cursor) {
  ir::InputOutputAlias alias;
  TRY(alias.output_index, ReadShapeIndex(cursor));
  TRY_STATUS(cursor.Expect(":", "after an output index"));
  if (!cursor.TryConsume("(")) {
    TRY(alias.parameter, cursor.ReadInteger("a parameter number"));
    return alias;
  }
  TRY(alias.parameter, cursor.ReadInteger("a parameter number"));
  if (cursor.TryConsume(",")) {
    TRY(alias.parameter_index, ReadShapeIndex(cursor));
  }
  if (cursor.TryConsume(",")) {
    alias.must = cursor.TryConsumeWord("must-alias");
    if (!alias.must && !cursor.TryConsumeWord("may-alias")) return cursor.Unexpected("`may-alias` or `must-alias`");
  }
  TRY_STATUS(cursor.Expect(")", "after an alias"));
  return alias;
}

Status ReadAliases(Cursor& cursor, ir::Module& module) {
  TRY_STATUS(cursor.Expect("{", "before a list of aliases"));
  while (!cursor.TryConsume("}")) {
    if (!module.input_output_aliases.empty()) TRY_STATUS(cursor.Expect(",", "or `}` between aliases"));
    TRY(ir::InputOutputAlias alias, ReadInputOutputAlias(cursor));
    module.input_output_aliases.push_back(std::move(alias));
  }
  return {};
}

Status ReadDonors(Cursor& cursor, ir::Module& module) {
  TRY_STATUS(cursor.Expect("{", "before a list of donors"));
  while (!cursor.TryConsume("}")) {
    if (!module.buffer_donors.empty()) TRY_STATUS(cursor.Expect(",", "or `}` between donors"));
    ir::BufferDonor donor;
    TRY_STATUS(cursor.Expect("(", "before a donor"));
    TRY(donor.parameter, cursor.ReadInteger("a parameter number"));
    TRY_STATUS(cursor.Expect(",", "after a parameter number"));
    TRY(donor.parameter_index, ReadShapeIndex(cursor));
    TRY_STATUS(cursor.Expect(")", "after a donor"));
    module.buffer_donors.push_back(std::move(donor));
  }
  return {};
}

Status TakeHeaderAttributes(AttributeList& list, ir::Module& module) {
  if (std::optional<Cursor> cursor = list.Take("is_scheduled")) {
    module.is_scheduled = cursor->TryConsumeWord("true");
    if (!module.is_scheduled && !cursor->TryConsumeWord("false")) return cursor->Unexpected("`true` or `false`");
  }
  if (std::optional<Cursor> cursor = list.Take("input_output_alias")) TRY_STATUS(ReadAliases(*cursor, module));
  if (std::optional<Cursor> cursor = list.Take("buffer_donor")) TRY_STATUS(ReadDonors(*cursor, module));
  if (std::optional<Cursor> cursor = list.Take("entry_computation_layout")) {
    TRY_STATUS(cursor->Expect("{", "before the layout of the entry computation"));
    TRY(module.entry_layout, ReadProgramShape(*cursor));
    TRY_STATUS(cursor->Expect("}", "after the layout of the entry computation"));
  }
  module.extra = list.Rest();
  return {};
}

// Rows count from 1, without gaps.
Status ExpectRow(Cursor& cursor, size_t row) {
  TRY(int64_t number, cursor.ReadInteger("a row number"));
  if (number == static_cast<int64_t>(row)) return {};
  return cursor.Error(fmt::format("expected row {} of the table, found row {}", row, number));
}

bool SeesRow(Cursor& cursor) {
  char next = cursor.Peek();
  return next >= '0' && next <= '9';
}

Status ReadNameTable(Cursor& cursor, std::vector<std::string>& names) {
  while (SeesRow(cursor)) {
    TRY_STATUS(ExpectRow(cursor, names.size() + 1));
    TRY(std::string name, cursor.ReadString("a quoted name"));
    names.push_back(std::move(name));
  }
  return {};
}

// "{file_name_id=1 line=3}": hands every field to set(key, value), which ignores keys that it does not know.
template <typename Set>
Status ReadFields(Cursor& cursor, Set set) {
  TRY_STATUS(cursor.Expect("{", "before the fields of a row"));
  while (!cursor.TryConsume("}")) {
    cursor.TryConsume(",");
    TRY(std::string_view key, cursor.ReadWord("the name of a field"));
    TRY_STATUS(cursor.Expect("=", "after the name of a field"));
    TRY(int64_t value, cursor.ReadInteger("a number"));
    if (value < 0 || value > std::numeric_limits<int>::max()) {
      return cursor.Error(fmt::format("{} is out of range", value));
    }
    set(key, static_cast<int>(value));
  }
  return {};
}

Status ReadLocations(Cursor& cursor, std::vector<ir::StackFrames::Location>& locations) {
  while (SeesRow(cursor)) {
    TRY_STATUS(ExpectRow(cursor, locations.size() + 1));
    ir::StackFrames::Location location;
    TRY_STATUS(ReadFields(cursor, [&](std::string_view key, int value) {
      if (key == "file_name_id") location.file_name_id = value;
      if (key == "function_name_id") location.function_name_id = value;
      if (key == "line") location.line = value;
      if (key == "end_line") location.end_line = value;
      if (key == "column") location.column = value;
      if (key == "end_column") location.end_column = value;
    }));
    locations.push_back(location);
  }
  return {};
}

Status ReadFrames(Cursor& cursor, std::vector<ir::StackFrames::Frame>& frames) {
  while (SeesRow(cursor)) {
    TRY_STATUS(ExpectRow(cursor, frames.size() + 1));
    ir::StackFrames::Frame frame;
    TRY_STATUS(ReadFields(cursor, [&](std::string_view key, int value) {
      if (key == "file_location_id") frame.file_location_id = value;
      if (key == "parent_frame_id") frame.parent_frame_id = value;
    }));
    frames.push_back(frame);
  }
  return {};
}

// The tables have titles that could also name a computation; a computation's name is never followed by a number.
bool TryConsumeTitle(Cursor& cursor, std::string_view title) {
  Cursor ahead = cursor;
  if (!ahead.TryConsumeWord(title)) return false;
  char next = ahead.Peek();
  if (next == '{' || next == '(') return false;
  cursor = ahead;
  return true;
}

Status ReadTables(Cursor& cursor, ir::StackFrames& tables) {
  for (;;) {
    if (TryConsumeTitle(cursor, "FileNames")) {
      TRY_STATUS(ReadNameTable(cursor, tables.file_names));
    } else if (TryConsumeTitle(cursor, "FunctionNames")) {
      TRY_STATUS(ReadNameTable(cursor, tables.function_names));
    } else if (TryConsumeTitle(cursor, "FileLocations")) {
      TRY_STATUS(ReadLocations(cursor, tables.locations));
    } else if (TryConsumeTitle(cursor, "StackFrames")) {
      TRY_STATUS(ReadFrames(cursor, tables.frames));
    } else {
      return {};
    }
  }
}

}  // namespace

bool BeginsComputation(Cursor cursor) {
  if (cursor.TryConsumeWord("ENTRY")) return true;
  return cursor.ReadName("a computation").ok() && (cursor.Sees("{") || cursor.Sees("("));
}

Status ReadHeader(Cursor& cursor, ir::Module& module) {
  if (BeginsComputation(cursor)) {
    module.name.clear();
    return {};
  }
  if (!cursor.TryConsumeWord("HloModule")) return cursor.Unexpected("`HloModule`");
  TRY(std::string_view name, cursor.ReadName("the name of the module"));
  module.name = name;
  // As the oldest texts end it.
  cursor.TryConsume(":");
  TRY(AttributeList list, AttributeList::Read(cursor));
  TRY_STATUS(TakeHeaderAttributes(list, module));
  return ReadTables(cursor, module.stack_frames);
}

}  // namespace stead::frontend
