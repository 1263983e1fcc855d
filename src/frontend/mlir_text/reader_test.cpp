#include "frontend/mlir_text/reader.h"

#include <gtest/gtest.h>

#include <cstring>

namespace stead::frontend::mlir {
namespace {

ParsedModule Read(std::string_view text) {
  Result<ParsedModule> module = ReadMlirText(text, "test.mlir");
  STEAD_CHECK(module.ok(), module.ok() ? "" : module.error().ToString());
  return std::move(*module);
}

Diagnostic Refusal(std::string_view text) {
  Result<ParsedModule> module = ReadMlirText(text, "test.mlir");
  STEAD_CHECK(!module.ok(), "the text was read");
  return module.error();
}

// The operations of the only function.
const Block& Body(const ParsedModule& module) {
  return module.root.regions.at(0).blocks.at(0).operations.at(0).regions.at(0).blocks.at(0);
}

// A function that holds these lines; the values %x and %y are there.
std::string Function(std::string_view lines) {
  return "func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) {\n" + std::string(lines) + "\nreturn\n}\n";
}

// The payload of the constant `literal`.
std::string Payload(std::string_view literal) {
  const std::string text = Function("%c = stablehlo.constant " + std::string(literal));
  const ParsedModule module = Read(text);
  const TensorAttribute value = module.Find<TensorAttribute>(Body(module).operations.at(0), "value").value().value();
  return {reinterpret_cast<const char*>(value.payload.data()), value.payload.size()};
}

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  std::string bytes;
  for (T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return bytes;
}

std::vector<int64_t> Integers(const ParsedModule& module, const Operation& op, std::string_view name) {
  const TensorAttribute list = module.Find<TensorAttribute>(op, name).value().value();
  std::vector<int64_t> values(list.payload.size() / sizeof(int64_t));
  std::memcpy(values.data(), list.payload.data(), list.payload.size());
  return values;
}

TEST(MlirText, IsToldFromOtherTexts) {
  EXPECT_TRUE(IsMlirText("module @jit_f attributes {a = 1 : i32} {\n}"));
  EXPECT_TRUE(IsMlirText("// a comment\n#loc = loc(unknown)\nmodule {}"));
  EXPECT_TRUE(IsMlirText("\"builtin.module\"() ({}) : () -> ()"));
  EXPECT_TRUE(IsMlirText("func.func @main() { return }"));
  EXPECT_FALSE(IsMlirText("HloModule module\n"));
  EXPECT_FALSE(IsMlirText("module, entry_computation_layout={}"));
  EXPECT_FALSE(IsMlirText(""));
}

TEST(MlirText, PrettyAndGenericFormsGiveOneTree) {
  const std::string pretty_text = Function("%0 = stablehlo.add %x, %y : tensor<4xf32>");
  const std::string generic_text =
      Function("%0 = \"stablehlo.add\"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>");
  for (const std::string& text : {pretty_text, generic_text}) {
    const ParsedModule module = Read(text);
    const Block& body = Body(module);
    const Operation& add = body.operations.at(0);
    EXPECT_EQ(module.name_of(add), "stablehlo.add");
    EXPECT_EQ(add.operands, body.arguments);
    ASSERT_EQ(add.results.size(), 1u);
    EXPECT_EQ(module.value_types[add.results[0]], module.value_types[add.operands[0]]);
    EXPECT_EQ(module.name_of(body.operations.at(1)), "func.return");
  }
}

TEST(MlirText, ClausesBecomeAttributes) {
  const std::string text = Function(
      "%0 = stablehlo.slice %x [1:4:2] : (tensor<4xf32>) -> tensor<2xf32>\n"
      "%1 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [HIGH, DEFAULT] : "
      "(tensor<4xf32>, tensor<4xf32>) -> tensor<f32>\n"
      "%2 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf32>\n");
  const ParsedModule module = Read(text);
  const std::vector<Operation>& ops = Body(module).operations;
  EXPECT_EQ(Integers(module, ops.at(0), "start_indices"), (std::vector<int64_t>{1}));
  EXPECT_EQ(Integers(module, ops.at(0), "limit_indices"), (std::vector<int64_t>{4}));
  EXPECT_EQ(Integers(module, ops.at(0), "strides"), (std::vector<int64_t>{2}));
  EXPECT_EQ(Integers(module, ops.at(1), "rhs_contracting_dimensions"), (std::vector<int64_t>{0}));
  const ArrayAttribute precisions = module.Find<ArrayAttribute>(ops.at(1), "precision_config").value().value();
  EXPECT_EQ(module.pool.Get<EnumAttribute>(precisions.items.at(0))->value, 1u);
  EXPECT_EQ(module.Find<IntegerAttribute>(ops.at(2), "mantissa_bits").value()->value, 10);
}

TEST(MlirText, ConstantsArePackedAsInArtifacts) {
  EXPECT_EQ(Payload("dense<[1, -2]> : tensor<2xi32>"), Bytes<int32_t>({1, -2}));
  EXPECT_EQ(Payload("dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>"), Bytes<uint8_t>({1, 2, 3, 4}));
  EXPECT_EQ(Payload("dense<[1, -2, 3]> : tensor<3xi4>"), Bytes<uint8_t>({1, 14, 3}));
  EXPECT_EQ(Payload("dense<1.5> : tensor<4xf32>"), Bytes<float>({1.5F}));
  EXPECT_EQ(Payload("dense<[1.5, 0x7FC00000]> : tensor<2xf32>"), Bytes<uint32_t>({0x3FC00000, 0x7FC00000}));
  EXPECT_EQ(Payload("dense<[(1.0, -2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>"), Bytes<float>({1, -2, 3, 4}));
  EXPECT_EQ(Payload("dense<\"0x0000803F00000040\"> : tensor<2xf32>"), Bytes<float>({1, 2}));
  EXPECT_EQ(Payload("dense<[1.0, 2.0]> : tensor<2xbf16>"), Bytes<uint16_t>({0x3F80, 0x4000}));
  EXPECT_EQ(Payload("dense<> : tensor<0x4xf32>"), "");
}

// Equal elements are kept once, however they are written.
TEST(MlirText, ConstantsOfEqualElementsAreSplats) {
  EXPECT_EQ(Payload("dense<[7, 7, 7]> : tensor<3xi16>"), Bytes<int16_t>({7}));
  EXPECT_EQ(Payload("dense<\"0x0000803F0000803F\"> : tensor<2xf32>"), Bytes<float>({1}));
  EXPECT_EQ(Payload("dense<true> : tensor<9xi1>"), "\xFF");
  EXPECT_EQ(Payload("dense<[true, false, true]> : tensor<3xi1>"), "\x05");
}

// The number lies a little above half way between two numbers of bf16, by less than f32 can tell.
TEST(MlirText, DecimalNumbersAreRoundedOnce) {
  EXPECT_EQ(Payload("dense<1.003906250000001> : tensor<bf16>"), Bytes<uint16_t>({0x3F81}));
  EXPECT_EQ(Payload("dense<1.00390625> : tensor<bf16>"), Bytes<uint16_t>({0x3F80}));
}

TEST(MlirText, LocationsMayComeLater) {
  const std::string text =
      "func.func @main() {\n%0 = stablehlo.iota dim = 0 : tensor<4xi32> loc(#loc2)\nreturn\n}\n"
      "#loc1 = loc(\"file.py\":3:7 to :9)\n#loc2 = loc(\"jit(f)/iota\"(#loc1))\n";
  const ParsedModule module = Read(text);
  const NameLocation name = module.pool.Get<NameLocation>(Body(module).operations.at(0).location_id).value();
  EXPECT_EQ(name.name, "jit(f)/iota");
  EXPECT_EQ(module.pool.Get<FileLocation>(name.child)->line, 3u);
  const FileLocation own = module.pool.Get<FileLocation>(Body(module).operations.at(1).location_id).value();
  EXPECT_EQ(own.file, "test.mlir");
  EXPECT_EQ(own.line, 3u);
}

TEST(MlirText, NamesEndWithTheirRegion) {
  const std::string twice = Function(
      "%0 = \"stablehlo.case\"(%x) ({\n%a = stablehlo.negate %x : tensor<4xf32>\nstablehlo.return %a : tensor<4xf32>\n"
      "}, {\n%a = stablehlo.abs %x : tensor<4xf32>\nstablehlo.return %a : tensor<4xf32>\n"
      "}) : (tensor<4xf32>) -> tensor<4xf32>");
  EXPECT_EQ(Body(Read(twice)).operations.at(0).regions.size(), 2u);
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.abs %z : tensor<4xf32>")).what, "`%z` is used before it is defined");
  EXPECT_EQ(Refusal(Function("%x = stablehlo.abs %y : tensor<4xf32>")).what, "`%x` is defined twice");
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.abs %x#1 : tensor<4xf32>")).what, "`%x` has no result 1");
}

TEST(MlirText, ErrorsHaveTheirPlace) {
  const Diagnostic error = Refusal("module {\n  func.func @main( {\n}");
  EXPECT_EQ(error.where.line, 2);
  EXPECT_EQ(error.where.column, 20);
  EXPECT_EQ(error.what, "expected a type, found `{`");
}

TEST(MlirText, RefusesWhatDoesNotFit) {
  EXPECT_EQ(Refusal(Function("%0:2 = stablehlo.abs %x : (tensor<4xf32>) -> tensor<4xf32>")).what,
            "`stablehlo.abs` has 1 results, 2 are named");
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.iota dims = 0 : tensor<4xi32>")).what, "`stablehlo.iota` has no `dims`");
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.constant dense<300> : tensor<ui8>")).what,
            "`300` is no integer of 8 bits");
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.constant dense<[1, 2]> : tensor<3xi8>")).what,
            "expected `,`, found `]> : tensor<3xi8>`");
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.constant dense_resource<a> : tensor<3xi8>")).code,
            ErrorCode::kUnimplemented);
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.abs %x : tensor<4xf32> loc(#loc7)")).what,
            "alias `#loc7` is used but not defined");
  EXPECT_EQ(Refusal(Function("%0 = stablehlo.abs %x {a = 1 : i32, a = 2 : i32} : tensor<4xf32>")).what,
            "attribute `a` is given twice");
}

TEST(MlirText, SpecialFunctionsOfWhatIsNoArrayAreRefused) {
  EXPECT_FALSE(
      ReadMlirText("func.func @main(%t: !stablehlo.token, %s: tensor<f32>) {\n"
                   "%0:2 = chlo.top_k(%t, k = 1) : !stablehlo.token -> (tensor<1xf32>, tensor<1xi32>)\nreturn\n}",
                   "test.mlir")
          .ok());
  EXPECT_FALSE(
      ReadMlirText("func.func @main(%s: tensor<f32>) {\n%0 = chlo.zeta %s : tensor<f32> -> tensor<f32>\nreturn\n}",
                   "test.mlir")
          .ok());
}

TEST(MlirText, ProgramsForSeveralDevicesAreRefused) {
  EXPECT_EQ(Refusal("module attributes {mhlo.num_partitions = 8 : i32} {}").code, ErrorCode::kUnimplemented);
  EXPECT_TRUE(ReadMlirText("module attributes {mhlo.num_partitions = 1 : i32} {}", "test.mlir").ok());
  EXPECT_TRUE(ReadMlirText("\"builtin.module\"() : () -> ()", "test.mlir").ok());
}

std::string Repeated(std::string_view text, int times) {
  std::string result;
  for (int time = 0; time < times; ++time) result += text;
  return result;
}

TEST(MlirText, NestingIsLimited) {
  const int deep = 100'000;
  for (const std::string& text :
       {Repeated("module {\n", deep), "#a = " + Repeated("[", deep), "#a = loc(" + Repeated("callsite(", deep),
        "!t = " + Repeated("tuple<", deep),
        "#a = dense<" + Repeated("[", deep) + Repeated("]", deep) + "> : tensor<" + Repeated("1x", deep) + "f32>"}) {
    EXPECT_FALSE(ReadMlirText(text, "deep.mlir").ok());
  }
}

}  // namespace
}  // namespace stead::frontend::mlir
