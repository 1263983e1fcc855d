#include "frontend/stablehlo/ops/op_importers.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace stead::frontend {

namespace {

constexpr OpRow kRows[] = {
#define IMPORT_OP(name, importer, opcode, operands, results, regions) \
  {name, importer, ir::Opcode::opcode, operands, results, regions},
#include "frontend/stablehlo/ops/import_ops.def"
#undef IMPORT_OP
};

// "abs" of "vhlo.abs_v1" and of "stablehlo.abs", "call" of "func.call"; names of other dialects stay whole.
std::string_view UnversionedName(std::string_view full_name) {
  for (std::string_view dialect : {"stablehlo.", "func."}) {
    if (full_name.starts_with(dialect)) return full_name.substr(dialect.size());
  }
  constexpr std::string_view kDialect = "vhlo.";
  if (!full_name.starts_with(kDialect)) return full_name;
  std::string_view name = full_name.substr(kDialect.size());
  size_t mark = name.rfind("_v");
  bool has_version =
      mark != std::string_view::npos &&
      std::ranges::all_of(name.substr(mark + 2), [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return has_version ? name.substr(0, mark) : name;
}

}  // namespace

const OpRow* FindOpRow(std::string_view full_name) {
  static const std::unordered_map<std::string_view, const OpRow*> rows = [] {
    std::unordered_map<std::string_view, const OpRow*> by_name;
    for (const OpRow& row : kRows) by_name.emplace(row.name, &row);
    return by_name;
  }();
  auto found = rows.find(UnversionedName(full_name));
  return found == rows.end() ? nullptr : found->second;
}

}  // namespace stead::frontend
