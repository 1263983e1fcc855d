// One operation of the file while it becomes instructions: its operands, shapes and attributes, and what it emits.
//   Operand, result and region counts were checked against the operation's row (import_ops.def) before its importer runs.
//   Attribute readers RETURN an error when the attribute has another kind, and where they are not said to be optional, when
//   it is absent. Every instruction emitted carries the operation's name, source place and metadata.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/location.h"
#include "frontend/stablehlo/importer.h"

namespace stead::frontend {

class OpImport;

// A row of import_ops.def.
struct OpRow {
  std::string_view name;  // without dialect and version, when the dialect is VHLO
  Status (*import)(OpImport& op);
  ir::Opcode opcode;
  int operand_count, result_count, region_count;  // kAny: not checked
};
inline constexpr int kAny = -1;

// The row for an operation's full name; nullptr when it is not supported.
const OpRow* FindOpRow(std::string_view full_name);

class OpImport {
 public:
  OpImport(Importer& importer, Scope& scope, const mlir::Operation& op, const OpRow& row);
  // Finds operands and shapes and checks their number.
  Status Prepare();

  std::string_view name() const { return row_.name; }
  ir::Opcode opcode() const { return row_.opcode; }
  Importer& importer() { return importer_; }
  Scope& scope() { return scope_; }
  const mlir::Operation& operation() const { return op_; }
  const std::vector<ir::InstrId>& operands() const { return operands_; }
  ir::InstrId operand(size_t number) const { return operands_[number]; }
  const ir::Shape& shape(ir::InstrId id) const { return importer_.module().shape(id); }
  const std::vector<ir::Shape>& result_shapes() const { return result_shapes_; }
  const ir::Shape& result_shape() const { return result_shapes_[0]; }

  // Errors at the operation's place.
  Diagnostic Bad(std::string_view problem) const;
  Diagnostic Unsupported(std::string_view what) const;

  // Attributes.
  template <typename T>
  Result<std::optional<T>> Find(std::string_view attribute) const {
    return importer_.source().Find<T>(op_, attribute);
  }
  template <typename T>
  Result<T> Get(std::string_view attribute) const {
    TRY(std::optional<T> found, Find<T>(attribute));
    if (!found) return Missing(attribute);
    return std::move(*found);
  }
  Result<int64_t> Integer(std::string_view attribute) const;
  Result<bool> Bool(std::string_view attribute) const;
  // Empty when absent.
  Result<std::string> Text(std::string_view attribute) const;
  // A list of integers, bools or dimensions; empty when absent.
  Result<ir::Dimensions> Integers(std::string_view attribute) const;
  // The name of a member of a closed list, by its number.
  Result<std::string_view> OneOf(std::string_view attribute, mlir::EnumKind kind,
                                 std::span<const std::string_view> names) const;

  // Emits a helper instruction.
  ir::InstrId Emit(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstrId> operands,
                   ir::Attributes attributes = {});
  // Emits the instruction that is the operation. `extra` is completed by what the operation only passes through.
  Result<ir::InstrId> EmitOperation(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstrId> operands,
                                    ir::Attributes attributes, std::vector<ir::ComputationId> called,
                                    std::vector<ir::ExtraAttribute> extra);
  // The same, and its value is the result, or a tuple of the results when there is not exactly one.
  Status Finish(ir::Opcode opcode, std::vector<ir::InstrId> operands, ir::Attributes attributes = {},
                std::vector<ir::ComputationId> called = {}, std::vector<ir::ExtraAttribute> extra = {});
  // The instruction is result `number`; an error when its shape is another one.
  Status SetResult(size_t number, ir::InstrId id);
  // The first elements of the tuple are the results.
  Status SetResultsFromTuple(ir::InstrId tuple);
  // Takes element `index` out of a tuple.
  ir::InstrId EmitTupleElement(ir::InstrId tuple, size_t index);
  ir::InstrId EmitTuple(const std::vector<ir::InstrId>& elements);
  // A reducer, comparator or the like: one parameter per block argument.
  Result<ir::ComputationId> ImportBody(size_t region);

 private:
  Diagnostic Missing(std::string_view attribute) const;
  ir::Instruction NewInstruction(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstrId> operands) const;
  Status AddPassedThrough(std::vector<ir::ExtraAttribute>& extra) const;

  Importer& importer_;
  Scope& scope_;
  const mlir::Operation& op_;
  const OpRow& row_;
  mlir::Location location_;
  std::vector<ir::InstrId> operands_;
  std::vector<ir::Shape> result_shapes_;
};

}  // namespace stead::frontend
