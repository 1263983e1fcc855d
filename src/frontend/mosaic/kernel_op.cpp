#include "frontend/mosaic/kernel_op.h"

#include <fmt/format.h>

#include "frontend/mosaic/kernel_types.h"

namespace stead::frontend {

using ir::InstrId;

Diagnostic KernelOp::Bad(std::string_view problem) const {
  return importer_.Bad(fmt::format("mosaic op `{}` {}", name(), problem));
}

Diagnostic KernelOp::Unsupported(std::string_view what) const {
  return importer_.Unsupported(fmt::format("mosaic op `{}` {}", name(), what));
}

Result<InstrId> KernelOp::Value(size_t operand) const {
  if (operand >= op_.operands.size()) return Bad(fmt::format("has no operand {}", operand));
  auto found = scope_.values.find(op_.operands[operand]);
  if (found == scope_.values.end()) return Bad(fmt::format("has memory as operand {}, where a value must be", operand));
  return found->second;
}

Result<View> KernelOp::Memory(size_t operand) const {
  if (operand >= op_.operands.size()) return Bad(fmt::format("has no operand {}", operand));
  auto found = scope_.views.find(op_.operands[operand]);
  if (found == scope_.views.end()) return Bad(fmt::format("has a value as operand {}, where memory must be", operand));
  return found->second;
}

Result<std::vector<InstrId>> KernelOp::Values(size_t first, size_t count) const {
  std::vector<InstrId> values;
  for (size_t operand = first; operand < first + count; ++operand) {
    TRY(InstrId value, Value(operand));
    values.push_back(value);
  }
  return values;
}

Result<std::vector<size_t>> KernelOp::Groups(size_t group_count) const {
  TRY(ir::Dimensions sizes, Integers("operandSegmentSizes"));
  if (sizes.size() < group_count) return Bad(fmt::format("has not {} groups of operands", group_count));
  for (size_t group = group_count; group < sizes.size(); ++group) {
    if (sizes[group] != 0) return Unsupported("with operands of a newer version is not supported");
  }
  std::vector<size_t> begins = {0};
  for (int64_t size : sizes) {
    if (size < 0 || size > static_cast<int64_t>(op_.operands.size() - begins.back()))
      return Bad("has groups of operands that are not there");
    begins.push_back(begins.back() + static_cast<size_t>(size));
  }
  if (begins.back() != op_.operands.size()) return Bad("has operands outside their groups");
  return begins;
}

Result<int64_t> KernelOp::Integer(std::string_view attribute) const {
  TRY(std::optional<mlir::IntegerAttribute> found, Find<mlir::IntegerAttribute>(attribute));
  if (!found) return Bad(fmt::format("has no attribute `{}`", attribute));
  return found->value;
}

Result<bool> KernelOp::Flag(std::string_view attribute) const {
  TRY(std::optional<mlir::AttributeId> id, importer_.source().FindAttribute(op_, attribute));
  if (!id) return false;
  TRY(mlir::Attribute value, importer_.source().pool.attribute(*id));
  if (std::holds_alternative<mlir::UnitAttribute>(value)) return true;
  if (const auto* integer = std::get_if<mlir::IntegerAttribute>(&value)) return integer->value != 0;
  return Bad(fmt::format("has something else than a flag in `{}`", attribute));
}

Result<ir::Dimensions> KernelOp::Integers(std::string_view attribute) const {
  TRY(std::optional<mlir::AttributeId> id, importer_.source().FindAttribute(op_, attribute));
  if (!id) return ir::Dimensions();
  const mlir::AttributePool& pool = importer_.source().pool;
  TRY(mlir::Attribute value, pool.attribute(*id));
  if (auto* integers = std::get_if<mlir::IntegersAttribute>(&value)) return std::move(integers->values);
  const auto* list = std::get_if<mlir::ArrayAttribute>(&value);
  if (list == nullptr) return Bad(fmt::format("has something else than a list in `{}`", attribute));
  ir::Dimensions values;
  for (mlir::AttributeId item : list->items) {
    TRY(mlir::IntegerAttribute integer, pool.Get<mlir::IntegerAttribute>(item));
    values.push_back(integer.value);
  }
  return values;
}

Result<std::string> KernelOp::Text(std::string_view attribute) const {
  TRY(std::optional<mlir::TextAttribute> found, Find<mlir::TextAttribute>(attribute));
  return found ? std::string(TextArgument(found->text)) : std::string();
}

Result<ir::Shape> KernelOp::ResultShape(size_t result) const {
  if (result >= op_.results.size()) return Bad(fmt::format("has no result {}", result));
  return ImportKernelType(importer_.source().pool, importer_.source().value_types[op_.results[result]]);
}

Status KernelOp::SetResult(InstrId id, size_t result) {
  TRY(ir::Shape expected, ResultShape(result));
  const ir::Shape& actual = emit().shape(id);
  if (!actual.Compatible(expected)) {
    return Bad(fmt::format("gives {}, its result is {}", actual.ToString(false), expected.ToString(false)));
  }
  scope_.values[op_.results[result]] = id;
  return {};
}

Status KernelOp::SetResults(const std::vector<InstrId>& ids) {
  if (ids.size() != op_.results.size())
    return Bad(fmt::format("gives {} values, not {}", ids.size(), op_.results.size()));
  for (size_t result = 0; result < ids.size(); ++result) TRY_STATUS(SetResult(ids[result], result));
  return {};
}

Status KernelOp::SetView(View view) {
  if (op_.results.size() != 1) return Bad("has not one result");
  scope_.views[op_.results[0]] = std::move(view);
  return {};
}

}  // namespace stead::frontend
