#include "frontend/stablehlo/border.h"

#include "frontend/mlir_bytecode/reader.h"
#include "frontend/stablehlo/sharding.h"

namespace stead::frontend {

namespace {

// The values at one side of the border, their attributes (one dictionary each, or none at all) and what they mean.
class BorderSide {
 public:
  BorderSide(const mlir::BytecodeModule& source, const ShardingReader& shardings, int64_t device_count)
      : source_(source), shardings_(shardings), device_count_(device_count) {}

  Result<std::vector<ir::Tiling>> Tilings(const std::vector<mlir::TypeId>& types, const mlir::Operation& main,
                                          std::string_view attributes_name) const {
    TRY(std::optional<mlir::ArrayAttribute> attributes, source_.Find<mlir::ArrayAttribute>(main, attributes_name));
    std::vector<ir::Tiling> tilings;
    for (size_t value = 0; value < types.size(); ++value) {
      TRY(mlir::Type type, source_.pool.type(types[value]));
      if (type.kind != mlir::TypeKind::kTensor) continue;
      const int64_t rank = static_cast<int64_t>(type.dimensions.size());
      ir::Tiling tiling = WholeArray(rank, device_count_);
      if (attributes && value < attributes->items.size()) {
        TRY(tiling, TilingSaidBy(attributes->items[value], rank));
      }
      tilings.push_back(std::move(tiling));
    }
    return tilings;
  }

 private:
  Result<ir::Tiling> TilingSaidBy(mlir::AttributeId dictionary_id, int64_t rank) const {
    TRY(mlir::DictionaryAttribute dictionary, source_.pool.Get<mlir::DictionaryAttribute>(dictionary_id));
    for (const mlir::DictionaryAttribute::Entry& entry : dictionary.entries) {
      if (entry.name != "sdy.sharding") continue;
      TRY(ArraySharding sharding, shardings_.Read(entry.value));
      return TilingOf(sharding, rank, device_count_);
    }
    return WholeArray(rank, device_count_);
  }

  const mlir::BytecodeModule& source_;
  const ShardingReader& shardings_;
  const int64_t device_count_;
};

// The operations directly in the module.
std::vector<const mlir::Operation*> TopOperations(const mlir::BytecodeModule& source) {
  std::vector<const mlir::Operation*> operations;
  for (const mlir::Region& region : source.root.regions) {
    for (const mlir::Block& block : region.blocks) {
      for (const mlir::Operation& op : block.operations) operations.push_back(&op);
    }
  }
  return operations;
}

Result<std::vector<mlir::TypeId>> TypesReturned(const mlir::BytecodeModule& source, const mlir::Operation& main) {
  TRY(std::optional<mlir::TypeAttribute> attribute, source.Find<mlir::TypeAttribute>(main, "function_type"));
  if (!attribute) return InvalidArgument("`main` has no type");
  TRY(mlir::Type type, source.pool.type(attribute->type));
  return std::vector<mlir::TypeId>(type.parts.begin() + static_cast<int64_t>(type.input_count), type.parts.end());
}

}  // namespace

Result<ir::BorderTilings> ReadBorderTilings(std::span<const std::byte> bytes, int64_t device_count) {
  TRY(const mlir::BytecodeModule source, mlir::ReadBytecode(bytes));
  ShardingReader shardings(source);
  const mlir::Operation* main = nullptr;
  for (const mlir::Operation* op : TopOperations(source)) {
    if (source.name_of(*op) == "sdy.mesh") TRY_STATUS(shardings.AddMesh(*op));
    if (source.name_of(*op) != "vhlo.func_v1") continue;
    TRY(std::optional<mlir::StringAttribute> name, source.Find<mlir::StringAttribute>(*op, "sym_name"));
    if (name && name->text == "main") main = op;
  }
  if (main == nullptr || main->regions.size() != 1 || main->regions[0].blocks.size() != 1) {
    return InvalidArgument("the module has no function `main` of one block");
  }
  std::vector<mlir::TypeId> arguments;
  for (mlir::ValueId id : main->regions[0].blocks[0].arguments) arguments.push_back(source.value_types[id]);
  TRY(std::vector<mlir::TypeId> results, TypesReturned(source, *main));
  const BorderSide side(source, shardings, device_count);
  ir::BorderTilings border;
  TRY(border.parameters, side.Tilings(arguments, *main, "arg_attrs"));
  TRY(border.results, side.Tilings(results, *main, "res_attrs"));
  return border;
}

}  // namespace stead::frontend
