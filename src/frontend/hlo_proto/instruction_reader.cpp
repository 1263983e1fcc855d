#include "frontend/hlo_proto/instruction_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <variant>

#include "base/spelling.h"
#include "frontend/hlo_proto/attribute_list.h"
#include "frontend/hlo_proto/data/literal.h"
#include "frontend/hlo_proto/data/shape.h"
#include "frontend/hlo_proto/metadata.h"
#include "frontend/hlo_proto/proto_field_reader.h"
#include "frontend/hlo_proto/text/extra_attributes.h"
#include "frontend/hlo_text/attribute_parser.h"

namespace stead::frontend {

namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

// What a comparison of such operands is called when nothing is said.
ir::CompareAttributes::Type DefaultCompareType(const ir::Shape& operand) {
  using Type = ir::CompareAttributes::Type;
  if (!operand.is_array()) return Type::kDefault;
  if (ir::IsFloat(operand.element_type) || ir::IsComplex(operand.element_type)) return Type::kFloat;
  return ir::IsSigned(operand.element_type) ? Type::kSigned : Type::kUnsigned;
}

class InstructionMessageReader {
 public:
  InstructionMessageReader(std::string_view message, ir::Module& module, ir::ComputationId computation, ProtoIds& ids)
      : fields_(message), module_(module), computation_(computation), ids_(ids) {}

  Result<InstrId> Read(size_t instruction_count) {
    instruction_.name = SanitizedName(fields_.TakeBytes(InstructionField::kName));
    const int64_t id = fields_.TakeInteger(InstructionField::kId);
    if (ids_.instructions.contains(id)) return InvalidArgument(fmt::format("two instructions have the id {}", id));
    TRY_STATUS(ReadOpcode());
    TRY(instruction_.shape, ReadShape(fields_.TakeBytes(InstructionField::kShape)));
    instruction_.metadata = ReadMetadata(fields_.TakeBytes(InstructionField::kMetadata));
    fields_.Drop(InstructionField::kMetadata);
    TRY_STATUS(ReadInstructionIds(InstructionField::kOperandIds, instruction_.operands));
    TRY_STATUS(ReadInstructionIds(InstructionField::kControlPredecessorIds, instruction_.control_predecessors));
    TRY_STATUS(ReadCalled());
    TRY_STATUS(CheckArity());
    TRY_STATUS(ReadAttributes());
    TRY_STATUS(CheckParameter(instruction_count));
    const std::optional<std::string> slice_sizes = TakeSliceSizes();
    instruction_.extra = TakeExtraAttributes(fields_, instruction_.opcode);
    if (slice_sizes) {
      const auto pairs = std::ranges::find(instruction_.extra, "source_target_pairs", &ir::ExtraAttribute::key);
      instruction_.extra.insert(pairs == instruction_.extra.end() ? pairs : std::next(pairs),
                                {"slice_sizes", *slice_sizes});
    }
    UnderstandExtra();
    const InstrId added = module_.Add(computation_, std::move(instruction_));
    ids_.instructions.emplace(id, added);
    return added;
  }

 private:
  MessageFields fields_;
  ir::Module& module_;
  ir::ComputationId computation_;
  ProtoIds& ids_;
  Instruction instruction_;

  Status ReadOpcode() {
    const std::string_view name = fields_.TakeBytes(InstructionField::kOpcode);
    const std::optional<Opcode> opcode = ir::OpcodeFromName(name);
    if (!opcode) return InvalidArgument(fmt::format("unknown op `{}`", SanitizedName(name)));
    instruction_.opcode = *opcode;
    return {};
  }

  Status ReadInstructionIds(InstructionField field, std::vector<InstrId>& found) {
    for (int64_t id : fields_.TakeIntegers(field)) {
      const auto entry = ids_.instructions.find(id);
      if (entry == ids_.instructions.end()) {
        return InvalidArgument(fmt::format("instruction {} is not defined before its use in this computation", id));
      }
      found.push_back(entry->second);
    }
    return {};
  }

  Status ReadCalled() {
    for (int64_t id : fields_.TakeIntegers(InstructionField::kCalledComputationIds)) {
      const auto entry = ids_.computations.find(id);
      if (entry == ids_.computations.end()) {
        return InvalidArgument(fmt::format("computation {} is not defined before its use", id));
      }
      instruction_.called.push_back(entry->second);
    }
    // The protocol has the body of a loop first.
    if (instruction_.opcode == Opcode::kWhile) std::ranges::reverse(instruction_.called);
    const bool calls_any_number =
        instruction_.opcode == Opcode::kConditional || instruction_.opcode == Opcode::kCustomCall;
    const size_t most = ir::CalledKeys(instruction_.opcode).size();
    if (calls_any_number || instruction_.called.size() <= most) return {};
    return InvalidArgument(fmt::format("`{}` calls {} computations, expected at most {}",
                                       ir::OpcodeName(instruction_.opcode), instruction_.called.size(), most));
  }

  Status CheckArity() const {
    const int expected = ir::InfoOf(instruction_.opcode).arity;
    const size_t seen = instruction_.operands.size();
    if (expected == ir::kVariadic || static_cast<size_t>(expected) == seen) return {};
    return InvalidArgument(
        fmt::format("`{}` has {} operands, expected {}", ir::OpcodeName(instruction_.opcode), seen, expected));
  }

  Status ReadAttributes() {
    instruction_.attributes = ir::DefaultAttributes(instruction_.opcode);
    if (instruction_.opcode == Opcode::kConstant) return ReadConstant();
    Status status;
    if (instruction_.opcode == Opcode::kRaggedDot) {
      ReadRaggedDot(std::get<ir::DotAttributes>(instruction_.attributes), status);
      return status;
    }
    ProtoFieldReader reader(fields_, status);
    std::visit([&](auto& attributes) { ReadStruct(attributes, reader); }, instruction_.attributes);
    if (auto* compare = std::get_if<ir::CompareAttributes>(&instruction_.attributes)) {
      const ir::Shape& operand = module_.shape(instruction_.operands.front());
      if (compare->type == DefaultCompareType(operand)) compare->type = ir::CompareAttributes::Type::kDefault;
    }
    return status;
  }

  template <typename A>
  static void ReadStruct(A& attributes, ProtoFieldReader& reader) {
    if constexpr (HasProtoFields<A>) VisitProtoFields(attributes, reader);
  }

  // A constant without a literal is one whose elements were left out.
  Status ReadConstant() {
    const std::optional<std::string_view> message = fields_.TakeMessage(InstructionField::kLiteral);
    if (!message) {
      instruction_.attributes = ir::Literal::Elided(instruction_.shape);
      return {};
    }
    TRY(instruction_.attributes, ReadLiteral(*message, instruction_.shape));
    return {};
  }

  void ReadRaggedDot(ir::DotAttributes& dot, Status& status) {
    const auto message = fields_.PeekMessage(InstructionField::kRaggedDotDimensionNumbers);
    MessageFields ragged(message.value_or(std::string_view()));
    MessageFields numbers(ragged.TakeBytes(RaggedDotField::kDotDimensionNumbers));
    ProtoFieldReader reader(numbers, status);
    VisitDotNumbers(dot, reader);
  }

  // Numbers of parameters are indices into a list that is as long as the largest number says.
  Status CheckParameter(size_t instruction_count) const {
    const auto* parameter = std::get_if<ir::ParameterAttributes>(&instruction_.attributes);
    if (parameter == nullptr) return {};
    const int64_t number = parameter->number;
    if (number < 0 || static_cast<size_t>(number) >= instruction_count) {
      return InvalidArgument(fmt::format("parameter number {} is out of range", number));
    }
    const std::vector<InstrId>& parameters = module_.computation(computation_).parameters;
    const bool is_taken =
        static_cast<size_t>(number) < parameters.size() && parameters[static_cast<size_t>(number)].valid();
    if (is_taken) return InvalidArgument(fmt::format("parameter {} is defined twice in this computation", number));
    return {};
  }

  // slice_sizes={{2,3},{2,3}} of a permutation of slices: the protocol has one flat list, with a size for each dimension.
  std::optional<std::string> TakeSliceSizes() {
    const bool permutes =
        instruction_.opcode == Opcode::kCollectivePermute || instruction_.opcode == Opcode::kCollectivePermuteStart;
    if (!permutes || !fields_.Has(InstructionField::kDynamicSliceSizes)) return std::nullopt;
    const ir::Shape& operand = module_.shape(instruction_.operands.front());
    const size_t rank = operand.dimensions.size();
    const std::vector<int64_t> sizes = MessageFields(fields_).TakeIntegers(InstructionField::kDynamicSliceSizes);
    if (rank == 0 || sizes.size() % rank != 0) return std::nullopt;
    fields_.Drop(InstructionField::kDynamicSliceSizes);
    std::vector<std::string> slices;
    for (auto first = sizes.begin(); first != sizes.end(); first += static_cast<std::ptrdiff_t>(rank)) {
      slices.push_back(fmt::format("{{{}}}", fmt::join(first, first + static_cast<std::ptrdiff_t>(rank), ",")));
    }
    return fmt::format("{{{}}}", fmt::join(slices, ","));
  }

  // What is said in the text attributes and understood all the same.
  void UnderstandExtra() {
    if (auto* copy = std::get_if<ir::CopyAttributes>(&instruction_.attributes)) {
      if (std::optional<ir::CopyReason> reason = TakeCopyReason(instruction_.extra)) copy->reason = *reason;
    }
    if (auto* loop = std::get_if<ir::WhileAttributes>(&instruction_.attributes)) {
      const auto config = std::ranges::find(instruction_.extra, "backend_config", &ir::ExtraAttribute::key);
      if (config != instruction_.extra.end()) loop->trip_count = KnownTripCount(config->value);
    }
  }
};

}  // namespace

Status ReadInstruction(std::string_view message, ir::Module& module, ir::ComputationId computation,
                       size_t instruction_count, ProtoIds& ids) {
  Result<InstrId> added = InstructionMessageReader(message, module, computation, ids).Read(instruction_count);
  if (added.ok()) return {};
  Diagnostic error = added.error();
  const std::string name = SanitizedName(MessageFields(message).TakeBytes(InstructionField::kName));
  error.what += fmt::format(", in instruction `{}` of `{}`", name, module.computation(computation).name);
  return error;
}

std::string SanitizedName(std::string_view name) {
  std::string sanitized(name);
  std::ranges::replace_if(sanitized, [](char character) { return !IsWordCharacter(character); }, '_');
  return sanitized;
}

}  // namespace stead::frontend
