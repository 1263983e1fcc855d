#include "frontend/hlo_text/parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/text/printer.h"
#include "ir/verify.h"

namespace stead::frontend {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

Module Parse(std::string_view text) {
  Result<Module> module = ParseHloText(text, "test.hlo");
  if (!module.ok()) throw std::runtime_error(module.error().ToString());
  return std::move(module).value();
}

// A module with these lines as its entry computation.
std::string Entry(std::string_view lines) { return fmt::format("HloModule m\n\nENTRY e {{\n{}\n}}\n", lines); }

Module ParseEntry(std::string_view lines) { return Parse(Entry(lines)); }

const Instruction& Find(const Module& module, std::string_view name) {
  for (ir::ComputationId id : module.ComputationsPostOrder()) {
    for (InstrId instruction : module.computation(id).instructions) {
      if (module.instruction(instruction).name == name) return module.instruction(instruction);
    }
  }
  throw std::runtime_error(fmt::format("no instruction {}", name));
}

Diagnostic ErrorOf(std::string_view text) {
  Result<Module> module = ParseHloText(text, "test.hlo");
  if (module.ok()) throw std::runtime_error("the text was accepted");
  return module.error();
}

std::vector<std::filesystem::path> StoredPrograms() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"programs", "hlo"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(STEAD_TEST_DATA) / folder)) {
      if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ParserTest, StoredProgramsAreReadVerifiedAndPrintedStably) {
  std::vector<std::filesystem::path> paths = StoredPrograms();
  ASSERT_GE(paths.size(), 29u);
  for (const std::filesystem::path& path : paths) {
    SCOPED_TRACE(path.filename().string());
    Module module = Parse(ReadFile(path));
    Status verified = ir::VerifyModule(module);
    ASSERT_TRUE(verified.ok()) << verified.error().ToString();
    std::string printed = ir::PrintModule(module);
    EXPECT_EQ(ir::PrintModule(Parse(printed)), printed);
  }
}

TEST(ParserTest, OldStyleHasPercentSignsOperandShapesAndSignatures) {
  Module module = Parse(R"(HloModule m, is_scheduled=true

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(f32[] %a, f32[] %b)
} // sum

ENTRY %main (x: f32[2,3]) -> f32[2] {
  %x = f32[2,3]{1,0} parameter(0), metadata={op_name="x" source_file="a.py" source_line=7}
  %zero = f32[] constant(0)
  ROOT %r = f32[2]{0} reduce(f32[2,3]{1,0} %x, f32[] %zero), dimensions={1}, to_apply=%sum
}
)");
  EXPECT_TRUE(module.is_scheduled);
  EXPECT_EQ(module.entry_computation().name, "main");
  EXPECT_EQ(Find(module, "x").metadata.source_file, "a.py");
  EXPECT_EQ(Find(module, "x").metadata.source_line, 7);
  EXPECT_EQ(Find(module, "r").called.size(), 1u);
  EXPECT_TRUE(ir::VerifyModule(module).ok());
}

TEST(ParserTest, NewStyleHasTablesOfStackFrames) {
  Module module = Parse(R"(HloModule m

FileNames
1 "a\"b.py"
2 "c.py"

FunctionNames
1 "<module>"

FileLocations
1 {file_name_id=2 function_name_id=1 line=3 end_line=4 column=5 end_column=6}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY e {
  ROOT x = f32[] parameter(0), metadata={op_name="x" stack_frame_id=1}
}
)");
  EXPECT_EQ(module.stack_frames.file_names, (std::vector<std::string>{"a\"b.py", "c.py"}));
  SourcePlace place = module.SourceOf(module.entry_computation().root);
  EXPECT_EQ(place.file, "c.py");
  EXPECT_EQ(place.line, 3);
  EXPECT_EQ(place.column, 5);
}

TEST(ParserTest, HeaderAttributesAreReadOrKept) {
  Module module = Parse(
      "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias), {1,2}: (1, {0}), {3}: 2 }, "
      "buffer_donor={ (3, {}), (4, {1}) }, entry_computation_layout={(f32[2]{0}, /*index=1*/s32[])->f32[2,2]{0,1}}, "
      "replica_count=2, frontend_attributes={a=\"b\",c={\"d\":[1,2]}}\n"
      "ENTRY e { ROOT x = f32[] parameter(0) }");
  ASSERT_EQ(module.input_output_aliases.size(), 3u);
  EXPECT_TRUE(module.input_output_aliases[0].must);
  EXPECT_FALSE(module.input_output_aliases[1].must);
  EXPECT_EQ(module.input_output_aliases[1].output_index, (ir::ShapeIndex{1, 2}));
  EXPECT_EQ(module.input_output_aliases[2].parameter, 2);
  ASSERT_EQ(module.buffer_donors.size(), 2u);
  EXPECT_EQ(module.buffer_donors[1], (ir::BufferDonor{4, {1}}));
  ASSERT_TRUE(module.entry_layout.has_value());
  EXPECT_EQ(module.entry_layout->result.ToString(), "f32[2,2]{0,1}");
  ASSERT_EQ(module.extra.size(), 2u);
  EXPECT_EQ(module.extra[1].value, "{a=\"b\",c={\"d\":[1,2]}}");
}

TEST(ParserTest, ShapesOfEveryKind) {
  Module module = ParseEntry(R"(
  a = f32[8,128]{0,1:T(8,128)(2,1)S(1)} parameter(0)
  b = (f32[2]{0}, (), /*index=2*/(s32[], token[])) parameter(1)
  c = f32[<=5,2]{1,0} parameter(2)
  d = f32[]{:T(128)} parameter(3)
  ROOT t = opaque[] parameter(4))");
  EXPECT_EQ(Find(module, "a").shape.layout.suffix, ":T(8,128)(2,1)S(1)");
  EXPECT_EQ(Find(module, "a").shape.ToString(), "f32[8,128]{0,1:T(8,128)(2,1)S(1)}");
  EXPECT_EQ(Find(module, "b").shape.ToString(), "(f32[2]{0}, (), (s32[], token[]))");
  EXPECT_EQ(Find(module, "c").shape.dynamic_dimensions, (std::vector<bool>{true, false}));
  EXPECT_EQ(Find(module, "d").shape.ToString(), "f32[]{:T(128)}");
}

TEST(ParserTest, AttributesOfWindowsAndLabels) {
  Module module = ParseEntry(R"(
  x = f32[2,16,16,3] parameter(0)
  w = f32[3,3,3,8] parameter(1)
  ROOT c = f32[2,8,16,8] convolution(x, w), window={size=3x3 stride=2x1 pad=0_1x1_1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f)");
  const auto& conv = Find(module, "c").As<ir::ConvolutionAttributes>();
  EXPECT_EQ(conv.window.size(), 2u);
  EXPECT_EQ(conv.window[0].stride, 2);
  EXPECT_EQ(conv.window[1].padding_low, 1);
  EXPECT_TRUE(conv.window[0].reversal);
  EXPECT_EQ(conv.input_feature, 3);
  EXPECT_EQ(conv.kernel_output_feature, 3);
  EXPECT_EQ(conv.kernel_spatial, (ir::Dimensions{0, 1}));
}

TEST(ParserTest, SlicesAndPadding) {
  Module module = ParseEntry(R"(
  x = f32[8,9] parameter(0)
  z = f32[] constant(0)
  s = f32[2,9] slice(x), slice={[1:6:4], [0:9]}
  ROOT p = f32[10,6] pad(x, z), padding=0_2x-1_-2_0)");
  EXPECT_EQ(Find(module, "s").As<ir::SliceAttributes>().strides, (ir::Dimensions{4, 1}));
  EXPECT_EQ(Find(module, "p").As<ir::PadAttributes>().high, (ir::Dimensions{2, -2}));
  EXPECT_TRUE(ir::VerifyModule(module).ok());
}

TEST(ParserTest, CustomCallKeepsConfigurationAndReadsAliases) {
  Module module = ParseEntry(R"(
  x = f32[2] parameter(0)
  ROOT c = (f32[2], s32[]) custom-call(x), custom_call_target="a\"b", output_to_operand_aliasing={{0}: (0, {})}, api_version=API_VERSION_TYPED_FFI, backend_config={"k": "}{\"", "n": {"m": [1, 2]}})");
  const Instruction& call = Find(module, "c");
  EXPECT_EQ(call.As<ir::CustomCallAttributes>().target, "a\"b");
  ASSERT_EQ(call.As<ir::CustomCallAttributes>().aliases.size(), 1u);
  ASSERT_EQ(call.extra.size(), 2u);
  EXPECT_EQ(call.extra[1].value, R"({"k": "}{\"", "n": {"m": [1, 2]}})");
}

constexpr std::string_view kLoop = R"(HloModule m
cond { p = (s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT }
body { q = (s32[]) parameter(0)
  j = s32[] get-tuple-element(q), index=0
  one = s32[] constant(1)
  next = s32[] add(j, one)
  ROOT t = (s32[]) tuple(next) }
ENTRY e { z = s32[] constant(0)
  init = (s32[]) tuple(z)
  ROOT w = (s32[]) while(init), condition=cond, body=body%s })";

Module ParseLoop(const std::string& attributes) {
  size_t hole = kLoop.find("%s");
  return Parse(fmt::format("{}{}{}", kLoop.substr(0, hole), attributes, kLoop.substr(hole + 2)));
}

TEST(ParserTest, TripCountOfALoopInBothSpellingsOfItsConfiguration) {
  Module raw = ParseLoop(R"(, backend_config={"known_trip_count":{"n":"5"}})");
  EXPECT_EQ(Find(raw, "w").As<ir::WhileAttributes>().trip_count, 5);
  EXPECT_EQ(Find(raw, "w").extra.size(), 1u);
  Module quoted = ParseLoop(R"(, backend_config="{\"known_trip_count\":{\"n\":\"7\"}}")");
  EXPECT_EQ(Find(quoted, "w").As<ir::WhileAttributes>().trip_count, 7);
  EXPECT_FALSE(Find(ParseLoop(""), "w").As<ir::WhileAttributes>().trip_count.has_value());
}

TEST(ParserTest, ConditionalInBothSpellings) {
  constexpr std::string_view kBranches = R"(HloModule m
a { x = f32[] parameter(0) }
b { y = f32[] parameter(0) }
ENTRY e { s = %s[] parameter(0)
  v = f32[] parameter(1)
  ROOT c = f32[] conditional(s, v, v), %s })";
  auto parse = [&](const char* type, const char* branches) {
    std::string text(kBranches);
    text.replace(text.find("%s"), 2, type);
    return Parse(text.replace(text.find("%s"), 2, branches));
  };
  Module by_pred = parse("pred", "false_computation=b, true_computation=a");
  EXPECT_EQ(by_pred.computation(Find(by_pred, "c").called[0]).name, "a");
  Module by_index = parse("s32", "branch_computations={b, a}");
  EXPECT_EQ(by_index.computation(Find(by_index, "c").called[0]).name, "b");
  EXPECT_TRUE(ir::VerifyModule(by_pred).ok());
  EXPECT_TRUE(ir::VerifyModule(by_index).ok());
}

TEST(ParserTest, ShortFormOfAsyncOpsBecomesAWrappedComputation) {
  Module module = ParseEntry(R"(
  x = f32[4] parameter(0)
  s = ((f32[4]), f32[2], u32[]) slice-start(x), slice={[0:2]}, async_execution_thread="host"
  ROOT d = f32[2] slice-done(s))");
  const Instruction& start = Find(module, "s");
  EXPECT_EQ(start.opcode, Opcode::kAsyncStart);
  ASSERT_EQ(start.called.size(), 1u);
  EXPECT_EQ(module.instruction(module.root(start.called[0])).opcode, Opcode::kSlice);
  Status verified = ir::VerifyModule(module);
  EXPECT_TRUE(verified.ok()) << verified.error().ToString();
}

TEST(ParserTest, ShapesMayBeLeftOutWhereOperandsSayThem) {
  Module module = ParseEntry(R"(
  x = f32[2,3] parameter(0)
  t = transpose(x), dimensions={1,0}
  c = compare(t, t), direction=EQ
  ROOT r = tuple(t, c))");
  EXPECT_EQ(Find(module, "r").shape.ToString(false), "(f32[3,2], pred[3,2])");
}

TEST(ParserTest, NamesAreOfTheComputationTheyStandIn) {
  Module module = Parse(
      "HloModule m\nadd { x = f32[] parameter(0) }\nENTRY e { x = f32[] parameter(0)\n ROOT add = f32[] call(x), "
      "to_apply=add }");
  EXPECT_EQ(module.entry_computation().instructions.size(), 2u);
  EXPECT_EQ(Find(module, "add").opcode, Opcode::kCall);
  EXPECT_TRUE(ir::VerifyModule(module).ok());
}

TEST(ParserTest, RootIsMarkedOrLastAndEntryIsMarkedOrLast) {
  Module module = Parse(
      "HloModule m\na { ROOT x = f32[] parameter(0)\n y = f32[] negate(x) }\nb { p = f32[] parameter(0)\n q = f32[] "
      "negate(p) }");
  EXPECT_EQ(module.entry_computation().name, "b");
  EXPECT_EQ(module.instruction(module.entry_computation().root).name, "q");
}

TEST(ParserTest, TextPlaceIsTheLineOfTheInstruction) {
  Module module = ParseEntry("  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)");
  EXPECT_EQ(Find(module, "y").text_place.line, 5);
  EXPECT_EQ(Find(module, "y").text_place.column, 8);
}

TEST(ParserTest, LongModulesAndLongAttributesTakeLinearTime) {
  std::string lines = "  i0 = f32[] parameter(0)\n";
  for (int number = 1; number < 20000; ++number) {
    lines += fmt::format("  i{} = f32[] add(i{}, i0)\n", number, number - 1);
  }
  lines +=
      fmt::format("  ROOT c = f32[] custom-call(i0), custom_call_target=\"t\", backend_config={{\"body\": \"{}\"}}",
                  std::string(1 << 20, 'x'));
  auto start = std::chrono::steady_clock::now();
  Module module = ParseEntry(lines);
  std::string printed = ir::PrintModule(module);
  EXPECT_GT(printed.size(), size_t{1} << 20);
  // Generous, for sanitizers on slow machines; quadratic work would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(ParserTest, AComputationMayStandWhereItIsCalled) {
  Module module = ParseEntry(
      "x = f32[4] parameter(0)\nzero = f32[] constant(0)\n"
      "ROOT sum = f32[] reduce(x, zero), dimensions={0}, to_apply={\n  x = f32[] parameter(0)\n  y = f32[] "
      "parameter(1)\n"
      "  ROOT larger = f32[] maximum(x, y)\n}");
  const Instruction& sum = Find(module, "sum");
  ASSERT_EQ(sum.called.size(), 1u);
  EXPECT_EQ(module.instruction(module.root(sum.called[0])).name, "larger");
  EXPECT_TRUE(ir::VerifyModule(module).ok());
  std::string deep;
  for (int level = 0; level < 20; ++level) deep += "a = f32[] call(), to_apply={";
  EXPECT_FALSE(ParseHloText(Entry(deep + std::string(20, '}')), "deep.hlo").ok());
}

TEST(ParserTest, LiteralsAmongAttributesKeepTheirShape) {
  Module module = ParseEntry(
      "x = f32[2] parameter(0)\nROOT c = f32[2] custom-call(x), custom_call_target=\"SetBound\", literal=s32[] 1, a=b");
  const Instruction& call = Find(module, "c");
  ASSERT_EQ(call.extra.size(), 2u);
  EXPECT_EQ(call.extra[0].value, "s32[] 1");
}

TEST(ParserTest, ShapesThatNothingComputesWithAreReadToBePrinted) {
  for (std::string_view shape : {"f32[?,784]{1,0}", "b(f32[2]{0})", "bf16[24,2048,2048,3,4096]{4,3,2,1,0}"}) {
    Module module = ParseEntry(fmt::format("ROOT x = {} parameter(0)", shape));
    EXPECT_EQ(Find(module, "x").shape.ToString(), shape);
    EXPECT_TRUE(ir::VerifyStructure(module).ok());
    EXPECT_FALSE(ir::VerifyModule(module).ok());
  }
}

TEST(ParserTest, OldHeadersEndInAColon) {
  EXPECT_EQ(Parse("HloModule m.1:\n\ne { x = f32[] parameter(0) }").name, "m.1");
}

TEST(Parser, AModuleWithoutAHeaderIsNamedAfterItsEntry) {
  for (std::string_view mark : {"", "ENTRY "}) {
    std::string text = fmt::format(
        "// A test of XLA.\nhalf (x: f32[]) -> f32[] {{ ROOT x = f32[] parameter(0) }}\n"
        "{}whole {{ y = f32[] parameter(0)\n ROOT r = f32[] call(y), to_apply=half }}",
        mark);
    EXPECT_TRUE(LooksLikeHloText(text));
    Module module = ParseHloText(text, "test.hlo").value();
    EXPECT_EQ(module.name, "module_whole");
    EXPECT_EQ(module.entry_computation().name, "whole");
  }
  EXPECT_FALSE(LooksLikeHloText("hello\n"));
}

struct BadText {
  const char* text;
  const char* what;
  int line;
  int column;
};

void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.text; }

class ParserErrorTest : public testing::TestWithParam<BadText> {};

TEST_P(ParserErrorTest, SaysWhatWhereAndWhatWasExpected) {
  Diagnostic error = ErrorOf(GetParam().text);
  EXPECT_NE(error.ToString().find(GetParam().what), std::string::npos) << error.ToString();
  EXPECT_EQ(error.where.file, "test.hlo");
  EXPECT_EQ(error.where.line, GetParam().line) << error.ToString();
  EXPECT_EQ(error.where.column, GetParam().column) << error.ToString();
}

constexpr BadText kBadTexts[] = {
    {"", "expected `HloModule`, found the end of the text", 1, 1},
    {"module @m {}", "expected `HloModule`, found `module`", 1, 1},
    {"HloModule m", "the module has no computation", 1, 12},
    {"HloModule m\nENTRY e {", "expected the name of an instruction, found the end of the text", 2, 10},
    {"HloModule m\nENTRY e { }", "has no instructions", 2, 12},
    {"HloModule m\nENTRY e {\n  x = f32[] ad(x)\n}", "unknown op `ad`", 3, 13},
    {"HloModule m\nENTRY e {\n  x = f32[] ad(x)\n}", "did you mean `add`?", 3, 13},
    {"HloModule m\nENTRY e {\n  x = f33[] parameter(0)\n}", "unknown op `f33`", 3, 7},
    {"HloModule m\nENTRY e {\n  x = f32[ parameter(0)\n}", "expected a dimension, found `parameter`", 3, 12},
    {"HloModule m\nENTRY e {\n  x = f32[2]{1} parameter(0)\n}", "layout {1} does not order the 1 dimensions", 3, 13},
    {"HloModule m\nENTRY e {\n  x = f32[999999999999999999] parameter(0)\n}",
     "takes more than 1152921504606846976 bytes", 3, 7},
    {"HloModule m\nENTRY e {\n  x = f32[99999999999999999999] parameter(0)\n}", "does not fit in 64 bits", 3, 11},
    {"HloModule m\nENTRY e {\n  x = f32[4294967296,4294967296,4294967296] parameter(0)\n}", "bytes", 3, 7},
    {"HloModule m\nENTRY e {\n  x = f32[2]{0:T(8)}16 parameter(0)\n}", "layout {0:T(8)}16 does not order", 3, 13},
    {"HloModule m\nENTRY e {\n  x = f32[?] constant(1)\n}", "a constant cannot have shape f32[?]", 3, 23},
    {"HloModule m\nENTRY e {\n  x = f32[?] parameter(0)\n  y = negate(x)\n}", "operand 0 has shape f32[?]", 4, 3},
    {"HloModule m\nENTRY e {\n  x = b(f32[], f32[]) parameter(0)\n}", "a buffer holds one array", 3, 22},
    {"HloModule m\nENTRY e {\n  y = f32[] negate(x)\n}", "`x` is not defined before its use", 3, 20},
    {"HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  x = f32[] parameter(1)\n}", "`x` is taken", 4, 3},
    {"HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  y = f32[] parameter(0)\n}", "parameter 0 is defined twice", 4,
     23},
    {"HloModule m\nENTRY e {\n  x = f32[] parameter(99999999)\n}", "parameter number 99999999 is out of range", 3, 23},
    {"HloModule m\nENTRY e {\n  x = f32[] call(), to_apply=f\n}", "computation `f` is not defined", 3, 30},
    {"HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[] slice(x)\n}",
     "`slice` needs the attribute `slice`", 4, 13},
    {"HloModule m\nENTRY e {\n  x = s32[] constant(3000000000)\n}", "`3000000000` is out of the range of s32", 3, 22},
    {"HloModule m\nENTRY e {\n  x = s4[] constant(8)\n}", "`8` is out of the range of s4", 3, 21},
    {"HloModule m\nENTRY e {\n  x = f32[] constant(1e39)\n}", "`1e39` is out of the range of f32", 3, 22},
    {"HloModule m\nENTRY e {\n  x = f32[3] constant({1, 2})\n}", "`,` after 2 of the 3 elements", 3, 28},
    {"HloModule m\nENTRY e {\n  x = f32[1000000] constant({1, 2})\n}", "too short for the 1000000 elements", 3, 29},
    {"HloModule m\nENTRY e {\n  x = f32[] constant(one)\n}", "expected a number, found `one`", 3, 22},
    {"HloModule m\nENTRY e {\n  x = f32[] parameter(0), sharding={{\n}", "is not closed", 3, 36},
    {"HloModule m\nENTRY e {\n  x = f32[] parameter(0), metadata={op_name=\"a\n}", "does not end", 3, 45},
    {"HloModule m\nENTRY e {\n  x = f32[] parameter(0), sharding={replicated}, sharding={}\n}", "given twice", 3, 50},
    {"HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] add(x)\n}", "`add` has 1 operands, expected 2",
     4, 18},
    {"HloModule m\nENTRY e {\n  ROOT x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}",
     "two instructions marked ROOT", 4, 3},
    {"HloModule m\nENTRY a { x = f32[] parameter(0) }\nENTRY b { x = f32[] parameter(0) }",
     "two computations marked ENTRY", 3, 1},
    {"HloModule m, input_output_alias={ {0}: (0, {}, shall-alias) }",
     "expected `may-alias` or `must-alias`, found `shall-alias`", 1, 48},
    {"HloModule m\nENTRY e {\n  x = pred[] parameter(0)\n  y = pred[] compare(x, x), direction=LTE\n}",
     "expected a direction", 4, 39},
    {"HloModule m\nFileNames\n2 \"a\"\n", "expected row 1 of the table, found row 2", 3, 2},
};

INSTANTIATE_TEST_SUITE_P(All, ParserErrorTest, testing::ValuesIn(kBadTexts));

TEST(ParserErrorTest, DeepNestingIsAnErrorAndNoCrash) {
  std::string brackets(200000, '(');
  EXPECT_NE(ErrorOf(Entry(fmt::format("x = {}", brackets))).what.find("nest deeper"), std::string::npos);
  EXPECT_NE(ErrorOf(Entry(fmt::format("x = f32[] parameter(0), sharding={}", brackets))).what.find("not closed"),
            std::string::npos);
  EXPECT_FALSE(ErrorOf(fmt::format("HloModule m, entry_computation_layout={{{}", brackets)).what.empty());
}

TEST(ParserErrorTest, UnprintableBytesAreEscapedInMessages) {
  EXPECT_NE(ErrorOf("\x01\xff").what.find("\\x01"), std::string::npos);
}

}  // namespace
}  // namespace stead::frontend
