#include "ffi/attributes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace stead::ffi {
namespace {

Dictionary Parsed(std::string_view text) {
  Result<Dictionary> dictionary = ParseAttributes(text);
  EXPECT_TRUE(dictionary.ok()) << (dictionary.ok() ? "" : dictionary.error().ToString());
  return dictionary.ok() ? *std::move(dictionary) : Dictionary();
}

template <typename T>
std::vector<T> Elements(const std::vector<std::byte>& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

template <typename T>
void ExpectScalar(const NamedAttribute& entry, const char* name, ir::ElementType type, T value) {
  EXPECT_EQ(entry.name, name);
  ASSERT_TRUE(std::holds_alternative<Scalar>(entry.value)) << name;
  EXPECT_EQ(std::get<Scalar>(entry.value).type, type) << name;
  EXPECT_EQ(Elements<T>(std::get<Scalar>(entry.value).bytes), std::vector<T>{value}) << name;
}

TEST(FfiAttributes, ScalarsHaveTheirTypes) {
  const Dictionary dictionary =
      Parsed(R"({a = 76 : ui8, b = -3 : i32, c = true, d = 5, e = 2.500000e-01 : f32, f = 1.5 : f64, g = -1 : si64})");
  ASSERT_EQ(dictionary.size(), 7U);
  ExpectScalar<uint8_t>(dictionary[0], "a", ir::ElementType::kU8, 76);
  ExpectScalar<int32_t>(dictionary[1], "b", ir::ElementType::kS32, -3);
  ExpectScalar<uint8_t>(dictionary[2], "c", ir::ElementType::kPred, 1);
  ExpectScalar<int64_t>(dictionary[3], "d", ir::ElementType::kS64, 5);
  ExpectScalar<float>(dictionary[4], "e", ir::ElementType::kF32, 0.25F);
  ExpectScalar<double>(dictionary[5], "f", ir::ElementType::kF64, 1.5);
  ExpectScalar<int64_t>(dictionary[6], "g", ir::ElementType::kS64, -1);
}

TEST(FfiAttributes, FloatsInHexadecimalAreBits) {
  const Dictionary dictionary = Parsed("{inf = 0x7F800000 : f32, nan = 0x7FF8000000000000 : f64}");
  ExpectScalar<float>(dictionary[0], "inf", ir::ElementType::kF32, INFINITY);
  EXPECT_TRUE(std::isnan(Elements<double>(std::get<Scalar>(dictionary[1].value).bytes).at(0)));
}

TEST(FfiAttributes, AreSortedByName) {
  const Dictionary dictionary = Parsed(R"({b = 1 : i8, "a b" = 2 : i8, Z = 3 : i8})");
  EXPECT_EQ(dictionary[0].name, "Z");
  EXPECT_EQ(dictionary[1].name, "a b");
  EXPECT_EQ(dictionary[2].name, "b");
}

TEST(FfiAttributes, StringsAreUnescaped) {
  const Dictionary dictionary = Parsed(R"({text = "say \"hi\" \\ \22tab\09.\n"})");
  EXPECT_EQ(std::get<std::string>(dictionary[0].value), "say \"hi\" \\ \"tab\t.\n");
}

TEST(FfiAttributes, ArraysInEveryForm) {
  const Dictionary dictionary = Parsed(
      R"({a = dense<[[1, 2], [3, -4]]> : tensor<2x2xi32>, b = array<i64: 5, 6>, c = dense<7> : tensor<3xui8>,
          d = dense<> : tensor<0xf32>, e = dense<"0x0100FF00"> : tensor<2xi16>, f = dense<[true, false]> : tensor<2xi1>,
          g = array<f64>})");
  const auto array = [&](size_t entry) -> const Array& { return std::get<Array>(dictionary.at(entry).value); };
  EXPECT_EQ(Elements<int32_t>(array(0).bytes), (std::vector<int32_t>{1, 2, 3, -4}));
  EXPECT_EQ(array(0).type, ir::ElementType::kS32);
  EXPECT_EQ(array(0).size, 4);
  EXPECT_EQ(Elements<int64_t>(array(1).bytes), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(Elements<uint8_t>(array(2).bytes), (std::vector<uint8_t>{7, 7, 7}));
  EXPECT_EQ(array(3).size, 0);
  EXPECT_EQ(Elements<int16_t>(array(4).bytes), (std::vector<int16_t>{1, 255}));
  EXPECT_EQ(Elements<uint8_t>(array(5).bytes), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(array(6).size, 0);
}

TEST(FfiAttributes, DictionariesNest) {
  const Dictionary dictionary = Parsed("{user = {b = {}, a = 1 : i32}}");
  const Dictionary& inner = std::get<Dictionary>(dictionary[0].value);
  ASSERT_EQ(inner.size(), 2U);
  ExpectScalar<int32_t>(inner[0], "a", ir::ElementType::kS32, 1);
  EXPECT_TRUE(std::get<Dictionary>(inner[1].value).empty());
}

TEST(FfiAttributes, NothingIsAnEmptyDictionary) {
  EXPECT_TRUE(Parsed("").empty());
  EXPECT_TRUE(Parsed(" {} ").empty());
}

TEST(FfiAttributes, BadTextIsRefused) {
  for (const char* text :
       {"x", "{a}", "{a = }", "{a = 1 : i8", "{a = 300 : ui8}", "{a = 1.5 : i32}", "{a = \"x}", "{a = \"\\q\"}",
        "{a = dense<[1, 2]> : tensor<3xi32>}", "{a = dense<1> : tensor<9999999999999xi8>}",
        "{a = dense<[1]> : vector<1xi8>}", "{a = dense<\"0x01\"> : tensor<2xi8>}", "{a = dense<1> : tensor<-1xi8>}",
        "{} {}", "{a = 2 : i1}"}) {
    const Result<Dictionary> dictionary = ParseAttributes(text);
    ASSERT_FALSE(dictionary.ok()) << text;
    EXPECT_EQ(dictionary.error().code, ErrorCode::kInvalidArgument) << text;
  }
  std::string deep = "{a = 1}";
  for (int level = 0; level < 100; ++level) deep = "{a = " + deep + "}";
  EXPECT_FALSE(ParseAttributes(deep).ok());
}

// Damaged text is refused or read as something else; it never brings the process down.
TEST(FfiAttributes, DamagedTextIsHarmless) {
  const std::string whole =
      R"({a = dense<[[1, 2], [3, -4]]> : tensor<2x2xi32>, b = array<i64: 5>, "c d" = "\22\n", e = {f = 0x7F800000 : f32},
          g = dense<"0x0100FF00"> : tensor<2xi16>, h = true})";
  const std::string letters = "{}[]<>\"\\:,=x019aif- ";
  std::mt19937 generator(5);
  for (int mutant = 0; mutant < 20'000; ++mutant) {
    std::string text = whole;
    for (int change = 0; change < 3; ++change) {
      const size_t at = generator() % text.size();
      switch (generator() % 3) {
        case 0: text[at] = letters[generator() % letters.size()]; break;
        case 1: text.erase(at, 1 + generator() % 8); break;
        default: text.insert(at, 1, letters[generator() % letters.size()]);
      }
    }
    (void)ParseAttributes(text).ok();
  }
}

TEST(FfiAttributes, UnknownTypesAndListsAreNamed) {
  EXPECT_EQ(ParseAttributes("{a = 1 : i128}").error().code, ErrorCode::kUnimplemented);
  EXPECT_EQ(ParseAttributes("{a = [1, 2]}").error().code, ErrorCode::kUnimplemented);
}

}  // namespace
}  // namespace stead::ffi
