#include "passes/cleanup/remove_collectives.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "passes/rewrite/build.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// The text behind a key, without spaces; "" where there is none.
std::string TextUnder(const std::vector<ir::ExtraAttribute>& extra, std::string_view key) {
  const auto found = std::ranges::find(extra, key, &ir::ExtraAttribute::key);
  if (found == extra.end()) return "";
  std::string text = found->value;
  std::erase(text, ' ');
  return text;
}

bool IsForOneDevice(const ir::Module& module) {
  return std::ranges::all_of(std::to_array<std::string_view>({"replica_count", "num_partitions"}),
                             [&](std::string_view key) {
                               const std::string count = TextUnder(module.extra, key);
                               return count.empty() || count == "1";
                             });
}

// No groups at all: one group of everyone.
bool IsGroupOfOne(const std::string& groups) {
  return groups.empty() || groups == "{}" || groups == "{{0}}" || groups == "[1,1]<=[1]";
}

bool IsCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllReduce:
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute: return true;
    default: return false;
  }
}

// What an array is after the exchange; nothing where it is not known.
std::optional<InstrId> Exchanged(Builder& build, const Instruction& collective, InstrId operand, const Shape& shape) {
  if (build.module().shape(operand) != shape) return std::nullopt;
  if (collective.opcode != Opcode::kCollectivePermute) {
    if (!IsGroupOfOne(TextUnder(collective.extra, "replica_groups"))) return std::nullopt;
    return operand;
  }
  const std::string pairs = TextUnder(collective.extra, "source_target_pairs");
  if (pairs == "{{0,0}}") return operand;
  // A device that nobody sends to receives zeros.
  if (pairs != "{}" || !shape.is_row_major()) return std::nullopt;
  return build.Splat(build.Constant(ir::Literal::Zeros(Shape::Array(shape.element_type, {}))), shape.dimensions);
}

bool Remove(ir::Module& module, InstrId id) {
  const Instruction collective = module.instruction(id);
  const bool is_tuple = collective.shape.is_tuple();
  const std::vector<Shape> shapes = is_tuple ? collective.shape.elements : std::vector<Shape>{collective.shape};
  if (shapes.size() != collective.operands.size()) return false;
  Builder build(module, id);
  std::vector<InstrId> results;
  for (size_t number = 0; number < shapes.size(); ++number) {
    const std::optional<InstrId> result = Exchanged(build, collective, collective.operands[number], shapes[number]);
    if (!result) return false;
    results.push_back(*result);
  }
  if (is_tuple) {
    Replace(module, id, build.Op(Opcode::kTuple, collective.shape, results));
  } else {
    Forward(module, id, results[0]);
  }
  // It has an effect, so that nobody else would remove it.
  module.Erase(id);
  return true;
}

}  // namespace

Result<PassReport> RemoveCollectives(ir::Module& module) {
  bool changed = false;
  if (!IsForOneDevice(module)) return PassReport{};
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (IsCollective(module.instruction(id).opcode)) changed |= Remove(module, id);
    }
  }
  return PassReport{changed};
}

}  // namespace stead::passes
