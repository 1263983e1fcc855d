#include "interp/ops/control.h"

#include <fmt/format.h>

#include <algorithm>

#include "interp/box.h"
#include "interp/elements.h"
#include "interp/evaluator.h"
#include "interp/scalar_computation.h"

namespace stead::interp {
namespace {

using ir::Literal;

void CollectLeaves(const Literal& value, std::vector<Literal>& leaves) {
  if (!value.shape().is_tuple()) {
    leaves.push_back(Clone(value));
    return;
  }
  for (const Literal& element : value.elements()) CollectLeaves(element, leaves);
}

Literal FromLeaves(const ir::Shape& shape, const std::vector<Literal>& leaves, size_t& next) {
  if (!shape.is_tuple()) return leaves[next++];
  std::vector<Literal> elements;
  for (const ir::Shape& element : shape.elements) elements.push_back(FromLeaves(element, leaves, next));
  return Literal::Tuple(std::move(elements));
}

// A loop over scalars alone: the state stays in place and no value is built per iteration.
Result<Literal> RunScalarLoop(ScalarComputation& condition, ScalarComputation& body, const Literal& start) {
  std::vector<Literal> leaves;
  CollectLeaves(start, leaves);
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
  for (Literal& leaf : leaves) {
    inputs.push_back(leaf.bytes().data());
    outputs.push_back(leaf.mutable_bytes().data());
  }
  std::byte goes_on{};
  std::byte* const decision[] = {&goes_on};
  for (;;) {
    TRY_STATUS(condition.Run(inputs, decision, 1));
    if (goes_on == std::byte{0}) break;
    TRY_STATUS(body.Run(inputs, outputs, 1));
  }
  size_t next = 0;
  return FromLeaves(start.shape(), leaves, next);
}

}  // namespace

Result<Literal> EvaluateCall(const OpCall& call) {
  return call.evaluator.Run(call.instruction.called.at(0), call.operands);
}

// Operand 0 picks a branch, operand k + 1 is branch k's argument; an index out of range picks the last branch.
Result<Literal> EvaluateConditional(const OpCall& call) {
  const std::vector<ir::ComputationId>& branches = call.instruction.called;
  const Literal& choice = call.operand(0);
  size_t branch = branches.size() - 1;
  if (choice.shape().element_type == ir::ElementType::kPred) {
    branch = choice.AsInteger(0) != 0 ? 0 : 1;
  } else if (int64_t index = choice.AsInteger(0); index >= 0 && index < static_cast<int64_t>(branches.size())) {
    branch = static_cast<size_t>(index);
  }
  return call.evaluator.Run(branches.at(branch), call.operands.subspan(branch + 1, 1));
}

Result<Literal> EvaluateWhile(const OpCall& call) {
  ir::ComputationId condition = call.instruction.called.at(0);
  ir::ComputationId body = call.instruction.called.at(1);
  ScalarComputation& scalar_condition = call.evaluator.Scalars(condition);
  ScalarComputation& scalar_body = call.evaluator.Scalars(body);
  if (scalar_condition.is_straight() && scalar_body.is_straight()) {
    return RunScalarLoop(scalar_condition, scalar_body, call.operand(0));
  }
  Literal state = call.operand(0);
  for (;;) {
    const Literal* const arguments[] = {&state};
    TRY(Literal goes_on, call.evaluator.Run(condition, arguments));
    if (goes_on.AsInteger(0) == 0) return state;
    TRY(state, call.evaluator.Run(body, arguments));
  }
}

Result<Literal> EvaluateConstant(const OpCall& call) {
  const Literal& value = call.instruction.As<Literal>();
  if (!value.elided()) return value;
  return InvalidArgument(
      fmt::format("constant `{}` was printed without its elements and cannot be run", call.instruction.name),
      call.module.SourceOf(call.id), "its text is `constant({...})`",
      "print the module with large constants (XLA: --xla_dump_large_constants)");
}

Result<Literal> EvaluateTuple(const OpCall& call) {
  std::vector<Literal> elements;
  for (const Literal* operand : call.operands) elements.push_back(*operand);
  return Literal::Tuple(std::move(elements));
}

Result<Literal> EvaluateGetTupleElement(const OpCall& call) {
  return call.operand(0).elements().at(static_cast<size_t>(call.instruction.As<ir::TupleElementAttributes>().index));
}

}  // namespace stead::interp
