// gather and scatter: an array of indices, one window of the operand for each.
//   indices[batch..., index_vector_dim, batch...]: the vectors along index_vector_dim say where a window starts, in the operand
//   dimensions named by start_index_map (scatter_dims_to_operand_dims). Batching dimensions of the operand take the position
//   in the batch instead. The result of gather (the updates of scatter) has the batch dimensions of the indices and the window
//   dimensions, mixed as offset_dims (update_window_dims) says.
//
//   Both ops are loops over the batch; the elements of a window are found by two tables of offsets made once: their distance
//   from the window's start in the operand and in the windowed array.
#include <algorithm>
#include <cstring>

#include "interp/box.h"
#include "interp/elements.h"
#include "interp/evaluator.h"
#include "interp/ops/movement/indexing.h"
#include "interp/scalar_computation.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;
using ir::RowMajorStrides;

bool Contains(const Dimensions& dimensions, int64_t dim) {
  return std::ranges::find(dimensions, dim) != dimensions.end();
}

// What gather and scatter have in common, in gather's words.
struct Windows {
  const Dimensions& offset_dims;
  const Dimensions& collapsed_dims;
  const Dimensions& start_index_map;
  const Dimensions& operand_batching_dims;
  const Dimensions& indices_batching_dims;
  int64_t index_vector_dim;
  Dimensions slice_sizes;  // of the operand, every dimension
};

// Walks over the windows: where each starts in the operand and in the windowed array, in elements.
class WindowWalk {
 public:
  WindowWalk(const Windows& windows, const Dimensions& operand, const Literal& indices, const Dimensions& windowed)
      : windows_(windows), operand_(operand), operand_strides_(RowMajorStrides(operand)), indices_(indices) {
    std::vector<int64_t> windowed_strides = RowMajorStrides(windowed);
    std::vector<int64_t> indices_strides = RowMajorStrides(indices.shape().dimensions);
    Dimensions batch_extents;
    for (int64_t dim = 0; dim < indices.shape().rank(); ++dim) {
      if (dim == windows.index_vector_dim) continue;
      indices_dims_.push_back(dim);
      indices_batch_strides_.push_back(indices_strides[dim]);
      batch_extents.push_back(indices.shape().dimensions[dim]);
    }
    bool has_vector_dim = windows.index_vector_dim < indices.shape().rank();
    index_stride_ = has_vector_dim ? indices_strides[windows.index_vector_dim] : 0;
    for (size_t dim = 0; dim < windowed.size(); ++dim) {
      if (!Contains(windows.offset_dims, static_cast<int64_t>(dim)))
        windowed_batch_strides_.push_back(windowed_strides[dim]);
    }
    batch_ = IndexCounter(batch_extents);
    FillTables(windowed_strides);
  }

  bool valid() const { return batch_.valid(); }
  void Advance() { batch_.Advance(); }
  int64_t window_size() const { return static_cast<int64_t>(operand_offsets.size()); }

  // The window's start in the operand, before any correction.
  const std::vector<int64_t>& Start() {
    start_.assign(operand_.size(), 0);
    int64_t first = Dot(batch_.index(), indices_batch_strides_);
    for (size_t position = 0; position < windows_.start_index_map.size(); ++position) {
      start_[windows_.start_index_map[position]] =
          IndexAt(indices_, first + static_cast<int64_t>(position) * index_stride_);
    }
    for (size_t position = 0; position < windows_.operand_batching_dims.size(); ++position) {
      auto found = std::ranges::find(indices_dims_, windows_.indices_batching_dims[position]);
      start_[windows_.operand_batching_dims[position]] = batch_[static_cast<size_t>(found - indices_dims_.begin())];
    }
    return start_;
  }
  // Moves the start so that the window lies inside the operand.
  void ClampStart() {
    for (size_t dim = 0; dim < start_.size(); ++dim) {
      start_[dim] = std::clamp<int64_t>(start_[dim], 0, operand_[dim] - windows_.slice_sizes[dim]);
    }
  }
  bool IsInside() const {
    for (size_t dim = 0; dim < start_.size(); ++dim) {
      if (start_[dim] < 0 || start_[dim] > operand_[dim] - windows_.slice_sizes[dim]) return false;
    }
    return true;
  }
  int64_t operand_start() const { return Dot(start_, operand_strides_); }
  int64_t windowed_start() const { return Dot(batch_.index(), windowed_batch_strides_); }

  // Distances of the window's elements from its start.
  std::vector<int64_t> operand_offsets, windowed_offsets;

 private:
  void FillTables(const std::vector<int64_t>& windowed_strides) {
    // Window dimensions of the operand meet offset_dims in order; collapsed and batching dimensions have extent 1.
    Dimensions extents;
    std::vector<int64_t> in_operand, in_windowed;
    size_t next = 0;
    for (size_t dim = 0; dim < operand_.size(); ++dim) {
      int64_t number = static_cast<int64_t>(dim);
      if (Contains(windows_.collapsed_dims, number) || Contains(windows_.operand_batching_dims, number)) continue;
      extents.push_back(windows_.slice_sizes[dim]);
      in_operand.push_back(operand_strides_[dim]);
      in_windowed.push_back(windowed_strides[windows_.offset_dims.at(next++)]);
    }
    for (IndexCounter index(extents); index.valid(); index.Advance()) {
      operand_offsets.push_back(Dot(index.index(), in_operand));
      windowed_offsets.push_back(Dot(index.index(), in_windowed));
    }
  }

  const Windows& windows_;
  const Dimensions& operand_;
  std::vector<int64_t> operand_strides_;
  const Literal& indices_;
  std::vector<int64_t> indices_dims_, indices_batch_strides_, windowed_batch_strides_;
  int64_t index_stride_ = 0;
  IndexCounter batch_{{}};
  std::vector<int64_t> start_;
};

// target[target_start + target_offsets[k]] = source[source_start + source_offsets[k]]; a null table means k itself.
void CopyThroughTables(int64_t element_bytes, const std::byte* source, int64_t source_start,
                       const std::vector<int64_t>* source_offsets, std::byte* target, int64_t target_start,
                       const std::vector<int64_t>* target_offsets, int64_t count) {
  for (int64_t position = 0; position < count; ++position) {
    int64_t from = source_start + (source_offsets ? (*source_offsets)[position] : position);
    int64_t to = target_start + (target_offsets ? (*target_offsets)[position] : position);
    std::memcpy(target + to * element_bytes, source + from * element_bytes, static_cast<size_t>(element_bytes));
  }
}

// The window sizes of scatter are those of the updates, and 1 in inserted and batching dimensions.
Dimensions ScatterSliceSizes(const ir::ScatterAttributes& attributes, const Dimensions& operand,
                             const Dimensions& updates) {
  Dimensions sizes;
  size_t next = 0;
  for (int64_t dim = 0; dim < static_cast<int64_t>(operand.size()); ++dim) {
    bool inserted = Contains(attributes.inserted_window_dims, dim) || Contains(attributes.input_batching_dims, dim);
    sizes.push_back(inserted ? 1 : updates[attributes.update_window_dims.at(next++)]);
  }
  return sizes;
}

// The arrays of one scatter: k results under construction, k updates, and a window's worth of elements of each.
struct ScatterArrays {
  std::vector<Literal> results;
  std::vector<const Literal*> updates;
  std::vector<std::vector<std::byte>> windows;  // k of the results, then k of the updates
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;
};

ScatterArrays PrepareScatter(const OpCall& call, int64_t window_size) {
  size_t count = (call.operands.size() - 1) / 2;
  ScatterArrays arrays;
  for (size_t number = 0; number < count; ++number) {
    arrays.results.push_back(Clone(call.operand(number)));
    arrays.updates.push_back(&call.operand(count + 1 + number));
  }
  for (size_t number = 0; number < 2 * count; ++number) {
    int64_t element_bytes = ir::ElementBytes(arrays.results[number % count].shape().element_type);
    arrays.windows.emplace_back(static_cast<size_t>(window_size * element_bytes));
  }
  for (std::vector<std::byte>& window : arrays.windows) arrays.inputs.push_back(window.data());
  for (size_t number = 0; number < count; ++number) arrays.outputs.push_back(arrays.windows[number].data());
  return arrays;
}

// Combines one window. Its elements are all different, so they can be combined at once.
Status ScatterWindow(const WindowWalk& walk, ScalarComputation& combine, ScatterArrays& arrays) {
  size_t count = arrays.results.size();
  int64_t size = walk.window_size();
  for (size_t number = 0; number < count; ++number) {
    int64_t bytes = ir::ElementBytes(arrays.results[number].shape().element_type);
    CopyThroughTables(bytes, arrays.results[number].bytes().data(), walk.operand_start(), &walk.operand_offsets,
                      arrays.windows[number].data(), 0, nullptr, size);
    CopyThroughTables(bytes, arrays.updates[number]->bytes().data(), walk.windowed_start(), &walk.windowed_offsets,
                      arrays.windows[count + number].data(), 0, nullptr, size);
  }
  TRY_STATUS(combine.Run(arrays.inputs, arrays.outputs, size));
  for (size_t number = 0; number < count; ++number) {
    int64_t bytes = ir::ElementBytes(arrays.results[number].shape().element_type);
    CopyThroughTables(bytes, arrays.windows[number].data(), 0, nullptr, arrays.results[number].mutable_bytes().data(),
                      walk.operand_start(), &walk.operand_offsets, size);
  }
  return {};
}

}  // namespace

Result<Literal> EvaluateGather(const OpCall& call) {
  const auto& attributes = call.instruction.As<ir::GatherAttributes>();
  const Literal& operand = call.operand(0);
  Windows windows{attributes.offset_dims,
                  attributes.collapsed_slice_dims,
                  attributes.start_index_map,
                  attributes.operand_batching_dims,
                  attributes.start_indices_batching_dims,
                  attributes.index_vector_dim,
                  attributes.slice_sizes};
  Literal result = Literal::Zeros(call.shape());
  int64_t element_bytes = ir::ElementBytes(operand.shape().element_type);
  std::byte* target = result.mutable_bytes().data();
  for (WindowWalk walk(windows, operand.shape().dimensions, call.operand(1), call.shape().dimensions); walk.valid();
       walk.Advance()) {
    walk.Start();
    walk.ClampStart();
    CopyThroughTables(element_bytes, operand.bytes().data(), walk.operand_start(), &walk.operand_offsets, target,
                      walk.windowed_start(), &walk.windowed_offsets, walk.window_size());
  }
  return result;
}

Result<Literal> EvaluateScatter(const OpCall& call) {
  const auto& attributes = call.instruction.As<ir::ScatterAttributes>();
  size_t count = (call.operands.size() - 1) / 2;
  const Dimensions& operand = call.operand(0).shape().dimensions;
  const Dimensions& updates = call.operand(count + 1).shape().dimensions;
  Windows windows{attributes.update_window_dims,
                  attributes.inserted_window_dims,
                  attributes.scatter_dims_to_operand_dims,
                  attributes.input_batching_dims,
                  attributes.scatter_indices_batching_dims,
                  attributes.index_vector_dim,
                  ScatterSliceSizes(attributes, operand, updates)};
  ScalarComputation& combine = call.evaluator.Scalars(call.instruction.called.at(0));
  WindowWalk walk(windows, operand, call.operand(count), updates);
  ScatterArrays arrays = PrepareScatter(call, walk.window_size());
  for (; walk.valid(); walk.Advance()) {
    walk.Start();
    if (walk.IsInside()) TRY_STATUS(ScatterWindow(walk, combine, arrays));
  }
  if (!call.shape().is_tuple()) return arrays.results.front();
  return Literal::Tuple(std::move(arrays.results));
}

}  // namespace stead::interp
