#include "passes/rewrite/splice.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Opcode;

void OrderAfter(ir::Module& module, const std::vector<InstrId>& predecessors, const std::vector<InstrId>& body) {
  if (predecessors.empty()) return;
  std::unordered_set<InstrId> inside(body.begin(), body.end());
  for (InstrId id : body) {
    if (ir::InfoOf(module.instruction(id).opcode).family == ir::OpFamily::kSource) continue;
    const std::vector<InstrId>& operands = module.instruction(id).operands;
    if (std::ranges::any_of(operands, [&](InstrId operand) { return inside.contains(operand); })) continue;
    std::vector<InstrId> all = module.instruction(id).control_predecessors;
    all.insert(all.end(), predecessors.begin(), predecessors.end());
    module.SetControlPredecessors(id, std::move(all));
  }
}

}  // namespace

InstrId Splice(ir::Module& module, InstrId position, ir::ComputationId callee, const std::vector<InstrId>& arguments) {
  std::unordered_map<InstrId, InstrId> replaced;
  std::vector<InstrId> body;
  for (InstrId id : module.computation(callee).instructions) {
    if (module.instruction(id).opcode == Opcode::kParameter) {
      int64_t number = module.instruction(id).As<ir::ParameterAttributes>().number;
      replaced[id] = arguments.at(static_cast<size_t>(number));
    } else {
      body.push_back(id);
    }
  }
  InstrId root = module.root(callee);
  module.MoveBefore(position, body, replaced);
  OrderAfter(module, module.instruction(position).control_predecessors, body);
  auto argument = replaced.find(root);
  return argument == replaced.end() ? root : argument->second;
}

}  // namespace stead::passes
