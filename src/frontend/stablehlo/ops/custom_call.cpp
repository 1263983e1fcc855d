// Calls of foreign functions. What they declare is kept: target, configuration, aliases, effects, and the layouts they want.
// All arrays here lie row major; where a call wants another order, a copy before or after it changes the order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "frontend/stablehlo/attribute_text.h"
#include "frontend/stablehlo/literals.h"
#include "frontend/stablehlo/names.h"
#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

namespace {

// Targets that only tell a partitioner or a memory planner something.
constexpr std::array<std::string_view, 4> kIdentities = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                                         "annotate_device_placement"};

constexpr std::array<std::string_view, 5> kVersions = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                                       "API_VERSION_STATUS_RETURNING",
                                                       "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};

Result<std::vector<ir::OutputOperandAlias>> ImportAliases(const OpImport& op, const mlir::AttributePool& pool) {
  std::vector<ir::OutputOperandAlias> aliases;
  TRY(std::optional<mlir::ArrayAttribute> list, op.Find<mlir::ArrayAttribute>("output_operand_aliases"));
  if (!list) return aliases;
  for (mlir::AttributeId id : list->items) {
    TRY(mlir::OutputOperandAliasAttribute alias, pool.Get<mlir::OutputOperandAliasAttribute>(id));
    if (alias.operand_index < 0 || alias.operand_index >= static_cast<int64_t>(op.operands().size())) {
      return op.Bad("declares an alias with an operand that it does not have [custom_call C2]");
    }
    aliases.push_back({alias.output_tuple_indices, alias.operand_index, alias.operand_tuple_indices});
  }
  return aliases;
}

// The configuration: a string, or a dictionary of a typed FFI call, which only that version has.
Status AddConfiguration(OpImport& op, std::vector<ir::ExtraAttribute>& extra) {
  const mlir::ParsedModule& source = op.importer().source();
  TRY(std::optional<mlir::AttributeId> typed, source.FindAttribute(op.operation(), "mhlo.backend_config"));
  if (typed) {
    TRY(std::string text, AttributeText(source.pool, *typed));
    extra.push_back({"api_version", std::string(kVersions.back())});
    extra.push_back({"backend_config", std::move(text)});
    return {};
  }
  constexpr uint64_t kOriginal = 1;
  TRY(std::optional<mlir::EnumAttribute> version, op.Find<mlir::EnumAttribute>("api_version"));
  if (version && version->value >= kVersions.size()) return op.Bad("has an unknown `api_version`");
  if (version && version->value > kOriginal) {
    extra.push_back({"api_version", std::string(kVersions[version->value])});
  }
  TRY(std::string config, op.Text("backend_config"));
  if (!config.empty()) extra.push_back({"backend_config", Quoted(config)});
  return {};
}

// The shapes with the layouts in the list `attribute`: per value the order of its dimensions, that which varies fastest
// first. No list means row major.
Result<std::vector<ir::Shape>> WithLayouts(const OpImport& op, std::string_view attribute,
                                           std::vector<ir::Shape> shapes, const mlir::AttributePool& pool) {
  TRY(std::optional<mlir::ArrayAttribute> layouts, op.Find<mlir::ArrayAttribute>(attribute));
  if (!layouts || layouts->items.empty()) return shapes;
  if (layouts->items.size() != shapes.size())
    return op.Bad(fmt::format("has not one layout per value in `{}`", attribute));
  for (size_t value = 0; value < shapes.size(); ++value) {
    TRY(mlir::TensorAttribute layout, pool.Get<mlir::TensorAttribute>(layouts->items[value]));
    TRY(std::vector<int64_t> order, ImportIntegers(pool, layout));
    std::vector<int64_t> sorted = order, every_dimension(shapes[value].dimensions.size());
    std::ranges::sort(sorted);
    std::iota(every_dimension.begin(), every_dimension.end(), 0);
    if (sorted != every_dimension) return op.Bad(fmt::format("has a layout in `{}` that is no order", attribute));
    if (!shapes[value].is_array()) continue;
    shapes[value].layout.minor_to_major = std::move(order);
    if (shapes[value].is_row_major()) shapes[value].layout = {};  // dimensions of size 1 may stand anywhere
  }
  return shapes;
}

// `id` with its elements in the order of `wanted`.
ir::InstrId InOrderOf(OpImport& op, ir::InstrId id, const ir::Shape& wanted) {
  bool is_same = !wanted.is_array() || op.shape(id).is_row_major() == wanted.is_row_major();
  if (is_same) return id;
  return op.Emit(ir::Opcode::kCopy, wanted, {id}, ir::CopyAttributes{ir::CopyReason::kLayout});
}

std::string LayoutConstraints(const std::vector<ir::Shape>& shapes) {
  std::string text;
  for (const ir::Shape& shape : shapes) text += fmt::format("{}{}", text.empty() ? "" : ", ", shape.ToString());
  return fmt::format("{{{}}}", text);
}

// A layout that a value should have inside the program says nothing about its elements.
Status ImportLayoutConstraint(OpImport& op, std::vector<ir::Shape> shapes) {
  if (op.operands().size() != 1 || shapes.size() != 1) return op.Bad("constrains not just one value");
  return op.SetResult(0, op.Emit(ir::Opcode::kCopy, std::move(shapes[0]), {op.operand(0)},
                                 ir::CopyAttributes{ir::CopyReason::kLayout}));
}

Result<std::vector<ir::ComputationId>> ImportCalled(OpImport& op) {
  std::vector<ir::ComputationId> called;
  TRY(std::optional<mlir::ArrayAttribute> names, op.Find<mlir::ArrayAttribute>("called_computations"));
  if (!names) return called;
  if (names->items.size() > 1) return op.Unsupported("with several called computations");
  for (mlir::AttributeId id : names->items) {
    TRY(mlir::StringAttribute name, op.importer().source().pool.Get<mlir::StringAttribute>(id));
    TRY(ir::ComputationId computation, op.importer().FunctionNamed(name.text));
    called.push_back(computation);
  }
  return called;
}

// The call's value with the layouts of `shapes`, brought to row major.
Status SetRowMajorResults(OpImport& op, ir::InstrId call, const std::vector<ir::Shape>& shapes) {
  if (shapes.size() == 1) return op.SetResult(0, InOrderOf(op, call, op.result_shape()));
  for (size_t result = 0; result < shapes.size(); ++result) {
    ir::InstrId element = op.EmitTupleElement(call, result);
    TRY_STATUS(op.SetResult(result, InOrderOf(op, element, op.result_shapes()[result])));
  }
  return {};
}

// The dimension that is reduced, from the configuration of an `ApproxTopK`.
Result<int64_t> ReductionDimension(const OpImport& op, const mlir::ParsedModule& source) {
  TRY(std::optional<mlir::AttributeId> config, source.FindAttribute(op.operation(), "mhlo.backend_config"));
  if (!config) return op.Bad("has no configuration");
  TRY(mlir::DictionaryAttribute members, source.pool.Get<mlir::DictionaryAttribute>(*config));
  for (const mlir::DictionaryAttribute::Entry& entry : members.entries) {
    if (entry.name != "reduction_dim") continue;
    TRY(mlir::IntegerAttribute dimension, source.pool.Get<mlir::IntegerAttribute>(entry.value));
    return dimension.value;
  }
  return op.Bad("has no `reduction_dim`");
}

// `largest` of a comparator that is one comparison of the first array's elements, in rows that carry their places along; none where
// that is not so. Which of equal zeros is first, and where NaN stands, is up to whoever approximates.
std::optional<bool> WantsLargest(OpImport& op, ir::ComputationId comparator, int64_t dimension) {
  const ir::Module& module = op.importer().module();
  const std::vector<ir::InstrId>& parameters = module.computation(comparator).parameters;
  const ir::Instruction& root = module.instruction(module.root(comparator));
  if (op.operands().size() != 4 || root.opcode != ir::Opcode::kCompare) return std::nullopt;
  const ir::Instruction& places = module.instruction(op.operands()[1]);
  const bool counts = places.opcode == ir::Opcode::kIota && places.shape.element_type == ir::ElementType::kS32 &&
                      places.shape.rank() == dimension + 1 &&
                      places.As<ir::DimensionsAttributes>().dimensions == ir::Dimensions{dimension};
  const auto direction = root.As<ir::CompareAttributes>().direction;
  const bool is_largest = direction == ir::CompareAttributes::Direction::kGt;
  const bool is_strict = is_largest || direction == ir::CompareAttributes::Direction::kLt;
  const bool compares = root.operands == std::vector{parameters[0], parameters[1]};
  return counts && compares && is_strict ? std::optional(is_largest) : std::nullopt;
}

Status ImportTopK(OpImport& op, bool is_largest) {
  const int64_t count = op.result_shapes()[0].dimensions.back();
  return op.Finish(ir::Opcode::kTopK, {op.operand(0)}, {}, {},
                   {{"k", fmt::format("{}", count)}, {"largest", is_largest ? "true" : "false"}});
}

// The first elements in the order of the comparator, exactly: selected, or sorted and cut off where the results end.
//   Operands: arrays, then one initial value for each, which approximations fill up with.
Status ImportApproxTopK(OpImport& op) {
  const size_t count = op.operands().size() / 2;
  TRY(const int64_t dimension, ReductionDimension(op, op.importer().source()));
  TRY(std::vector<ir::ComputationId> comparator, ImportCalled(op));
  if (count == 0 || op.result_shapes().size() != count || comparator.size() != 1)
    return op.Bad("has not one result per array and one comparator");
  const std::vector<ir::InstrId> arrays(op.operands().begin(), op.operands().begin() + static_cast<ptrdiff_t>(count));
  std::vector<ir::Shape> shapes;
  for (size_t number = 0; number < count; ++number) {
    const ir::Shape& shape = op.shape(arrays[number]);
    const ir::Shape& result = op.result_shapes()[number];
    if (dimension < 0 || dimension >= shape.rank() || result.rank() != shape.rank() ||
        result.dimensions[static_cast<size_t>(dimension)] > shape.dimensions[static_cast<size_t>(dimension)]) {
      return op.Bad("has a result that is no part of its operand");
    }
    shapes.push_back(shape);
  }
  if (const std::optional<bool> is_largest = WantsLargest(op, comparator[0], dimension))
    return ImportTopK(op, *is_largest);
  ir::Shape shape = count == 1 ? shapes[0] : ir::Shape::Tuple(shapes);
  TRY(ir::InstrId sorted, op.EmitOperation(ir::Opcode::kSort, std::move(shape), arrays,
                                           ir::SortAttributes{dimension, true}, std::move(comparator), {}));
  for (size_t number = 0; number < count; ++number) {
    const ir::Shape& result = op.result_shapes()[number];
    ir::InstrId whole = count == 1 ? sorted : op.EmitTupleElement(sorted, number);
    ir::SliceAttributes first{ir::Dimensions(result.dimensions.size(), 0), result.dimensions,
                              ir::Dimensions(result.dimensions.size(), 1)};
    TRY_STATUS(op.SetResult(number, op.Emit(ir::Opcode::kSlice, result, {whole}, std::move(first))));
  }
  return {};
}

}  // namespace

Status ImportCustomCall(OpImport& op) {
  const mlir::AttributePool& pool = op.importer().source().pool;
  ir::CustomCallAttributes attributes;
  TRY(attributes.target, op.Text("call_target_name"));
  bool is_identity = std::ranges::find(kIdentities, attributes.target) != kIdentities.end();
  if (is_identity && op.operands().size() == op.result_shapes().size()) return ImportIdentity(op);
  if (attributes.target == "ApproxTopK") return ImportApproxTopK(op);
  // Programs that were HLO once name the ops that StableHLO does not have in this way.
  if (attributes.target == "mhlo.erf") return op.Finish(ir::Opcode::kErf, op.operands());
  TRY(attributes.has_side_effect, op.Bool("has_side_effect"));
  TRY(attributes.aliases, ImportAliases(op, pool));

  std::vector<ir::Shape> operand_shapes;
  for (ir::InstrId id : op.operands()) operand_shapes.push_back(op.shape(id));
  TRY(operand_shapes, WithLayouts(op, "operand_layouts", std::move(operand_shapes), pool));
  TRY(std::vector<ir::Shape> result_shapes, WithLayouts(op, "result_layouts", op.result_shapes(), pool));
  if (attributes.target == "LayoutConstraint") return ImportLayoutConstraint(op, std::move(result_shapes));
  std::vector<ir::InstrId> operands;
  for (size_t operand = 0; operand < operand_shapes.size(); ++operand) {
    operands.push_back(InOrderOf(op, op.operand(operand), operand_shapes[operand]));
  }

  std::vector<ir::ExtraAttribute> extra;
  TRY(std::optional<mlir::ArrayAttribute> layouts, op.Find<mlir::ArrayAttribute>("operand_layouts"));
  if (layouts && !layouts->items.empty()) {
    extra.push_back({"operand_layout_constraints", LayoutConstraints(operand_shapes)});
  }
  TRY_STATUS(AddConfiguration(op, extra));
  TRY(std::vector<ir::ComputationId> called, ImportCalled(op));
  ir::Shape shape = result_shapes.size() == 1 ? result_shapes[0] : ir::Shape::Tuple(result_shapes);
  TRY(ir::InstrId call, op.EmitOperation(op.opcode(), std::move(shape), std::move(operands), std::move(attributes),
                                         std::move(called), std::move(extra)));
  return SetRowMajorResults(op, call, result_shapes);
}

}  // namespace stead::frontend
