#include "frontend/stablehlo/devices/border.h"

#include <algorithm>
#include <optional>

#include "frontend/mlir_bytecode/reader.h"
#include "frontend/stablehlo/devices/hlo_sharding.h"
#include "frontend/stablehlo/devices/propagation.h"
#include "frontend/stablehlo/devices/sharding.h"

namespace stead::frontend {

namespace {

// What is said of a value: by Shardy, or in XLA's own words.
struct Said {
  std::optional<ArraySharding> sharding;
  std::optional<std::string_view> text;
};

// What the attributes of the arguments or results of `main` say (one dictionary each, or none at all).
Result<std::vector<Said>> WhatIsSaid(const mlir::ParsedModule& source, const ShardingReader& reader,
                                     const mlir::Operation& main, std::string_view attributes_name, size_t count) {
  TRY(std::optional<mlir::ArrayAttribute> attributes, source.Find<mlir::ArrayAttribute>(main, attributes_name));
  std::vector<Said> said(count);
  for (size_t value = 0; attributes && value < std::min(count, attributes->items.size()); ++value) {
    TRY(mlir::DictionaryAttribute dictionary, source.pool.Get<mlir::DictionaryAttribute>(attributes->items[value]));
    for (const mlir::DictionaryAttribute::Entry& entry : dictionary.entries) {
      if (entry.name == "sdy.sharding") {
        TRY(said[value].sharding, reader.Read(entry.value));
      } else if (entry.name == "mhlo.sharding") {
        TRY(mlir::StringAttribute text, source.pool.Get<mlir::StringAttribute>(entry.value));
        said[value].text = text.text;
      }
    }
  }
  return said;
}

Result<ir::Tiling> TilingSaid(const Said& said, int64_t rank, int64_t device_count) {
  if (said.sharding) return TilingOf(*said.sharding, rank, device_count);
  if (said.text) return ParseHloSharding(*said.text, rank, device_count);
  return WholeArray(rank, device_count);
}

// The array values among them, as tiles.
Result<std::vector<ir::Tiling>> TilingsOf(const mlir::ParsedModule& source, const std::vector<mlir::ValueId>& values,
                                          const std::vector<Said>& said, int64_t device_count) {
  std::vector<ir::Tiling> tilings;
  for (size_t value = 0; value < values.size(); ++value) {
    TRY(mlir::Type type, source.pool.type(source.value_types[values[value]]));
    // A token becomes an array of no elements (entry_tokens.h), which every device holds, whatever is said of it.
    if (type.kind == mlir::TypeKind::kToken) tilings.push_back(WholeArray(1, device_count));
    if (type.kind != mlir::TypeKind::kTensor) continue;
    TRY(ir::Tiling tiling, TilingSaid(said[value], static_cast<int64_t>(type.dimensions.size()), device_count));
    tilings.push_back(std::move(tiling));
  }
  return tilings;
}

// Results of which nothing is said lie as what they are made from. Only meshes of all devices can say so.
void FillInResults(const mlir::ParsedModule& source, const ShardingReader& reader, const mlir::Block& body,
                   const std::vector<mlir::ValueId>& results, const std::vector<Said>& arguments, int64_t device_count,
                   std::vector<Said>& said) {
  ShardingPropagation propagation(source, reader);
  for (size_t argument = 0; argument < arguments.size(); ++argument) {
    const std::optional<ArraySharding>& sharding = arguments[argument].sharding;
    if (sharding) propagation.Set(body.arguments[argument], ArraySharding(*sharding));
  }
  propagation.Run(body);
  for (size_t result = 0; result < results.size(); ++result) {
    const ArraySharding* found = propagation.Find(results[result]);
    const bool is_open = !said[result].sharding && !said[result].text;
    if (is_open && found != nullptr && found->mesh.device_count() == device_count) said[result].sharding = *found;
  }
}

// The operations directly in the module.
std::vector<const mlir::Operation*> TopOperations(const mlir::ParsedModule& source) {
  std::vector<const mlir::Operation*> operations;
  for (const mlir::Region& region : source.root.regions) {
    for (const mlir::Block& block : region.blocks) {
      for (const mlir::Operation& op : block.operations) operations.push_back(&op);
    }
  }
  return operations;
}

}  // namespace

Result<ir::BorderTilings> ReadBorderTilings(std::span<const std::byte> bytes, int64_t device_count) {
  TRY(const mlir::ParsedModule source, mlir::ReadBytecode(bytes));
  ShardingReader shardings(source);
  const mlir::Operation* main = nullptr;
  for (const mlir::Operation* op : TopOperations(source)) {
    if (source.name_of(*op) == "sdy.mesh") TRY_STATUS(shardings.AddMesh(*op));
    if (source.name_of(*op) != "vhlo.func_v1") continue;
    TRY(std::optional<mlir::StringAttribute> name, source.Find<mlir::StringAttribute>(*op, "sym_name"));
    if (name && name->text == "main") main = op;
  }
  if (main == nullptr || main->regions.size() != 1 || main->regions[0].blocks.size() != 1 ||
      main->regions[0].blocks[0].operations.empty()) {
    return InvalidArgument("the module has no function `main` of one block");
  }
  const mlir::Block& body = main->regions[0].blocks[0];
  const std::vector<mlir::ValueId>& results = body.operations.back().operands;
  TRY(const std::vector<Said> arguments, WhatIsSaid(source, shardings, *main, "arg_attrs", body.arguments.size()));
  TRY(std::vector<Said> said, WhatIsSaid(source, shardings, *main, "res_attrs", results.size()));
  FillInResults(source, shardings, body, results, arguments, device_count, said);
  ir::BorderTilings border;
  TRY(border.parameters, TilingsOf(source, body.arguments, arguments, device_count));
  TRY(border.results, TilingsOf(source, results, said, device_count));
  return border;
}

}  // namespace stead::frontend
