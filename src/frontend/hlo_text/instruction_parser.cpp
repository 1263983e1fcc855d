#include "frontend/hlo_text/instruction_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.h"
#include "frontend/hlo_text/attribute_parser.h"
#include "frontend/hlo_text/literal_parser.h"
#include "frontend/hlo_text/shape_parser.h"
#include "ir/infer.h"
#include "ir/text/attribute_fields.h"

namespace stead::frontend {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

// A parameter number is an index into a list that is as long as the largest number says.
constexpr int64_t kMaxParameters = 1 << 20;

// Computations that stand in each other without names, as people write reducers. Each is skipped once before it is read.
constexpr int kMaximumOpenBodies = 8;

// "{ name = ..." and not "{name, name}".
bool BeginsBody(Cursor cursor) {
  if (!cursor.TryConsume("{")) return false;
  cursor.TryConsumeWord("ROOT");
  return cursor.ReadName("a name").ok() && cursor.Sees("=");
}

// An opcode as the text spells it. `call-start` is XLA's short form of an async-start that wraps a call.
struct OpcodeSpelling {
  Opcode opcode = Opcode::kParameter;
  std::optional<Opcode> wrapped;
};

constexpr std::pair<std::string_view, Opcode> kAsyncSuffixes[] = {
    {"-start", Opcode::kAsyncStart}, {"-update", Opcode::kAsyncUpdate}, {"-done", Opcode::kAsyncDone}};

std::vector<std::string_view> OpcodeNames() {
  std::vector<std::string_view> names;
  for (const ir::OpInfo& info : ir::AllOps()) names.push_back(info.name);
  return names;
}

Result<OpcodeSpelling> ReadOpcode(Cursor& cursor) {
  size_t start = cursor.NextOffset();
  TRY(std::string_view word, cursor.ReadWord("an op"));
  if (std::optional<Opcode> opcode = ir::OpcodeFromName(word)) return OpcodeSpelling{*opcode, std::nullopt};
  for (auto [suffix, opcode] : kAsyncSuffixes) {
    if (!word.ends_with(suffix)) continue;
    std::optional<Opcode> wrapped = ir::OpcodeFromName(word.substr(0, word.size() - suffix.size()));
    if (wrapped) return OpcodeSpelling{opcode, wrapped};
  }
  return cursor.ErrorAt(start, fmt::format("unknown op `{}`", word), {}, DidYouMean(word, OpcodeNames()));
}

class InstructionReader {
 public:
  InstructionReader(Cursor& cursor, Module& module, ComputationId computation, Names& names)
      : cursor_(cursor), module_(module), computation_(computation), names_(names) {}

  Result<ParsedInstruction> Read() {
    ParsedInstruction parsed;
    parsed.is_root = cursor_.TryConsumeWord("ROOT");
    name_offset_ = cursor_.NextOffset();
    TRY(std::string_view name, cursor_.ReadName("the name of an instruction"));
    instruction_.name = name;
    instruction_.text_place = cursor_.source().PlaceOf(name_offset_);
    if (names_.instructions.contains(name)) {
      return cursor_.ErrorAt(name_offset_, fmt::format("the name `{}` is taken in this computation", name));
    }
    TRY_STATUS(cursor_.Expect("=", "after the name of an instruction"));
    bool has_shape = SeesShape(cursor_);
    if (has_shape) {
      TRY(instruction_.shape, ReadShape(cursor_));
    }
    TRY_STATUS(ReadOp(has_shape));
    if (!has_shape) {
      TRY(instruction_.shape, ir::InferShape(module_, instruction_));
    }
    parsed.id = module_.Add(computation_, std::move(instruction_));
    names_.instructions.emplace(name, parsed.id);
    return parsed;
  }

 private:
  Cursor& cursor_;
  Module& module_;
  ComputationId computation_;
  Names& names_;
  Instruction instruction_;
  size_t name_offset_ = 0;
  size_t op_offset_ = 0;

  // Everything behind the shape: `opcode(operands), attributes`.
  Status ReadOp(bool has_shape) {
    op_offset_ = cursor_.NextOffset();
    TRY(OpcodeSpelling spelling, ReadOpcode(cursor_));
    instruction_.opcode = spelling.opcode;
    if (!has_shape && !ir::ShapeIsDetermined(spelling.opcode)) {
      return cursor_.ErrorAt(op_offset_, fmt::format("`{}` needs a shape before it", ir::OpcodeName(spelling.opcode)));
    }
    TRY_STATUS(cursor_.Expect("(", "before the operands"));
    TRY(ir::Attributes operand_attributes, ReadOperands());
    TRY_STATUS(cursor_.Expect(")", "after the operands"));
    TRY(AttributeList list, AttributeList::Read(cursor_));
    TRY_STATUS(TakeCommonAttributes(list));
    if (spelling.wrapped && spelling.opcode == Opcode::kAsyncStart) return WrapAsync(*spelling.wrapped, list);
    TRY_STATUS(TakeOpAttributes(instruction_, list));
    if (!std::holds_alternative<std::monostate>(operand_attributes)) {
      instruction_.attributes = std::move(operand_attributes);
    }
    return CheckArity();
  }

  // Operands proper go to the instruction; the number of a parameter or the value of a constant is returned.
  Result<ir::Attributes> ReadOperands() {
    if (instruction_.opcode == Opcode::kParameter) return ReadParameterNumber();
    if (instruction_.opcode == Opcode::kConstant) {
      TRY(ir::Literal literal, ReadLiteral(cursor_, instruction_.shape));
      return ir::Attributes(std::move(literal));
    }
    while (!cursor_.Sees(")")) {
      if (!instruction_.operands.empty()) TRY_STATUS(cursor_.Expect(",", "or `)` between operands"));
      // Old texts print the shape of every operand; it repeats what its definition says.
      if (SeesShape(cursor_)) TRY_STATUS(ReadShape(cursor_));
      TRY(InstrId operand, ReadReference("an operand"));
      instruction_.operands.push_back(operand);
    }
    return ir::Attributes();
  }

  Result<ir::Attributes> ReadParameterNumber() {
    size_t start = cursor_.NextOffset();
    TRY(int64_t number, cursor_.ReadInteger("the number of a parameter"));
    if (number < 0 || number >= kMaxParameters) {
      return cursor_.ErrorAt(start, fmt::format("parameter number {} is out of range", number));
    }
    const std::vector<InstrId>& parameters = module_.computation(computation_).parameters;
    bool taken = static_cast<size_t>(number) < parameters.size() && parameters[static_cast<size_t>(number)].valid();
    if (taken) return cursor_.ErrorAt(start, fmt::format("parameter {} is defined twice in this computation", number));
    return ir::Attributes(ir::ParameterAttributes{number});
  }

  Result<InstrId> ReadReference(std::string_view what) {
    size_t start = cursor_.NextOffset();
    TRY(std::string_view name, cursor_.ReadName(what));
    return FindInstruction(name, cursor_, start);
  }

  Result<InstrId> FindInstruction(std::string_view name, const Cursor& place, size_t offset) const {
    auto found = names_.instructions.find(name);
    if (found != names_.instructions.end()) return found->second;
    return place.ErrorAt(offset, fmt::format("`{}` is not defined before its use in this computation", name));
  }

  // What every op may have.
  Status TakeCommonAttributes(AttributeList& list) {
    TRY(instruction_.metadata, TakeMetadata(list));
    std::optional<Cursor> cursor = list.Take("control-predecessors");
    if (!cursor) return {};
    size_t start = cursor->offset();
    TRY(std::vector<std::string_view> names, ReadNames(*cursor));
    for (std::string_view name : names) {
      TRY(InstrId predecessor, FindInstruction(name, *cursor, start));
      instruction_.control_predecessors.push_back(predecessor);
    }
    return {};
  }

  // Typed attributes, called computations and the rest, for `instruction`.
  Status TakeOpAttributes(Instruction& instruction, AttributeList& list) {
    TRY(instruction.attributes, TakeAttributes(instruction.opcode, list, cursor_, op_offset_));
    TRY_STATUS(TakeCalled(instruction, list));
    instruction.extra = list.Rest();
    if (ir::CopyAttributes* copy = std::get_if<ir::CopyAttributes>(&instruction.attributes)) {
      if (std::optional<ir::CopyReason> reason = TakeCopyReason(instruction.extra)) copy->reason = *reason;
    }
    if (ir::WhileAttributes* loop = std::get_if<ir::WhileAttributes>(&instruction.attributes)) {
      for (const ir::ExtraAttribute& extra : instruction.extra) {
        if (extra.key == "backend_config") loop->trip_count = KnownTripCount(extra.value);
      }
    }
    return {};
  }

  Status TakeCalled(Instruction& instruction, AttributeList& list) {
    if (instruction.opcode == Opcode::kConditional) {
      if (list.Has("branch_computations")) return TakeCalledUnder("branch_computations", instruction, list);
      TRY_STATUS(TakeCalledUnder("true_computation", instruction, list));
      return TakeCalledUnder("false_computation", instruction, list);
    }
    if (instruction.opcode == Opcode::kCustomCall) {
      TRY_STATUS(TakeCalledUnder("called_computations", instruction, list));
      return instruction.called.empty() ? TakeCalledUnder("to_apply", instruction, list) : Status();
    }
    for (std::string_view key : ir::CalledKeys(instruction.opcode)) TRY_STATUS(TakeCalledUnder(key, instruction, list));
    return {};
  }

  // Appends the computations that `key` names, if it is there, or the one that stands there without a name.
  Status TakeCalledUnder(std::string_view key, Instruction& instruction, AttributeList& list) {
    std::optional<Cursor> cursor = list.Take(key);
    if (!cursor) return {};
    size_t start = cursor->offset();
    if (BeginsBody(*cursor)) {
      instruction.called.push_back(module_.AddComputation(std::string(key)));
      Names inner{.computations = std::move(names_.computations), .open_bodies = names_.open_bodies};
      Status status = ReadBody(*cursor, module_, instruction.called.back(), inner);
      names_.computations = std::move(inner.computations);
      return status;
    }
    TRY(std::vector<std::string_view> names, ReadNames(*cursor));
    for (std::string_view name : names) {
      auto found = names_.computations.find(name);
      if (found == names_.computations.end()) {
        return cursor->ErrorAt(start, fmt::format("computation `{}` is not defined before its use", name));
      }
      instruction.called.push_back(found->second);
    }
    return {};
  }

  // `x = ((f32[]), f32[]) negate-start(a)`: makes the computation that the short form stands for.
  Status WrapAsync(Opcode wrapped_opcode, AttributeList& list) {
    const ir::Shape& shape = instruction_.shape;
    if (!shape.is_tuple() || shape.elements.size() < 2) {
      return cursor_.ErrorAt(
          op_offset_, fmt::format("the start of an async op has shape {}, expected a tuple of operands and result",
                                  shape.ToString()));
    }
    std::string thread_name;
    if (std::optional<Cursor> thread = list.Take("async_execution_thread")) {
      Cursor quoted = *thread;
      TRY(std::string_view text, quoted.ReadQuoted("the name of a thread"));
      TRY(thread_name, thread->ReadString("the name of a thread"));
      instruction_.extra.push_back({"async_execution_thread", std::string(text)});
    }
    Instruction wrapped;
    wrapped.opcode = wrapped_opcode;
    wrapped.shape = shape.elements[1];
    wrapped.text_place = instruction_.text_place;
    TRY_STATUS(TakeOpAttributes(wrapped, list));
    ComputationId computation = module_.AddComputation("async_wrapped");
    if (!thread_name.empty()) module_.SetExecutionThread(computation, std::move(thread_name));
    for (size_t number = 0; number < instruction_.operands.size(); ++number) {
      Instruction parameter;
      parameter.name = "async_param";
      parameter.shape = module_.shape(instruction_.operands[number]);
      parameter.attributes = ir::ParameterAttributes{static_cast<int64_t>(number)};
      wrapped.operands.push_back(module_.Add(computation, std::move(parameter)));
    }
    module_.SetRoot(computation, module_.Add(computation, std::move(wrapped)));
    instruction_.called = {computation};
    return {};
  }

  Status CheckArity() const {
    int expected = ir::InfoOf(instruction_.opcode).arity;
    int seen = static_cast<int>(instruction_.operands.size());
    if (expected == ir::kVariadic || expected == seen) return {};
    return cursor_.ErrorAt(op_offset_, fmt::format("`{}` has {} operands, expected {}",
                                                   ir::OpcodeName(instruction_.opcode), seen, expected));
  }
};

}  // namespace

Status ReadBody(Cursor& cursor, ir::Module& module, ComputationId computation, Names& names) {
  if (++names.open_bodies > kMaximumOpenBodies)
    return cursor.Error(fmt::format("computations stand inside of each other deeper than {}", kMaximumOpenBodies));
  TRY_STATUS(cursor.Expect("{", "before the instructions of a computation"));
  names.instructions.clear();
  ir::InstrId root, last;
  while (!cursor.TryConsume("}")) {
    size_t start = cursor.NextOffset();
    TRY(ParsedInstruction parsed, ReadInstruction(cursor, module, computation, names));
    last = parsed.id;
    if (!parsed.is_root) continue;
    if (root.valid()) return cursor.ErrorAt(start, "the computation has two instructions marked ROOT");
    root = parsed.id;
  }
  if (!last.valid()) return cursor.Error("the computation has no instructions");
  --names.open_bodies;
  module.SetRoot(computation, root.valid() ? root : last);
  return {};
}

Result<ParsedInstruction> ReadInstruction(Cursor& cursor, Module& module, ComputationId computation, Names& names) {
  return InstructionReader(cursor, module, computation, names).Read();
}

}  // namespace stead::frontend
