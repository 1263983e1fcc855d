// Rules of ops whose meaning is a called computation: its parameters must take the operands, its root gives the result.
#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

// The computation called as number `number`, which must be there.
Result<const Computation*> Called(const Op& op, size_t number, std::string_view rule) {
  const std::vector<ComputationId>& called = op.instruction().called;
  if (number < called.size()) {
    const Computation& computation = op.module().computation(called[number]);
    if (!computation.root.valid()) return op.Violation(rule, "`{}` has no root", computation.name);
    return &computation;
  }
  return op.Violation(rule, "calls {} computations; `{}` needs {}", called.size(), OpcodeName(op.opcode()), number + 1);
}

// The computation takes these shapes.
Status CheckTakes(const Op& op, const Computation& computation, const std::vector<Shape>& shapes,
                  std::string_view rule) {
  if (computation.parameters.size() != shapes.size()) {
    return op.Violation(rule, "`{}` has {} parameters, {} are given", computation.name, computation.parameters.size(),
                        shapes.size());
  }
  for (size_t number = 0; number < shapes.size(); ++number) {
    if (!computation.parameters[number].valid()) {
      return op.Violation(rule, "`{}` lacks parameter {}", computation.name, number);
    }
    const Shape& parameter = op.module().shape(computation.parameters[number]);
    if (parameter.Compatible(shapes[number])) continue;
    return op.Violation(rule, "parameter {} of `{}` has shape {}, it is given {}; they must be the same", number,
                        computation.name, parameter.ToString(false), shapes[number].ToString(false));
  }
  return {};
}

std::vector<Shape> OperandShapes(const Op& op, size_t first = 0) {
  std::vector<Shape> shapes;
  for (size_t number = first; number < op.operand_count(); ++number) shapes.push_back(op.operand(number));
  return shapes;
}

Result<Shape> InferCall(const Op& op) {
  TRY(const Computation* computation, Called(op, 0, ""));
  TRY_STATUS(CheckTakes(op, *computation, OperandShapes(op), ""));
  return op.module().shape(computation->root);
}

Result<Shape> InferWhile(const Op& op) {
  TRY(const Computation* condition, Called(op, 0, "while C1"));
  TRY(const Computation* body, Called(op, 1, "while C2"));
  TRY_STATUS(CheckTakes(op, *condition, OperandShapes(op), "while C1"));
  TRY_STATUS(CheckTakes(op, *body, OperandShapes(op), "while C2"));
  const Shape& verdict = op.module().shape(condition->root);
  if (!verdict.Compatible(Shape::Array(ElementType::kPred, {}))) {
    return op.Violation("while C1", "the condition `{}` gives {}; it must give pred[]", condition->name,
                        verdict.ToString(false));
  }
  const Shape& state = op.module().shape(body->root);
  if (!state.Compatible(op.operand(0))) {
    return op.Violation("while C2", "the body `{}` gives {}, the loop state has shape {}; they must be the same",
                        body->name, state.ToString(false), op.operand(0).ToString(false));
  }
  return op.operand(0);
}

// Operands: the selector, then one argument for each branch. A pred selector has two branches: true, false.
Result<Shape> InferConditional(const Op& op) {
  TRY_STATUS(op.RequireOperandsAtLeast(1));
  const Shape& selector = op.operand(0);
  bool is_pred = selector.Compatible(Shape::Array(ElementType::kPred, {}));
  if (!is_pred && !selector.Compatible(Shape::Array(ElementType::kS32, {}))) {
    return op.Violation("case I1", "the selector has shape {}; it must be pred[] or s32[]", selector.ToString(false));
  }
  size_t branch_count = op.instruction().called.size();
  std::string_view rule = is_pred ? "if C2" : "case C3";
  if (branch_count == 0 || (is_pred && branch_count != 2)) {
    return op.Violation(is_pred ? "if C1" : "case C1", "has {} branches; it must have {}", branch_count,
                        is_pred ? "2" : "at least 1");
  }
  if (op.operand_count() != branch_count + 1) {
    return op.Violation("", "has {} branches and {} arguments; there must be one for each branch", branch_count,
                        op.operand_count() - 1);
  }
  TRY(const Computation* first, Called(op, 0, rule));
  const Shape& result = op.module().shape(first->root);
  for (size_t branch = 0; branch < branch_count; ++branch) {
    TRY(const Computation* computation, Called(op, branch, rule));
    TRY_STATUS(CheckTakes(op, *computation, {op.operand(branch + 1)}, ""));
    const Shape& shape = op.module().shape(computation->root);
    if (shape.Compatible(result)) continue;
    return op.Violation(rule, "branch `{}` gives {}, branch `{}` gives {}; they must be the same", first->name,
                        result.ToString(false), computation->name, shape.ToString(false));
  }
  return result;
}

const Shape* FindSubShape(const Shape& shape, const ShapeIndex& index) {
  const Shape* current = &shape;
  for (int64_t element : index) {
    bool inside = current->is_tuple() && element >= 0 && element < static_cast<int64_t>(current->elements.size());
    if (!inside) return nullptr;
    current = &current->elements[static_cast<size_t>(element)];
  }
  return current;
}

// The attributes do not say the shape; what they say of aliases must fit it.
Result<Shape> InferCustomCall(const Op& op) {
  for (const OutputOperandAlias& alias : op.attributes<CustomCallAttributes>().aliases) {
    const Shape* output = FindSubShape(op.own_shape(), alias.output_index);
    if (output == nullptr) {
      return op.Violation("", "output_to_operand_aliasing names output {}, result has shape {}",
                          ShapeIndexToString(alias.output_index), op.own_shape().ToString(false));
    }
    bool is_operand = alias.operand >= 0 && alias.operand < static_cast<int64_t>(op.operand_count());
    const Shape* operand =
        is_operand ? FindSubShape(op.operand(static_cast<size_t>(alias.operand)), alias.operand_index) : nullptr;
    if (operand == nullptr) {
      return op.Violation("", "output_to_operand_aliasing names operand {} at {}, which does not exist", alias.operand,
                          ShapeIndexToString(alias.operand_index));
    }
    if (output->byte_size() == operand->byte_size()) continue;
    return op.Violation("", "output {} has {} bytes, its aliased operand {} has {}; they must be as many",
                        output->ToString(false), output->byte_size(), operand->ToString(false), operand->byte_size());
  }
  return op.own_shape();
}

// async-start gives a tuple of the operands, the result and whatever the machine needs; async-done takes the result out.
Result<Shape> InferAsync(const Op& op) {
  if (op.opcode() != Opcode::kAsyncStart) {
    const Shape& state = op.operand(0);
    if (!state.is_tuple() || state.elements.size() < 2) {
      return op.Violation("", "operand has shape {}; it must be the tuple of an async-start", state.ToString(false));
    }
    return op.opcode() == Opcode::kAsyncDone ? state.elements[1] : state;
  }
  TRY(const Computation* computation, Called(op, 0, "async_start C1"));
  TRY_STATUS(CheckTakes(op, *computation, OperandShapes(op), "async_start C1"));
  const Shape& shape = op.own_shape();
  bool fits = shape.is_tuple() && shape.elements.size() >= 2 &&
              shape.elements[0].Compatible(Shape::Tuple(OperandShapes(op))) &&
              shape.elements[1].Compatible(op.module().shape(computation->root));
  if (fits) return shape;
  return op.Violation("", "has shape {}; it must be a tuple of its operands, then the result of `{}`",
                      shape.ToString(false), computation->name);
}

}  // namespace

Result<Shape> InferControl(const Op& op) {
  switch (op.opcode()) {
    case Opcode::kCall:
    case Opcode::kFusion: return InferCall(op);
    case Opcode::kWhile: return InferWhile(op);
    case Opcode::kConditional: return InferConditional(op);
    case Opcode::kCustomCall: return InferCustomCall(op);
    default: return InferAsync(op);
  }
}

}  // namespace stead::ir
