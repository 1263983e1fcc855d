// Ops whose windows start at indices computed at run time. Starts are clamped so that windows fit, as HLO says.
#include "cpu/llvm/generator/generator.h"

#include <algorithm>
#include <limits>

namespace stead::cpu {

using ir::ElementType;
using ir::Instruction;
using ir::Shape;

IndexExpression Generator::ClampedIndex(llvm::Value* value, ElementType type, int64_t limit, int depth) {
  if (limit <= 1) return {};
  llvm::Type* const wide = Registers::Like(value, builder_.getInt64Ty());
  llvm::Constant* const highest = llvm::ConstantInt::get(wide, limit - 1);
  llvm::Value* index = builder_.CreateIntCast(value, wide, ir::IsSigned(type));
  if (ir::IsSigned(type)) {
    index = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, index, llvm::ConstantInt::get(wide, 0));
  }
  index = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, highest);
  return loops_.ValueExpression(index, limit, depth);
}

Index Generator::WindowStart(const Instruction& instruction, size_t first_start_operand, const Shape& array,
                             const std::vector<int64_t>& window_sizes) {
  Index starts;
  for (size_t dim = 0; dim < window_sizes.size(); ++dim) {
    const ir::InstrId operand = instruction.operands[first_start_operand + dim];
    const int64_t limit = array.dimensions[dim] - window_sizes[dim] + 1;
    // Scalars are computed at the function's start.
    loops_.AtDepth(0, [&] {
      starts.push_back(limit <= 1 ? IndexExpression()
                                  : ClampedIndex(At(operand, {}), module_.shape(operand).element_type, limit, 0));
    });
  }
  return starts;
}

llvm::Value* Generator::DynamicSlice(const Instruction& instruction, const Index& index, Guard guard) {
  const Index start = WindowStart(instruction, 1, module_.shape(instruction.operands[0]),
                                  instruction.As<ir::DynamicSliceAttributes>().sizes);
  Index shifted;
  for (size_t dim = 0; dim < index.size(); ++dim) shifted.push_back(index[dim] + start[dim]);
  return At(instruction.operands[0], shifted, guard);
}

llvm::Value* Generator::DynamicUpdateSlice(const Instruction& instruction, const Index& index, Guard guard) {
  const Shape& update = module_.shape(instruction.operands[1]);
  llvm::Value* const old = At(instruction.operands[0], index, guard);
  if (update.element_count() == 0) return old;
  const Index start = WindowStart(instruction, 2, instruction.shape, update.dimensions);
  Bounded bounded;
  bounded.guard = guard;
  for (size_t dim = 0; dim < index.size(); ++dim) {
    Restrict(bounded, index[dim] + start[dim] * -1, update.dimensions[dim]);
  }
  llvm::Value* const updated = At(instruction.operands[1], bounded.index, bounded.guard);
  return SelectInside(bounded, updated, old);
}

llvm::Value* Generator::Gather(const Instruction& instruction, const Index& index, Guard guard) {
  const auto& gather = instruction.As<ir::GatherAttributes>();
  const Shape& operand = module_.shape(instruction.operands[0]);
  const ir::InstrId indices = instruction.operands[1];
  const auto contains = [](const ir::Dimensions& list, int64_t item) { return std::ranges::count(list, item) > 0; };
  // The result's batch dimensions name an index vector, its offset dimensions a place in the window.
  Index batch, offsets;
  for (int64_t dim = 0; dim < static_cast<int64_t>(index.size()); ++dim) {
    (contains(gather.offset_dims, dim) ? offsets : batch).push_back(index[dim]);
  }
  Index source(operand.dimensions.size());
  for (size_t pair = 0; pair < gather.operand_batching_dims.size(); ++pair) {
    int64_t position = gather.start_indices_batching_dims[pair];
    if (position > gather.index_vector_dim) --position;
    source[gather.operand_batching_dims[pair]] = batch[position];
  }
  for (size_t number = 0; number < gather.start_index_map.size(); ++number) {
    const int64_t dim = gather.start_index_map[number];
    Index place = batch;
    if (gather.index_vector_dim < module_.shape(indices).rank()) {
      place.insert(place.begin() + gather.index_vector_dim, IndexExpression::Constant(number));
    }
    const int depth = std::max(loops_.space().Depth(place), loops_.space().Varies(place) ? guard.depth : 0);
    const int64_t limit = operand.dimensions[dim] - gather.slice_sizes[dim] + 1;
    loops_.AtDepth(depth, [&] {
      source[dim] = ClampedIndex(At(indices, place, guard), module_.shape(indices).element_type, limit, depth);
    });
  }
  size_t next_offset = 0;
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    if (contains(gather.collapsed_slice_dims, dim) || contains(gather.operand_batching_dims, dim)) continue;
    source[dim] = source[dim] + offsets[next_offset++];
  }
  return At(instruction.operands[0], source, guard);
}

}  // namespace stead::cpu
