// Operations of CHLO -> operations of StableHLO, in place of them, as the client library makes them for a plugin: some become
// composites with a function that spells them out.
//   Not known: complex operands; of some functions, f64. Those stay, and their importer says that they are not supported.
#pragma once

#include <optional>
#include <vector>

#include "frontend/mlir_text/formula.h"

namespace stead::frontend::mlir {

class ChloExpansion {
 public:
  ChloExpansion(ParsedModule& module, OpNameTable& names) : module_(module), names_(names) {}

  // Appends to `block` what the operation stands for and gives its results; nothing when it is none of CHLO's.
  //   `op` has its operands, its attributes and its location. RETURNS an error when it does not have the operands it must have.
  Result<std::optional<std::vector<ValueId>>> Expand(std::string_view name, const Operation& op,
                                                     const std::vector<TypeId>& result_types, Block& block);
  // The functions that composites refer to.
  std::vector<Operation> TakeFunctions() { return std::move(functions_); }

 private:
  // A function of the decomposition while it is written.
  struct Decomposition {
    std::string_view name;
    Block block;
  };

  Decomposition Begin(std::string_view name, const Operation& op);
  void End(Decomposition decomposition, std::vector<ValueId> results, AttributeId location);
  std::vector<ValueId> AddComposite(std::string_view name, std::string_view function, const Operation& op,
                                    const std::vector<TypeId>& result_types, AttributeId attributes, Block& block);
  std::vector<ValueId> ExpandTopK(const Operation& op, const std::vector<TypeId>& result_types, Block& block);
  Operation SortOf(const std::vector<ValueId>& operands, int64_t dimension, bool are_floats, AttributeId location);
  std::optional<std::string_view> FloatOf(TypeId type) const;

  ParsedModule& module_;
  OpNameTable& names_;
  std::vector<Operation> functions_;
};

}  // namespace stead::frontend::mlir
