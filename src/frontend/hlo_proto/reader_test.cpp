#include "frontend/hlo_proto/reader.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "frontend/hlo_proto/message.h"
#include "frontend/hlo_proto/writer.h"
#include "frontend/hlo_text/parser.h"
#include "ir/text/printer.h"

namespace stead::frontend {
namespace {

// A module with one parameter and its negation, put together field by field, so that tests can leave out and add.
struct SmallModule {
  std::string shape = Message<ShapeField>([](auto& message) {
    message.add_enum(ShapeField::kElementType, ir::ElementTypeProtoNumber(ir::ElementType::kF32));
    AddIntegers(message, ShapeField::kDimensions, {4});
  });
  std::string parameter_extra, root_extra, root_opcode = "negate", computation_extra, module_extra;
  int64_t root_operand = 7;

  template <typename Field, typename Fill>
  static std::string Message(Fill fill) {
    std::string bytes;
    ProtoMessage<Field> message(bytes);
    fill(message);
    return bytes;
  }

  std::string Instruction(const std::string& name, const std::string& opcode, int64_t id,
                          const std::string& extra) const {
    return extra + Message<InstructionField>([&](auto& message) {
             message.add_string(InstructionField::kName, name);
             message.add_string(InstructionField::kOpcode, opcode);
             message.add_message(InstructionField::kShape, shape);
             message.add_int64(InstructionField::kId, id);
             const bool has_operand = opcode != "parameter" && opcode != "constant";
             if (has_operand) AddIntegers(message, InstructionField::kOperandIds, {root_operand});
           });
  }

  std::string Bytes() const {
    const std::string computation =
        computation_extra + Message<ComputationField>([&](auto& message) {
          message.add_string(ComputationField::kName, "main");
          message.add_message(ComputationField::kInstructions, Instruction("x", "parameter", 7, parameter_extra));
          message.add_message(ComputationField::kInstructions, Instruction("y", root_opcode, 9, root_extra));
          message.add_int64(ComputationField::kRootId, 9);
        });
    return module_extra + Message<ModuleField>([&](auto& message) {
             message.add_string(ModuleField::kName, "m");
             message.add_string(ModuleField::kEntryComputationName, "main");
             message.add_message(ModuleField::kComputations, computation);
           });
  }
};

Result<ir::Module> Read(const std::string& bytes) { return ReadHloProto(std::as_bytes(std::span(bytes)), "m.pb"); }
bool IsProto(const std::string& bytes) { return IsHloProto(std::as_bytes(std::span(bytes))); }

std::string TextOf(const std::string& bytes) {
  const Result<ir::Module> module = Read(bytes);
  return module.ok() ? ir::PrintModule(module.value()) : module.error().ToString();
}

std::string ErrorOf(const SmallModule& module) {
  const Result<ir::Module> read = Read(module.Bytes());
  return read.ok() ? "" : read.error().what;
}

template <typename Field>
std::string Wrapped(const std::string& bytes, Field field) {
  return SmallModule::Message<Field>([&](auto& message) { message.add_message(field, bytes); });
}

constexpr std::string_view kSmallText = R"(HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY main {
  x = f32[4]{0} parameter(0)
  ROOT y = f32[4]{0} negate(x)
}
)";

TEST(HloProtoReader, ReadsNamesShapesAndOperands) { EXPECT_EQ(TextOf(SmallModule().Bytes()), kSmallText); }

TEST(HloProtoReader, ReadsWhatTorchXlaSends) {
  const std::filesystem::path folder = std::filesystem::path(STEAD_TEST_DATA) / "programs";
  const std::string proto = ReadFile(folder / "seed1_torch_xla.dumped.pb").value();
  const std::string text = ReadFile(folder / "seed1_torch_xla.dumped.hlo").value();
  const ir::Module module = Read(proto).value();
  EXPECT_EQ(module.buffer_donors, (std::vector<ir::BufferDonor>{{.parameter = 0, .parameter_index = {}}}));
  EXPECT_EQ(ir::PrintModule(module), ir::PrintModule(ParseHloText(text, "m.hlo").value()));
}

TEST(HloProtoReader, FindsTheModuleInsideOtherMessages) {
  const std::string module = SmallModule().Bytes();
  const std::string dump = Wrapped(module, WrapperField::kModule) + Wrapped("", static_cast<WrapperField>(3));
  const std::string snapshot = Wrapped(dump, WrapperField::kModule) + Wrapped("", static_cast<WrapperField>(2)) +
                               Wrapped("cpu", static_cast<WrapperField>(4));
  for (const std::string& bytes : {module, dump, snapshot}) {
    EXPECT_TRUE(IsProto(bytes));
    EXPECT_EQ(TextOf(bytes), kSmallText);
  }
}

TEST(HloProtoReader, ReadsTheConfigurationBesideTheModule) {
  const std::string config = SmallModule::Message<ModuleConfigField>([](auto& message) {
    message.add_int64(ModuleConfigField::kReplicaCount, 2);
    message.add_int64(ModuleConfigField::kNumPartitions, 1);
  });
  const std::string bytes = Wrapped(SmallModule().Bytes(), ModuleWithConfigField::kHloModule) +
                            Wrapped(config, ModuleWithConfigField::kConfig);
  EXPECT_NE(TextOf(bytes).find("replica_count=2\n"), std::string::npos) << TextOf(bytes);
}

TEST(HloProtoReader, OtherMessagesAreNoModules) {
  EXPECT_FALSE(IsProto(""));
  EXPECT_FALSE(IsProto("HloModule m\n"));
  // Field 3, which a module has too, without instructions inside: compile options.
  EXPECT_FALSE(IsProto(Wrapped("\x08\x01", static_cast<WrapperField>(3))));
  const std::string bytes = SmallModule().Bytes();
  EXPECT_FALSE(IsProto(bytes.substr(0, bytes.size() - 1)));
  EXPECT_EQ(Read(bytes.substr(0, bytes.size() - 1)).error().what,
            "the protocol buffer is cut off or damaged (end of buffer exception)");
}

TEST(HloProtoReader, KeepsFieldsOfInstructionsThatNobodyKnows) {
  SmallModule small;
  // Field 1000 is no field of any version so far.
  small.root_extra = SmallModule::Message<InstructionField>(
      [](auto& message) { message.add_int64(static_cast<InstructionField>(1000), 5); });
  const ir::Module module = Read(small.Bytes()).value();
  EXPECT_NE(ir::PrintModule(module).find(R"(negate(x), hlo_proto_field_1000="\300>\005")"), std::string::npos)
      << ir::PrintModule(module);
  const std::string written = WriteHloProto(module).value();
  EXPECT_NE(written.find(small.root_extra), std::string::npos);
}

TEST(HloProtoReader, KeepsWhatOnlyTheProtocolSaysOfTheModuleUnseen) {
  SmallModule small;
  // The device assignment.
  small.module_extra = Wrapped("\x08\x01", static_cast<ModuleField>(15));
  EXPECT_EQ(TextOf(small.Bytes()), kSmallText);
  EXPECT_NE(WriteHloProto(Read(small.Bytes()).value()).value().find(small.module_extra), std::string::npos);
}

TEST(HloProtoReader, RefusesFieldsThatHaveNoPlace) {
  SmallModule small;
  small.computation_extra = Wrapped("", static_cast<ComputationField>(12));
  EXPECT_EQ(ErrorOf(small), "field 12 of computation `main`");
  small = SmallModule();
  small.shape += Wrapped("", static_cast<ShapeField>(12));
  EXPECT_EQ(ErrorOf(small), "field 12 of ShapeProto, in instruction `x` of `main`");
}

TEST(HloProtoReader, ScheduleIsTheOrderThatRuns) {
  const std::string text = R"(HloModule m, is_scheduled=true, entry_computation_layout={(f32[])->(f32[], f32[])}

ENTRY main {
  x = f32[] parameter(0)
  b = f32[] negate(x)
  a = f32[] sine(x)
  ROOT t = (f32[], f32[]) tuple(a, b)
}
)";
  const std::string written = WriteHloProto(ParseHloText(text, "m.hlo").value()).value();
  EXPECT_EQ(TextOf(written), text);
}

TEST(HloProtoReader, RefusesAScheduleThatIsNone) {
  SmallModule small;
  const std::string sequence = SmallModule::Message<SequenceField>(
      [](auto& message) { AddIntegers(message, SequenceField::kInstructionIds, {7, 7}); });
  small.module_extra =
      Wrapped(Wrapped(Wrapped(sequence, MapEntryField::kValue), ScheduleField::kSequences), ModuleField::kSchedule);
  EXPECT_EQ(ErrorOf(small), "the schedule of `main` does not name each of its instructions once");
}

TEST(HloProtoReader, NamesTheInstructionThatIsWrong) {
  SmallModule small;
  small.root_opcode = "no-such-op";
  EXPECT_EQ(ErrorOf(small), "unknown op `no-such-op`, in instruction `y` of `main`");
  small = SmallModule();
  small.root_operand = 9;
  EXPECT_EQ(ErrorOf(small),
            "instruction 9 is not defined before its use in this computation, in instruction `y` of `main`");
  small = SmallModule();
  small.root_opcode = "add";
  EXPECT_EQ(ErrorOf(small), "`add` has 1 operands, expected 2, in instruction `y` of `main`");
}

TEST(HloProtoReader, RefusesNumbersThatWouldTakeMuchMemory) {
  SmallModule small;
  small.parameter_extra = SmallModule::Message<InstructionField>(
      [](auto& message) { message.add_int64(InstructionField::kParameterNumber, 1 << 19); });
  EXPECT_EQ(ErrorOf(small), "parameter number 524288 is out of range, in instruction `x` of `main`");
  small = SmallModule();
  small.shape = SmallModule::Message<ShapeField>([](auto& message) {
    message.add_enum(ShapeField::kElementType, ir::ElementTypeProtoNumber(ir::ElementType::kF32));
    AddIntegers(message, ShapeField::kDimensions, {int64_t{1} << 31, int64_t{1} << 31});
  });
  EXPECT_EQ(ErrorOf(small), "the value takes more than 1152921504606846976 bytes, in instruction `x` of `main`");
}

TEST(HloProtoReader, RefusesALiteralThatDoesNotFillItsShape) {
  SmallModule small;
  small.root_opcode = "constant";
  const std::string literal = Wrapped(small.shape, LiteralField::kShape) + Wrapped("\x01\x02", LiteralField::kF32s);
  small.root_extra = Wrapped(literal, InstructionField::kLiteral);
  EXPECT_EQ(ErrorOf(small), "a literal of shape f32[4] has 2 bytes, expected 16, in instruction `y` of `main`");
}

TEST(HloProtoReader, RefusesDeeplyNestedShapes) {
  SmallModule small;
  for (int depth = 0; depth < 100; ++depth) {
    small.shape = SmallModule::Message<ShapeField>([&](auto& message) {
      message.add_enum(ShapeField::kElementType, kTuplePrimitiveType);
      message.add_message(ShapeField::kTupleShapes, small.shape);
    });
  }
  EXPECT_EQ(ErrorOf(small), "tuple shapes nest deeper than 64, in instruction `x` of `main`");
}

TEST(HloProtoReader, NamesBecomeWords) {
  SmallModule small;
  std::string bytes = small.Bytes();
  bytes[bytes.find("negate") - 3] = '"';
  EXPECT_NE(TextOf(bytes).find("ROOT _ = f32[4]{0} negate(x)"), std::string::npos) << TextOf(bytes);
}

}  // namespace
}  // namespace stead::frontend
