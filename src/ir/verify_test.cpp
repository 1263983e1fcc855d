// What must hold beyond the rule of each op: lists, order, users, names, calls, the entry's layout and donations.
#include "ir/verify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"

namespace stead::ir {
namespace {

Module Parse(std::string_view text) {
  Result<Module> module = frontend::ParseHloText(text, "test.hlo");
  if (!module.ok()) throw std::runtime_error(module.error().ToString());
  return std::move(module).value();
}

std::string ErrorOf(const Module& module) {
  Status status = VerifyModule(module);
  return status.ok() ? "verified" : status.error().what;
}

#define EXPECT_ERROR(module, text) EXPECT_NE(ErrorOf(module).find(text), std::string::npos) << ErrorOf(module)

struct Chain {
  Module module;
  ComputationId entry;
  InstrId x, y, z;
};

// x -> y = negate(x) -> z = add(x, y), the root.
Chain MakeChain() {
  Chain chain;
  chain.entry = chain.module.AddComputation("e");
  chain.module.entry = chain.entry;
  Shape shape = Shape::Array(ElementType::kF32, {2});
  auto add = [&](Opcode opcode, std::string name, std::vector<InstrId> operands, Attributes attributes = {}) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.name = std::move(name);
    instruction.shape = shape;
    instruction.operands = std::move(operands);
    instruction.attributes = std::move(attributes);
    return chain.module.Add(chain.entry, std::move(instruction));
  };
  chain.x = add(Opcode::kParameter, "x", {}, ParameterAttributes{0});
  chain.y = add(Opcode::kNegate, "y", {chain.x});
  chain.z = add(Opcode::kAdd, "z", {chain.x, chain.y});
  chain.module.SetRoot(chain.entry, chain.z);
  return chain;
}

TEST(VerifyTest, AWellFormedModuleIsAccepted) { EXPECT_EQ(ErrorOf(MakeChain().module), "verified"); }

TEST(VerifyTest, RulesOfOpsAreNoPartOfTheStructure) {
  const Module wrong = Parse("HloModule m\nENTRY e { x = f32[2] parameter(0)\n ROOT y = f32[3] negate(x) }");
  EXPECT_TRUE(VerifyStructure(wrong).ok());
  EXPECT_ERROR(wrong, "has shape f32[3], but its operands and attributes give f32[2]");
  EXPECT_FALSE(VerifyStructure(Module()).ok());
}

TEST(VerifyTest, ShapesThatNothingComputesWithAreNamed) {
  const auto with_shape = [](std::string_view shape) {
    return Parse(fmt::format("HloModule m\nENTRY e {{ ROOT x = {} parameter(0) }}", shape));
  };
  EXPECT_ERROR(with_shape("(f32[2], f32[?])"), "unbounded dimensions: `x`: has shape f32[?]");
  EXPECT_ERROR(with_shape("b(f32[2])"), "values that are buffers: `x`: has shape b(f32[2])");
  EXPECT_ERROR(with_shape("f32[999999999999]"), "takes more than 1099511627776 bytes");
}

TEST(VerifyTest, EntryAndRootMustExist) {
  EXPECT_ERROR(Module(), "no entry computation");
  Module module;
  module.entry = module.AddComputation("e");
  EXPECT_ERROR(module, "no root");
}

TEST(VerifyTest, OperandsStandBeforeTheirUsers) {
  Chain chain = MakeChain();
  chain.module.Reorder(chain.entry, {chain.x, chain.z, chain.y});
  EXPECT_ERROR(chain.module, "its operand `y` does not stand before it");
}

TEST(VerifyTest, ControlPredecessorsStandBeforeTheirSuccessors) {
  Chain chain = MakeChain();
  chain.module.SetControlPredecessors(chain.y, {chain.z});
  EXPECT_ERROR(chain.module, "its control predecessor `z` does not stand before it");
}

TEST(VerifyTest, AttributesAreThoseOfTheOp) {
  Chain chain = MakeChain();
  chain.module.SetAttributes(chain.y, SliceAttributes());
  EXPECT_ERROR(chain.module, "holds the attributes of another op than `negate`");
}

TEST(VerifyTest, ShapesAreBoundedAndTheirLayoutsComplete) {
  Chain chain = MakeChain();
  chain.module.SetShape(chain.x, Shape::Array(ElementType::kF32, {int64_t{1} << 40}));
  EXPECT_ERROR(chain.module, "bytes");
  chain.module.SetShape(chain.x, Shape::Array(ElementType::kF32, {int64_t{1} << 62, int64_t{1} << 62, 4}));
  EXPECT_ERROR(chain.module, "bytes");
  Shape shape = Shape::Array(ElementType::kF32, {2});
  shape.layout.minor_to_major = {1};
  chain.module.SetShape(chain.x, shape);
  EXPECT_ERROR(chain.module, "does not order the dimensions");
}

TEST(VerifyTest, NamesCanBeReadBack) {
  Chain chain = MakeChain();
  Instruction bad;
  bad.opcode = Opcode::kNegate;
  bad.name = "<lambda>";
  bad.shape = Shape::Array(ElementType::kF32, {2});
  bad.operands = {chain.z};
  chain.module.Add(chain.entry, bad);
  EXPECT_ERROR(chain.module, "`<lambda>` is no name of HLO");
}

TEST(VerifyTest, ParametersAreNumberedWithoutHoles) {
  EXPECT_ERROR(Parse("HloModule m\nENTRY e { x = f32[] parameter(1) }"), "lacks parameter 0");
}

TEST(VerifyTest, ComputationsAreNotRecursive) {
  Module module;
  ComputationId entry = module.AddComputation("e");
  module.entry = entry;
  Instruction parameter;
  parameter.attributes = ParameterAttributes{0};
  InstrId x = module.Add(entry, parameter);
  Instruction call;
  call.opcode = Opcode::kCall;
  call.operands = {x};
  call.called = {entry};
  module.SetRoot(entry, module.Add(entry, call));
  EXPECT_ERROR(module, "computations cannot be recursive");
}

std::string WithHeader(std::string_view attributes) {
  return fmt::format(
      "HloModule m, {}\nENTRY e {{ x = f32[2] parameter(0)\n y = (f32[4], f32[2]) parameter(1)\n"
      " z = f32[4] get-tuple-element(y), index=0\n ROOT t = (f32[2], f32[4]) tuple(x, z) }}\n",
      attributes);
}

struct HeaderCase {
  const char* attributes;
  const char* error;
};

void PrintTo(const HeaderCase& header, std::ostream* out) { *out << header.attributes; }

class HeaderTest : public testing::TestWithParam<HeaderCase> {};

TEST_P(HeaderTest, IsChecked) { EXPECT_ERROR(Parse(WithHeader(GetParam().attributes)), GetParam().error); }

constexpr HeaderCase kHeaders[] = {
    {"input_output_alias={ {0}: (0, {}), {1}: (1, {0}) }", "verified"},
    {"input_output_alias={ {0}: (2, {}) }", "names parameter 2 at {}"},
    {"input_output_alias={ {0}: (1, {}) }", "names parameter 1 at {}"},
    {"input_output_alias={ {2}: (0, {}) }", "names output {2}"},
    {"input_output_alias={ {}: (0, {}) }", "names output {}"},
    {"input_output_alias={ {1}: (0, {}) }", "they must have as many bytes"},
    {"input_output_alias={ {0}: (0, {}), {0}: (1, {1}) }", "names output {0} a second time"},
    {"input_output_alias={ {0}: (0, {}), {1}: (0, {}) }", "gives parameter 0 at {} away a second time"},
    {"input_output_alias={ {0}: (0, {}) }, buffer_donor={ (0, {}) }", "away a second time"},
    {"buffer_donor={ (1, {1}) }", "verified"},
    {"buffer_donor={ (1, {2}) }", "buffer_donor names parameter 1 at {2}"},
    {"entry_computation_layout={(f32[2], (f32[4], f32[2]))->(f32[2], f32[4])}", "verified"},
    {"entry_computation_layout={(f32[2])->(f32[2], f32[4])}", "has 1 parameters, `e` has 2"},
    {"entry_computation_layout={(f32[3], (f32[4], f32[2]))->(f32[2], f32[4])}", "says f32[3] for parameter 0"},
    {"entry_computation_layout={(f32[2], (f32[4], f32[2]))->f32[2]}", "says f32[2] for the result"},
};
INSTANTIATE_TEST_SUITE_P(All, HeaderTest, testing::ValuesIn(kHeaders));

}  // namespace
}  // namespace stead::ir
