#include "frontend/mosaic/lower_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/heap_meter.h"
#include "frontend/hlo_text/parser.h"
#include "frontend/mlir_bytecode/reader.h"
#include "frontend/mosaic/kernel_call.h"
#include "frontend/mosaic/kernel_importer.h"
#include "interp/evaluate.h"
#include "ir/text/printer.h"
#include "ir/verify.h"

namespace stead::frontend {
namespace {

std::string TextOf(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::filesystem::path(STEAD_TEST_DATA) / "kernels" / (name + ".hlo")).rdbuf();
  return text.str();
}

ir::Module Parse(const std::string& text) { return ParseHloText(text, "kernel.hlo").value(); }

ir::Module Lowered(const std::string& name) {
  ir::Module module = Parse(TextOf(name));
  auto unread = LowerKernels(module);
  EXPECT_TRUE(unread.ok()) << unread.error().ToString();
  EXPECT_TRUE(unread.ok() && unread->empty()) << name << ": " << unread->front().reason.ToString();
  return module;
}

std::vector<std::string> StoredKernels() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(STEAD_TEST_DATA) / "kernels")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ir::InstrId CallIn(const ir::Module& module) {
  for (ir::InstrId id : module.entry_computation().instructions) {
    if (IsKernelCall(module.instruction(id))) return id;
  }
  ADD_FAILURE() << "no kernel in " << ir::PrintModule(module);
  return {};
}

// 0, 1, 2, ... as floats.
ir::Literal Counting(std::vector<int64_t> dimensions) {
  ir::Literal literal = ir::Literal::Zeros(ir::Shape::Array(ir::ElementType::kF32, std::move(dimensions)));
  std::span<float> elements = literal.mutable_data<float>();
  for (size_t index = 0; index < elements.size(); ++index) elements[index] = static_cast<float>(index);
  return literal;
}

TEST(LowerKernels, EveryStoredKernelIsRead) {
  std::vector<std::string> names = StoredKernels();
  EXPECT_GE(names.size(), 14u);
  for (const std::string& name : names) {
    ir::Module module = Lowered(name);
    EXPECT_EQ(ir::PrintModule(module).find("custom-call"), std::string::npos) << name;
  }
}

TEST(LowerKernels, ACallTakesThePlaceAndTheNameOfTheKernel) {
  ir::Module module = Lowered("undeclared_alias");
  const ir::Instruction& root = module.instruction(module.entry_computation().root);
  EXPECT_EQ(root.opcode, ir::Opcode::kCall);
  EXPECT_EQ(root.name, "pallas_call.1");
}

TEST(LowerKernels, EdgesOfBlocksThatOverhangAreCutOff) {
  ir::Literal x = Counting({200, 300});
  ir::Literal result = interp::Evaluate(Lowered("masked_edges"), {&x, 1}).value();
  for (int64_t index : {0, 1, 299, 300, 59'999})
    EXPECT_EQ(result.AsDouble(index), 2.0 * static_cast<double>(index) + 1);
}

TEST(LowerKernels, LoopsStoreRowByRow) {
  ir::Literal x = Counting({64, 128});
  ir::Literal result = interp::Evaluate(Lowered("loop_with_stores"), {&x, 1}).value();
  EXPECT_EQ(result.AsDouble(0), 63 * 128);
  EXPECT_EQ(result.AsDouble(63 * 128 + 5), 5);
}

TEST(LowerKernels, StridedStoresKeepWhatLiesBetween) {
  ir::Literal x = Counting({8, 128});
  ir::Literal result = interp::Evaluate(Lowered("strided_stores"), {&x, 1}).value();
  EXPECT_EQ(result.AsDouble(128 + 3), 3);      // row 1 is row 0 of x
  EXPECT_EQ(result.AsDouble(2 * 128 + 3), 0);  // row 2 is not written
  EXPECT_EQ(result.AsDouble(15 * 128 + 3), 7 * 128 + 3);
}

TEST(LowerKernels, AResultMayBeOneNumber) {
  ir::Literal x = Counting({64, 128});
  ir::Literal result = interp::Evaluate(Lowered("reduce_to_scalar"), {&x, 1}).value();
  EXPECT_NEAR(result.AsDouble(0), 8192.0 * 8191 / 2, 32);
}

// The reason why the only kernel of the text cannot be read.
Diagnostic Refusal(const std::string& text) {
  ir::Module module = Parse(text);
  const std::string before = ir::PrintModule(module);
  std::vector<UnreadKernel> unread = LowerKernels(module).value();
  EXPECT_EQ(unread.size(), 1u);
  EXPECT_EQ(ir::PrintModule(module), before);
  return unread.empty() ? Diagnostic() : unread.front().reason;
}

std::string WithConfiguration(std::string_view configuration) {
  return "HloModule m\nENTRY e {\n  x = f32[8] parameter(0)\n  ROOT c = f32[8] custom-call(x), "
         "custom_call_target=\"tpu_custom_call\", backend_config=" +
         std::string(configuration) + "\n}\n";
}

TEST(LowerKernels, ACallWithoutABodyStaysClosed) {
  EXPECT_NE(Refusal(WithConfiguration("{}")).what.find("custom_call_config"), std::string::npos);
  EXPECT_NE(Refusal(WithConfiguration(R"({"custom_call_config": {}})")).what.find("no body"), std::string::npos);
  EXPECT_NE(Refusal(WithConfiguration(R"({"custom_call_config": {"body": "?"}})")).what.find("base64"),
            std::string::npos);
  EXPECT_NE(Refusal(WithConfiguration(R"({"custom_call_config": {"body": "aGVsbG8="}})")).what.find("magic"),
            std::string::npos);
  Diagnostic remote = Refusal(WithConfiguration(R"({"custom_call_config": {"body": "", "has_communication": true}})"));
  EXPECT_EQ(remote.code, ErrorCode::kUnimplemented);
}

Status ImportBytes(ir::Module& module, std::span<const std::byte> body) {
  TRY(mlir::ParsedModule source, mlir::ReadBytecode(body));
  TRY(ir::ComputationId computation, KernelImporter(source, module, CallIn(module)).Import());
  EXPECT_TRUE(computation.valid());
  return ir::VerifyModule(module);
}

TEST(LowerKernels, AnOperationOutsideTheSetIsNamed) {
  ir::Module module = Parse(TextOf("flash_attention"));
  std::vector<std::byte> body = ReadKernelBody(module.instruction(CallIn(module))).value();
  constexpr std::string_view kName = "math.exp";
  auto letters = std::as_bytes(std::span(kName));
  auto found = std::search(body.begin(), body.end(), letters.begin(), letters.end());
  ASSERT_NE(found, body.end());
  found[7] = std::byte{'q'};
  Status status = ImportBytes(module, body);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUnimplemented);
  EXPECT_EQ(status.error().what, "mosaic op 'math.exq' in kernel 'body'");
}

TEST(LowerKernels, ACallOfOtherShapesIsRefused) {
  std::string text = TextOf("undeclared_alias");
  for (size_t at = text.find("[256,128]"); at != std::string::npos; at = text.find("[256,128]")) {
    text.replace(at, 9, "[256]");
  }
  for (size_t at = text.find("]{1,0}"); at != std::string::npos; at = text.find("]{1,0}")) text.replace(at, 6, "]{0}");
  EXPECT_EQ(Refusal(text).code, ErrorCode::kInvalidArgument);
}

// One to four damaged places: bytes changed, removed or repeated.
std::vector<std::byte> Damaged(std::vector<std::byte> bytes, std::mt19937& random) {
  const int places = 1 + static_cast<int>(random() % 4);
  for (int place = 0; place < places && !bytes.empty(); ++place) {
    const auto at = bytes.begin() + static_cast<ptrdiff_t>(random() % bytes.size());
    switch (random() % 4) {
      case 0: bytes.erase(at); break;
      case 1: bytes.insert(at, *at); break;
      case 2: *at = static_cast<std::byte>(random()); break;
      default: *at ^= static_cast<std::byte>(1u << random() % 8);
    }
  }
  return bytes;
}

// What importing may hold at a time: an operation becomes several instructions of some 2 KB.
constexpr int64_t kBytesPerByte = 1000;

TEST(LowerKernels, DamagedBodiesNeverCrash) {
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  const int mutants = 750 * (scale == nullptr ? 1 : std::max(1, std::atoi(scale)));
  std::mt19937 random(1);
  int refused = 0, read = 0;
  for (const std::string& name : StoredKernels()) {
    const ir::Module given = Parse(TextOf(name));
    const std::vector<std::byte> body = ReadKernelBody(given.instruction(CallIn(given))).value();
    for (int mutant = 0; mutant < mutants; ++mutant) {
      ir::Module module = given;
      const std::vector<std::byte> damaged = Damaged(body, random);
      const HeapMeter meter;
      Status status = ImportBytes(module, damaged);
      EXPECT_LE(meter.peak_bytes(), kBytesPerByte * static_cast<int64_t>(damaged.size()));
      ++(status.ok() ? read : refused);
      EXPECT_TRUE(status.ok() || !status.error().what.empty());
    }
  }
  EXPECT_GT(refused, read);
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace stead::frontend
