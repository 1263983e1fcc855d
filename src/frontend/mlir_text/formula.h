// Writes arithmetic over arrays of floats as StableHLO operations: `half * (x + one)` appends a multiply and an add.
//   Input: the block to append to.  Output: operations with the location of the one that they stand for.
//   All arrays have one shape. Constants are splats; a number is rounded to the type.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/mlir_bytecode/parsed_module.h"

namespace stead::frontend::mlir {

// Operation names of a module, each added once.
class OpNameTable {
 public:
  explicit OpNameTable(ParsedModule& module) : module_(module) {}
  OpNameId IdOf(std::string_view name);

 private:
  ParsedModule& module_;
  std::unordered_map<std::string_view, OpNameId> ids_;
};

class Formula;

// A value of a formula.
struct Term {
  Formula* formula = nullptr;
  ValueId id;
};

class Formula {
 public:
  // `type`: of the arrays, a tensor of floats.
  Formula(ParsedModule& module, OpNameTable& names, Block& block, AttributeId location, TypeId type);

  // A constant, as large as the arrays.
  Term operator()(double value);
  Term Integer(int64_t value, TypeId type);
  Term Of(ValueId value) { return {this, value}; }
  // "stablehlo.NAME" of one type throughout.
  Term Apply(std::string_view name, std::vector<Term> operands);
  Term ApplyTo(std::string_view name, std::vector<Term> operands, TypeId type, DictionaryAttribute attributes = {});
  Term Compare(std::string_view direction, Term left, Term right);
  Term Select(Term predicate, Term yes, Term no);
  Term Convert(Term value, TypeId type) { return ApplyTo("convert", {value}, type); }

  // The type of arrays of this shape with other elements.
  TypeId TypeOf(std::string_view element) const;
  std::string_view element() const { return element_; }
  TypeId type() const { return type_; }
  double largest() const;
  double smallest() const;

 private:
  ParsedModule& module_;
  OpNameTable& names_;
  Block& block_;
  AttributeId location_;
  TypeId type_;
  std::vector<int64_t> dimensions_;
  std::string_view element_;
};

Term operator+(Term left, Term right);
Term operator-(Term left, Term right);
Term operator*(Term left, Term right);
Term operator/(Term left, Term right);
Term operator-(Term value);
Term operator<(Term left, Term right);

}  // namespace stead::frontend::mlir
