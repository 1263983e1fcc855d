#include "frontend/mosaic/kernel_call.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace stead::frontend {

namespace {

using Json = nlohmann::json;

// The value of a base64 digit; nothing for other characters.
std::optional<uint32_t> DigitValue(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  if (digit == '+') return 62;
  if (digit == '/') return 63;
  return std::nullopt;
}

Result<std::vector<std::byte>> DecodeBase64(std::string_view text) {
  std::vector<std::byte> bytes;
  while (text.ends_with('=')) text.remove_suffix(1);
  uint32_t bits = 0;
  int bit_count = 0;
  for (char digit : text) {
    std::optional<uint32_t> value = DigitValue(digit);
    if (!value) return InvalidArgument("the body of the kernel is not base64");
    bits = bits << 6 | *value;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> bit_count));
    bits &= (1u << bit_count) - 1;
  }
  return bytes;
}

// JSON from the text; a string is taken as JSON once more.
Result<Json> ParseConfiguration(std::string_view text) {
  Json parsed = Json::parse(text, nullptr, false);
  if (parsed.is_string()) parsed = Json::parse(parsed.get<std::string>(), nullptr, false);
  if (!parsed.is_object()) return InvalidArgument("the configuration of the kernel is no JSON object");
  auto found = parsed.find("custom_call_config");
  if (found == parsed.end() || !found->is_object())
    return InvalidArgument("the configuration of the kernel has no `custom_call_config`");
  return Json(*found);
}

}  // namespace

bool IsKernelCall(const ir::Instruction& instruction) {
  return instruction.opcode == ir::Opcode::kCustomCall &&
         instruction.As<ir::CustomCallAttributes>().target == "tpu_custom_call";
}

Result<std::vector<std::byte>> ReadKernelBody(const ir::Instruction& call) {
  for (const ir::ExtraAttribute& extra : call.extra) {
    if (extra.key != "backend_config") continue;
    TRY(Json configuration, ParseConfiguration(extra.value));
    auto communicates = configuration.find("has_communication");
    if (communicates != configuration.end() && *communicates == true)
      return Unimplemented(fmt::format("kernel `{}` talks to other devices", call.name));
    auto body = configuration.find("body");
    if (body == configuration.end() || !body->is_string())
      return InvalidArgument(fmt::format("kernel `{}` has no body", call.name));
    return DecodeBase64(body->get_ref<const std::string&>());
  }
  return InvalidArgument(fmt::format("kernel `{}` has no configuration", call.name));
}

}  // namespace stead::frontend
