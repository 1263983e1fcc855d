#include "interp/scalar_computation.h"

#include <algorithm>
#include <unordered_map>

#include "interp/evaluator.h"

namespace stead::interp {
namespace {

constexpr int64_t kBlock = 256;
constexpr int kMaximumInlineDepth = 32;
constexpr size_t kMaximumSteps = 10'000;

// The element types of a value's leaves, or false when a leaf is no scalar.
bool ScalarLeaves(const ir::Shape& shape, std::vector<ir::ElementType>& types) {
  bool all_scalar = true;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    all_scalar = all_scalar && leaf.is_scalar();
    types.push_back(leaf.element_type);
  });
  return all_scalar;
}

size_t LeafCount(const ir::Shape& shape) {
  size_t count = 0;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape&) { ++count; });
  return count;
}

// Builds a value from element `position` of the arrays of its leaves, the first of which is number `leaf`.
ir::Literal FromLeaves(const ir::Shape& shape, std::span<const std::byte* const> arrays, int64_t position,
                       size_t& leaf) {
  if (!shape.is_tuple()) {
    ir::Literal scalar = ir::Literal::Zeros(shape);
    int64_t bytes = shape.byte_size();
    std::copy_n(arrays[leaf++] + position * bytes, bytes, scalar.mutable_bytes().data());
    return scalar;
  }
  std::vector<ir::Literal> elements;
  for (const ir::Shape& element : shape.elements) elements.push_back(FromLeaves(element, arrays, position, leaf));
  return ir::Literal::Tuple(std::move(elements));
}

void ToLeaves(const ir::Literal& value, std::span<std::byte* const> arrays, int64_t position, size_t& leaf) {
  if (value.shape().is_tuple()) {
    for (const ir::Literal& element : value.elements()) ToLeaves(element, arrays, position, leaf);
    return;
  }
  int64_t bytes = value.shape().byte_size();
  std::ranges::copy(value.bytes(), arrays[leaf++] + position * bytes);
}

}  // namespace

ScalarComputation::ScalarComputation(Evaluator& evaluator, ir::ComputationId computation)
    : evaluator_(evaluator), computation_(computation) {
  const ir::Module& module = evaluator.module();
  std::vector<Leaves> arguments;
  bool all_scalar = true;
  for (ir::InstrId parameter : module.computation(computation).parameters) {
    size_t first = input_types_.size();
    all_scalar = ScalarLeaves(module.shape(parameter), input_types_) && all_scalar;
    Leaves leaves;
    for (size_t input = first; input < input_types_.size(); ++input) leaves.push_back(AddInput(input_types_[input]));
    arguments.push_back(std::move(leaves));
  }
  all_scalar = ScalarLeaves(module.shape(module.root(computation)), output_types_) && all_scalar;
  is_straight_ = all_scalar && Prepare(computation, arguments, outputs_, 0);
  for (size_t& output : outputs_) {
    if (slots_[output].storage != nullptr) continue;
    handed_on_.push_back({output, AddStored(slots_[output].type)});
    output = handed_on_.back().stored;
  }
}

size_t ScalarComputation::AddInput(ir::ElementType type) {
  slots_.push_back({type, nullptr, nullptr});
  return slots_.size() - 1;
}

size_t ScalarComputation::AddStored(ir::ElementType type) {
  auto storage = std::make_unique<std::byte[]>(static_cast<size_t>(kBlock * ir::ElementBytes(type)));
  const std::byte* elements = storage.get();
  slots_.push_back({type, elements, std::move(storage)});
  return slots_.size() - 1;
}

size_t ScalarComputation::AddConstant(const ir::Literal& value) {
  size_t slot = AddStored(value.shape().element_type);
  std::byte* elements = slots_[slot].storage.get();
  for (int64_t position = 0; position < kBlock; ++position) {
    elements = std::ranges::copy(value.bytes(), elements).out;
  }
  return slot;
}

bool ScalarComputation::Prepare(ir::ComputationId computation, const std::vector<Leaves>& arguments, Leaves& root,
                                int depth) {
  if (depth > kMaximumInlineDepth) return false;
  const ir::Module& module = evaluator_.module();
  std::unordered_map<ir::InstrId, Leaves> values;
  for (ir::InstrId id : module.computation(computation).instructions) {
    const ir::Instruction& instruction = module.instruction(id);
    if (instruction.opcode == ir::Opcode::kParameter) {
      values[id] = arguments.at(static_cast<size_t>(instruction.As<ir::ParameterAttributes>().number));
      continue;
    }
    std::vector<Leaves> operands;
    for (ir::InstrId operand : instruction.operands) operands.push_back(values.at(operand));
    if (steps_.size() > kMaximumSteps || !PrepareInstruction(id, operands, values[id], depth)) return false;
  }
  root = values.at(module.root(computation));
  return true;
}

bool ScalarComputation::PrepareInstruction(ir::InstrId id, const std::vector<Leaves>& operands, Leaves& leaves,
                                           int depth) {
  const ir::Module& module = evaluator_.module();
  const ir::Instruction& instruction = module.instruction(id);
  std::vector<ir::ElementType> types;
  if (!ScalarLeaves(instruction.shape, types)) return false;
  switch (instruction.opcode) {
    case ir::Opcode::kConstant: {
      const ir::Literal& value = instruction.As<ir::Literal>();
      if (!instruction.shape.is_array() || value.elided()) return false;
      leaves = {AddConstant(value)};
      return true;
    }
    case ir::Opcode::kTuple:
      for (const Leaves& operand : operands) leaves.insert(leaves.end(), operand.begin(), operand.end());
      return true;
    case ir::Opcode::kGetTupleElement: {
      const ir::Shape& tuple = module.shape(instruction.operands[0]);
      size_t element = static_cast<size_t>(instruction.As<ir::TupleElementAttributes>().index);
      size_t first = 0;
      for (size_t before = 0; before < element; ++before) first += LeafCount(tuple.elements[before]);
      auto begin = operands[0].begin() + static_cast<int64_t>(first);
      leaves.assign(begin, begin + static_cast<int64_t>(LeafCount(tuple.elements[element])));
      return true;
    }
    case ir::Opcode::kOptimizationBarrier:
    case ir::Opcode::kCopy:
    case ir::Opcode::kReshape:
    case ir::Opcode::kBroadcast:
    case ir::Opcode::kTranspose: leaves = operands[0]; return true;
    case ir::Opcode::kCall:
    case ir::Opcode::kFusion: return Prepare(instruction.called.at(0), operands, leaves, depth + 1);
    default: return ir::IsElementwise(instruction.opcode) && PrepareElementwiseStep(id, operands, leaves);
  }
}

bool ScalarComputation::PrepareElementwiseStep(ir::InstrId id, const std::vector<Leaves>& operands, Leaves& leaves) {
  Result<ElementwiseOp> op = PrepareElementwise(evaluator_.module(), id);
  if (!op.ok()) return false;
  Step step;
  step.op = op.value();
  for (size_t number = 0; number < operands.size(); ++number) {
    if (operands[number].size() != 1) return false;
    step.operands[number] = operands[number][0];
  }
  step.result = AddStored(step.op.result_type);
  leaves = {step.result};
  steps_.push_back(step);
  return true;
}

Status ScalarComputation::Run(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs,
                              int64_t count) {
  STEAD_CHECK(inputs.size() == input_types_.size() && outputs.size() == output_types_.size());
  if (!is_straight_) return RunOneByOne(inputs, outputs, count);
  for (int64_t first = 0; first < count; first += kBlock)
    RunBlock(inputs, outputs, first, std::min(kBlock, count - first));
  return {};
}

void ScalarComputation::RunBlock(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs,
                                 int64_t first, int64_t count) {
  for (size_t input = 0; input < inputs.size(); ++input) {
    slots_[input].elements = inputs[input] + first * ir::ElementBytes(slots_[input].type);
  }
  for (const Step& step : steps_) {
    std::array<ElementRun, 3> operands;
    for (int64_t number = 0; number < step.op.operand_count; ++number) {
      operands[number].data = slots_[step.operands[number]].elements;
    }
    step.op.Run(operands.data(), slots_[step.result].storage.get(), count);
  }
  for (const HandedOn& handed_on : handed_on_) {
    Slot& stored = slots_[handed_on.stored];
    std::copy_n(slots_[handed_on.input].elements, count * ir::ElementBytes(stored.type), stored.storage.get());
  }
  for (size_t output = 0; output < outputs.size(); ++output) {
    const Slot& slot = slots_[outputs_[output]];
    int64_t element_bytes = ir::ElementBytes(slot.type);
    std::copy_n(slot.elements, count * element_bytes, outputs[output] + first * element_bytes);
  }
}

Status ScalarComputation::RunOneByOne(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs,
                                      int64_t count) {
  const ir::Module& module = evaluator_.module();
  for (int64_t position = 0; position < count; ++position) {
    std::vector<ir::Literal> arguments;
    size_t input = 0;
    for (ir::InstrId parameter : module.computation(computation_).parameters) {
      arguments.push_back(FromLeaves(module.shape(parameter), inputs, position, input));
    }
    std::vector<const ir::Literal*> pointers;
    for (const ir::Literal& argument : arguments) pointers.push_back(&argument);
    TRY(ir::Literal result, evaluator_.Run(computation_, pointers));
    size_t output = 0;
    ToLeaves(result, outputs, position, output);
  }
  return {};
}

}  // namespace stead::interp
