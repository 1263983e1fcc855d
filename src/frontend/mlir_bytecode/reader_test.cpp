#include "frontend/mlir_bytecode/reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "frontend/mlir_bytecode/location.h"

namespace stead::frontend::mlir {
namespace {

using FileBytes = std::vector<std::byte>;

FileBytes ReadFile(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::map<std::string, FileBytes> StoredArtifacts() {
  std::map<std::string, FileBytes> artifacts;
  for (const auto& entry : std::filesystem::directory_iterator(STEAD_TEST_DATA "/stablehlo")) {
    if (entry.path().extension() == ".mlirbc") artifacts[entry.path().stem()] = ReadFile(entry.path());
  }
  return artifacts;
}

void ForEachOperation(const Operation& op, const std::function<void(const Operation&)>& visit) {
  visit(op);
  for (const Region& region : op.regions) {
    for (const Block& block : region.blocks) {
      for (const Operation& inner : block.operations) ForEachOperation(inner, visit);
    }
  }
}

// Decodes everything that the module refers to. Returns the number of failures.
int DecodeEverything(const ParsedModule& module) {
  int failures = 0;
  for (size_t attribute = 0; attribute < module.pool.attribute_count(); ++attribute) {
    failures += !module.pool.attribute(AttributeId(attribute)).ok();
  }
  for (size_t type = 0; type < module.pool.type_count(); ++type) failures += !module.pool.type(TypeId(type)).ok();
  ForEachOperation(module.root, [&](const Operation& op) {
    DecodeLocation(module.pool, op.location_id);
    const OpProperties* properties = module.op_names[op.name_id].properties;
    if (properties == nullptr) return;
    for (std::string_view name : properties->names) failures += !module.FindAttribute(op, name).ok();
  });
  return failures;
}

std::vector<std::string> OperationNames(const ParsedModule& module) {
  std::vector<std::string> names;
  ForEachOperation(module.root, [&](const Operation& op) { names.emplace_back(module.name_of(op)); });
  return names;
}

const Operation& FirstNamed(const ParsedModule& module, std::string_view name) {
  const Operation* found = nullptr;
  ForEachOperation(module.root, [&](const Operation& op) {
    if (found == nullptr && module.name_of(op) == name) found = &op;
  });
  STEAD_CHECK(found != nullptr, std::string(name));
  return *found;
}

TEST(Reader, ReadsEveryStoredArtifactWhole) {
  std::map<std::string, FileBytes> artifacts = StoredArtifacts();
  ASSERT_GE(artifacts.size(), 16u);
  for (const auto& [name, bytes] : artifacts) {
    Result<ParsedModule> module = ReadBytecode(bytes);
    ASSERT_TRUE(module.ok()) << name << ": " << module.error().ToString();
    EXPECT_EQ(module->name_of(module->root), "builtin.module") << name;
    EXPECT_EQ(DecodeEverything(*module), 0) << name;
  }
}

TEST(Reader, KeepsTheOrderOfOperationsAndTheirRegions) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/loop.mlirbc");
  Result<ParsedModule> module = ReadBytecode(bytes);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->producer, "StableHLO_v1.17.0");
  std::vector<std::string> expected = {"builtin.module", "vhlo.func_v1",     "vhlo.constant_v1", "vhlo.constant_v1",
                                       "vhlo.while_v1",  "vhlo.convert_v1",  "vhlo.compare_v1",  "vhlo.return_v1",
                                       "vhlo.add_v1",    "vhlo.multiply_v1", "vhlo.return_v1",   "vhlo.return_v1"};
  EXPECT_EQ(OperationNames(*module), expected);
}

TEST(Reader, CapturedValuesKeepTheirIdentity) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/loop.mlirbc");
  Result<ParsedModule> module = ReadBytecode(bytes);
  ASSERT_TRUE(module.ok());
  const Block& function = FirstNamed(*module, "vhlo.func_v1").regions[0].blocks[0];
  const Block& condition = FirstNamed(*module, "vhlo.while_v1").regions[0].blocks[0];
  const Block& body = FirstNamed(*module, "vhlo.while_v1").regions[1].blocks[0];
  const Operation& add = FirstNamed(*module, "vhlo.add_v1");
  EXPECT_EQ(add.operands[0], body.arguments[2]);
  EXPECT_EQ(add.operands[1], function.operations[0].results[0]);  // a constant outside the loop
  // The two regions use the same numbers in the file, for different values.
  EXPECT_NE(condition.arguments[0], body.arguments[0]);
}

TEST(Reader, FindsPropertiesByName) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/dot.mlirbc");
  Result<ParsedModule> module = ReadBytecode(bytes);
  ASSERT_TRUE(module.ok());
  const Operation& dot = FirstNamed(*module, "vhlo.dot_general_v2");
  auto contracting = module->Find<TensorAttribute>(dot, "rhs_contracting_dimensions");
  ASSERT_TRUE(contracting.ok() && contracting->has_value());
  ASSERT_EQ((*contracting)->payload.size(), 8u);
  EXPECT_EQ((*contracting)->payload[0], std::byte{1});
  auto precision = module->Find<ArrayAttribute>(dot, "precision_config");
  ASSERT_TRUE(precision.ok() && precision->has_value());
  ASSERT_EQ((*precision)->items.size(), 2u);
  EXPECT_EQ(module->pool.Get<EnumAttribute>((*precision)->items[0])->value, 2u);  // HIGHEST
  EXPECT_FALSE(module->Find<ArrayAttribute>(dot, "no_such_attribute")->has_value());
  EXPECT_EQ(module->Find<StringAttribute>(dot, "precision_config").error().what.substr(0, 24),
            "malformed MLIR bytecode ");
}

TEST(Reader, ReadsTheModulesOptionalProperties) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/dot.mlirbc");
  Result<ParsedModule> module = ReadBytecode(bytes);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ((*module->Find<StringAttribute>(module->root, "sym_name"))->text, "jit_dot");
  EXPECT_FALSE(module->Find<StringAttribute>(module->root, "sym_visibility")->has_value());
  EXPECT_EQ((*module->Find<IntegerAttribute>(module->root, "mhlo.num_partitions"))->value, 1);
}

TEST(Reader, OldVersionsKeepAttributesInTheDictionary) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/elementwise_0.9.0.mlirbc");
  Result<ParsedModule> module = ReadBytecode(bytes);
  ASSERT_TRUE(module.ok()) << module.error().ToString();
  const Operation& compare = FirstNamed(*module, "vhlo.compare_v1");
  EXPECT_EQ((*module->Find<EnumAttribute>(compare, "comparison_direction"))->value, 5u);  // LT
}

TEST(Reader, DecodesTypes) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/elementwise.mlirbc");
  Result<ParsedModule> module = ReadBytecode(bytes);
  ASSERT_TRUE(module.ok());
  const Operation& sine = FirstNamed(*module, "vhlo.sine_v2");
  Result<Type> type = module->pool.type(module->value_types[sine.results[0]]);
  ASSERT_TRUE(type.ok());
  EXPECT_EQ(type->kind, TypeKind::kTensor);
  EXPECT_EQ(type->dimensions, (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(module->pool.type(type->parts[0])->name, "f32");
}

TEST(Reader, DecodesLocations) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/elementwise.mlirbc");
  Result<ParsedModule> module = ReadBytecode(bytes);
  ASSERT_TRUE(module.ok());
  Location sine = DecodeLocation(module->pool, FirstNamed(*module, "vhlo.sine_v2").location_id);
  EXPECT_EQ(sine.name, "jit(elementwise)/sin");
  EXPECT_EQ(sine.function, "elementwise");
  EXPECT_EQ(sine.file, "make_stablehlo_data.py");
  EXPECT_GT(sine.line, 0);
  EXPECT_GT(sine.column, 0);
  const Block& function = FirstNamed(*module, "vhlo.func_v1").regions[0].blocks[0];
  EXPECT_EQ(DecodeLocation(module->pool, function.argument_locations[1]).name, "y");
}

TEST(Reader, RefusesWhatItCannotRead) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/dot.mlirbc");
  FileBytes text = bytes;
  text[0] = std::byte{'m'};
  EXPECT_FALSE(IsMlirBytecode(text));
  EXPECT_EQ(ReadBytecode(text).error().code, ErrorCode::kInvalidArgument);
  FileBytes future = bytes;
  future[4] = std::byte{2 * 9 + 1};
  EXPECT_EQ(ReadBytecode(future).error().what, "MLIR bytecode version 9 is newer than the newest we read, 6");
}

TEST(Reader, EveryCutOffFileIsAnError) {
  FileBytes bytes = ReadFile(STEAD_TEST_DATA "/stablehlo/loop.mlirbc");
  for (size_t size = 0; size < bytes.size(); ++size) {
    FileBytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(ReadBytecode(cut).ok()) << size;
  }
}

// A few random edits: bytes changed, removed or repeated, the kinds of damage that move counts and references.
FileBytes Mutate(const FileBytes& original, std::mt19937& random) {
  FileBytes bytes = original;
  auto below = [&](size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random); };
  size_t edit_count = 1 + below(4);
  for (size_t edit = 0; edit < edit_count && bytes.size() > 8; ++edit) {
    auto place = bytes.begin() + static_cast<std::ptrdiff_t>(below(bytes.size()));
    switch (below(4)) {
      case 0: *place = static_cast<std::byte>(below(256)); break;
      case 1: *place ^= static_cast<std::byte>(1u << below(8)); break;
      case 2: bytes.erase(place); break;
      case 3: bytes.insert(place, *place); break;
    }
  }
  return bytes;
}

TEST(Reader, MutantsNeverCrash) {
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  int mutants_per_artifact = 350 * (scale ? std::max(1, std::atoi(scale)) : 1);
  std::mt19937 random(20240611);
  int readable = 0, refused = 0;
  for (const auto& [name, bytes] : StoredArtifacts()) {
    for (int mutant = 0; mutant < mutants_per_artifact; ++mutant) {
      FileBytes damaged = Mutate(bytes, random);
      Result<ParsedModule> module = ReadBytecode(damaged);
      if (module.ok()) {
        ++readable;
        DecodeEverything(*module);
      } else {
        ++refused;
        EXPECT_NE(module.error().code, ErrorCode::kInternal);
      }
    }
  }
  EXPECT_GT(readable, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace stead::frontend::mlir
