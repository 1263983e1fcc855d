#include "pjrt/program/cost.h"

#include <algorithm>

namespace stead::pjrt {

namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

double Elements(const ir::Shape& shape) { return shape.is_array() ? static_cast<double>(shape.element_count()) : 0; }

// Multiplications and additions of one result element times the number of result elements.
double DotOperations(const Module& module, const Instruction& dot) {
  double operations = 2 * Elements(dot.shape);
  for (int64_t dim : dot.As<ir::DotAttributes>().lhs_contracting) {
    operations *= static_cast<double>(module.shape(dot.operands[0]).dimensions[dim]);
  }
  return operations;
}

double ConvolutionOperations(const Module& module, const Instruction& convolution) {
  const ir::Shape& kernel = module.shape(convolution.operands[1]);
  const int64_t output_features = kernel.dimensions[convolution.As<ir::ConvolutionAttributes>().kernel_output_feature];
  return 2 * Elements(convolution.shape) * Elements(kernel) /
         static_cast<double>(std::max<int64_t>(output_features, 1));
}

double OwnOperations(const Module& module, const Instruction& instruction) {
  if (ir::IsElementwise(instruction.opcode)) return Elements(instruction.shape);
  switch (instruction.opcode) {
    case Opcode::kDot:
    case Opcode::kScaledDot: return DotOperations(module, instruction);
    case Opcode::kConvolution: return ConvolutionOperations(module, instruction);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter: return Elements(module.shape(instruction.operands[0]));
    default: return 0;
  }
}

double OwnBytes(const Module& module, const Instruction& instruction) {
  if (ir::HasTrait(instruction.opcode, ir::kForwards)) return 0;
  switch (instruction.opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall: return 0;
    // The rest of the buffer is not touched.
    case Opcode::kDynamicUpdateSlice:
      return 2.0 * static_cast<double>(module.shape(instruction.operands[1]).byte_size());
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kGather: return 2.0 * static_cast<double>(instruction.shape.byte_size());
    default: break;
  }
  double bytes = static_cast<double>(instruction.shape.byte_size());
  for (InstrId operand : instruction.operands) bytes += static_cast<double>(module.shape(operand).byte_size());
  return bytes;
}

class CostEstimator {
 public:
  explicit CostEstimator(const Module& module) : module_(module), costs_(module.computation_count()) {}

  Cost Run() {
    for (ComputationId id : module_.ComputationsPostOrder()) costs_[id] = ComputationCost(id);
    return costs_[module_.entry];
  }

 private:
  Cost ComputationCost(ComputationId id) const {
    Cost total;
    for (InstrId instruction_id : module_.computation(id).instructions) {
      const Instruction& instruction = module_.instruction(instruction_id);
      const Cost called = CalledCost(instruction);
      total.operations += OwnOperations(module_, instruction) + called.operations;
      total.bytes_accessed += OwnBytes(module_, instruction) + called.bytes_accessed;
    }
    return total;
  }

  Cost CalledCost(const Instruction& instruction) const {
    switch (instruction.opcode) {
      case Opcode::kFusion: return {costs_[instruction.called.at(0)].operations, 0};
      case Opcode::kCall: return costs_[instruction.called.at(0)];
      case Opcode::kConditional: return DearestBranch(instruction);
      case Opcode::kWhile: return LoopCost(instruction);
      default: return {};
    }
  }

  Cost DearestBranch(const Instruction& conditional) const {
    Cost dearest;
    for (ComputationId branch : conditional.called) {
      dearest.operations = std::max(dearest.operations, costs_[branch].operations);
      dearest.bytes_accessed = std::max(dearest.bytes_accessed, costs_[branch].bytes_accessed);
    }
    return dearest;
  }

  Cost LoopCost(const Instruction& loop) const {
    const auto* attributes = std::get_if<ir::WhileAttributes>(&loop.attributes);
    const double trips = attributes == nullptr ? 1 : static_cast<double>(attributes->trip_count.value_or(1));
    Cost total;
    for (ComputationId part : loop.called) {
      total.operations += trips * costs_[part].operations;
      total.bytes_accessed += trips * costs_[part].bytes_accessed;
    }
    return total;
  }

  const Module& module_;
  IdVector<ComputationId, Cost> costs_;
};

}  // namespace

Cost EstimateCost(const Module& module) { return CostEstimator(module).Run(); }

}  // namespace stead::pjrt
