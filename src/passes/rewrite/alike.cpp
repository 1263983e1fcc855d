#include "passes/rewrite/alike.h"

#include <algorithm>
#include <string_view>

namespace stead::passes {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

namespace {

// Larger computations are not compared; two loops of this size that are equal are not met in practice.
constexpr size_t kMaxComputationSize = 1000;
constexpr size_t kHashedLiteralBytes = 64;

size_t HashLiteral(const ir::Literal& literal) {
  std::span<const std::byte> bytes = literal.bytes();
  bytes = bytes.first(std::min(bytes.size(), kHashedLiteralBytes));
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

void MixIntoHash(size_t& hash, size_t value) { hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2); }

size_t HashOwnFields(const Instruction& instruction) {
  size_t hash = static_cast<size_t>(instruction.opcode);
  if (instruction.shape.is_array()) {
    MixIntoHash(hash, static_cast<size_t>(instruction.shape.element_type));
    for (int64_t dimension : instruction.shape.dimensions) MixIntoHash(hash, static_cast<size_t>(dimension));
  }
  if (instruction.opcode == Opcode::kConstant) MixIntoHash(hash, HashLiteral(instruction.As<ir::Literal>()));
  return hash;
}

bool SameOwnFields(const Instruction& left, const Instruction& right) {
  return left.opcode == right.opcode && left.shape == right.shape && left.attributes == right.attributes &&
         left.extra == right.extra;
}

ComputationId ComputationTable::Representative(ComputationId id) {
  if (auto known = representatives_.find(id); known != representatives_.end()) return known->second;
  representatives_[id] = id;
  const std::vector<InstrId>& list = module_.computation(id).instructions;
  if (list.size() > kMaxComputationSize) return id;
  // Those that it calls first, so that comparing two computations asks nothing new.
  for (InstrId instruction : list) {
    for (ComputationId callee : module_.instruction(instruction).called) Representative(callee);
  }
  std::vector<ComputationId>& alike = by_hash_[Hash(id)];
  auto found = std::ranges::find_if(alike, [&](ComputationId other) { return Same(id, other); });
  if (found == alike.end()) {
    alike.push_back(id);
  } else {
    representatives_[id] = *found;
  }
  return representatives_[id];
}

bool ComputationTable::SameCalls(const Instruction& left, const Instruction& right) {
  return std::ranges::equal(left.called, right.called, [&](ComputationId one, ComputationId other) {
    return Representative(one) == Representative(other);
  });
}

size_t ComputationTable::Hash(ComputationId id) const {
  size_t hash = 0;
  for (InstrId instruction : module_.computation(id).instructions)
    MixIntoHash(hash, HashOwnFields(module_.instruction(instruction)));
  return hash;
}

bool ComputationTable::Same(ComputationId left, ComputationId right) {
  const std::vector<InstrId>& left_list = module_.computation(left).instructions;
  const std::vector<InstrId>& right_list = module_.computation(right).instructions;
  if (left_list.size() != right_list.size()) return false;
  std::unordered_map<InstrId, InstrId> twin;
  for (size_t position = 0; position < left_list.size(); ++position) {
    const Instruction& left_one = module_.instruction(left_list[position]);
    const Instruction& right_one = module_.instruction(right_list[position]);
    if (!SameOwnFields(left_one, right_one) || !SameCalls(left_one, right_one)) return false;
    bool operands_agree = std::ranges::equal(left_one.operands, right_one.operands,
                                             [&](InstrId one, InstrId other) { return twin.at(one) == other; });
    if (!operands_agree) return false;
    twin[left_list[position]] = right_list[position];
  }
  return twin.at(module_.root(left)) == module_.root(right);
}

}  // namespace stead::passes
