// Random numbers.
#include <fmt/format.h>

#include <array>

#include "frontend/stablehlo/ops/op_importers.h"

namespace stead::frontend {

// The third operand repeats the result's shape.
Status ImportRng(OpImport& op) {
  static constexpr std::array<std::string_view, 3> kDistributions = {"rng_invalid", "rng_uniform", "rng_normal"};
  TRY(std::string_view distribution, op.OneOf("rng_distribution", mlir::EnumKind::kRngDistribution, kDistributions));
  std::vector<ir::ExtraAttribute> extra = {{"distribution", std::string(distribution)}};
  return op.Finish(op.opcode(), {op.operand(0), op.operand(1)}, {}, {}, std::move(extra));
}

Status ImportRngBitGenerator(OpImport& op) {
  static constexpr std::array<std::string_view, 3> kAlgorithms = {"rng_default", "rng_three_fry", "rng_philox"};
  TRY(std::string_view algorithm, op.OneOf("rng_algorithm", mlir::EnumKind::kRngAlgorithm, kAlgorithms));
  return op.Finish(op.opcode(), op.operands(), ir::RngBitGeneratorAttributes{std::string(algorithm)});
}

}  // namespace stead::frontend
