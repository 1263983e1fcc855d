// One operation of a kernel while it becomes instructions: its operands, attributes and results.
//   Attribute readers RETURN an error when the attribute has another kind, and where they are not said to be optional, when
//   it is absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/mosaic/kernel_importer.h"

namespace stead::frontend {

class KernelOp;

// What an operation does to the memory that its operands name.
enum class KernelMemory { kNone, kReads, kWrites, kNames };

// A row of kernel_ops.def.
struct KernelRow {
  std::string_view name;  // without "stable_mosaic."
  Status (*import)(KernelOp& op);
  ir::Opcode opcode;
  int operand_count;  // kAnyNumber: not checked
  KernelMemory memory;
};
inline constexpr int kAnyNumber = -1;

// The row for an operation's full name; nullptr when it is not supported.
const KernelRow* FindKernelRow(std::string_view full_name);

class KernelOp {
 public:
  KernelOp(KernelImporter& importer, KernelScope& scope, const mlir::Operation& op, const KernelRow& row)
      : importer_(importer), scope_(scope), op_(op), row_(row) {}

  std::string_view name() const { return row_.name; }
  ir::Opcode opcode() const { return row_.opcode; }
  KernelImporter& importer() { return importer_; }
  KernelEmitter& emit() { return importer_.emit(); }
  KernelScope& scope() { return scope_; }
  const mlir::Operation& operation() const { return op_; }
  size_t operand_count() const { return op_.operands.size(); }
  const ir::Shape& shape(ir::InstrId id) { return importer_.emit().shape(id); }

  Diagnostic Bad(std::string_view problem) const;
  Diagnostic Unsupported(std::string_view what) const;

  // Operands.
  Result<ir::InstrId> Value(size_t operand) const;
  Result<View> Memory(size_t operand) const;
  Result<std::vector<ir::InstrId>> Values(size_t first, size_t count) const;
  // Where each named group of operands begins, and after the last its end. Groups that newer versions added must be empty.
  Result<std::vector<size_t>> Groups(size_t group_count) const;

  // Attributes.
  template <typename T>
  Result<std::optional<T>> Find(std::string_view attribute) const {
    return importer_.source().Find<T>(op_, attribute);
  }
  Result<int64_t> Integer(std::string_view attribute) const;
  // False when absent.
  Result<bool> Flag(std::string_view attribute) const;
  // A list of integers; empty when absent.
  Result<ir::Dimensions> Integers(std::string_view attribute) const;
  // What stands in the brackets of a text attribute; empty when absent.
  Result<std::string> Text(std::string_view attribute) const;

  // Results.
  Result<ir::Shape> ResultShape(size_t result = 0) const;
  // The value becomes the result; an error when its shape is another one.
  Status SetResult(ir::InstrId id, size_t result = 0);
  Status SetResults(const std::vector<ir::InstrId>& ids);
  Status SetView(View view);

 private:
  KernelImporter& importer_;
  KernelScope& scope_;
  const mlir::Operation& op_;
  const KernelRow& row_;
};

}  // namespace stead::frontend
