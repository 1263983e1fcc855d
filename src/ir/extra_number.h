// The numbers among the attributes that an instruction keeps as text.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "ir/module.h"

namespace stead::ir {

// RETURNS nothing where the instruction has no such key, or no number under it.
template <typename Number>
std::optional<Number> ExtraNumber(const Instruction& instruction, std::string_view key) {
  const auto found = std::ranges::find(instruction.extra, key, &ExtraAttribute::key);
  if (found == instruction.extra.end()) return std::nullopt;
  Number number{};
  const char* const end = found->value.data() + found->value.size();
  if (std::from_chars(found->value.data(), end, number).ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace stead::ir
