// Hostile text: mutants of the stored programs are refused with a place, or imported and verified. A crash, a sanitizer report
// or an internal error is a failure; so is a mutant that takes more memory than a stated multiple of its size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/heap_meter.h"
#include "frontend/stablehlo/import.h"
#include "ir/verify.h"

namespace stead::frontend {
namespace {

// Of all files together.
constexpr int kTextMutants = 6'000;
// What reading and importing may hold at a time: the shortest operation takes 24 characters and becomes an instruction of
// some 2 KB.
constexpr int64_t kBytesPerCharacter = 150;
constexpr int64_t kBytesAnyway = 1 << 16;

int TextMutantScale() {
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  return scale == nullptr ? 1 : std::max(1, std::atoi(scale));
}

std::vector<std::string> StoredPrograms() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(STEAD_TEST_DATA "/stablehlo")) {
    if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Words that mean something to the reader: in unfitting places they reach further than random bytes.
constexpr std::string_view kTextWords[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    "=",
    "\"",
    "%",
    "#",
    "@",
    "!",
    "^bb0(",
    ":",
    "->",
    "//",
    "\n",
    "\\",
    "%arg0",
    "%0",
    "%0:2",
    "#0",
    "#loc",
    "loc(",
    "unknown",
    "callsite(",
    "fused[",
    "dense<",
    "dense<\"0x00\">",
    "array<i64:",
    "tensor<",
    "tensor<f32>",
    "tensor<?xf32>",
    "tensor<9999999999999xi1>",
    "complex<f32>",
    "tuple<",
    "!stablehlo.token",
    "index",
    "i4",
    "bf16",
    "f8E4M3FN",
    "-1",
    "0x7FC00000",
    "1e999",
    "9223372036854775808",
    "stablehlo.add ",
    "stablehlo.constant ",
    "\"stablehlo.case\"(",
    "stablehlo.while(",
    "stablehlo.reduce(",
    "stablehlo.return",
    "func.func ",
    "call @",
    "module ",
    "applies ",
    "across dimensions = ",
    "init:",
    "dims = [",
    "#stablehlo.gather<",
    "#stablehlo<precision ",
    "{-#",
    "true",
    "attributes {",
};

class TextMutator {
 public:
  TextMutator(std::string_view text, uint32_t seed) : text_(text), random_(seed) {}

  std::string Next() {
    std::string mutant(text_);
    const size_t changes = 1 + Below(3);
    for (size_t change = 0; change < changes && !mutant.empty(); ++change) Mutate(mutant);
    return mutant;
  }

 private:
  size_t Below(size_t bound) { return random_() % bound; }
  std::string_view Word() { return kTextWords[Below(std::size(kTextWords))]; }

  void Mutate(std::string& text) {
    const size_t place = Below(text.size());
    switch (Below(8)) {
      case 0: text[place] = static_cast<char>(Below(256)); return;
      case 1: text.erase(place, 1 + Below(20)); return;
      case 2: text.resize(place); return;
      case 3: text.insert(place, Word()); return;
      case 4: text.insert(place, text.substr(Below(text.size()), 1 + Below(60))); return;
      case 5: text.replace(place, std::min<size_t>(1 + Below(12), text.size() - place), Word()); return;
      case 6: MoveLine(text, place); return;
      case 7: ChangeDigit(text, place); return;
    }
  }

  // Sizes, dimensions and names of values that no longer fit.
  void ChangeDigit(std::string& text, size_t place) {
    const size_t found = text.find_first_of("0123456789", place);
    if (found != std::string::npos) text[found] = static_cast<char>('0' + Below(10));
  }

  void MoveLine(std::string& text, size_t place) {
    const size_t begin = text.find('\n', place);
    if (begin == std::string::npos) return;
    const size_t end = std::min(text.find('\n', begin + 1), text.size());
    const std::string line = text.substr(begin, end - begin);
    text.erase(begin, end - begin);
    text.insert(Below(text.size() + 1), line);
  }

  std::string_view text_;
  std::mt19937 random_;
};

Result<ir::Module> ImportMeasured(const std::string& text) {
  const HeapMeter meter;
  Result<ir::Module> module = ImportStablehloText(text, "mutant.mlir");
  EXPECT_LE(meter.peak_bytes(), kBytesPerCharacter * static_cast<int64_t>(text.size()) + kBytesAnyway) << text;
  return module;
}

TEST(StablehloText, StoredProgramsAreRead) {
  for (const std::string& text : StoredPrograms()) {
    Result<ir::Module> module = ImportMeasured(text);
    ASSERT_TRUE(module.ok()) << module.error().ToString();
    EXPECT_TRUE(ir::VerifyModule(*module).ok());
  }
}

TEST(StablehloText, MutantsAreRefusedOrRead) {
  int refused = 0, unverified = 0, accepted = 0;
  const std::vector<std::string> texts = StoredPrograms();
  const size_t mutants_per_text = static_cast<size_t>(kTextMutants * TextMutantScale()) / texts.size() + 1;
  for (size_t number = 0; number < texts.size(); ++number) {
    TextMutator mutator(texts[number], static_cast<uint32_t>(number + 1));
    for (size_t mutant = 0; mutant < mutants_per_text; ++mutant) {
      Result<ir::Module> module = ImportMeasured(mutator.Next());
      if (!module.ok()) {
        ++refused;
        EXPECT_TRUE(module.error().where.known()) << module.error().ToString();
        EXPECT_NE(module.error().code, ErrorCode::kInternal) << module.error().ToString();
      } else {
        ++(ir::VerifyModule(*module).ok() ? accepted : unverified);
      }
      if (HasFailure()) return;
    }
  }
  // All three roads must be walked, or the mutants test nothing.
  EXPECT_GT(refused, 1000);
  EXPECT_GT(unverified, 5);
  EXPECT_GT(accepted, 300);
  EXPECT_GE(refused + unverified + accepted, kTextMutants);
}

// The shortest operations that there are.
TEST(StablehloText, SmallestOperationsTakeBoundedMemory) {
  std::string text = "func.func @main(%a:tensor<f32>){\n";
  for (int number = 0; number < 5'000; ++number)
    text += "%" + std::to_string(number) + "=stablehlo.abs%a:tensor<f32>\n";
  text += "return %0:tensor<f32>}";
  const Result<ir::Module> module = ImportMeasured(text);
  ASSERT_TRUE(module.ok()) << module.error().ToString();
  EXPECT_EQ(module->instruction_count(), 5'001u);
}

}  // namespace
}  // namespace stead::frontend
