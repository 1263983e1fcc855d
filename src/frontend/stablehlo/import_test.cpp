#include "frontend/stablehlo/import.h"
#include "frontend/stablehlo/devices/border.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/heap_meter.h"
#include "ir/verify.h"

namespace stead::frontend {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string Artifact(const std::string& name) { return ReadFile(STEAD_TEST_DATA "/stablehlo/" + name + ".mlirbc"); }

Result<Module> ImportBytes(const std::string& bytes) {
  return ImportStablehlo(std::as_bytes(std::span(bytes)), nullptr, "test.mlirbc");
}

Module Import(const std::string& name) {
  Result<Module> module = ImportBytes(Artifact(name));
  STEAD_CHECK(module.ok(), module.ok() ? "" : module.error().ToString());
  return std::move(*module);
}

std::vector<InstrId> AllOf(const Module& module, Opcode opcode) {
  std::vector<InstrId> found;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      if (module.instruction(id).opcode == opcode) found.push_back(id);
    }
  }
  return found;
}

const Instruction& OnlyOne(const Module& module, Opcode opcode) {
  std::vector<InstrId> found = AllOf(module, opcode);
  STEAD_CHECK(found.size() == 1, std::string(ir::OpcodeName(opcode)));
  return module.instruction(found[0]);
}

std::string ExtraOf(const Instruction& instruction, std::string_view key) {
  for (const ir::ExtraAttribute& extra : instruction.extra) {
    if (extra.key == key) return extra.value;
  }
  return "";
}

std::vector<std::filesystem::path> StoredArtifacts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(STEAD_TEST_DATA "/stablehlo")) {
    if (entry.path().extension() == ".mlirbc") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  return paths;
}

TEST(StablehloImport, ReadsEveryStoredArtifact) {
  for (const std::filesystem::path& path : StoredArtifacts()) {
    Result<Module> module = ImportBytes(ReadFile(path));
    EXPECT_TRUE(module.ok()) << path << ": " << (module.ok() ? "" : module.error().ToString());
  }
}

TEST(StablehloImport, OneResultIsItselfAndSeveralAreATuple) {
  Module one = Import("dot");
  EXPECT_EQ(one.name, "jit_dot");
  EXPECT_EQ(one.instruction(one.root(one.entry)).opcode, Opcode::kDot);
  Module several = Import("elementwise");
  const Instruction& root = several.instruction(several.root(several.entry));
  EXPECT_EQ(root.opcode, Opcode::kTuple);
  EXPECT_EQ(root.shape.ToString(false), "(f32[4,8], pred[4,8])");
}

TEST(StablehloImport, InstructionsSayWhereTheyCameFrom) {
  Module module = Import("elementwise");
  const ir::Computation& entry = module.entry_computation();
  EXPECT_EQ(module.instruction(entry.parameters[0]).name, "x");
  EXPECT_EQ(module.instruction(entry.parameters[1]).name, "y");
  const Instruction& sine = OnlyOne(module, Opcode::kSine);
  EXPECT_EQ(sine.name, "sin");
  EXPECT_EQ(sine.metadata.op_name, "jit(elementwise)/sin");
  EXPECT_EQ(sine.metadata.source_file, "make_stablehlo_data.py");
  EXPECT_GT(sine.metadata.source_line, 0);
  EXPECT_GT(module.SourceOf(AllOf(module, Opcode::kSine)[0]).column, 0);
}

TEST(StablehloImport, OldAndNewVersionsGiveTheSameOperations) {
  Module old_module = Import("elementwise_0.9.0"), new_module = Import("elementwise");
  const auto& old_list = old_module.entry_computation().instructions;
  const auto& new_list = new_module.entry_computation().instructions;
  ASSERT_EQ(old_list.size(), new_list.size());
  for (size_t position = 0; position < old_list.size(); ++position) {
    EXPECT_EQ(old_module.instruction(old_list[position]).opcode, new_module.instruction(new_list[position]).opcode);
  }
}

TEST(StablehloImport, UnpacksConstants) {
  Module module = Import("constants");
  std::vector<std::vector<int64_t>> integers;
  for (InstrId id : AllOf(module, Opcode::kConstant)) {
    const auto& literal = module.instruction(id).As<ir::Literal>();
    std::vector<int64_t> values;
    if (ir::IsFloat(literal.shape().element_type) || ir::IsComplex(literal.shape().element_type)) continue;
    for (int64_t element = 0; element < literal.shape().element_count(); ++element) {
      values.push_back(literal.AsInteger(element));
    }
    integers.push_back(values);
  }
  auto contains = [&](const std::vector<int64_t>& values) {
    return std::ranges::find(integers, values) != integers.end();
  };
  EXPECT_TRUE(contains({1, 0, 1, 1, 0, 0, 0, 1, 1, 0}));  // pred, one bit each in the file
  EXPECT_TRUE(contains({1, -2, 3}));                      // s4
  EXPECT_TRUE(contains({1, 2, 3, 4}));                    // u8
}

TEST(StablehloImport, LoopsCarryWhatTheirRegionsUse) {
  Module module = Import("loop");
  const Instruction& loop = OnlyOne(module, Opcode::kWhile);
  EXPECT_TRUE(loop.shape.is_tuple());
  ASSERT_EQ(loop.called.size(), 2u);
  EXPECT_EQ(module.shape(module.root(loop.called[0])).ToString(false), "pred[]");
  EXPECT_EQ(module.shape(module.root(loop.called[1])).ToString(false), loop.shape.ToString(false));
  // The constant 1 that the body adds stands outside of it in the program, and inside of it here.
  bool has_constant = std::ranges::any_of(module.computation(loop.called[1]).instructions, [&](InstrId id) {
    return module.instruction(id).opcode == Opcode::kConstant;
  });
  EXPECT_TRUE(has_constant);
}

TEST(StablehloImport, BranchesTakeWhatTheyUse) {
  Module module = Import("branches");
  std::vector<InstrId> conditionals = AllOf(module, Opcode::kConditional);
  ASSERT_EQ(conditionals.size(), 2u);
  for (InstrId id : conditionals) {
    const Instruction& conditional = module.instruction(id);
    ASSERT_EQ(conditional.operands.size(), conditional.called.size() + 1);
    for (size_t branch = 0; branch < conditional.called.size(); ++branch) {
      const ir::Computation& computation = module.computation(conditional.called[branch]);
      ASSERT_EQ(computation.parameters.size(), 1u);
      EXPECT_EQ(module.shape(computation.parameters[0]), module.shape(conditional.operands[branch + 1]));
    }
  }
}

TEST(StablehloImport, CallsShareTheComputationOfTheirFunction) {
  Module module = Import("calls");
  std::vector<InstrId> calls = AllOf(module, Opcode::kCall);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(module.instruction(calls[0]).called, module.instruction(calls[1]).called);
}

TEST(StablehloImport, CompositesKeepTheirNames) {
  Module module = Import("composites");
  std::string attributes = ExtraOf(OnlyOne(module, Opcode::kCall), "frontend_attributes");
  EXPECT_NE(attributes.find("composite.name=\"chlo.top_k\""), std::string::npos) << attributes;
  EXPECT_NE(attributes.find("composite.attributes=\"{k = 2 : i64}\""), std::string::npos) << attributes;
  EXPECT_EQ(AllOf(module, Opcode::kErf).size(), 1u);
}

TEST(StablehloImport, KeepsDonationsAndBarriers) {
  Module module = Import("donated");
  ASSERT_EQ(module.input_output_aliases.size(), 1u);
  EXPECT_EQ(module.input_output_aliases[0].output_index, (ir::ShapeIndex{0}));
  EXPECT_EQ(module.input_output_aliases[0].parameter, 0);
  EXPECT_FALSE(module.input_output_aliases[0].must);
  const Instruction& barrier = OnlyOne(module, Opcode::kOptimizationBarrier);
  ASSERT_EQ(barrier.operands.size(), 1u);
  EXPECT_EQ(barrier.shape.ToString(false), "(f32[4,8], f32[])");
}

TEST(StablehloImport, KeepsWhatForeignCallsDeclare) {
  Module module = Import("foreign_call");
  const Instruction& call = OnlyOne(module, Opcode::kCustomCall);
  const auto& attributes = call.As<ir::CustomCallAttributes>();
  EXPECT_EQ(attributes.target, "stead_test_target");
  EXPECT_TRUE(attributes.has_side_effect);
  ASSERT_EQ(attributes.aliases.size(), 1u);
  EXPECT_TRUE(attributes.aliases[0].output_index.empty());
  EXPECT_EQ(ExtraOf(call, "api_version"), "API_VERSION_TYPED_FFI");
  EXPECT_EQ(ExtraOf(call, "backend_config"),
            "{eps = 1.000000e-05 : f32, flags = dense<[1, 2]> : tensor<2xi32>, name = \"abc\"}");
}

TEST(StablehloImport, OneDeviceNeedsNoCommunication) {
  Module module = Import("sharded");
  EXPECT_EQ(AllOf(module, Opcode::kMultiply).size(), 1u);
  EXPECT_TRUE(AllOf(module, Opcode::kCall).empty());
}

TEST(StablehloImport, BodiesRunOncePerDeviceOnItsPart) {
  Module module = Import("partitioned");
  EXPECT_EQ(AllOf(module, Opcode::kMultiply).size(), 4u);
  for (ir::InstrId id : AllOf(module, Opcode::kMultiply)) {
    EXPECT_EQ(module.shape(id).dimensions, (ir::Dimensions{2, 4}));
  }
  ASSERT_EQ(AllOf(module, Opcode::kSlice).size(), 4u);
  EXPECT_EQ(module.instruction(AllOf(module, Opcode::kSlice)[1]).As<ir::SliceAttributes>().starts,
            (ir::Dimensions{0, 4}));
  EXPECT_EQ(AllOf(module, Opcode::kConcatenate).size(), 3u);
  EXPECT_TRUE(AllOf(module, Opcode::kPartitionId).empty());
}

TEST(StablehloImport, BorderSaysWhichTileEachDeviceHolds) {
  const std::string bytes = Artifact("partitioned");
  Result<ir::BorderTilings> border = ReadBorderTilings(std::as_bytes(std::span(bytes)), 4);
  ASSERT_TRUE(border.ok()) << border.error().ToString();
  ASSERT_EQ(border->parameters.size(), 1u);
  EXPECT_EQ(border->parameters[0], (ir::Tiling{{2, 2}, {0, 1, 2, 3}}));
  ASSERT_EQ(border->results.size(), 1u);
  EXPECT_EQ(border->results[0], (ir::Tiling{{1, 2}, {0, 1, 0, 1}}));
  EXPECT_FALSE(ReadBorderTilings(std::as_bytes(std::span(bytes)), 8).ok());
}

TEST(StablehloImport, NamesTheOperationItDoesNotKnow) {
  std::string bytes = Artifact("elementwise");
  size_t place = bytes.find("sine_v2");
  ASSERT_NE(place, std::string::npos);
  bytes.replace(place, 7, "fine_v2");
  Result<Module> module = ImportBytes(bytes);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().code, ErrorCode::kUnimplemented);
  EXPECT_EQ(module.error().what, "op `vhlo.fine_v2` is not supported");
  EXPECT_EQ(module.error().where.file, "make_stablehlo_data.py");
  EXPECT_GT(module.error().where.line, 0);
}

TEST(StablehloImport, RefusesBytesOfAnotherKind) {
  Result<Module> module = ImportBytes("HloModule m");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().where.file, "test.mlirbc");
}

// What importing may hold at a time: the shortest operation takes 8 bytes and becomes an instruction of some 2 KB.
constexpr int64_t kBytesPerByte = 300;

TEST(StablehloImport, MutantsNeverCrash) {
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  int mutants_per_artifact = 350 * (scale ? std::max(1, std::atoi(scale)) : 1);
  std::mt19937 random(7);
  int refused = 0;
  for (const std::filesystem::path& path : StoredArtifacts()) {
    std::string original = ReadFile(path);
    for (int mutant = 0; mutant < mutants_per_artifact; ++mutant) {
      std::string bytes = original;
      size_t edit_count = 1 + random() % 3;
      for (size_t edit = 0; edit < edit_count; ++edit) {
        char& byte = bytes[random() % bytes.size()];
        byte = random() % 2 ? static_cast<char>(random()) : static_cast<char>(byte ^ (1 << random() % 8));
      }
      const HeapMeter meter;
      Result<Module> module = ImportBytes(bytes);
      EXPECT_LE(meter.peak_bytes(), kBytesPerByte * static_cast<int64_t>(bytes.size()));
      refused += !module.ok() || !ir::VerifyModule(*module).ok();
      refused += !ReadBorderTilings(std::as_bytes(std::span(bytes)), 4).ok();
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace stead::frontend
