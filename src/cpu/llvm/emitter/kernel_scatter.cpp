// Results that are updated at computed places: scatter, and select-and-scatter (the gradient of pooling).
//   Updates run one after the other in order, so that several to one place all count.
#include <algorithm>

#include "cpu/llvm/emitter/kernel_emitter.h"

namespace stead::cpu {

using ir::InstrId;
using ir::Instruction;
using ir::Shape;

void KernelEmitter::EmitScatter(const std::vector<Output>& outputs) {
  const InstrId id = BehindViews(outputs[0].root);
  const Instruction& scatter = module_.instruction(id);
  const auto& attributes = scatter.As<ir::ScatterAttributes>();
  const size_t count = (scatter.operands.size() - 1) / 2;
  std::vector<Output> viewed(count);
  for (const Output& output : outputs) {
    viewed[output.leaf] = output;
    if (id != output.root) viewed[output.leaf].array.shape = scatter.shape;
    EmitInitial(viewed[output.leaf], scatter.operands[output.leaf]);
  }
  const Shape& update = module_.shape(scatter.operands[count + 1]);
  if (update.element_count() == 0) return;
  // Updates in order of their index vectors, then through the window; in vectors where the window's fastest dimension is the
  // operand's.
  std::vector<int64_t> order;
  for (int64_t dim = 0; dim < update.rank(); ++dim) {
    if (std::ranges::count(attributes.update_window_dims, dim) == 0) order.push_back(dim);
  }
  order.insert(order.end(), attributes.update_window_dims.begin(), attributes.update_window_dims.end());
  const Shape& operand = viewed[0].array.shape;
  const int64_t fastest = FastestDimension(operand);
  const bool has_window = fastest >= 0 && std::ranges::count(attributes.inserted_window_dims, fastest) == 0 &&
                          std::ranges::count(attributes.input_batching_dims, fastest) == 0;
  int64_t vector_dim = -1;
  if (has_window) {
    int64_t position = 0;
    for (int64_t dim = 0; dim < fastest; ++dim) {
      position += std::ranges::count(attributes.inserted_window_dims, dim) == 0 &&
                  std::ranges::count(attributes.input_batching_dims, dim) == 0;
    }
    vector_dim = attributes.update_window_dims[position];
  }
  ForEachElement(update.dimensions, order, vector_dim, Share(),
                 [&](const Index& index) { EmitScatterUpdate(viewed, scatter, index); });
}

void KernelEmitter::EmitScatterUpdate(const std::vector<Output>& outputs, const Instruction& scatter,
                                      const Index& update_index) {
  const auto& attributes = scatter.As<ir::ScatterAttributes>();
  const auto contains = [](const ir::Dimensions& list, int64_t item) { return std::ranges::count(list, item) > 0; };
  const size_t count = outputs.size();
  const InstrId indices = scatter.operands[count];
  const Shape& operand = outputs[0].array.shape;
  Index place;
  for (int64_t dim = 0; dim < static_cast<int64_t>(update_index.size()); ++dim) {
    if (!contains(attributes.update_window_dims, dim)) place.push_back(update_index[dim]);
  }
  Index target(operand.dimensions.size());
  for (size_t pair = 0; pair < attributes.input_batching_dims.size(); ++pair) {
    int64_t position = attributes.scatter_indices_batching_dims[pair];
    if (position > attributes.index_vector_dim) --position;
    target[attributes.input_batching_dims[pair]] = place[position];
  }
  std::vector<int64_t> window_sizes(operand.dimensions.size(), 1);
  size_t next_window = 0;
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    if (contains(attributes.inserted_window_dims, dim) || contains(attributes.input_batching_dims, dim)) continue;
    const int64_t window_dim = attributes.update_window_dims[next_window++];
    target[dim] = update_index[window_dim];
    window_sizes[dim] = module_.shape(scatter.operands[count + 1]).dimensions[window_dim];
  }
  // A window that is not wholly inside the operand is dropped. All lanes lie in one window.
  llvm::Value* is_inside = builder_.getTrue();
  for (size_t number = 0; number < attributes.scatter_dims_to_operand_dims.size(); ++number) {
    const int64_t dim = attributes.scatter_dims_to_operand_dims[number];
    Index vector = place;
    if (attributes.index_vector_dim < module_.shape(indices).rank()) {
      vector.insert(vector.begin() + attributes.index_vector_dim, IndexExpression::Constant(number));
    }
    llvm::Value* const start = builder_.CreateIntCast(generator_.At(indices, vector), builder_.getInt64Ty(),
                                                      ir::IsSigned(module_.shape(indices).element_type));
    constexpr int64_t kUnknown = int64_t{1} << 40;
    const IndexExpression window_start = loops_.ValueExpression(start, kUnknown, loops_.depth());
    const int64_t starts = std::max<int64_t>(0, operand.dimensions[dim] - window_sizes[dim] + 1);
    is_inside = loops_.And(is_inside, loops_.InRange(window_start, starts));
    target[dim] = target[dim] + window_start;
  }
  loops_.OpenIf(is_inside);
  std::vector<llvm::Value*> arguments;
  for (const Output& output : outputs) {
    arguments.push_back(generator_.Load(output.array, target, {nullptr, loops_.depth()}));
  }
  for (size_t number = 0; number < count; ++number) {
    arguments.push_back(generator_.At(scatter.operands[count + 1 + number], update_index));
  }
  const std::vector<llvm::Value*> results = generator_.Call(scatter.called[0], arguments);
  for (size_t number = 0; number < count; ++number) {
    generator_.Store(outputs[number].array, target, results[number]);
  }
  loops_.Close();
}

// For each window of the operand: the element that `select` prefers, then `scatter` of the source's element into its place.
void KernelEmitter::EmitSelectAndScatter(const Output& output) {
  const Instruction& instruction = module_.instruction(output.root);
  const InstrId operand = instruction.operands[0];
  const InstrId source = instruction.operands[1];
  const std::vector<ir::WindowDimension>& window = instruction.As<ir::WindowAttributes>().window;
  const Shape& shape = output.array.shape;
  llvm::Value* const initial = generator_.At(instruction.operands[2], {});
  const std::vector<int64_t> order = MemoryOrder(shape);
  ForEachElement(shape.dimensions, order, FastestDimension(shape), Share(),
                 [&](const Index& index) { generator_.Store(output.array, index, initial); });
  std::vector<int64_t> window_sizes;
  for (const ir::WindowDimension& dimension : window) window_sizes.push_back(dimension.size);

  llvm::Value* const place = loops_.Local(builder_.getInt64Ty());
  llvm::Value* const best = loops_.Local(initial->getType());
  const Shape& source_shape = module_.shape(source);
  ForEachElement(source_shape.dimensions, MemoryOrder(source_shape), -1, Share(), [&](const Index& index) {
    // -1: no element of the window lies inside the operand so far.
    builder_.CreateStore(builder_.getInt64(-1), place);
    builder_.CreateStore(llvm::Constant::getNullValue(initial->getType()), best);
    loops_.ForEach(window_sizes, [&](const Index& counters) {
      Index position;
      for (size_t dim = 0; dim < window.size(); ++dim) {
        position.push_back(index[dim] * window[dim].stride + counters[dim] * window[dim].window_dilation +
                           IndexExpression::Constant(-window[dim].padding_low));
      }
      const auto [inside, candidate, number] = generator_.AtIfInside(operand, position);
      llvm::Value* const current = builder_.CreateLoad(builder_.getInt64Ty(), place);
      llvm::Value* const best_so_far = builder_.CreateLoad(initial->getType(), best);
      llvm::Value* const is_first = builder_.CreateICmpSLT(current, builder_.getInt64(0));
      llvm::Value* const is_kept = generator_.Call(instruction.called[0], {best_so_far, candidate})[0];
      llvm::Value* const is_better = builder_.CreateOr(is_first, builder_.CreateNot(is_kept));
      llvm::Value* const moves = inside == nullptr ? is_better : builder_.CreateAnd(inside, is_better);
      builder_.CreateStore(builder_.CreateSelect(moves, number, current), place);
      builder_.CreateStore(Registers(builder_).Select(moves, candidate, best_so_far), best);
    });
    llvm::Value* const chosen = builder_.CreateLoad(builder_.getInt64Ty(), place);
    loops_.OpenIf(builder_.CreateICmpSGE(chosen, builder_.getInt64(0)));
    // The result seen as one row of elements in the order of memory.
    const MemoryArray flat{output.array.base, Shape::Array(shape.element_type, {shape.element_count()})};
    const Index target = {loops_.ValueExpression(chosen, shape.element_count(), loops_.depth())};
    llvm::Value* const update = generator_.At(source, index);
    generator_.Store(flat, target, generator_.Call(instruction.called[1], {generator_.Load(flat, target), update})[0]);
    loops_.Close();
  });
}

}  // namespace stead::cpu
