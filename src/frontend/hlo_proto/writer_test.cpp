#include "frontend/hlo_proto/writer.h"

#include <gtest/gtest.h>

#include <map>
#include <protozero/pbf_message.hpp>
#include <protozero/pbf_writer.hpp>

#include "frontend/hlo_proto/fields.h"

namespace stead::frontend {
namespace {

using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;

// The values of every field of one message, by field number: numbers as decimal text, the rest as bytes.
std::multimap<uint32_t, std::string> Fields(const std::string& bytes) {
  std::multimap<uint32_t, std::string> fields;
  protozero::pbf_reader reader(bytes);
  while (reader.next()) {
    const uint32_t tag = reader.tag();
    if (reader.wire_type() == protozero::pbf_wire_type::varint) {
      fields.emplace(tag, std::to_string(reader.get_int64()));
    } else {
      fields.emplace(tag, reader.get_string());
    }
  }
  return fields;
}

template <typename Field>
std::vector<std::string> All(const std::string& bytes, Field field) {
  std::vector<std::string> values;
  const auto fields = Fields(bytes);
  const auto [first, last] = fields.equal_range(static_cast<uint32_t>(field));
  for (auto entry = first; entry != last; ++entry) values.push_back(entry->second);
  return values;
}

template <typename Field>
std::string Only(const std::string& bytes, Field field) {
  const std::vector<std::string> values = All(bytes, field);
  EXPECT_EQ(values.size(), 1u) << "field " << static_cast<uint32_t>(field);
  return values.empty() ? "" : values[0];
}

std::vector<int64_t> Numbers(const std::string& packed) {
  std::string message;
  protozero::pbf_writer(message).add_bytes(1, packed);
  protozero::pbf_reader reader(message);
  reader.next();
  std::vector<int64_t> numbers;
  for (int64_t number : reader.get_packed_int64()) numbers.push_back(number);
  return numbers;
}

const Shape kVector = Shape::Array(ElementType::kF32, {4});

// result = negate(x) computed over x, which the caller gives away.
ir::Module NegateInPlace() {
  ir::Module module;
  module.name = "jit_f";
  module.entry = module.AddComputation("main");
  const InstrId x = module.Add(
      module.entry,
      {.opcode = Opcode::kParameter, .name = "x", .shape = kVector, .attributes = ir::ParameterAttributes{0}});
  const InstrId negated =
      module.Add(module.entry, {.opcode = Opcode::kNegate, .name = "negated", .shape = kVector, .operands = {x}});
  module.SetRoot(module.entry, negated);
  module.input_output_aliases = {{.output_index = {}, .parameter = 0, .parameter_index = {}, .must = true}};
  return module;
}

std::string InstructionNamed(const std::string& module_bytes, const std::string& name) {
  for (const std::string& computation : All(module_bytes, ModuleField::kComputations)) {
    for (const std::string& instruction : All(computation, ComputationField::kInstructions)) {
      if (Only(instruction, InstructionField::kName) == name) return instruction;
    }
  }
  ADD_FAILURE() << "no instruction " << name;
  return "";
}

TEST(HloProtoWriter, WritesNamesShapesAndOperands) {
  const std::string bytes = WriteHloProto(NegateInPlace()).value();
  EXPECT_EQ(Only(bytes, ModuleField::kName), "jit_f");
  const std::string x = InstructionNamed(bytes, "x");
  const std::string negated = InstructionNamed(bytes, "negated");
  EXPECT_EQ(Only(negated, InstructionField::kOpcode), "negate");
  EXPECT_EQ(Numbers(Only(negated, InstructionField::kOperandIds)),
            std::vector<int64_t>{std::stoll(Only(x, InstructionField::kId))});
  const std::string shape = Only(negated, InstructionField::kShape);
  EXPECT_EQ(Only(shape, ShapeField::kElementType), "11");
  EXPECT_EQ(Numbers(Only(shape, ShapeField::kDimensions)), std::vector<int64_t>{4});
}

TEST(HloProtoWriter, WritesTheAliasOfADonatedParameter) {
  const std::string bytes = WriteHloProto(NegateInPlace()).value();
  const std::string entry = Only(Only(bytes, ModuleField::kInputOutputAlias), EntriesField::kEntries);
  EXPECT_EQ(Only(entry, AliasEntryField::kParameterNumber), "0");
  EXPECT_EQ(Only(entry, AliasEntryField::kKind), std::to_string(kMustAlias));
}

TEST(HloProtoWriter, WritesAScheduleOnlyOfAScheduledModule) {
  ir::Module module = NegateInPlace();
  EXPECT_TRUE(All(WriteHloProto(module).value(), ModuleField::kSchedule).empty());
  module.is_scheduled = true;
  const std::string bytes = WriteHloProto(module).value();
  const std::string sequence = Only(Only(bytes, ModuleField::kSchedule), ScheduleField::kSequences);
  const std::string ids = Only(Only(sequence, MapEntryField::kValue), SequenceField::kInstructionIds);
  EXPECT_EQ(Numbers(ids).size(), 2u);
  EXPECT_EQ(Only(sequence, MapEntryField::kKey), Only(bytes, ModuleField::kEntryComputationId));
}

// A product without contracted dimensions has dimension numbers that are all empty, and readers insist on them.
TEST(HloProtoWriter, WritesEmptyMessagesThatReadersInsistOn) {
  ir::Module module = NegateInPlace();
  const Shape scalar = Shape::Array(ElementType::kF32, {});
  const InstrId one = module.Add(module.entry, {.opcode = Opcode::kConstant,
                                                .name = "one",
                                                .shape = scalar,
                                                .attributes = ir::Literal::FromVector<float>(scalar, {1.0f})});
  module.Add(module.entry, {.opcode = Opcode::kDot,
                            .name = "product",
                            .shape = scalar,
                            .operands = {one, one},
                            .attributes = ir::DotAttributes{}});
  const std::string bytes = WriteHloProto(module).value();
  EXPECT_EQ(Only(InstructionNamed(bytes, "product"), InstructionField::kDotDimensionNumbers), "");
  EXPECT_EQ(Only(Only(InstructionNamed(bytes, "one"), InstructionField::kShape), ShapeField::kLayout), "");
}

TEST(HloProtoWriter, LeavesOutTheElementsOfEnormousConstantsForFrameworksOnly) {
  ir::Module module = NegateInPlace();
  const Shape large = Shape::Array(ElementType::kF32, {1 << 20});
  module.Add(module.entry,
             {.opcode = Opcode::kConstant, .name = "table", .shape = large, .attributes = ir::Literal::Zeros(large)});
  const std::string shown = Only(WriteHloProtoWithConfig(module).value(), ModuleWithConfigField::kHloModule);
  EXPECT_TRUE(All(InstructionNamed(shown, "table"), InstructionField::kLiteral).empty());
  const std::string bytes = WriteHloProto(module).value();
  EXPECT_EQ(All(InstructionNamed(bytes, "table"), InstructionField::kLiteral).size(), 1u);
}

TEST(HloProtoWriter, WritesTextAttributesThatReadersShow) {
  ir::Module module = NegateInPlace();
  module.SetExtra(module.root(module.entry),
                  {{"frontend_attributes", R"({color="blue",quote="a\"b"})"}, {"backend_config", R"("{\"n\":1}")"}});
  const std::string negated = InstructionNamed(WriteHloProto(module).value(), "negated");
  EXPECT_EQ(Only(negated, InstructionField::kBackendConfig), R"({"n":1})");
  const auto entries = All(Only(negated, InstructionField::kFrontendAttributes), FrontendAttributesField::kMap);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(Only(entries[0], MapEntryField::kKey), "color");
  EXPECT_EQ(Only(entries[1], MapEntryField::kValue), R"(a"b)");
}

TEST(HloProtoWriter, NamesTheAttributeThatHasNoForm) {
  ir::Module module = NegateInPlace();
  module.SetExtra(module.root(module.entry), {{"unheard_of", "7"}});
  const Result<std::string> bytes = WriteHloProto(module);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kUnimplemented);
  EXPECT_EQ(bytes.error().what, "attribute `unheard_of` as a protocol buffer, in instruction `negated`");
}

TEST(HloProtoWriter, LoopsNameTheirBodyFirst) {
  ir::Module module = NegateInPlace();
  const InstrId root = module.root(module.entry);
  std::vector<ir::ComputationId> called;
  for (const char* name : {"condition", "body"}) {
    called.push_back(module.AddComputation(name));
    module.SetRoot(called.back(), module.Add(called.back(), {.opcode = Opcode::kParameter,
                                                             .shape = kVector,
                                                             .attributes = ir::ParameterAttributes{0}}));
  }
  module.Add(module.entry, {.opcode = Opcode::kWhile,
                            .name = "loop",
                            .shape = kVector,
                            .operands = {root},
                            .called = called,
                            .attributes = ir::WhileAttributes{}});
  const std::string loop = InstructionNamed(WriteHloProto(module).value(), "loop");
  const std::vector<int64_t> ids = Numbers(Only(loop, InstructionField::kCalledComputationIds));
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_GT(ids[0], ids[1]);  // the body was made later
}

TEST(HloProtoWriter, ConstrainedCallsSayTheLayoutsOfTheirOperands) {
  ir::Module module = NegateInPlace();
  const InstrId root = module.root(module.entry);
  module.Add(module.entry, {.opcode = Opcode::kCustomCall,
                            .name = "call",
                            .shape = module.shape(root),
                            .operands = {root},
                            .attributes = ir::CustomCallAttributes{.target = "f"},
                            .extra = {{"operand_layout_constraints", "{f32[4]{0}}"}}});
  const std::string call = InstructionNamed(WriteHloProto(module).value(), "call");
  EXPECT_EQ(Only(call, InstructionField::kConstrainLayout), "1");
  EXPECT_EQ(All(call, InstructionField::kOperandShapesWithLayout).size(), 1u);
}

TEST(HloProtoWriter, WritesTheReasonOfACopy) {
  ir::Module module = NegateInPlace();
  const InstrId root = module.root(module.entry);
  module.AddCopyBefore(root, module.operand(root, 0), ir::CopyReason::kOrderDemanded);
  const std::string copy = InstructionNamed(WriteHloProto(module).value(), "copy");
  const std::string entry = Only(Only(copy, InstructionField::kFrontendAttributes), FrontendAttributesField::kMap);
  EXPECT_EQ(Only(entry, MapEntryField::kKey), ir::kCopyReasonKey);
  EXPECT_EQ(Only(entry, MapEntryField::kValue), "C02");
}

TEST(HloProtoWriter, ConfigurationHasTheLayoutOfTheEntry) {
  const std::string bytes = WriteHloProtoWithConfig(NegateInPlace()).value();
  EXPECT_EQ(Only(Only(bytes, ModuleWithConfigField::kHloModule), ModuleField::kName), "jit_f");
  const std::string config = Only(bytes, ModuleWithConfigField::kConfig);
  const std::string layout = Only(config, ModuleConfigField::kEntryComputationLayout);
  EXPECT_EQ(All(layout, ProgramShapeField::kParameters).size(), 1u);
  EXPECT_EQ(Only(config, ModuleConfigField::kReplicaCount), "1");
}

}  // namespace
}  // namespace stead::frontend
