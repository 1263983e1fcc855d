#include "analysis/exchange.h"

#include <numeric>

namespace stead::analysis {
namespace {

// True when moving every dimension twice brings it back, and to a dimension of the same extent.
bool IsExchange(const ir::Dimensions& dimensions, const ir::Dimensions& permutation) {
  for (size_t dim = 0; dim < permutation.size(); ++dim) {
    const auto to = static_cast<size_t>(permutation[dim]);
    if (permutation[to] != static_cast<int64_t>(dim) || dimensions[to] != dimensions[dim]) return false;
  }
  return true;
}

}  // namespace

std::optional<Exchange> ExchangeOf(const ir::Module& module, ir::InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  const bool transposes = instruction.opcode == ir::Opcode::kTranspose;
  if (!transposes && instruction.opcode != ir::Opcode::kReverse) return std::nullopt;
  if (!instruction.shape.is_row_major() || !module.shape(instruction.operands[0]).is_row_major()) return std::nullopt;
  const ir::Dimensions& named = instruction.As<ir::DimensionsAttributes>().dimensions;
  const size_t rank = instruction.shape.dimensions.size();
  Exchange exchange{instruction.shape.dimensions, std::vector<int64_t>(rank), std::vector<bool>(rank, false)};
  std::iota(exchange.permutation.begin(), exchange.permutation.end(), 0);
  if (transposes) {
    if (!IsExchange(instruction.shape.dimensions, named)) return std::nullopt;
    exchange.permutation = named;
  } else {
    for (int64_t dim : named) exchange.reversed[static_cast<size_t>(dim)] = true;
  }
  return exchange;
}

}  // namespace stead::analysis
