#include "frontend/hlo_text/parser.h"

#include <fmt/format.h>

#include "frontend/hlo_text/cursor.h"
#include "frontend/hlo_text/header_parser.h"
#include "frontend/hlo_text/instruction_parser.h"
#include "frontend/hlo_text/shape_parser.h"

namespace stead::frontend {
namespace {

using ir::ComputationId;

// "(a: f32[2], b: (s32[], f32[])) -> f32[2]" before the body, in old texts; it repeats what the parameters say.
Status SkipSignature(Cursor& cursor) {
  if (!cursor.TryConsume("(")) return {};
  bool first = true;
  while (!cursor.TryConsume(")")) {
    if (!first) TRY_STATUS(cursor.Expect(",", "or `)` between parameters"));
    first = false;
    TRY_STATUS(cursor.ReadName("the name of a parameter"));
    TRY_STATUS(cursor.Expect(":", "after the name of a parameter"));
    TRY_STATUS(ReadShape(cursor));
  }
  TRY_STATUS(cursor.Expect("->", "after the parameters"));
  TRY_STATUS(ReadShape(cursor));
  return {};
}

Status ReadExecutionThread(Cursor& cursor, ir::Module& module, ComputationId computation) {
  Cursor ahead = cursor;
  if (!ahead.TryConsume(",") || !ahead.TryConsumeWord("execution_thread")) return {};
  TRY_STATUS(ahead.Expect("=", "after `execution_thread`"));
  Result<std::string> thread = ahead.ReadString("the name of a thread");
  if (!thread.ok()) return thread.error();
  if (*thread != "main") module.SetExecutionThread(computation, *thread);
  cursor = ahead;
  return {};
}

Status ReadComputation(Cursor& cursor, ir::Module& module, Names& names) {
  size_t start = cursor.NextOffset();
  bool is_entry = cursor.TryConsumeWord("ENTRY");
  TRY(std::string_view name, cursor.ReadName("a computation"));
  if (names.computations.contains(name)) {
    return cursor.ErrorAt(start, fmt::format("the computation `{}` is defined twice", name));
  }
  if (is_entry && module.entry.valid()) return cursor.ErrorAt(start, "the module has two computations marked ENTRY");
  ComputationId computation = module.AddComputation(std::string(name));
  if (is_entry) module.entry = computation;
  TRY_STATUS(SkipSignature(cursor));
  TRY_STATUS(ReadBody(cursor, module, computation, names));
  TRY_STATUS(ReadExecutionThread(cursor, module, computation));
  // Known only from here on, so that no computation calls itself.
  names.computations.emplace(name, computation);
  return {};
}

}  // namespace

bool LooksLikeHloText(std::string_view text) {
  SourceText source(text, "");
  return text.find("HloModule") != std::string_view::npos || BeginsComputation(Cursor(source));
}

Result<ir::Module> ParseHloText(std::string_view text, const std::string& file_name) {
  SourceText source(text, file_name);
  Cursor cursor(source);
  ir::Module module;
  TRY_STATUS(ReadHeader(cursor, module));
  Names names;
  while (!cursor.AtEnd()) TRY_STATUS(ReadComputation(cursor, module, names));
  if (module.computation_count() == 0) return cursor.Error("the module has no computation");
  // Without an ENTRY mark the last computation is the entry, as in XLA.
  if (!module.entry.valid()) module.entry = ComputationId(module.computation_count() - 1);
  if (module.name.empty()) module.name = "module_" + module.entry_computation().name;
  return module;
}

}  // namespace stead::frontend
