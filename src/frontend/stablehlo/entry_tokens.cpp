#include "frontend/stablehlo/entry_tokens.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/literal.h"

namespace stead::frontend {

namespace {

bool IsToken(const ir::Shape& shape) { return shape.kind == ir::Shape::Kind::kToken; }

ir::Shape ArrayForToken() { return ir::Shape::Array(ir::ElementType::kPred, {0}); }

void ReplaceParameter(ir::Module& module, ir::InstrId parameter) {
  ir::Instruction token;
  token.opcode = ir::Opcode::kAfterAll;
  token.shape = ir::Shape::Token();
  const std::vector<ir::InstrId>& list = module.entry_computation().instructions;
  const auto first_operation = std::ranges::find_if(
      list, [&](ir::InstrId id) { return module.instruction(id).opcode != ir::Opcode::kParameter; });
  const ir::InstrId token_id = first_operation == list.end() ? module.Add(module.entry, std::move(token))
                                                             : module.AddBefore(*first_operation, std::move(token));
  module.ReplaceAllUses(parameter, token_id);
  module.SetShape(parameter, ArrayForToken());
}

ir::InstrId AddArrayForToken(ir::Module& module) {
  ir::Instruction array;
  array.opcode = ir::Opcode::kConstant;
  array.shape = ArrayForToken();
  array.attributes = ir::Literal::Zeros(array.shape);
  return module.Add(module.entry, std::move(array));
}

void ReplaceResults(ir::Module& module) {
  const ir::InstrId root = module.root(module.entry);
  if (IsToken(module.shape(root))) {
    module.SetRoot(module.entry, AddArrayForToken(module));
    return;
  }
  ir::Instruction tuple = module.instruction(root);
  bool has_token = false;
  for (size_t result = 0; result < tuple.shape.elements.size(); ++result) {
    if (!IsToken(tuple.shape.elements[result])) continue;
    has_token = true;
    tuple.shape.elements[result] = ArrayForToken();
    tuple.operands[result] = AddArrayForToken(module);
  }
  if (!has_token) return;
  // Its operands stand after the old one.
  module.SetRoot(module.entry, module.Add(module.entry, std::move(tuple)));
  module.Erase(root);
}

}  // namespace

void ReplaceEntryTokens(ir::Module& module) {
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    if (IsToken(module.shape(parameter))) ReplaceParameter(module, parameter);
  }
  ReplaceResults(module);
}

}  // namespace stead::frontend
