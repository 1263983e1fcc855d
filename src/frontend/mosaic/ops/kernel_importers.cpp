#include "frontend/mosaic/ops/kernel_importers.h"

#include <string_view>
#include <unordered_map>

namespace stead::frontend {

namespace {

constexpr KernelRow kKernelRows[] = {
#define KERNEL_OP(name, importer, opcode, operand_count, memory) \
  {name, importer, ir::Opcode::opcode, operand_count, KernelMemory::memory},
#include "frontend/mosaic/ops/kernel_ops.def"
#undef KERNEL_OP
};

}  // namespace

const KernelRow* FindKernelRow(std::string_view full_name) {
  static const auto* const kRows = [] {
    auto* rows = new std::unordered_map<std::string_view, const KernelRow*>;
    for (const KernelRow& row : kKernelRows) rows->emplace(row.name, &row);
    return rows;
  }();
  constexpr std::string_view kPrefix = "stable_mosaic.";
  if (!full_name.starts_with(kPrefix)) return nullptr;
  auto found = kRows->find(full_name.substr(kPrefix.size()));
  return found == kRows->end() ? nullptr : found->second;
}

}  // namespace stead::frontend
