#include "frontend/mlir_bytecode/op_table.h"

#include <algorithm>
#include <unordered_map>

namespace stead::frontend::mlir {

namespace {

OpProperties SplitNames(std::string_view names, bool are_optional) {
  OpProperties properties{.are_optional = are_optional};
  while (!names.empty()) {
    size_t space = std::min(names.find(' '), names.size());
    properties.names.push_back(names.substr(0, space));
    names.remove_prefix(std::min(space + 1, names.size()));
  }
  return properties;
}

std::unordered_map<std::string_view, OpProperties> MakeTable() {
  std::unordered_map<std::string_view, OpProperties> table;
#define VHLO_OP(name, attributes) table.emplace("vhlo." #name, SplitNames(attributes, false));
#include "frontend/mlir_bytecode/vhlo_ops.def"
#undef VHLO_OP
  table.emplace("sdy.mesh", SplitNames("mesh sym_name", false));
  table.emplace("sdy.manual_computation", SplitNames("in_shardings manual_axes out_shardings", false));
  table.emplace("sdy.reshard", SplitNames("sharding", false));
  table.emplace("sdy.sharding_constraint", SplitNames("sharding", false));
  table.emplace("sdy.sharding_group", SplitNames("group_id", false));
  table.emplace("builtin.module", SplitNames("sym_name sym_visibility", true));
  return table;
}

}  // namespace

const OpProperties* FindOpProperties(std::string_view op_name) {
  static const std::unordered_map<std::string_view, OpProperties> table = MakeTable();
  auto found = table.find(op_name);
  return found == table.end() ? nullptr : &found->second;
}

std::optional<size_t> PropertyPosition(const OpProperties& properties, std::string_view name) {
  auto found = std::ranges::find(properties.names, name);
  if (found == properties.names.end()) return std::nullopt;
  return static_cast<size_t>(found - properties.names.begin());
}

}  // namespace stead::frontend::mlir
