#include "cpu/llvm/emitter/kernel_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/llvm/emitter/running_window.h"

namespace stead::cpu {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

// Of vector code, per element of 4 bytes; measured on x86 with AVX2.
constexpr double kSimple = 0.1;
constexpr double kDivision = 0.4;
constexpr double kFunction = 1.0;
constexpr double kLibraryFunction = 10;
constexpr double kComparison = 3;    // by a program's comparator
constexpr double kChainLength = 10;  // simple steps in the time of one that waits for the one before
constexpr double kPerByte = 0.05;    // of arrays read and written

double PerElement(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kOptimizationBarrier: return 0;
    case Opcode::kTopK: return kFunction;
    case Opcode::kSort: return kComparison;
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kRsqrt:
    case Opcode::kSqrt: return kDivision;
    case Opcode::kCosine:
    case Opcode::kErf:
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kPower:
    case Opcode::kSine:
    case Opcode::kTanh: return kFunction;
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCosh:
    case Opcode::kSinh:
    case Opcode::kTan: return kLibraryFunction;
    default: return kSimple;
  }
}

int64_t ElementsOf(const ir::Shape& shape) {
  int64_t elements = 0;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    if (leaf.is_array()) elements = std::max(elements, leaf.element_count());
  });
  return elements;
}

// How often the op's innermost work is done.
double Repetitions(const Module& module, const Instruction& instruction) {
  const double results = static_cast<double>(ElementsOf(instruction.shape));
  switch (instruction.opcode) {
    case Opcode::kReduce:
    case Opcode::kTopK: return static_cast<double>(ElementsOf(module.shape(instruction.operands[0])));
    case Opcode::kSort: {
      const int64_t dimension = instruction.As<ir::SortAttributes>().dimension;
      const double row = static_cast<double>(module.shape(instruction.operands[0]).dimensions[dimension]);
      return results * std::log2(row + 1);
    }
    case Opcode::kReduceWindow: {
      if (RunningWindowOf(module, instruction)) return results * kChainLength;
      double window = 1;
      for (const ir::WindowDimension& dimension : instruction.As<ir::WindowAttributes>().window)
        window *= static_cast<double>(dimension.size);
      return results * window;
    }
    case Opcode::kDot: {
      double depth = 1;
      for (int64_t dim : instruction.As<ir::DotAttributes>().lhs_contracting)
        depth *= static_cast<double>(module.shape(instruction.operands[0]).dimensions[dim]);
      return results * depth;
    }
    case Opcode::kConvolution: {
      const int64_t output_feature = instruction.As<ir::ConvolutionAttributes>().kernel_output_feature;
      const ir::Shape& kernel = module.shape(instruction.operands[1]);
      return results * static_cast<double>(kernel.element_count()) /
             static_cast<double>(std::max<int64_t>(1, kernel.dimensions[output_feature]));
    }
    default: return results;
  }
}

}  // namespace

double EstimatedNanoseconds(const Module& module, InstrId id) {
  const bool is_fusion = module.instruction(id).opcode == Opcode::kFusion;
  const std::vector<InstrId> members =
      is_fusion ? module.computation(module.instruction(id).called[0]).instructions : std::vector<InstrId>{id};
  double total = 0;
  ir::ForEachLeaf(module.shape(id), [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    total += kPerByte * static_cast<double>(leaf.byte_size());
  });
  for (InstrId member : members) {
    const Instruction& instruction = module.instruction(member);
    if (instruction.opcode == Opcode::kParameter || instruction.opcode == Opcode::kTuple) continue;
    double each = PerElement(instruction.opcode);
    double width = 4;
    for (InstrId operand : instruction.operands) {
      const ir::Shape& shape = module.shape(operand);
      const bool is_read = !is_fusion || module.instruction(operand).opcode == Opcode::kParameter;
      if (!shape.is_array() || shape.is_scalar()) continue;
      const double bytes = static_cast<double>(ir::ElementBits(shape.element_type)) / 8;
      width = std::max(width, bytes);
      if (is_read) each += kPerByte * bytes;
    }
    total += Repetitions(module, instruction) * each * width / 4;
  }
  return total;
}

}  // namespace stead::cpu
