// Hostile text: thousands of mutants of stored modules are refused with a place, or read, verified and printed. A crash, a
// sanitizer report or an internal error is a failure; so is a mutant whose text does not read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/heap_meter.h"
#include "frontend/hlo_text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify.h"

namespace stead::frontend {
namespace {

constexpr int kMutantsPerFile = 250;
// What reading may hold at a time: the shortest instruction takes 12 characters and becomes one of some 2 KB.
constexpr int64_t kBytesPerCharacter = 200;
constexpr int64_t kBytesAnyway = 1 << 16;
// Larger files only slow the test down; they hold nothing that smaller ones do not.
constexpr size_t kLargestFile = 9000;

int Scale() {
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  return scale == nullptr ? 1 : std::max(1, std::atoi(scale));
}

std::vector<std::string> StoredTexts() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"programs", "hlo"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(STEAD_TEST_DATA) / folder)) {
      if (entry.path().extension() == ".hlo" && entry.file_size() <= kLargestFile) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Words that mean something to the parser: put in unfitting places they reach further than random bytes.
constexpr std::string_view kWords[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    "=",
    "\"",
    "%",
    ":",
    "->",
    "<=",
    "?",
    "b(",
    "/*",
    "*/",
    "//",
    "\n",
    "\\",
    "ROOT ",
    "ENTRY ",
    "-1",
    "0",
    "9223372036854775807",
    "-9223372036854775808",
    "4611686018427387904",
    "1099511627776",
    "65536",
    "nan",
    "-inf",
    "f32[]",
    "f64[0]",
    "(f32[2], s32[])",
    "token[]",
    "pred[]",
    "s4[7]",
    "tuple()",
    "constant({...})",
    "dimensions={",
    "metadata={",
    "window={size=",
    "slice={[0:1]}",
    "index=7",
    "to_apply=",
    "calls=",
    "condition=",
    "body=",
    "control-predecessors={",
    "-start(",
    "-done(",
};

// What is found in a text: runs of letters and digits, or single characters.
std::vector<std::string_view> Tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t start = 0; start < text.size();) {
    size_t end = start;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == '.'))
      ++end;
    end = std::max(end, start + 1);
    tokens.push_back(text.substr(start, end - start));
    start = end;
  }
  return tokens;
}

class Mutator {
 public:
  Mutator(std::string_view text, uint32_t seed) : text_(text), tokens_(Tokens(text)), random_(seed) {}

  std::string Next() {
    std::string mutant(text_);
    int changes = 1 + Below(3);
    for (int change = 0; change < changes && !mutant.empty(); ++change) Mutate(mutant);
    return mutant;
  }

 private:
  std::string_view text_;
  std::vector<std::string_view> tokens_;
  std::mt19937 random_;

  int Below(size_t bound) { return static_cast<int>(random_() % bound); }
  size_t Place(const std::string& text) { return static_cast<size_t>(Below(text.size())); }
  std::string_view Token() { return tokens_[static_cast<size_t>(Below(tokens_.size()))]; }

  void Mutate(std::string& text) {
    switch (Below(9)) {
      case 0: text[Place(text)] = static_cast<char>(Below(256)); return;
      case 1: text.erase(Place(text), 1 + static_cast<size_t>(Below(20))); return;
      case 2: text.resize(Place(text)); return;
      case 3: text.insert(Place(text), kWords[static_cast<size_t>(Below(std::size(kWords)))]); return;
      case 4: text.insert(Place(text), Token()); return;
      case 5: ReplaceToken(text, Token()); return;
      case 6: ReplaceToken(text, kWords[static_cast<size_t>(Below(std::size(kWords)))]); return;
      case 7: SwapLines(text); return;
      case 8: ChangeDigit(text); return;
    }
  }

  // Puts `word` where some token of the original text stands.
  void ReplaceToken(std::string& text, std::string_view word) {
    std::string_view token = Token();
    size_t found = text.find(token, Place(text));
    if (found != std::string::npos) text.replace(found, token.size(), word);
  }

  // Dimensions, indices and numbers that no longer fit.
  void ChangeDigit(std::string& text) {
    size_t found = text.find_first_of("0123456789", Place(text));
    if (found != std::string::npos) text[found] = static_cast<char>('0' + Below(10));
  }

  void SwapLines(std::string& text) {
    size_t first = text.find('\n', Place(text));
    if (first == std::string::npos) return;
    size_t second = text.find('\n', first + 1);
    if (second == std::string::npos) return;
    size_t third = std::min(text.find('\n', second + 1), text.size());
    std::string moved = text.substr(first, second - first);
    text.erase(first, second - first);
    text.insert(third - (second - first), moved);
  }
};

struct Outcomes {
  int refused = 0, broken = 0, unverified = 0, accepted = 0;
};

void Judge(const std::string& mutant, Outcomes& outcomes) {
  const HeapMeter meter;
  Result<ir::Module> module = ParseHloText(mutant, "mutant.hlo");
  EXPECT_LE(meter.peak_bytes(), kBytesPerCharacter * static_cast<int64_t>(mutant.size()) + kBytesAnyway) << mutant;
  if (!module.ok()) {
    ++outcomes.refused;
    EXPECT_GT(module.error().where.line, 0) << module.error().ToString() << "\n" << mutant;
    return;
  }
  if (!ir::VerifyStructure(*module).ok()) {
    ++outcomes.broken;
    return;
  }
  // What breaks the rules of its ops is printed and read again all the same.
  ++(ir::VerifyModule(*module).ok() ? outcomes.accepted : outcomes.unverified);
  std::string printed = ir::PrintModule(*module);
  Result<ir::Module> again = ParseHloText(printed, "printed.hlo");
  ASSERT_TRUE(again.ok()) << again.error().ToString() << "\n" << mutant;
  EXPECT_EQ(ir::PrintModule(*again), printed) << mutant;
}

TEST(MutationTest, MutantsAreRefusedOrRead) {
  Outcomes outcomes;
  uint32_t seed = 1;
  for (const std::string& text : StoredTexts()) {
    Mutator mutator(text, seed++);
    for (int number = 0; number < kMutantsPerFile * Scale(); ++number) {
      std::string mutant = mutator.Next();
      ASSERT_NO_THROW(Judge(mutant, outcomes)) << mutant;
      if (HasFailure()) return;
    }
  }
  // All roads must be walked, or the mutants test nothing.
  EXPECT_GT(outcomes.refused, 1000);
  EXPECT_GT(outcomes.unverified, 50);
  EXPECT_GT(outcomes.accepted, 300);
}

// The instructions that take the fewest characters.
TEST(MutationTest, SmallestInstructionsTakeBoundedMemory) {
  std::string text = "e{\n";
  for (int number = 0; number < 10'000; ++number) text += "a" + std::to_string(number) + "=f32[]map()\n";
  text += "}";
  const HeapMeter meter;
  EXPECT_TRUE(ParseHloText(text, "small.hlo").ok());
  EXPECT_LE(meter.peak_bytes(), kBytesPerCharacter * static_cast<int64_t>(text.size()));
}

}  // namespace
}  // namespace stead::frontend
