#include "frontend/mlir_text/chlo_expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "frontend/mlir_text/chlo_formulas.h"
#include "frontend/mlir_text/dense_elements.h"

namespace stead::frontend::mlir {

namespace {

bool ComputesInF32(ChloForm form) {
  return form == ChloForm::kWidened || form == ChloForm::kWidenedOnlyF32 || form == ChloForm::kCompositeWidened;
}

}  // namespace

// The element type of an array of floats.
std::optional<std::string_view> ChloExpansion::FloatOf(TypeId type_id) const {
  const Type type = module_.pool.type(type_id).value();
  if (type.kind != TypeKind::kTensor) return std::nullopt;
  const Type element = module_.pool.type(type.parts[0]).value();
  const bool is_plain =
      element.name == "f64" || element.name == "f32" || element.name == "f16" || element.name == "bf16";
  return is_plain ? std::optional(element.name) : std::nullopt;
}

Result<std::optional<std::vector<ValueId>>> ChloExpansion::Expand(std::string_view name, const Operation& op,
                                                                  const std::vector<TypeId>& result_types,
                                                                  Block& block) {
  using Expanded = std::optional<std::vector<ValueId>>;
  if (!name.starts_with("chlo.")) return Expanded();
  if (name == "chlo.top_k" && op.operands.size() == 1 && result_types.size() == 2) {
    const Type operand = module_.pool.type(module_.value_types[op.operands[0]]).value();
    if (operand.kind != TypeKind::kTensor || operand.dimensions.empty())
      return InvalidArgument("`chlo.top_k` takes an array of rank 1 or more");
    return Expanded(ExpandTopK(op, result_types, block));
  }
  const ChloFunction* function = FindChloFunction(name.substr(5));
  if (function == nullptr) return Expanded();
  if (op.operands.size() != function->operand_count || result_types.size() != 1)
    return InvalidArgument(fmt::format("`{}` takes {} operands and has one result", name, function->operand_count));
  const TypeId type = module_.value_types[op.operands[0]];
  const std::optional<std::string_view> element = FloatOf(type);
  const bool is_narrow = element && element->ends_with("f16");
  if (!element || (function->form == ChloForm::kWidenedOnlyF32 && *element == "f64")) return Expanded();
  auto apply = [&](const std::vector<ValueId>& operands, Block& target) {
    Formula outer(module_, names_, target, op.location_id, type);
    Formula wide(module_, names_, target, op.location_id, outer.TypeOf("f32"));
    const bool is_widened = is_narrow && ComputesInF32(function->form);
    Formula& formula = is_widened ? wide : outer;
    std::vector<Term> terms;
    for (ValueId operand : operands) {
      const Term term = formula.Of(operand);
      terms.push_back(is_widened ? formula.Convert(term, formula.type()) : term);
    }
    const Term result = function->formula(formula, terms);
    return is_widened ? formula.Convert(result, type).id : result.id;
  };
  if (function->form != ChloForm::kComposite && function->form != ChloForm::kCompositeWidened)
    return Expanded({apply(op.operands, block)});
  Decomposition decomposition = Begin(name, op);
  const ValueId result = apply(decomposition.block.arguments, decomposition.block);
  const std::string_view function_name = decomposition.name;
  End(std::move(decomposition), {result}, op.location_id);
  return Expanded(AddComposite(name, function_name, op, result_types, AttributeId(), block));
}

ChloExpansion::Decomposition ChloExpansion::Begin(std::string_view name, const Operation& op) {
  Decomposition decomposition;
  const std::string number = functions_.empty() ? "" : fmt::format("_{}", functions_.size());
  decomposition.name = module_.pool.Keep(fmt::format("{}.impl{}", name, number));
  for (ValueId operand : op.operands) {
    decomposition.block.arguments.push_back(module_.value_types.Add(module_.value_types[operand]));
    decomposition.block.argument_locations.push_back(op.location_id);
  }
  return decomposition;
}

void ChloExpansion::End(Decomposition decomposition, std::vector<ValueId> results, AttributeId location) {
  Operation returned;
  returned.name_id = names_.IdOf("func.return");
  returned.location_id = location;
  returned.operands = std::move(results);
  decomposition.block.operations.push_back(std::move(returned));
  Operation function;
  function.name_id = names_.IdOf("func.func");
  function.location_id = location;
  function.dictionary_id =
      module_.pool.Add(DictionaryAttribute{{{"sym_name", module_.pool.Add(StringAttribute{decomposition.name})}}});
  function.regions.emplace_back().blocks.push_back(std::move(decomposition.block));
  functions_.push_back(std::move(function));
}

std::vector<ValueId> ChloExpansion::AddComposite(std::string_view name, std::string_view function, const Operation& op,
                                                 const std::vector<TypeId>& result_types, AttributeId attributes,
                                                 Block& block) {
  DictionaryAttribute dictionary;
  if (attributes.valid()) dictionary.entries.push_back({"composite_attributes", attributes});
  dictionary.entries.push_back({"decomposition", module_.pool.Add(StringAttribute{function})});
  dictionary.entries.push_back({"name", module_.pool.Add(StringAttribute{name})});
  dictionary.entries.push_back({"version", module_.pool.Add(IntegerAttribute{TypeId(), 1})});
  Operation composite;
  composite.name_id = names_.IdOf("stablehlo.composite");
  composite.location_id = op.location_id;
  composite.dictionary_id = module_.pool.Add(std::move(dictionary));
  composite.operands = op.operands;
  for (TypeId type : result_types) composite.results.push_back(module_.value_types.Add(type));
  std::vector<ValueId> results = composite.results;
  block.operations.push_back(std::move(composite));
  return results;
}

// Rows sorted by the total order of floats, largest first, with the places of the elements; cut off after `k`.
std::vector<ValueId> ChloExpansion::ExpandTopK(const Operation& op, const std::vector<TypeId>& result_types,
                                               Block& block) {
  const Type whole = module_.pool.type(module_.value_types[op.operands[0]]).value();
  Decomposition decomposition = Begin("chlo.top_k", op);
  Formula formula(module_, names_, decomposition.block, op.location_id, module_.value_types[op.operands[0]]);
  const int64_t last = static_cast<int64_t>(whole.dimensions.size()) - 1;
  const AttributeId last_id = module_.pool.Add(IntegerAttribute{TypeId(), last});
  const Term places = formula.ApplyTo("iota", {}, formula.TypeOf("i32"), {{{"iota_dimension", last_id}}});
  const bool are_floats = FloatOf(module_.value_types[op.operands[0]]).has_value();
  Operation sort = SortOf({decomposition.block.arguments[0], places.id}, last, are_floats, op.location_id);
  const std::vector<ValueId> sorted = sort.results;
  decomposition.block.operations.push_back(std::move(sort));
  auto list = [&](const std::vector<int64_t>& values) {
    const Type element{.kind = TypeKind::kScalar, .name = "i64", .bit_width = 64};
    const TypeId type = module_.pool.Add(Type{.kind = TypeKind::kTensor,
                                              .dimensions = {static_cast<int64_t>(values.size())},
                                              .parts = {module_.pool.Add(element)}});
    return module_.pool.Add(
        TensorAttribute{type, std::as_bytes(std::span(module_.pool.Keep(PackIntegers(values, element))))});
  };
  std::vector<ValueId> results;
  for (size_t result = 0; result < result_types.size(); ++result) {
    const std::vector<int64_t> limits = module_.pool.type(result_types[result])->dimensions;
    const DictionaryAttribute bounds{{{"limit_indices", list(limits)},
                                      {"start_indices", list(std::vector<int64_t>(limits.size(), 0))},
                                      {"strides", list(std::vector<int64_t>(limits.size(), 1))}}};
    results.push_back(formula.ApplyTo("slice", {formula.Of(sorted[result])}, result_types[result], bounds).id);
  }
  const std::string_view function = decomposition.name;
  End(std::move(decomposition), std::move(results), op.location_id);
  return AddComposite("chlo.top_k", function, op, result_types, op.dictionary_id, block);
}

// Compares the first of the arrays' elements.
Operation ChloExpansion::SortOf(const std::vector<ValueId>& operands, int64_t dimension, bool are_floats,
                                AttributeId location) {
  Operation sort;
  sort.name_id = names_.IdOf("stablehlo.sort");
  sort.location_id = location;
  sort.dictionary_id =
      module_.pool.Add(DictionaryAttribute{{{"dimension", module_.pool.Add(IntegerAttribute{TypeId(), dimension})},
                                            {"is_stable", module_.pool.Add(IntegerAttribute{TypeId(), 1})}}});
  sort.operands = operands;
  Block& body = sort.regions.emplace_back().blocks.emplace_back();
  for (ValueId operand : operands) {
    const TypeId array_type = module_.value_types[operand];
    sort.results.push_back(module_.value_types.Add(array_type));
    const TypeId element = module_.pool.type(array_type)->parts.at(0);
    const TypeId scalar_type = module_.pool.Add(Type{.kind = TypeKind::kTensor, .parts = {element}});
    for (int side = 0; side < 2; ++side) {
      body.arguments.push_back(module_.value_types.Add(scalar_type));
      body.argument_locations.push_back(location);
    }
  }
  constexpr uint64_t kGreater = 3, kNoType = 0, kTotalOrder = 2;
  const AttributeId direction = module_.pool.Add(EnumAttribute{EnumKind::kComparisonDirection, kGreater});
  const AttributeId type =
      module_.pool.Add(EnumAttribute{EnumKind::kComparisonType, are_floats ? kTotalOrder : kNoType});
  Formula formula(module_, names_, body, location, module_.value_types[body.arguments[0]]);
  const Term is_greater =
      formula.ApplyTo("compare", {formula.Of(body.arguments[0]), formula.Of(body.arguments[1])}, formula.TypeOf("bool"),
                      {{{"compare_type", type}, {"comparison_direction", direction}}});
  Operation returned;
  returned.name_id = names_.IdOf("stablehlo.return");
  returned.location_id = location;
  returned.operands = {is_greater.id};
  body.operations.push_back(std::move(returned));
  return sort;
}

}  // namespace stead::frontend::mlir
