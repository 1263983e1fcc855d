#include "interp/evaluate.h"

#include <gtest/gtest.h>

#include "interp/testing.h"

namespace stead::interp {
namespace {

using ir::ElementType;
using ir::Opcode;
using ir::Shape;

Shape Scalar(ElementType type) { return Shape::Array(type, {}); }

ir::InstrId AddParameter(ir::Module& module, ir::ComputationId computation, int64_t number, Shape shape) {
  ir::Instruction parameter;
  parameter.shape = std::move(shape);
  parameter.attributes = ir::ParameterAttributes{number};
  return module.Add(computation, std::move(parameter));
}

ir::InstrId AddOp(ir::Module& module, ir::ComputationId computation, Opcode opcode, Shape shape,
                  std::vector<ir::InstrId> operands, ir::Attributes attributes = {},
                  std::vector<ir::ComputationId> called = {}) {
  return module.Add(computation,
                    {opcode, "", std::move(shape), std::move(operands), {}, std::move(called), std::move(attributes)});
}

ir::InstrId AddNumber(ir::Module& module, ir::ComputationId computation, double number) {
  return AddOp(module, computation, Opcode::kConstant, Scalar(ElementType::kS32), {},
               Numbers(ElementType::kS32, {}, {number}));
}

// while (count < limit) { count += 1; previous, current = current, previous + current } with an array beside the scalars when
// `with_array`, so that both kinds of loop run.
ir::Module FibonacciLoop(double limit, bool with_array) {
  Shape number = Scalar(ElementType::kS32);
  std::vector<Shape> parts = {number, number, number};
  if (with_array) parts.push_back(Shape::Array(ElementType::kF32, {4}));
  Shape state = Shape::Tuple(parts);
  ir::Module module;
  auto part = [&](ir::ComputationId in, ir::InstrId of, int64_t index) {
    return AddOp(module, in, Opcode::kGetTupleElement, parts[static_cast<size_t>(index)], {of},
                 ir::TupleElementAttributes{index});
  };
  ir::ComputationId condition = module.AddComputation("condition");
  ir::InstrId seen = AddParameter(module, condition, 0, state);
  module.SetRoot(condition, AddOp(module, condition, Opcode::kCompare, Scalar(ElementType::kPred),
                                  {part(condition, seen, 0), AddNumber(module, condition, limit)},
                                  ir::CompareAttributes{ir::CompareAttributes::Direction::kLt}));
  ir::ComputationId body = module.AddComputation("body");
  ir::InstrId before = AddParameter(module, body, 0, state);
  ir::InstrId current = part(body, before, 2);
  std::vector<ir::InstrId> after = {
      AddOp(module, body, Opcode::kAdd, number, {part(body, before, 0), AddNumber(module, body, 1)}), current,
      AddOp(module, body, Opcode::kAdd, number, {part(body, before, 1), current})};
  if (with_array) after.push_back(part(body, before, 3));
  module.SetRoot(body, AddOp(module, body, Opcode::kTuple, state, after));
  module.entry = module.AddComputation("main");
  std::vector<ir::InstrId> start = {AddNumber(module, module.entry, 0), AddNumber(module, module.entry, 0),
                                    AddNumber(module, module.entry, 1)};
  if (with_array) start.push_back(AddParameter(module, module.entry, 0, parts.back()));
  ir::InstrId tuple = AddOp(module, module.entry, Opcode::kTuple, state, start);
  ir::InstrId loop = AddOp(module, module.entry, Opcode::kWhile, state, {tuple}, {}, {condition, body});
  module.SetRoot(module.entry, part(module.entry, loop, 1));
  return module;
}

TEST(While, HandsStateAroundWhetherScalarsAloneOrNot) {
  EXPECT_EQ(NumbersOf(Evaluate(FibonacciLoop(10, false), {}).value()), (std::vector<double>{55}));
  std::vector<ir::Literal> array = {Numbers(ElementType::kF32, {4}, {1, 2, 3, 4})};
  EXPECT_EQ(NumbersOf(Evaluate(FibonacciLoop(10, true), array).value()), (std::vector<double>{55}));
  EXPECT_EQ(NumbersOf(Evaluate(FibonacciLoop(0, false), {}).value()), (std::vector<double>{0}));
}

// conditional(choice, a, b, c) whose branches negate, keep and negate.
double RunConditional(const ir::Literal& choice, size_t branch_count) {
  ir::Module module;
  Shape number = Scalar(ElementType::kF32);
  std::vector<ir::ComputationId> branches;
  for (size_t branch = 0; branch < branch_count; ++branch) {
    branches.push_back(module.AddComputation("branch"));
    ir::InstrId parameter = AddParameter(module, branches.back(), 0, number);
    module.SetRoot(branches.back(),
                   branch == 1 ? parameter : AddOp(module, branches.back(), Opcode::kNegate, number, {parameter}));
  }
  module.entry = module.AddComputation("main");
  std::vector<ir::Literal> arguments = {choice};
  std::vector<ir::InstrId> operands = {AddParameter(module, module.entry, 0, choice.shape())};
  for (size_t branch = 0; branch < branch_count; ++branch) {
    operands.push_back(AddParameter(module, module.entry, static_cast<int64_t>(branch) + 1, number));
    arguments.push_back(Numbers(ElementType::kF32, {}, {static_cast<double>(branch + 1)}));
  }
  module.SetRoot(module.entry, AddOp(module, module.entry, Opcode::kConditional, number, operands, {}, branches));
  return Evaluate(module, arguments).value().AsDouble(0);
}

TEST(Conditional, TrueIsTheFirstBranchAndBadIndicesTakeTheLast) {
  auto choose = [](ElementType type, double value) { return Numbers(type, {}, {value}); };
  EXPECT_EQ(RunConditional(choose(ElementType::kPred, 1), 2), -1);
  EXPECT_EQ(RunConditional(choose(ElementType::kPred, 0), 2), 2);
  EXPECT_EQ(RunConditional(choose(ElementType::kS32, 0), 3), -1);
  EXPECT_EQ(RunConditional(choose(ElementType::kS32, 1), 3), 2);
  EXPECT_EQ(RunConditional(choose(ElementType::kS32, 7), 3), -3);
  EXPECT_EQ(RunConditional(choose(ElementType::kS32, -1), 3), -3);
}

TEST(Evaluate, CallsNestedTooDeepAreRefused) {
  ir::Module module;
  Shape number = Scalar(ElementType::kF32);
  ir::ComputationId callee = module.AddComputation("leaf");
  ir::InstrId parameter = AddParameter(module, callee, 0, number);
  module.SetRoot(callee, AddOp(module, callee, Opcode::kNegate, number, {parameter}));
  for (int level = 0; level < 10'000; ++level) {
    ir::ComputationId caller = module.AddComputation("caller");
    ir::InstrId argument = AddParameter(module, caller, 0, number);
    module.SetRoot(caller, AddOp(module, caller, Opcode::kCall, number, {argument}, {}, {callee}));
    callee = caller;
  }
  module.entry = callee;
  Result<ir::Literal> result = Evaluate(module, std::vector<ir::Literal>{Numbers(ElementType::kF32, {}, {1})});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kResourceExhausted);
}

TEST(Evaluate, RefusesWrongArgumentsAndConstantsWithoutElements) {
  OneOp negate(Opcode::kNegate, Shape::Array(ElementType::kF32, {2}));
  ir::Module module;
  module.entry = module.AddComputation("main");
  module.SetRoot(module.entry, AddParameter(module, module.entry, 0, Shape::Array(ElementType::kF32, {2})));
  Result<ir::Literal> wrong = Evaluate(module, std::vector<ir::Literal>{Numbers(ElementType::kF32, {3}, {1, 2, 3})});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().what, "argument 0 has shape f32[3], parameter `parameter` has shape f32[2]");
  EXPECT_FALSE(Evaluate(module, {}).ok());

  ir::Module elided;
  elided.entry = elided.AddComputation("main");
  Shape shape = Shape::Array(ElementType::kF32, {2});
  elided.SetRoot(elided.entry, AddOp(elided, elided.entry, Opcode::kConstant, shape, {}, ir::Literal::Elided(shape)));
  Result<ir::Literal> unknown = Evaluate(elided, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().what.find("`constant`"), std::string::npos);
}

TEST(Evaluate, NamesTheTargetOfACustomCall) {
  OneOp call(Opcode::kCustomCall, Shape::Array(ElementType::kF32, {1}),
             ir::CustomCallAttributes{"my_kernel", {}, false});
  Result<ir::Literal> result = call.Run({Numbers(ElementType::kF32, {1}, {1})});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnimplemented);
  EXPECT_NE(result.error().what.find("target `my_kernel`"), std::string::npos);
}

}  // namespace
}  // namespace stead::interp
