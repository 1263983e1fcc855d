#include "ir/text/printer.h"

#include <fmt/format.h>

#include "ir/text/print_attributes.h"

namespace stead::ir {
namespace {

ProgramShape EntryShape(const Module& module) {
  if (module.entry_layout) return *module.entry_layout;
  ProgramShape program;
  for (InstrId parameter : module.entry_computation().parameters) program.parameters.push_back(module.shape(parameter));
  program.result = module.shape(module.root(module.entry));
  return program;
}

std::string ProgramShapeText(const ProgramShape& program) {
  return fmt::format("{{{}->{}}}", Shape::Tuple(program.parameters).ToString(), program.result.ToString());
}

// The name of a module may come from a user's function (`<lambda>`); readers take a letter or '_', then word characters.
std::string ModuleName(const Module& module) {
  std::string name;
  for (char character : module.name) {
    bool is_digit = character >= '0' && character <= '9';
    bool is_letter = (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
    bool is_other = character == '.' || character == '-';
    bool fits = is_letter || (!name.empty() && (is_digit || is_other));
    name += fits ? character : '_';
  }
  return name.empty() ? "module" : name;
}

void AppendHeader(std::string& text, const Module& module) {
  text += fmt::format("HloModule {}", ModuleName(module));
  if (module.is_scheduled) text += ", is_scheduled=true";
  if (!module.input_output_aliases.empty()) {
    text += fmt::format(", input_output_alias={{ {} }}", AliasesText(module.input_output_aliases));
  }
  if (!module.buffer_donors.empty()) text += fmt::format(", buffer_donor={{ {} }}", DonorsText(module.buffer_donors));
  text += fmt::format(", entry_computation_layout={}", ProgramShapeText(EntryShape(module)));
  std::vector<ExtraAttribute> printed = module.extra;
  std::erase_if(printed, IsOnlyInProto);
  AppendExtra(text, printed);
  text += "\n";
}

void AppendNames(std::string& text, std::string_view title, const std::vector<std::string>& names) {
  text += fmt::format("\n{}\n", title);
  for (size_t row = 0; row < names.size(); ++row) text += fmt::format("{} \"{}\"\n", row + 1, Escape(names[row]));
}

void AppendStackFrames(std::string& text, const StackFrames& tables) {
  if (tables.empty()) return;
  AppendNames(text, "FileNames", tables.file_names);
  AppendNames(text, "FunctionNames", tables.function_names);
  text += "\nFileLocations\n";
  for (size_t row = 0; row < tables.locations.size(); ++row) {
    const StackFrames::Location& location = tables.locations[row];
    text += fmt::format("{} {{file_name_id={} function_name_id={} line={} end_line={} column={} end_column={}}}\n",
                        row + 1, location.file_name_id, location.function_name_id, location.line, location.end_line,
                        location.column, location.end_column);
  }
  text += "\nStackFrames\n";
  for (size_t row = 0; row < tables.frames.size(); ++row) {
    text += fmt::format("{} {{file_location_id={} parent_frame_id={}}}\n", row + 1, tables.frames[row].file_location_id,
                        tables.frames[row].parent_frame_id);
  }
}

void AppendOperands(std::string& text, const Module& module, const Instruction& instruction) {
  if (const Literal* literal = std::get_if<Literal>(&instruction.attributes)) {
    text += PrintLiteral(*literal);
  } else if (instruction.opcode == Opcode::kParameter) {
    text += std::to_string(instruction.As<ParameterAttributes>().number);
  }
  for (size_t number = 0; number < instruction.operands.size(); ++number) {
    if (number > 0) text += ", ";
    text += NameText(module.instruction(instruction.operands[number]).name);
  }
}

void AppendInstruction(std::string& text, const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (module.root(instruction.computation) == id) text += "ROOT ";
  text += fmt::format("{} = {} {}(", NameText(instruction.name), instruction.shape.ToString(),
                      OpcodeName(instruction.opcode));
  AppendOperands(text, module, instruction);
  text += ")";
  AppendAttributes(text, module, instruction);
}

void AppendComputation(std::string& text, const Module& module, ComputationId id) {
  const Computation& computation = module.computation(id);
  text += fmt::format("\n{}{} {{\n", id == module.entry ? "ENTRY " : "", NameText(computation.name));
  for (InstrId instruction : computation.instructions) {
    text += "  ";
    AppendInstruction(text, module, instruction);
    text += "\n";
  }
  text += "}";
  if (!computation.execution_thread.empty()) {
    text += fmt::format(", execution_thread=\"{}\"", Escape(computation.execution_thread));
  }
  text += "\n";
}

}  // namespace

std::string PrintModule(const Module& module) {
  std::string text;
  AppendHeader(text, module);
  AppendStackFrames(text, module.stack_frames);
  for (ComputationId id : module.ComputationsPostOrder()) AppendComputation(text, module, id);
  return text;
}

std::string PrintInstruction(const Module& module, InstrId id) {
  std::string text;
  AppendInstruction(text, module, id);
  return text;
}

}  // namespace stead::ir
