#include "frontend/mlir_text/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"
#include "frontend/mlir_bytecode/scalar_types.h"
#include "frontend/mlir_text/dense_elements.h"

namespace stead::frontend::mlir {

namespace {

// At VHLO's numbers.
constexpr std::array<std::string_view, 6> kDirections = {"EQ", "NE", "GE", "GT", "LE", "LT"};

Type ScalarNamed(std::string_view name) {
  const auto scalar = std::ranges::find(kScalarTypes, name, &ScalarType::name);
  STEAD_CHECK(scalar != kScalarTypes.end(), "a formula names an unknown type");
  return AsType(*scalar);
}

}  // namespace

OpNameId OpNameTable::IdOf(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const OpNameId id = module_.op_names.Add({std::string(name), nullptr});
  return ids_.emplace(module_.pool.Keep(std::string(name)), id).first->second;
}

Formula::Formula(ParsedModule& module, OpNameTable& names, Block& block, AttributeId location, TypeId type)
    : module_(module), names_(names), block_(block), location_(location), type_(type) {
  const Type array = module.pool.type(type).value();
  dimensions_ = array.dimensions;
  element_ = module.pool.type(array.parts.at(0)).value().name;
}

TypeId Formula::TypeOf(std::string_view element) const {
  const TypeId scalar = module_.pool.Add(ScalarNamed(element));
  return module_.pool.Add(Type{.kind = TypeKind::kTensor, .dimensions = dimensions_, .parts = {scalar}});
}

double Formula::largest() const {
  if (element_ == "f16") return 65504;
  if (element_ == "bf16") return 3.3895313892515355e38;
  return element_ == "f32" ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
}

double Formula::smallest() const {
  return element_ == "f32" ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
}

Term Formula::ApplyTo(std::string_view name, std::vector<Term> operands, TypeId type, DictionaryAttribute attributes) {
  Operation op;
  op.name_id = names_.IdOf(fmt::format("stablehlo.{}", name));
  op.location_id = location_;
  if (!attributes.entries.empty()) op.dictionary_id = module_.pool.Add(std::move(attributes));
  for (const Term& operand : operands) op.operands.push_back(operand.id);
  op.results = {module_.value_types.Add(type)};
  const Term result{this, op.results[0]};
  block_.operations.push_back(std::move(op));
  return result;
}

Term Formula::Apply(std::string_view name, std::vector<Term> operands) {
  const TypeId type = module_.value_types[operands.at(0).id];
  return ApplyTo(name, std::move(operands), type);
}

Term Formula::operator()(double value) {
  const std::string_view payload = module_.pool.Keep(PackFloat(value, ScalarNamed(element_)));
  return ApplyTo("constant", {}, type_,
                 {{{"value", module_.pool.Add(TensorAttribute{type_, std::as_bytes(std::span(payload))})}}});
}

Term Formula::Integer(int64_t value, TypeId type) {
  const Type element = module_.pool.type(module_.pool.type(type)->parts.at(0)).value();
  const std::string_view payload = module_.pool.Keep(PackIntegers({value}, element));
  return ApplyTo("constant", {}, type,
                 {{{"value", module_.pool.Add(TensorAttribute{type, std::as_bytes(std::span(payload))})}}});
}

Term Formula::Compare(std::string_view direction, Term left, Term right) {
  const auto place = std::ranges::find(kDirections, direction) - kDirections.begin();
  const AttributeId direction_id =
      module_.pool.Add(EnumAttribute{EnumKind::kComparisonDirection, static_cast<uint64_t>(place)});
  const AttributeId type_id = module_.pool.Add(EnumAttribute{EnumKind::kComparisonType, 0});
  return ApplyTo("compare", {left, right}, TypeOf("bool"),
                 {{{"compare_type", type_id}, {"comparison_direction", direction_id}}});
}

Term Formula::Select(Term predicate, Term yes, Term no) {
  return ApplyTo("select", {predicate, yes, no}, module_.value_types[yes.id]);
}

Term operator+(Term left, Term right) { return left.formula->Apply("add", {left, right}); }
Term operator-(Term left, Term right) { return left.formula->Apply("subtract", {left, right}); }
Term operator*(Term left, Term right) { return left.formula->Apply("multiply", {left, right}); }
Term operator/(Term left, Term right) { return left.formula->Apply("divide", {left, right}); }
Term operator-(Term value) { return value.formula->Apply("negate", {value}); }
Term operator<(Term left, Term right) { return left.formula->Compare("LT", left, right); }

}  // namespace stead::frontend::mlir
