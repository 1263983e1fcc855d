#include "ir/op.h"

#include <string>
#include <unordered_map>

namespace stead::ir {
namespace {

constexpr OpInfo kInfos[] = {
#define OP(enumerator, name, arity, family, traits) {name, arity, OpFamily::family, traits},
#include "ir/op.def"
#undef OP
};

}  // namespace

const OpInfo& InfoOf(Opcode opcode) { return kInfos[static_cast<int>(opcode)]; }

std::span<const OpInfo> AllOps() { return kInfos; }

std::optional<Opcode> OpcodeFromName(std::string_view name) {
  static const auto& table = *[] {
    auto* names = new std::unordered_map<std::string_view, Opcode>();
    for (size_t row = 0; row < std::size(kInfos); ++row) names->emplace(kInfos[row].name, static_cast<Opcode>(row));
    return names;
  }();
  auto found = table.find(name);
  if (found == table.end()) return std::nullopt;
  return found->second;
}

bool IsElementwise(Opcode opcode) {
  switch (InfoOf(opcode).family) {
    case OpFamily::kUnary:
    case OpFamily::kBinary:
    case OpFamily::kTernary:
    case OpFamily::kCompare: return true;
    default: return false;
  }
}

}  // namespace stead::ir
