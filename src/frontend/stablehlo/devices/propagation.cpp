#include "frontend/stablehlo/devices/propagation.h"

#include <algorithm>

#include "frontend/stablehlo/literals.h"

namespace stead::frontend {

namespace {

constexpr int kDeepestCall = 50;
// A function is looked at once per call of it; that ends here.
constexpr int64_t kMostOperations = 1'000'000;

bool UsesAxis(const ArraySharding& sharding, size_t axis) {
  return std::ranges::any_of(sharding.dimensions, [&](const std::vector<AxisCut>& cuts) {
    return std::ranges::find(cuts, axis, &AxisCut::axis) != cuts.end();
  });
}

}  // namespace

ShardingPropagation::ShardingPropagation(const mlir::ParsedModule& source, const ShardingReader& shardings)
    : source_(source), shardings_(shardings), operations_left_(kMostOperations) {
  for (const mlir::Region& region : source.root.regions) {
    for (const mlir::Block& block : region.blocks) {
      for (const mlir::Operation& op : block.operations) {
        if (source.name_of(op) != "vhlo.func_v1") continue;
        Result<std::optional<mlir::StringAttribute>> name = source.Find<mlir::StringAttribute>(op, "sym_name");
        if (name.ok() && *name) functions_.emplace((*name)->text, &op);
      }
    }
  }
}

const ArraySharding* ShardingPropagation::Find(mlir::ValueId value) const {
  const auto found = known_.find(value);
  return found == known_.end() ? nullptr : &found->second;
}

void ShardingPropagation::Run(const mlir::Block& block) {
  RunOnce(block);
  // A group may be decided by its last value; its first ones know only now.
  if (!groups_.empty()) RunOnce(block);
}

void ShardingPropagation::RunOnce(const mlir::Block& block) {
  for (const mlir::Operation& op : block.operations) {
    if (operations_left_-- > 0) RunOperation(op);
  }
}

void ShardingPropagation::RunOperation(const mlir::Operation& op) {
  const std::string_view name = source_.name_of(op);
  if (name == "sdy.sharding_constraint" || name == "sdy.reshard") return TakeFromAttribute(op, "sharding");
  if (name == "sdy.sharding_group") return JoinGroup(op);
  if (name == "builtin.unrealized_conversion_cast" && op.operands.size() == 1 && op.results.size() == 1) {
    cast_from_.emplace(op.results[0], op.operands[0]);
  }
  if (name == "sdy.manual_computation") return TakeFromAttribute(op, "out_shardings");
  if (name == "vhlo.call_v1") return TakeFromCall(op);
  const bool is_of_pairs = op.operands.size() == op.results.size();
  if (is_of_pairs && (name == "vhlo.while_v1" || name == "vhlo.optimization_barrier_v1")) {
    for (size_t number = 0; number < op.results.size(); ++number) {
      if (const ArraySharding* sharding = Find(op.operands[number])) Set(op.results[number], ArraySharding(*sharding));
    }
    return;
  }
  for (mlir::ValueId result : op.results) TakeFromOperands(op, result);
}

void ShardingPropagation::TakeFromAttribute(const mlir::Operation& op, std::string_view name) {
  Result<std::optional<mlir::AttributeId>> id = source_.FindAttribute(op, name);
  if (!id.ok() || !*id) return;
  std::vector<mlir::AttributeId> ids = {**id};
  Result<mlir::ShardingsAttribute> list = source_.pool.Get<mlir::ShardingsAttribute>(**id);
  if (list.ok()) ids = list->shardings;
  for (size_t result = 0; result < std::min(ids.size(), op.results.size()); ++result) {
    Result<ArraySharding> sharding = shardings_.Read(ids[result]);
    if (sharding.ok()) Set(op.results[result], std::move(*sharding));
  }
}

// The first of a group that is known to be cut decides for those that are not.
void ShardingPropagation::JoinGroup(const mlir::Operation& op) {
  Result<std::optional<mlir::IntegerAttribute>> group = source_.Find<mlir::IntegerAttribute>(op, "group_id");
  if (!group.ok() || !*group || op.operands.size() != 1) return;
  const auto is_whole = [](const ArraySharding& sharding) {
    return std::ranges::all_of(sharding.dimensions, &std::vector<AxisCut>::empty);
  };
  const ArraySharding* own = Find(op.operands[0]);
  const bool is_cut = own != nullptr && !is_whole(*own);
  const auto decided = groups_.find((*group)->value);
  if (decided == groups_.end()) {
    if (is_cut) groups_.emplace((*group)->value, *own);
  } else if (!is_cut && DimensionsOf(op.operands[0]).size() == decided->second.dimensions.size()) {
    Set(op.operands[0], ArraySharding(decided->second));
    const auto cast = cast_from_.find(op.operands[0]);
    if (cast != cast_from_.end()) Set(cast->second, ArraySharding(decided->second));
  }
}

void ShardingPropagation::TakeFromCall(const mlir::Operation& op) {
  Result<std::optional<mlir::StringAttribute>> callee = source_.Find<mlir::StringAttribute>(op, "callee");
  if (!callee.ok() || !*callee || call_depth_ > kDeepestCall) return;
  const auto function = functions_.find((*callee)->text);
  if (function == functions_.end() || function->second->regions.size() != 1) return;
  const std::vector<mlir::Block>& blocks = function->second->regions[0].blocks;
  if (blocks.size() != 1 || blocks[0].operations.empty() || blocks[0].arguments.size() != op.operands.size()) return;
  for (size_t argument = 0; argument < op.operands.size(); ++argument) {
    known_.erase(blocks[0].arguments[argument]);
    if (const ArraySharding* sharding = Find(op.operands[argument])) {
      Set(blocks[0].arguments[argument], ArraySharding(*sharding));
    }
  }
  ++call_depth_;
  RunOnce(blocks[0]);
  --call_depth_;
  const std::vector<mlir::ValueId>& returned = blocks[0].operations.back().operands;
  for (size_t result = 0; result < std::min(op.results.size(), returned.size()); ++result) {
    if (const ArraySharding* sharding = Find(returned[result])) Set(op.results[result], ArraySharding(*sharding));
  }
}

// Along each dimension the first operand that says something decides; no axis is used twice, and every cut leaves equal parts.
void ShardingPropagation::TakeFromOperands(const mlir::Operation& op, mlir::ValueId result) {
  const std::vector<int64_t>& dimensions = DimensionsOf(result);
  ArraySharding made;
  made.dimensions.resize(dimensions.size());
  for (const Kept& kept : KeptBy(op, result)) {
    const ArraySharding* given = Find(op.operands[kept.operand]);
    if (given == nullptr || kept.from >= given->dimensions.size() || kept.to >= dimensions.size()) continue;
    const std::vector<AxisCut>& cuts = given->dimensions[kept.from];
    if (made.mesh.axes.empty()) made.mesh = given->mesh;
    const bool is_free = made.dimensions[kept.to].empty() && made.mesh.axes == given->mesh.axes &&
                         std::ranges::none_of(cuts, [&](const AxisCut& cut) { return UsesAxis(made, cut.axis); });
    if (is_free && dimensions[kept.to] % given->TileCount(kept.from) == 0) made.dimensions[kept.to] = cuts;
  }
  if (made.mesh.axes.empty()) {
    known_.erase(result);
  } else {
    Set(result, std::move(made));
  }
}

std::vector<ShardingPropagation::Kept> ShardingPropagation::KeptBy(const mlir::Operation& op,
                                                                   mlir::ValueId result) const {
  const std::string_view name = source_.name_of(op);
  if (name == "vhlo.broadcast_in_dim_v1") return KeptByBroadcast(op);
  if (name == "vhlo.dot_general_v1" || name == "vhlo.dot_general_v2") return KeptByDot(op);
  if (name == "vhlo.gather_v1" || name == "vhlo.gather_v2") return KeptByGather(op);
  if (name == "vhlo.reduce_v1") return KeptByReduce(op, result);
  if (name == "vhlo.reshape_v1") return KeptByReshape(op, result);
  if (name == "vhlo.transpose_v1") return KeptByTranspose(op);
  // Everything else: dimensions that have the same place and size, as in elementwise operations, slices and sorts.
  std::vector<Kept> kept;
  const std::vector<int64_t>& dimensions = DimensionsOf(result);
  for (size_t operand = 0; operand < op.operands.size(); ++operand) {
    const std::vector<int64_t>& given = DimensionsOf(op.operands[operand]);
    if (given.size() != dimensions.size()) continue;
    for (size_t dimension = 0; dimension < given.size(); ++dimension) {
      if (given[dimension] == dimensions[dimension]) kept.push_back({operand, dimension, dimension});
    }
  }
  return kept;
}

std::vector<ShardingPropagation::Kept> ShardingPropagation::KeptByBroadcast(const mlir::Operation& op) const {
  std::vector<Kept> kept;
  const std::vector<int64_t> places = Integers(op, "broadcast_dimensions");
  for (size_t from = 0; from < places.size() && !op.operands.empty(); ++from) {
    kept.push_back({0, from, static_cast<size_t>(places[from])});
  }
  return kept;
}

// Batch dimensions first, then those of the left operand that are not summed, then those of the right one.
std::vector<ShardingPropagation::Kept> ShardingPropagation::KeptByDot(const mlir::Operation& op) const {
  std::vector<Kept> kept;
  if (op.operands.size() != 2) return kept;
  size_t to = 0;
  for (size_t operand = 0; operand < 2; ++operand) {
    const std::string side = operand == 0 ? "lhs" : "rhs";
    const std::vector<int64_t> batching = Integers(op, side + "_batching_dimensions");
    const std::vector<int64_t> contracting = Integers(op, side + "_contracting_dimensions");
    for (size_t batch = 0; batch < batching.size(); ++batch) {
      kept.push_back({operand, static_cast<size_t>(batching[batch]), batch});
    }
    if (operand == 0) to = batching.size();
    for (size_t from = 0; from < DimensionsOf(op.operands[operand]).size(); ++from) {
      const auto is_this = [&](int64_t dimension) { return dimension == static_cast<int64_t>(from); };
      if (std::ranges::any_of(batching, is_this) || std::ranges::any_of(contracting, is_this)) continue;
      kept.push_back({operand, from, to++});
    }
  }
  return kept;
}

// Dimensions of the operand that are taken whole, in the order of the result's dimensions for them.
std::vector<ShardingPropagation::Kept> ShardingPropagation::KeptByGather(const mlir::Operation& op) const {
  std::vector<Kept> kept;
  const std::vector<int64_t> places = Integers(op, "offset_dims");
  const std::vector<int64_t> sizes = Integers(op, "slice_sizes");
  std::vector<int64_t> gone = Integers(op, "collapsed_slice_dims");
  const std::vector<int64_t> batching = Integers(op, "operand_batching_dims");
  gone.insert(gone.end(), batching.begin(), batching.end());
  if (op.operands.empty() || DimensionsOf(op.operands[0]).size() != sizes.size()) return kept;
  for (size_t from = 0, place = 0; from < sizes.size() && place < places.size(); ++from) {
    if (std::ranges::find(gone, static_cast<int64_t>(from)) != gone.end()) continue;
    const size_t to = static_cast<size_t>(places[place++]);
    if (sizes[from] == DimensionsOf(op.operands[0])[from]) kept.push_back({0, from, to});
  }
  return kept;
}

std::vector<ShardingPropagation::Kept> ShardingPropagation::KeptByReduce(const mlir::Operation& op,
                                                                         mlir::ValueId result) const {
  std::vector<Kept> kept;
  const std::vector<int64_t> reduced = Integers(op, "dimensions");
  const size_t operand = static_cast<size_t>(std::ranges::find(op.results, result) - op.results.begin());
  if (operand >= op.operands.size()) return kept;
  for (size_t from = 0, to = 0; from < DimensionsOf(op.operands[operand]).size(); ++from) {
    if (std::ranges::find(reduced, static_cast<int64_t>(from)) == reduced.end()) kept.push_back({operand, from, to++});
  }
  return kept;
}

// Dimensions of equal size with equally many elements before them.
std::vector<ShardingPropagation::Kept> ShardingPropagation::KeptByReshape(const mlir::Operation& op,
                                                                          mlir::ValueId result) const {
  std::vector<Kept> kept;
  if (op.operands.size() != 1) return kept;
  const std::vector<int64_t>& given = DimensionsOf(op.operands[0]);
  const std::vector<int64_t>& made = DimensionsOf(result);
  // Unsigned: they may overflow, which harms nobody.
  uint64_t given_before = 1, made_before = 1;
  for (size_t from = 0, to = 0; from < given.size() && to < made.size();) {
    if (given_before == made_before && given[from] == made[to]) kept.push_back({0, from, to});
    // Forward on the side that has fewer elements behind it; sizes of one are passed first.
    const uint64_t given_after = given_before * static_cast<uint64_t>(given[from]);
    const uint64_t made_after = made_before * static_cast<uint64_t>(made[to]);
    const bool is_given_behind = given_after <= made_after;
    if (is_given_behind) given_before = given_after;
    if (!is_given_behind || given_after == made_after) {
      made_before = made_after;
      ++to;
    }
    if (is_given_behind) ++from;
  }
  return kept;
}

std::vector<ShardingPropagation::Kept> ShardingPropagation::KeptByTranspose(const mlir::Operation& op) const {
  std::vector<Kept> kept;
  const std::vector<int64_t> order = Integers(op, "permutation");
  for (size_t to = 0; to < order.size() && !op.operands.empty(); ++to) {
    kept.push_back({0, static_cast<size_t>(order[to]), to});
  }
  return kept;
}

std::vector<int64_t> ShardingPropagation::Integers(const mlir::Operation& op, std::string_view name) const {
  Result<std::optional<mlir::TensorAttribute>> tensor = source_.Find<mlir::TensorAttribute>(op, name);
  if (!tensor.ok() || !*tensor) return {};
  Result<std::vector<int64_t>> integers = ImportIntegers(source_.pool, **tensor);
  if (!integers.ok()) return {};
  return std::move(*integers);
}

const std::vector<int64_t>& ShardingPropagation::DimensionsOf(mlir::ValueId value) const {
  const auto [place, is_new] = dimensions_.try_emplace(value);
  if (!is_new) return place->second;
  Result<mlir::Type> type = source_.pool.type(source_.value_types[value]);
  if (type.ok() && type->kind == mlir::TypeKind::kTensor) place->second = type->dimensions;
  return place->second;
}

}  // namespace stead::frontend
