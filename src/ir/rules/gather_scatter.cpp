// Rules of gather and scatter. Both relate an operand's dimensions (window, collapsed or inserted, batching) with those of an
// array of indices; the constraints come in pairs.
#include <algorithm>

#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

bool IsSorted(const Dimensions& dimensions) { return std::ranges::is_sorted(dimensions); }

// The names and numbers of the constraints that gather and scatter share.
struct IndexRules {
  std::string_view vector_dim, map_size, indices_different, indices_range, vector_not_batch, batch_count, batch_extents,
      map_different, map_range;
};
constexpr IndexRules kGatherRules = {"gather C2",  "gather C3",  "gather C13", "gather C14", "gather C15",
                                     "gather C16", "gather C17", "gather C18", "gather C19"};
constexpr IndexRules kScatterRules = {"scatter C22", "scatter C19", "scatter C14", "scatter C15", "scatter C16",
                                      "scatter C17", "scatter C18", "scatter C20", "scatter C21"};

// How an array of indices points into an operand.
struct IndexMap {
  const Shape& operand;
  const Shape& indices;
  int64_t index_vector_dim;
  const Dimensions& map;  // operand dimension of each component of an index
  const Dimensions& operand_batching;
  const Dimensions& indices_batching;
};

Status CheckIndexMap(const Op& op, const IndexMap& index, const IndexRules& rules) {
  if (!IsInteger(index.indices.element_type)) {
    return op.Violation("", "indices have element type {}; they must be integers",
                        ElementTypeName(index.indices.element_type));
  }
  if (index.index_vector_dim < 0 || index.index_vector_dim > index.indices.rank()) {
    return op.Violation(rules.vector_dim,
                        "index_vector_dim is {}, indices have shape {}; it must be a dimension or the rank",
                        index.index_vector_dim, index.indices.ToString(false));
  }
  bool implicit = index.index_vector_dim == index.indices.rank();
  int64_t components = implicit ? 1 : index.indices.dimensions[static_cast<size_t>(index.index_vector_dim)];
  if (static_cast<int64_t>(index.map.size()) != components) {
    return op.Violation(rules.map_size, "indices have {} components, {} dimensions are mapped; they must be as many",
                        components, index.map.size());
  }
  if (!AllDifferent(index.indices_batching)) {
    return op.Violation(rules.indices_different, "batching dimensions of the indices are {}; they must differ",
                        DimensionsText(index.indices_batching));
  }
  if (!InRange(index.indices_batching, index.indices.rank())) {
    return op.Violation(rules.indices_range, "batching dimensions of the indices are {}, the indices have shape {}",
                        DimensionsText(index.indices_batching), index.indices.ToString(false));
  }
  if (Contains(index.indices_batching, index.index_vector_dim)) {
    return op.Violation(rules.vector_not_batch, "index_vector_dim {} is among the batching dimensions {}",
                        index.index_vector_dim, DimensionsText(index.indices_batching));
  }
  if (index.operand_batching.size() != index.indices_batching.size()) {
    return op.Violation(rules.batch_count,
                        "the operand has {} batching dimensions, the indices {}; they must be as many",
                        index.operand_batching.size(), index.indices_batching.size());
  }
  for (size_t batch = 0; batch < index.operand_batching.size(); ++batch) {
    int64_t extent = index.operand.dimensions[static_cast<size_t>(index.operand_batching[batch])];
    int64_t wanted = index.indices.dimensions[static_cast<size_t>(index.indices_batching[batch])];
    if (extent == wanted) continue;
    return op.Violation(rules.batch_extents, "batching dimension {} has extent {} in the operand, {} in the indices",
                        batch, extent, wanted);
  }
  if (!AllDifferent(Concatenated(index.map, index.operand_batching))) {
    return op.Violation(rules.map_different, "mapped dimensions {} and batching dimensions {} must differ",
                        DimensionsText(index.map), DimensionsText(index.operand_batching));
  }
  if (!InRange(index.map, index.operand.rank())) {
    return op.Violation(rules.map_range, "mapped dimensions are {}, operand has shape {}", DimensionsText(index.map),
                        index.operand.ToString(false));
  }
  return {};
}

// The extents of the indices without the dimension that holds the components of an index.
Dimensions BatchExtents(const Shape& indices, int64_t index_vector_dim) {
  Dimensions extents;
  for (int64_t dim = 0; dim < indices.rank(); ++dim) {
    if (dim != index_vector_dim) extents.push_back(indices.dimensions[static_cast<size_t>(dim)]);
  }
  return extents;
}

// Extents of a result (or an update): those at `window_dims` from the window, the others from the batch, each in order.
Dimensions Combine(const Dimensions& batch, const Dimensions& window, const Dimensions& window_dims) {
  Dimensions combined;
  size_t next_batch = 0, next_window = 0;
  int64_t rank = static_cast<int64_t>(batch.size() + window.size());
  for (int64_t dim = 0; dim < rank; ++dim) {
    combined.push_back(Contains(window_dims, dim) ? window[next_window++] : batch[next_batch++]);
  }
  return combined;
}

Status CheckSliceSizes(const Op& op, const GatherAttributes& gather, const Shape& operand) {
  if (static_cast<int64_t>(gather.slice_sizes.size()) != operand.rank()) {
    return op.Violation("gather C20", "slice_sizes is {}, operand has shape {}; there must be one for each dimension",
                        DimensionsText(gather.slice_sizes), operand.ToString(false));
  }
  for (size_t dim = 0; dim < gather.slice_sizes.size(); ++dim) {
    int64_t size = gather.slice_sizes[dim];
    if (size < 0 || size > operand.dimensions[dim]) {
      return op.Violation("gather C21", "slice_sizes is {}, operand has shape {}; slices must fit in the operand",
                          DimensionsText(gather.slice_sizes), operand.ToString(false));
    }
    bool collapsed = Contains(gather.collapsed_slice_dims, static_cast<int64_t>(dim));
    bool batching = Contains(gather.operand_batching_dims, static_cast<int64_t>(dim));
    if (size > 1 && (collapsed || batching)) {
      return op.Violation(collapsed ? "gather C9" : "gather C12",
                          "slice size of dimension {} is {}; a {} dimension has size 0 or 1", dim, size,
                          collapsed ? "collapsed" : "batching");
    }
  }
  return {};
}

Status CheckGatherDimensions(const Op& op, const GatherAttributes& gather, const Shape& operand) {
  size_t named = gather.offset_dims.size() + gather.collapsed_slice_dims.size() + gather.operand_batching_dims.size();
  if (named != operand.dimensions.size()) {
    return op.Violation("gather C1",
                        "offset, collapsed and batching dimensions are {}, operand has shape {}; they must be as many",
                        named, operand.ToString(false));
  }
  if (!AllDifferent(gather.offset_dims) || !IsSorted(gather.offset_dims)) {
    return op.Violation("gather C4", "offset_dims is {}; it must ascend", DimensionsText(gather.offset_dims));
  }
  if (!AllDifferent(Concatenated(gather.collapsed_slice_dims, gather.operand_batching_dims))) {
    return op.Violation("gather C6", "collapsed_slice_dims {} and operand_batching_dims {} must differ",
                        DimensionsText(gather.collapsed_slice_dims), DimensionsText(gather.operand_batching_dims));
  }
  if (!IsSorted(gather.collapsed_slice_dims)) {
    return op.Violation("gather C7", "collapsed_slice_dims is {}; it must ascend",
                        DimensionsText(gather.collapsed_slice_dims));
  }
  if (!InRange(gather.collapsed_slice_dims, operand.rank())) {
    return op.Violation("gather C8", "collapsed_slice_dims is {}, operand has shape {}",
                        DimensionsText(gather.collapsed_slice_dims), operand.ToString(false));
  }
  if (!IsSorted(gather.operand_batching_dims)) {
    return op.Violation("gather C10", "operand_batching_dims is {}; it must ascend",
                        DimensionsText(gather.operand_batching_dims));
  }
  if (!InRange(gather.operand_batching_dims, operand.rank())) {
    return op.Violation("gather C11", "operand_batching_dims is {}, operand has shape {}",
                        DimensionsText(gather.operand_batching_dims), operand.ToString(false));
  }
  return {};
}

Status CheckScatterDimensions(const Op& op, const ScatterAttributes& scatter, const Shape& operand) {
  size_t named =
      scatter.update_window_dims.size() + scatter.inserted_window_dims.size() + scatter.input_batching_dims.size();
  if (named != operand.dimensions.size()) {
    return op.Violation("scatter C2",
                        "window, inserted and batching dimensions are {}, operand has shape {}; they must be as many",
                        named, operand.ToString(false));
  }
  if (!AllDifferent(scatter.update_window_dims) || !IsSorted(scatter.update_window_dims)) {
    return op.Violation("scatter C7", "update_window_dims is {}; it must ascend",
                        DimensionsText(scatter.update_window_dims));
  }
  if (!AllDifferent(Concatenated(scatter.inserted_window_dims, scatter.input_batching_dims))) {
    return op.Violation("scatter C9", "inserted_window_dims {} and input_batching_dims {} must differ",
                        DimensionsText(scatter.inserted_window_dims), DimensionsText(scatter.input_batching_dims));
  }
  if (!IsSorted(scatter.inserted_window_dims)) {
    return op.Violation("scatter C10", "inserted_window_dims is {}; it must ascend",
                        DimensionsText(scatter.inserted_window_dims));
  }
  if (!InRange(scatter.inserted_window_dims, operand.rank())) {
    return op.Violation("scatter C11", "inserted_window_dims is {}, operand has shape {}",
                        DimensionsText(scatter.inserted_window_dims), operand.ToString(false));
  }
  if (!IsSorted(scatter.input_batching_dims)) {
    return op.Violation("scatter C12", "input_batching_dims is {}; it must ascend",
                        DimensionsText(scatter.input_batching_dims));
  }
  if (!InRange(scatter.input_batching_dims, operand.rank())) {
    return op.Violation("scatter C13", "input_batching_dims is {}, operand has shape {}",
                        DimensionsText(scatter.input_batching_dims), operand.ToString(false));
  }
  return {};
}

Status CheckUpdates(const Op& op, const ScatterAttributes& scatter, const Shape& operand, const Shape& indices) {
  size_t count = op.operand_count() / 2;
  const Shape& update = op.operand(count + 1);
  TRY_STATUS(op.RequireSameDimensions(count + 1, op.operand_count(), "scatter C3"));
  if (!InRange(scatter.update_window_dims, update.rank())) {
    return op.Violation("scatter C8", "update_window_dims is {}, update has shape {}",
                        DimensionsText(scatter.update_window_dims), update.ToString(false));
  }
  Dimensions batch = BatchExtents(indices, scatter.index_vector_dim);
  bool fits = update.dimensions.size() == batch.size() + scatter.update_window_dims.size();
  size_t next_batch = 0, next_window = 0;
  for (int64_t dim = 0; fits && dim < update.rank(); ++dim) {
    int64_t extent = update.dimensions[static_cast<size_t>(dim)];
    if (!Contains(scatter.update_window_dims, dim)) {
      fits = extent == batch[next_batch++];
      continue;
    }
    auto is_no_window = [&](size_t operand_dim) {
      return Contains(scatter.inserted_window_dims, static_cast<int64_t>(operand_dim)) ||
             Contains(scatter.input_batching_dims, static_cast<int64_t>(operand_dim));
    };
    while (is_no_window(next_window)) ++next_window;
    fits = extent <= operand.dimensions[next_window++];
  }
  if (fits) return {};
  return op.Violation(
      "scatter C4",
      "update has shape {}, operand has {}, indices have {}; windows must fit in the operand, one per index",
      update.ToString(false), operand.ToString(false), indices.ToString(false));
}

}  // namespace

Result<Shape> InferGather(const Op& op) {
  const Shape& operand = op.operand(0);
  const Shape& indices = op.operand(1);
  const auto& gather = op.attributes<GatherAttributes>();
  TRY_STATUS(CheckGatherDimensions(op, gather, operand));
  TRY_STATUS(CheckIndexMap(op,
                           {operand, indices, gather.index_vector_dim, gather.start_index_map,
                            gather.operand_batching_dims, gather.start_indices_batching_dims},
                           kGatherRules));
  TRY_STATUS(CheckSliceSizes(op, gather, operand));
  Dimensions batch = BatchExtents(indices, gather.index_vector_dim);
  Dimensions window;
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    bool kept = !Contains(gather.collapsed_slice_dims, dim) && !Contains(gather.operand_batching_dims, dim);
    if (kept) window.push_back(gather.slice_sizes[static_cast<size_t>(dim)]);
  }
  int64_t rank = static_cast<int64_t>(batch.size() + window.size());
  if (!InRange(gather.offset_dims, rank)) {
    return op.Violation("gather C5", "offset_dims is {}, the result has {} dimensions",
                        DimensionsText(gather.offset_dims), rank);
  }
  return Shape::Array(operand.element_type, Combine(batch, window, gather.offset_dims));
}

Result<Shape> InferScatter(const Op& op) {
  if (op.operand_count() < 3 || op.operand_count() % 2 == 0) {
    return op.Violation("scatter C5", "has {} operands; `scatter` takes inputs, indices and as many updates",
                        op.operand_count());
  }
  size_t count = op.operand_count() / 2;
  const Shape& operand = op.operand(0);
  const Shape& indices = op.operand(count);
  const auto& scatter = op.attributes<ScatterAttributes>();
  TRY_STATUS(op.RequireSameDimensions(0, count, "scatter C1"));
  TRY_STATUS(CheckScatterDimensions(op, scatter, operand));
  TRY_STATUS(CheckIndexMap(op,
                           {operand, indices, scatter.index_vector_dim, scatter.scatter_dims_to_operand_dims,
                            scatter.input_batching_dims, scatter.scatter_indices_batching_dims},
                           kScatterRules));
  TRY_STATUS(CheckUpdates(op, scatter, operand, indices));
  TRY(ScalarSignature signature, CalledSignature(op, 0, "scatter C23"));
  bool fits = signature.parameters.size() == 2 * count && signature.results.size() == count;
  std::vector<Shape> results;
  for (size_t number = 0; fits && number < count; ++number) {
    ElementType type = signature.results[number];
    if (op.operand(count + 1 + number).element_type != op.operand(number).element_type) {
      return op.Violation("scatter C6", "update {} has element type {}, its input has {}; they must be the same",
                          number, ElementTypeName(op.operand(count + 1 + number).element_type),
                          ElementTypeName(op.operand(number).element_type));
    }
    fits = IsPromotable(op.operand(number).element_type, type) && signature.parameters[number] == type &&
           signature.parameters[count + number] == type;
    results.push_back(op.operand(number));
    results.back().element_type = type;
  }
  if (fits) return ArrayOrTuple(std::move(results));
  return op.Violation("scatter C23", "the called computation does not take and give scalars of the inputs' types");
}

}  // namespace stead::ir
