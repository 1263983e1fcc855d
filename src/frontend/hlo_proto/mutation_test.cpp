// Hostile protocol buffers: 10,000 mutants of stored modules are refused, or read, verified, printed and written. A crash, a
// sanitizer report or an internal error is a failure; so is a mutant whose text or whose bytes do not read back as the same
// module, and one that takes more memory than a stated multiple of its size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <protozero/pbf_writer.hpp>
#include <random>
#include <sstream>

#include "base/heap_meter.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_proto/reader.h"
#include "frontend/hlo_proto/writer.h"
#include "frontend/hlo_text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify.h"

namespace stead::frontend {
namespace {

// Of all files together.
constexpr int kMutants = 10'000;

int MutantScale() {
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  return scale == nullptr ? 1 : std::max(1, std::atoi(scale));
}

// Larger files only slow the test down; they hold nothing that smaller ones do not.
constexpr size_t kLargestFile = 9000;
// What reading may hold at a time: the shortest instruction takes 17 bytes and becomes one of some 2 KB.
constexpr int64_t kBytesPerByte = 150;
constexpr int64_t kBytesAtLeast = 1 << 16;

std::vector<std::string> StoredProtos() {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"programs", "hlo"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(STEAD_TEST_DATA) / folder)) {
      const bool is_program = entry.path().extension() == ".hlo" || entry.path().extension() == ".pb";
      if (is_program && entry.file_size() <= kLargestFile) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> protos;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const bool is_text = path.extension() == ".hlo";
    protos.push_back(is_text ? WriteHloProto(ParseHloText(text.str(), path).value()).value() : text.str());
  }
  return protos;
}

// One field with its tag, and for messages and strings what they hold.
struct Piece {
  ProtoTag number = 0;
  protozero::pbf_wire_type type = protozero::pbf_wire_type::varint;
  uint64_t value = 0;
  std::string content;
};

std::vector<Piece> Pieces(std::string_view message) {
  std::vector<Piece> pieces;
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    Piece piece{.number = reader.tag(), .type = reader.wire_type()};
    switch (piece.type) {
      case protozero::pbf_wire_type::varint: piece.value = reader.get_uint64(); break;
      case protozero::pbf_wire_type::fixed64: piece.value = reader.get_fixed64(); break;
      case protozero::pbf_wire_type::fixed32: piece.value = reader.get_fixed32(); break;
      default: piece.content = reader.get_string();
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string Joined(const std::vector<Piece>& pieces) {
  std::string message;
  protozero::pbf_writer writer(message);
  for (const Piece& piece : pieces) {
    switch (piece.type) {
      case protozero::pbf_wire_type::varint: writer.add_uint64(piece.number, piece.value); break;
      case protozero::pbf_wire_type::fixed64: writer.add_fixed64(piece.number, piece.value); break;
      case protozero::pbf_wire_type::fixed32:
        writer.add_fixed32(piece.number, static_cast<uint32_t>(piece.value));
        break;
      default: writer.add_bytes(piece.number, piece.content);
    }
  }
  return message;
}

constexpr uint64_t kNumbers[] = {0,
                                 1,
                                 2,
                                 7,
                                 13,
                                 14,
                                 17,
                                 34,
                                 64,
                                 65536,
                                 uint64_t{1} << 31,
                                 uint64_t{1} << 40,
                                 uint64_t{1} << 62,
                                 uint64_t{1} << 63,
                                 ~uint64_t{0}};
constexpr std::string_view kTexts[] = {"",      "a b",         "\"",       "}",  "main",
                                       "while", "custom-call", "{\"n\":{", "\n", "\x01\x02\xff"};

class ProtoMutator {
 public:
  ProtoMutator(std::string_view message, uint32_t seed) : message_(message), random_(seed) {}

  std::string Next() {
    // Half of them keep the structure of the message, so that the change reaches the inner readers.
    std::string mutant = Below(2) == 0 ? Restructured(message_, 0) : std::string(message_);
    if (mutant == message_) Damage(mutant);
    return mutant;
  }

 private:
  std::string_view message_;
  std::mt19937 random_;

  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  // A flipped bit, missing or strange bytes, an end that comes early.
  void Damage(std::string& bytes) {
    const size_t place = Below(bytes.size());
    switch (Below(5)) {
      case 0: bytes[place] = static_cast<char>(bytes[place] ^ (1 << Below(8))); return;
      case 1: bytes.resize(place); return;
      case 2: bytes.erase(place, 1 + Below(20)); return;
      case 3: bytes[place] = static_cast<char>(Below(256)); return;
      default: bytes.insert(place, 1 + Below(4), static_cast<char>(Below(256)));
    }
  }

  // The message with one change to the fields of one of the messages inside, whose lengths are mended.
  std::string Restructured(std::string_view message, int depth) {
    std::vector<Piece> pieces;
    try {
      pieces = Pieces(message);
    } catch (const protozero::exception&) {
      return std::string(kTexts[Below(std::size(kTexts))]);
    }
    if (pieces.empty()) return std::string(kTexts[Below(std::size(kTexts))]);
    Piece& piece = pieces[Below(pieces.size())];
    const bool holds_more = piece.type == protozero::pbf_wire_type::length_delimited && !piece.content.empty();
    if (holds_more && depth < 8 && Below(8) != 0) {
      piece.content = Restructured(piece.content, depth + 1);
    } else {
      Change(pieces, piece);
    }
    return Joined(pieces);
  }

  void Change(std::vector<Piece>& pieces, Piece& piece) {
    switch (Below(6)) {
      case 0: pieces.erase(pieces.begin() + (&piece - pieces.data())); return;
      case 1: pieces.push_back(piece); return;
      case 2: std::swap(piece, pieces[Below(pieces.size())]); return;
      case 3: std::swap(piece.content, pieces[Below(pieces.size())].content); return;
      case 4: piece.number = static_cast<ProtoTag>(1 + Below(100)); return;
      default: piece.value = kNumbers[Below(std::size(kNumbers))]; piece.content = kTexts[Below(std::size(kTexts))];
    }
  }
};

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// The text in hexadecimal, for messages.
std::string Hexadecimal(const std::string& bytes) {
  std::string text;
  for (unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

struct ProtoOutcomes {
  int refused = 0, broken = 0, unverified = 0, accepted = 0;
};

void CheckPrinted(const ir::Module& module, const std::string& mutant) {
  const std::string printed = ir::PrintModule(module);
  Result<ir::Module> from_text = ParseHloText(printed, "printed.hlo");
  ASSERT_TRUE(from_text.ok()) << from_text.error().ToString() << "\n" << printed << Hexadecimal(mutant);
  EXPECT_EQ(ir::PrintModule(*from_text), printed);
  Result<std::string> written = WriteHloProto(module);
  ASSERT_TRUE(written.ok()) << written.error().ToString() << "\n" << Hexadecimal(mutant);
  Result<ir::Module> again = ReadHloProto(Bytes(*written), "written.pb");
  ASSERT_TRUE(again.ok()) << again.error().ToString() << "\n" << Hexadecimal(mutant);
  EXPECT_EQ(ir::PrintModule(*again), printed) << Hexadecimal(mutant);
}

// Reads it within the stated memory.
Result<ir::Module> ReadMeasured(const std::string& bytes) {
  const HeapMeter meter;
  Result<ir::Module> module = ReadHloProto(Bytes(bytes), "mutant.pb");
  EXPECT_LE(meter.peak_bytes(), kBytesPerByte * static_cast<int64_t>(bytes.size()) + kBytesAtLeast);
  return module;
}

void JudgeProto(const std::string& mutant, ProtoOutcomes& outcomes) {
  Result<ir::Module> module = ReadMeasured(mutant);
  if (!module.ok()) {
    ++outcomes.refused;
    EXPECT_EQ(module.error().where.file, "mutant.pb") << module.error().ToString();
  } else if (!ir::VerifyStructure(*module).ok()) {
    ++outcomes.broken;
  } else {
    // What breaks the rules of its ops is printed and read again all the same.
    ++(ir::VerifyModule(*module).ok() ? outcomes.accepted : outcomes.unverified);
    CheckPrinted(*module, mutant);
  }
}

TEST(ProtoMutation, MutantsAreRefusedOrRead) {
  ProtoOutcomes outcomes;
  const std::vector<std::string> protos = StoredProtos();
  const size_t mutants_per_file = static_cast<size_t>(kMutants * MutantScale()) / protos.size() + 1;
  for (size_t number = 0; number < protos.size(); ++number) {
    ProtoMutator mutator(protos[number], static_cast<uint32_t>(number + 1));
    for (size_t mutant_number = 0; mutant_number < mutants_per_file; ++mutant_number) {
      const std::string mutant = mutator.Next();
      ASSERT_NO_THROW(JudgeProto(mutant, outcomes)) << Hexadecimal(mutant);
      if (HasFailure()) return;
    }
  }
  // All roads must be walked, or the mutants test nothing.
  EXPECT_GT(outcomes.refused, 1000);
  EXPECT_GT(outcomes.unverified, 50);
  EXPECT_GT(outcomes.accepted, 300);
  EXPECT_GE(outcomes.refused + outcomes.broken + outcomes.unverified + outcomes.accepted, kMutants);
}

// The instructions that take the fewest bytes: no names, no operands, the shortest word for an op.
TEST(ProtoMutation, SmallestInstructionsTakeBoundedMemory) {
  std::string shape;
  ProtoMessage<ShapeField>(shape).add_enum(ShapeField::kElementType, kTuplePrimitiveType);
  std::string computation;
  ProtoMessage<ComputationField> instructions(computation);
  for (int number = 0; number < 20'000; ++number) {
    ProtoMessage<InstructionField> instruction(instructions, ComputationField::kInstructions);
    instruction.add_string(InstructionField::kOpcode, "map");
    instruction.add_message(InstructionField::kShape, shape);
    instruction.add_int64(InstructionField::kId, number);
  }
  std::string module;
  ProtoMessage<ModuleField>(module).add_message(ModuleField::kComputations, computation);
  const Result<ir::Module> read = ReadMeasured(module);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(read->instruction_count(), 20'000u);
}

// Fields of two bytes each and fields of ever new numbers, which nobody knows.
TEST(ProtoMutation, UnknownFieldsTakeBoundedMemory) {
  const std::string known = StoredProtos().front();
  std::string repeated = known, different = known;
  protozero::pbf_writer repeated_fields(repeated), different_fields(different);
  for (ProtoTag number = 0; number < 100'000; ++number) {
    repeated_fields.add_uint64(9, 1);
    // Lower numbers are reserved for the protocol.
    different_fields.add_uint64(20'000 + number, 1);
  }
  EXPECT_TRUE(ReadMeasured(repeated).ok());
  EXPECT_TRUE(ReadMeasured(different).ok());
}

}  // namespace
}  // namespace stead::frontend
