#include "frontend/mosaic/kernel_scope.h"

#include <fmt/format.h>

#include <cstring>

#include "ir/infer.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

ir::Instruction KernelEmitter::NewInstruction(Opcode opcode) const {
  ir::Instruction instruction;
  instruction.opcode = opcode;
  instruction.metadata = module_.instruction(call_).metadata;
  instruction.text_place = module_.instruction(call_).text_place;
  return instruction;
}

Result<InstrId> KernelEmitter::Add(KernelScope& scope, Opcode opcode, std::vector<InstrId> operands,
                                   ir::Attributes attributes, ir::Shape shape, std::vector<ir::ComputationId> called) {
  ir::Instruction instruction = NewInstruction(opcode);
  instruction.operands = std::move(operands);
  instruction.attributes = std::move(attributes);
  instruction.shape = std::move(shape);
  instruction.called = std::move(called);
  TRY(instruction.shape, ir::InferShape(module_, instruction));
  if (instruction.shape.is_array() && !ir::CheckedByteSize(instruction.shape)) {
    return ResourceExhausted(fmt::format("a value of a kernel is too large: {}", instruction.shape.ToString(false)));
  }
  return module_.Add(scope.computation_id, std::move(instruction));
}

InstrId KernelEmitter::Parameter(KernelScope& scope, int64_t number, ir::Shape shape) {
  ir::Instruction parameter = NewInstruction(Opcode::kParameter);
  parameter.shape = std::move(shape);
  parameter.attributes = ir::ParameterAttributes{number};
  return module_.Add(scope.computation_id, std::move(parameter));
}

InstrId KernelEmitter::Constant(KernelScope& scope, ir::Literal literal) {
  ir::Instruction constant = NewInstruction(Opcode::kConstant);
  constant.shape = literal.shape();
  constant.attributes = std::move(literal);
  return module_.Add(scope.computation_id, std::move(constant));
}

InstrId KernelEmitter::Integer(KernelScope& scope, ir::ElementType type, int64_t value) {
  ir::Literal literal = ir::Literal::Zeros(ir::Shape::Array(type, {}));
  // Little endian: the low bytes of the value are those of the narrower type.
  std::memcpy(literal.mutable_bytes().data(), &value, std::min(literal.bytes().size(), sizeof(value)));
  return Constant(scope, std::move(literal));
}

Result<InstrId> KernelEmitter::Splat(KernelScope& scope, InstrId scalar, ir::Shape shape) {
  if (shape.dimensions.empty()) return scalar;
  TRY(InstrId filled, Add(scope, Opcode::kBroadcast, {scalar}, ir::DimensionsAttributes{}, shape));
  module_.SetShape(filled, std::move(shape));  // with its layout
  return filled;
}

Result<InstrId> KernelEmitter::Zeros(KernelScope& scope, const ir::Shape& shape) {
  return Splat(scope, Constant(scope, ir::Literal::Zeros(ir::Shape::Array(shape.element_type, {}))), shape);
}

Result<InstrId> KernelEmitter::Reshape(KernelScope& scope, InstrId operand, ir::Dimensions dimensions) {
  if (shape(operand).dimensions == dimensions) return operand;
  ir::Shape result = ir::Shape::Array(shape(operand).element_type, std::move(dimensions));
  return Add(scope, Opcode::kReshape, {operand}, {}, std::move(result));
}

Result<InstrId> KernelEmitter::Convert(KernelScope& scope, InstrId operand, ir::ElementType type) {
  if (shape(operand).element_type == type) return operand;
  return Add(scope, Opcode::kConvert, {operand}, {}, ir::Shape::Array(type, shape(operand).dimensions));
}

Result<InstrId> KernelEmitter::Bitcast(KernelScope& scope, InstrId operand, ir::ElementType type) {
  if (shape(operand).element_type == type) return operand;
  return Add(scope, Opcode::kBitcastConvert, {operand}, {}, ir::Shape::Array(type, shape(operand).dimensions));
}

std::vector<InstrId> KernelEmitter::WithZeros(KernelScope& scope, std::vector<InstrId> starts) {
  for (InstrId& start : starts) {
    if (!start.valid()) start = Integer(scope, ir::ElementType::kS32, 0);
  }
  return starts;
}

Result<InstrId> KernelEmitter::DynamicSlice(KernelScope& scope, InstrId operand, std::vector<InstrId> starts,
                                            ir::Dimensions sizes) {
  if (shape(operand).dimensions == sizes) return operand;
  std::vector<InstrId> operands = WithZeros(scope, std::move(starts));
  operands.insert(operands.begin(), operand);
  return Add(scope, Opcode::kDynamicSlice, std::move(operands), ir::DynamicSliceAttributes{std::move(sizes)});
}

Result<InstrId> KernelEmitter::DynamicUpdateSlice(KernelScope& scope, InstrId operand, InstrId update,
                                                  std::vector<InstrId> starts) {
  if (shape(operand).Compatible(shape(update)) && shape(operand) == shape(update)) return update;
  std::vector<InstrId> operands = WithZeros(scope, std::move(starts));
  operands.insert(operands.begin(), {operand, update});
  return Add(scope, Opcode::kDynamicUpdateSlice, std::move(operands));
}

Result<InstrId> KernelEmitter::Slice(KernelScope& scope, InstrId operand, ir::SliceAttributes attributes) {
  return Add(scope, Opcode::kSlice, {operand}, std::move(attributes));
}

Result<InstrId> KernelEmitter::Concatenate(KernelScope& scope, std::vector<InstrId> operands, int64_t dimension) {
  return Add(scope, Opcode::kConcatenate, std::move(operands), ir::DimensionsAttributes{{dimension}});
}

Result<InstrId> KernelEmitter::Tuple(KernelScope& scope, std::vector<InstrId> elements) {
  return Add(scope, Opcode::kTuple, std::move(elements));
}

Result<InstrId> KernelEmitter::TupleElement(KernelScope& scope, InstrId tuple, size_t index) {
  return Add(scope, Opcode::kGetTupleElement, {tuple}, ir::TupleElementAttributes{static_cast<int64_t>(index)});
}

Result<InstrId> KernelEmitter::Sum(KernelScope& scope, InstrId left, InstrId right) {
  if (!left.valid()) return right;
  if (!right.valid()) return left;
  return Add(scope, Opcode::kAdd, {left, right});
}

InstrId KernelEmitter::FillOf(InstrId id) const {
  const ir::Instruction& made = module_.instruction(id);
  if (made.shape.is_scalar()) return id;
  bool is_fill = made.opcode == Opcode::kBroadcast && module_.shape(made.operands[0]).is_scalar();
  return is_fill ? made.operands[0] : InstrId();
}

bool KernelEmitter::IsConstantFill(InstrId id) const {
  InstrId fill = FillOf(id);
  return fill.valid() && module_.instruction(fill).opcode == Opcode::kConstant;
}

Result<ir::ComputationId> KernelEmitter::Reducer(Opcode opcode, ir::ElementType type) {
  KernelScope reducer{module_.AddComputation(std::string(ir::OpcodeName(opcode)))};
  ir::Shape scalar = ir::Shape::Array(type, {});
  InstrId left = Parameter(reducer, 0, scalar), right = Parameter(reducer, 1, scalar);
  TRY(InstrId combined, Add(reducer, opcode, {left, right}));
  module_.SetRoot(reducer.computation_id, combined);
  return reducer.computation_id;
}

}  // namespace stead::frontend
