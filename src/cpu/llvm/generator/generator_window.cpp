// Ops that slide a window over their operand: reduce-window and convolution.
//   Direct loops over the window for each element of the result; lanes run along the result's fastest dimension.
#include <llvm/IR/Operator.h>

#include "cpu/llvm/generator/generator.h"

namespace stead::cpu {

using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Shape;

Generator::Probe Generator::AtIfInside(InstrId id, const Index& index) {
  const Shape& shape = module_.shape(id);
  Bounded bounded;
  for (size_t dim = 0; dim < index.size(); ++dim) Restrict(bounded, index[dim], shape.dimensions[dim]);
  llvm::Value* const value = At(id, bounded.index);
  return {bounded.inside, value, loops_.Scalar(loops_.space().Linear(bounded.index, MemoryStrides(shape)))};
}

std::vector<llvm::Value*> Generator::ReduceWindow(const Instruction& instruction, const Index& index, Guard guard) {
  const std::vector<ir::WindowDimension>& window = instruction.As<ir::WindowAttributes>().window;
  const size_t count = instruction.operands.size() / 2;
  const Shape& operand = module_.shape(instruction.operands[0]);
  const bool varies = loops_.space().Varies(index);
  Values initial;
  for (size_t number = 0; number < count; ++number) {
    llvm::Value* const value = At(instruction.operands[count + number], {});
    initial.push_back(varies ? Splat(value) : value);
  }
  if (operand.element_count() == 0) return initial;
  std::vector<int64_t> sizes;
  for (const ir::WindowDimension& dimension : window) sizes.push_back(dimension.size);
  return Accumulate(initial, sizes, [&](const Index& counters, const Values& accumulators) {
    Bounded bounded;
    bounded.guard = guard;
    for (size_t dim = 0; dim < window.size(); ++dim) {
      const IndexExpression place = index[dim] * window[dim].stride + counters[dim] * window[dim].window_dilation +
                                    IndexExpression::Constant(-window[dim].padding_low);
      RestrictSpread(bounded, place, operand.dimensions[dim], window[dim].base_dilation);
    }
    Values arguments = accumulators;
    for (size_t number = 0; number < count; ++number)
      arguments.push_back(At(instruction.operands[number], bounded.index, bounded.guard));
    Values combined = Call(instruction.called[0], arguments);
    // The padding around the operand does not count.
    for (size_t number = 0; number < count; ++number)
      combined[number] = SelectInside(bounded, combined[number], accumulators[number]);
    return combined;
  });
}

void Generator::Running(const Instruction& reduce_window, int64_t length, bool ascends,
                        const std::vector<MemoryArray>& results,
                        const std::function<Index(const IndexExpression&)>& index_of) {
  const size_t count = results.size();
  Values initial;
  for (size_t number = 0; number < count; ++number) {
    llvm::Value* const value = At(reduce_window.operands[count + number], {});
    initial.push_back(loops_.space().Varies(index_of({})) ? Splat(value) : value);
  }
  Accumulate(initial, {length}, [&](const Index& counters, const Values& accumulators) {
    const Index index = index_of(counters[0]);
    Values elements;
    for (size_t number = 0; number < count; ++number) elements.push_back(At(reduce_window.operands[number], index));
    Values arguments = ascends ? accumulators : elements;
    const Values& others = ascends ? elements : accumulators;
    arguments.insert(arguments.end(), others.begin(), others.end());
    const Values next = Call(reduce_window.called[0], arguments);
    for (size_t number = 0; number < count; ++number)
      Store(results[number], index, registers_.Round(next[number], results[number].shape.element_type));
    return next;
  });
}

llvm::Value* Generator::Convolution(const Instruction& instruction, const Index& index, Guard guard) {
  const auto& attributes = instruction.As<ir::ConvolutionAttributes>();
  const Shape& input = module_.shape(instruction.operands[0]);
  const Shape& kernel = module_.shape(instruction.operands[1]);
  const ElementType type = AccumulatorType(instruction.shape.element_type);
  IndexSpace& space = loops_.space();
  // Output features come in groups, each seeing its own part of the input's features or batch.
  const IndexExpression& feature = index[attributes.output_feature];
  const int64_t features = kernel.dimensions[attributes.kernel_output_feature];
  const int64_t group_features = kernel.dimensions[attributes.kernel_input_feature];
  const IndexExpression feature_group = space.Quotient(feature, features / attributes.feature_group_count);
  const IndexExpression batch_group = space.Quotient(feature, features / attributes.batch_group_count);
  std::vector<int64_t> sizes;
  for (const ir::WindowDimension& dimension : attributes.window) sizes.push_back(dimension.size);
  sizes.push_back(group_features);

  llvm::Value* zero = llvm::Constant::getNullValue(RegisterType(builder_.getContext(), type));
  if (space.Varies(index)) zero = Splat(zero);
  const Values sum = Accumulate({zero}, sizes, [&](const Index& counters, const Values& accumulators) -> Values {
    Bounded spatial;
    spatial.guard = guard;
    Index weight(kernel.dimensions.size());
    for (size_t dim = 0; dim < attributes.window.size(); ++dim) {
      const ir::WindowDimension& window = attributes.window[dim];
      const IndexExpression place = index[attributes.output_spatial[dim]] * window.stride +
                                    counters[dim] * window.window_dilation +
                                    IndexExpression::Constant(-window.padding_low);
      RestrictSpread(spatial, place, input.dimensions[attributes.input_spatial[dim]], window.base_dilation);
      weight[attributes.kernel_spatial[dim]] =
          window.reversal ? counters[dim] * -1 + IndexExpression::Constant(window.size - 1) : counters[dim];
    }
    weight[attributes.kernel_input_feature] = counters.back();
    weight[attributes.kernel_output_feature] = feature;
    Index source(input.dimensions.size());
    for (size_t dim = 0; dim < attributes.window.size(); ++dim)
      source[attributes.input_spatial[dim]] = spatial.index[dim];
    source[attributes.input_feature] = feature_group * group_features + counters.back();
    source[attributes.input_batch] =
        batch_group * instruction.shape.dimensions[attributes.output_batch] + index[attributes.output_batch];
    llvm::Value* const value = Operand(instruction.operands[0], source, spatial.guard, type);
    llvm::Value* const factor = Operand(instruction.operands[1], weight, guard, type);
    llvm::Value* const inside = SelectInside(spatial, value, llvm::Constant::getNullValue(value->getType()));
    return {MultiplyAdd(type, inside, factor, accumulators[0])};
  });
  return registers_.Round(sum[0], instruction.shape.element_type);
}

}  // namespace stead::cpu
