#include "frontend/stablehlo/op_import.h"

#include <fmt/format.h>

#include "frontend/stablehlo/literals.h"
#include "frontend/stablehlo/names.h"

namespace stead::frontend {

OpImport::OpImport(Importer& importer, Scope& scope, const mlir::Operation& op, const OpRow& row)
    : importer_(importer),
      scope_(scope),
      op_(op),
      row_(row),
      location_(mlir::DecodeLocation(importer.source().pool, op.location_id)) {}

Status OpImport::Prepare() {
  auto differs = [](int expected, size_t actual) {
    return expected != kAny && static_cast<size_t>(expected) != actual;
  };
  if (differs(row_.operand_count, op_.operands.size())) return Bad("has a wrong number of operands");
  if (differs(row_.result_count, op_.results.size())) return Bad("has a wrong number of results");
  if (differs(row_.region_count, op_.regions.size())) return Bad("has a wrong number of regions");
  for (mlir::ValueId id : op_.operands) {
    TRY(ir::InstrId operand, importer_.ValueOf(scope_, id));
    operands_.push_back(operand);
  }
  for (mlir::ValueId id : op_.results) {
    TRY(ir::Shape shape, importer_.ShapeOf(id));
    result_shapes_.push_back(std::move(shape));
  }
  return {};
}

Diagnostic OpImport::Bad(std::string_view problem) const {
  return InvalidArgument(fmt::format("op `{}` {}", name(), problem), importer_.PlaceOf(op_));
}

Diagnostic OpImport::Unsupported(std::string_view what) const {
  return Unimplemented(fmt::format("op `{}` {} is not supported", name(), what), importer_.PlaceOf(op_));
}

Diagnostic OpImport::Missing(std::string_view attribute) const {
  return Bad(fmt::format("has no attribute `{}`", attribute));
}

Result<int64_t> OpImport::Integer(std::string_view attribute) const {
  TRY(mlir::IntegerAttribute integer, Get<mlir::IntegerAttribute>(attribute));
  return integer.value;
}

Result<bool> OpImport::Bool(std::string_view attribute) const {
  TRY(int64_t value, Integer(attribute));
  return value != 0;
}

Result<std::string> OpImport::Text(std::string_view attribute) const {
  TRY(std::optional<mlir::StringAttribute> text, Find<mlir::StringAttribute>(attribute));
  return text ? std::string(text->text) : std::string();
}

Result<ir::Dimensions> OpImport::Integers(std::string_view attribute) const {
  TRY(std::optional<mlir::TensorAttribute> tensor, Find<mlir::TensorAttribute>(attribute));
  if (!tensor) return ir::Dimensions();
  return ImportIntegers(importer_.source().pool, *tensor);
}

Result<std::string_view> OpImport::OneOf(std::string_view attribute, mlir::EnumKind kind,
                                         std::span<const std::string_view> names) const {
  TRY(mlir::EnumAttribute member, Get<mlir::EnumAttribute>(attribute));
  if (member.kind != kind || member.value >= names.size()) return Bad(fmt::format("has an unknown `{}`", attribute));
  return names[member.value];
}

ir::Instruction OpImport::NewInstruction(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstrId> operands) const {
  ir::Instruction instruction;
  instruction.opcode = opcode;
  // Constants are named as such: JAX gives them the path of the function around them.
  bool has_path = !location_.name.empty() && opcode != ir::Opcode::kConstant;
  instruction.name = has_path ? HloName(LastPathPart(location_.name)) : std::string(ir::OpcodeName(opcode));
  instruction.shape = std::move(shape);
  instruction.operands = std::move(operands);
  instruction.metadata.op_name = location_.name;
  instruction.metadata.source_file = location_.file;
  instruction.metadata.source_line = location_.line;
  instruction.text_place = importer_.PlaceOf(op_);
  return instruction;
}

// Attributes that JAX hands through to whoever reads the program.
Status OpImport::AddPassedThrough(std::vector<ir::ExtraAttribute>& extra) const {
  TRY(std::optional<mlir::DictionaryAttribute> frontend, Find<mlir::DictionaryAttribute>("mhlo.frontend_attributes"));
  if (!frontend || frontend->entries.empty()) return {};
  std::string text;
  for (const mlir::DictionaryAttribute::Entry& entry : frontend->entries) {
    TRY(mlir::StringAttribute value, importer_.source().pool.Get<mlir::StringAttribute>(entry.value));
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", entry.name, Quoted(value.text));
  }
  extra.push_back({"frontend_attributes", fmt::format("{{{}}}", text)});
  return {};
}

ir::InstrId OpImport::Emit(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstrId> operands,
                           ir::Attributes attributes) {
  ir::Instruction instruction = NewInstruction(opcode, std::move(shape), std::move(operands));
  instruction.attributes = std::move(attributes);
  return importer_.module().Add(scope_.computation_id, std::move(instruction));
}

Status OpImport::SetResult(size_t number, ir::InstrId id) {
  const ir::Shape& declared = result_shapes_[number];
  if (!shape(id).Compatible(declared)) {
    return Bad(fmt::format("gives {}, but declares {}", shape(id).ToString(false), declared.ToString(false)));
  }
  scope_.instructions[op_.results[number]] = id;
  return {};
}

Status OpImport::SetResultsFromTuple(ir::InstrId tuple) {
  for (size_t result = 0; result < op_.results.size(); ++result) {
    TRY_STATUS(SetResult(result, EmitTupleElement(tuple, result)));
  }
  return {};
}

ir::InstrId OpImport::EmitTupleElement(ir::InstrId tuple, size_t index) {
  ir::Shape shape = this->shape(tuple).elements.at(index);
  return Emit(ir::Opcode::kGetTupleElement, std::move(shape), {tuple},
              ir::TupleElementAttributes{static_cast<int64_t>(index)});
}

ir::InstrId OpImport::EmitTuple(const std::vector<ir::InstrId>& elements) {
  std::vector<ir::Shape> shapes;
  for (ir::InstrId id : elements) shapes.push_back(shape(id));
  return Emit(ir::Opcode::kTuple, ir::Shape::Tuple(std::move(shapes)), elements);
}

Result<ir::InstrId> OpImport::EmitOperation(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstrId> operands,
                                            ir::Attributes attributes, std::vector<ir::ComputationId> called,
                                            std::vector<ir::ExtraAttribute> extra) {
  TRY_STATUS(AddPassedThrough(extra));
  ir::Instruction instruction = NewInstruction(opcode, std::move(shape), std::move(operands));
  instruction.attributes = std::move(attributes);
  instruction.called = std::move(called);
  instruction.extra = std::move(extra);
  return importer_.module().Add(scope_.computation_id, std::move(instruction));
}

Status OpImport::Finish(ir::Opcode opcode, std::vector<ir::InstrId> operands, ir::Attributes attributes,
                        std::vector<ir::ComputationId> called, std::vector<ir::ExtraAttribute> extra) {
  bool is_tuple = result_shapes_.size() != 1;
  ir::Shape shape = is_tuple ? ir::Shape::Tuple(result_shapes_) : result_shapes_[0];
  TRY(ir::InstrId id, EmitOperation(opcode, std::move(shape), std::move(operands), std::move(attributes),
                                    std::move(called), std::move(extra)));
  return is_tuple ? SetResultsFromTuple(id) : SetResult(0, id);
}

Result<ir::ComputationId> OpImport::ImportBody(size_t region) {
  const mlir::Region& body = op_.regions.at(region);
  RegionForm form{.name = "region"};
  if (!body.blocks.empty()) form.inputs = body.blocks[0].arguments;
  return importer_.ImportRegion(body, form);
}

}  // namespace stead::frontend
