#include "passes/normalize/masked_update.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "passes/rewrite/build.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::ScatterAttributes;

bool NamesDim(const Dimensions& dimensions, int64_t dim) {
  return std::ranges::find(dimensions, dim) != dimensions.end();
}

// What a scatter does to an element: the update replaces it or is added to it.
enum class Combination { kReplace, kAdd };

// Nothing when it does something else.
std::optional<Combination> CombinationOf(const ir::Module& module, const Instruction& scatter) {
  const Instruction& root = module.instruction(module.root(scatter.called.front()));
  auto is_parameter = [&](const Instruction& instruction, int64_t number) {
    return instruction.opcode == Opcode::kParameter && instruction.As<ir::ParameterAttributes>().number == number;
  };
  if (is_parameter(root, 1)) return Combination::kReplace;
  if (root.opcode != Opcode::kAdd) return std::nullopt;
  const Instruction& left = module.instruction(root.operands[0]);
  const Instruction& right = module.instruction(root.operands[1]);
  bool adds = (is_parameter(left, 0) && is_parameter(right, 1)) || (is_parameter(left, 1) && is_parameter(right, 0));
  return adds ? std::optional(Combination::kAdd) : std::nullopt;
}

bool IsUpdate(const ir::Module& module, const Instruction& instruction) {
  if (!instruction.shape.is_array() || !instruction.shape.is_row_major()) return false;
  if (instruction.opcode == Opcode::kDynamicUpdateSlice) return true;
  return instruction.opcode == Opcode::kScatter && instruction.operands.size() == 3 &&
         CombinationOf(module, instruction).has_value();
}

// The updates that lead from `base` to `updated`, the last one first, each used by the next (or the select) alone. Empty when
// there is no such chain.
std::vector<InstrId> UpdatesBetween(const ir::Module& module, InstrId base, InstrId updated) {
  std::vector<InstrId> chain;
  for (InstrId id = updated; id != base; id = module.instruction(id).operands[0]) {
    if (!IsUpdate(module, module.instruction(id)) || module.users(id).size() != 1) return {};
    chain.push_back(id);
  }
  return chain;
}

// The scalar that a mask holds in every element, or nothing.
std::optional<InstrId> UniformMask(const ir::Module& module, InstrId mask) {
  if (module.shape(mask).is_scalar()) return mask;
  const Instruction& made = module.instruction(mask);
  bool is_splat = made.opcode == Opcode::kBroadcast && module.shape(made.operands[0]).is_scalar();
  return is_splat ? std::optional(made.operands[0]) : std::nullopt;
}

// --- dynamic-update-slice

InstrId NarrowedSlice(Builder& build, const Instruction& update, InstrId target, InstrId mask, bool keeps_where_true) {
  const std::vector<InstrId> starts(update.operands.begin() + 2, update.operands.end());
  const Dimensions sizes = build.module().shape(update.operands[1]).dimensions;
  std::optional<InstrId> uniform = UniformMask(build.module(), mask);
  InstrId predicate = uniform ? *uniform : build.DynamicSlice(mask, starts, sizes);
  InstrId old = build.DynamicSlice(target, starts, sizes);
  InstrId window = keeps_where_true ? build.Select(predicate, old, update.operands[1])
                                    : build.Select(predicate, update.operands[1], old);
  return build.DynamicUpdateSlice(target, window, starts);
}

// --- scatter

// Reads the windows that the scatter writes.
InstrId GatherWindows(Builder& build, const Instruction& scatter, InstrId array) {
  const ScatterAttributes& attributes = scatter.As<ScatterAttributes>();
  const ir::Shape& updates = build.module().shape(scatter.operands[2]);
  ir::GatherAttributes gather;
  gather.offset_dims = attributes.update_window_dims;
  gather.collapsed_slice_dims = attributes.inserted_window_dims;
  gather.start_index_map = attributes.scatter_dims_to_operand_dims;
  gather.operand_batching_dims = attributes.input_batching_dims;
  gather.start_indices_batching_dims = attributes.scatter_indices_batching_dims;
  gather.index_vector_dim = attributes.index_vector_dim;
  gather.indices_are_sorted = attributes.indices_are_sorted;
  size_t window_dim = 0;
  for (int64_t dim = 0; dim < scatter.shape.rank(); ++dim) {
    bool is_one = NamesDim(attributes.inserted_window_dims, dim) || NamesDim(attributes.input_batching_dims, dim);
    gather.slice_sizes.push_back(
        is_one ? 1 : updates.dimensions[static_cast<size_t>(attributes.update_window_dims[window_dim++])]);
  }
  ir::Shape shape = ir::Shape::Array(build.module().shape(array).element_type, updates.dimensions);
  return build.Op(Opcode::kGather, std::move(shape), {array, scatter.operands[1]}, std::move(gather));
}

// The dimension of the updates along which the scatter walks through all of the operand's dimension `dim`, the same for every
// window: a batching dimension, or one that no index moves. Nothing when the place in `dim` depends on the indices.
std::optional<int64_t> UpdateDimOf(const ir::Module& module, const Instruction& scatter, int64_t dim) {
  const ScatterAttributes& attributes = scatter.As<ScatterAttributes>();
  const ir::Shape& updates = module.shape(scatter.operands[2]);
  auto batching = std::ranges::find(attributes.input_batching_dims, dim);
  if (batching != attributes.input_batching_dims.end()) {
    int64_t index_dim =
        attributes
            .scatter_indices_batching_dims[static_cast<size_t>(batching - attributes.input_batching_dims.begin())];
    int64_t place = index_dim - (attributes.index_vector_dim < index_dim ? 1 : 0);
    for (int64_t update_dim = 0; update_dim < updates.rank(); ++update_dim) {
      if (!NamesDim(attributes.update_window_dims, update_dim) && place-- == 0) return update_dim;
    }
    return std::nullopt;
  }
  if (NamesDim(attributes.inserted_window_dims, dim) || NamesDim(attributes.scatter_dims_to_operand_dims, dim))
    return std::nullopt;
  size_t window_dim = 0;
  for (int64_t before = 0; before < dim; ++before) {
    bool is_one = NamesDim(attributes.inserted_window_dims, before) || NamesDim(attributes.input_batching_dims, before);
    if (!is_one) ++window_dim;
  }
  return attributes.update_window_dims[window_dim];
}

// The mask in the windows that the scatter writes. A mask that was filled along the dimensions that indices move is not read at
// all: what it was made from is filled into the shape of the updates.
InstrId MaskOfWindows(Builder& build, const Instruction& scatter, InstrId mask) {
  const ir::Module& module = build.module();
  if (std::optional<InstrId> uniform = UniformMask(module, mask)) return *uniform;
  const Instruction made = module.instruction(mask);
  if (made.opcode != Opcode::kBroadcast) return GatherWindows(build, scatter, mask);
  Dimensions dimensions;
  for (int64_t dim : made.As<ir::DimensionsAttributes>().dimensions) {
    std::optional<int64_t> update_dim = UpdateDimOf(module, scatter, dim);
    bool in_order = update_dim && (dimensions.empty() || dimensions.back() < *update_dim);
    if (!in_order) return GatherWindows(build, scatter, mask);
    dimensions.push_back(*update_dim);
  }
  ir::Shape shape = ir::Shape::Array(ir::ElementType::kPred, module.shape(scatter.operands[2]).dimensions);
  return build.Op(Opcode::kBroadcast, std::move(shape), {made.operands[0]},
                  ir::DimensionsAttributes{std::move(dimensions)});
}

// What leaves an element as it is: its old value, or what adds nothing (for floats -0, since -0 + 0 is 0).
InstrId KeepingUpdates(Builder& build, const Instruction& scatter, InstrId target) {
  if (CombinationOf(build.module(), scatter) == Combination::kReplace) return GatherWindows(build, scatter, target);
  const ir::Shape shape = build.module().shape(scatter.operands[2]);
  ir::Shape scalar = ir::Shape::Array(shape.element_type, {});
  InstrId neutral = build.Constant(ir::Literal::Zeros(scalar));
  if (ir::IsFloat(shape.element_type) || ir::IsComplex(shape.element_type))
    neutral = build.Op(Opcode::kNegate, scalar, {neutral});
  return build.Splat(neutral, shape.dimensions);
}

InstrId NarrowedScatter(Builder& build, const Instruction& scatter, InstrId target, InstrId mask,
                        bool keeps_where_true) {
  InstrId predicate = MaskOfWindows(build, scatter, mask);
  InstrId kept = KeepingUpdates(build, scatter, target);
  InstrId updates = keeps_where_true ? build.Select(predicate, kept, scatter.operands[2])
                                     : build.Select(predicate, scatter.operands[2], kept);
  InstrId made = build.Op(Opcode::kScatter, scatter.shape, {target, scatter.operands[1], updates}, scatter.attributes);
  build.module().SetCalled(made, scatter.called);
  return made;
}

// --- the select

bool NarrowOne(ir::Module& module, InstrId id) {
  const Instruction select = module.instruction(id);
  for (size_t number : {1, 2}) {
    InstrId base = select.operands[3 - number];
    std::vector<InstrId> chain = UpdatesBetween(module, base, select.operands[number]);
    if (chain.empty()) continue;
    InstrId target = base;
    for (auto place = chain.rbegin(); place != chain.rend(); ++place) {
      const Instruction update = module.instruction(*place);
      Builder build(module, id, *place);
      auto narrowed = update.opcode == Opcode::kScatter ? NarrowedScatter : NarrowedSlice;
      target = narrowed(build, update, target, select.operands[0], number == 2);
    }
    return Replace(module, id, target);
  }
  return false;
}

}  // namespace

Result<PassReport> NarrowMaskedUpdates(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kSelect) changed |= NarrowOne(module, id);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
