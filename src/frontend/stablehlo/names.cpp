#include "frontend/stablehlo/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "ir/number/element_type.h"

namespace stead::frontend {

namespace {

// Words that XLA's lexer does not take for names.
constexpr std::array<std::string_view, 20> kKeywords = {
    "ENTRY",          "HloModule", "ROOT",    "devices", "false",   "inf",        "last_tile_dim_replicate",
    "last_tile_dims", "manual",    "maximal", "nan",     "opaque",  "replicated", "shard_as",
    "shard_like",     "token",     "true",    "tuple",   "unknown", "unreduced"};

bool IsWordCharacter(unsigned char letter) {
  return std::isalnum(letter) || letter == '_' || letter == '.' || letter == '-';
}

}  // namespace

std::string HloName(std::string_view name) {
  std::string result(name);
  std::ranges::replace_if(result, [](unsigned char letter) { return !IsWordCharacter(letter); }, '_');
  bool begins_well = !result.empty() && (std::isalpha(static_cast<unsigned char>(result[0])) || result[0] == '_');
  if (!begins_well) result.insert(result.begin(), '_');
  if (ir::ElementTypeFromName(result) || std::ranges::find(kKeywords, result) != kKeywords.end()) result += "_";
  return result;
}

std::string_view LastPathPart(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string Quoted(std::string_view text) {
  std::string result = "\"";
  for (char letter : text) {
    switch (letter) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '\n': result += "\\n"; break;
      case '\r': result += "\\r"; break;
      case '\t': result += "\\t"; break;
      default:
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) {
          result += fmt::format("\\{:03o}", static_cast<unsigned char>(letter));
        } else {
          result += letter;
        }
    }
  }
  return result + "\"";
}

}  // namespace stead::frontend
