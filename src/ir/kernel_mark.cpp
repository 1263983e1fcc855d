#include "ir/kernel_mark.h"

#include <string_view>

namespace stead::ir {
namespace {

constexpr std::string_view kBegin = "{kernel=\"", kEnd = "\"}";

}  // namespace

ExtraAttribute KernelMark(const std::string& kernel_name) {
  return {"frontend_attributes", std::string(kBegin) + kernel_name + std::string(kEnd)};
}

std::optional<std::string> MarkedKernel(const Instruction& instruction) {
  for (const ExtraAttribute& extra : instruction.extra) {
    std::string_view text = extra.value;
    if (extra.key != "frontend_attributes" || !text.starts_with(kBegin) || !text.ends_with(kEnd)) continue;
    text.remove_prefix(kBegin.size());
    text.remove_suffix(kEnd.size());
    return std::string(text);
  }
  return std::nullopt;
}

}  // namespace stead::ir
