#include <algorithm>
#include <cstring>
#include <optional>

#include "interp/box.h"
#include "interp/evaluator.h"
#include "interp/ops/reduce.h"
#include "interp/scalar_computation.h"
#include "interp/window.h"

namespace stead::interp {
namespace {

using ir::Literal;
using ir::Shape;

// Elements gathered from, and scattered to, the given positions of an array.
std::vector<std::byte> Take(const Literal& array, const std::vector<int64_t>& positions) {
  int64_t bytes = ir::ElementBytes(array.shape().element_type);
  std::vector<std::byte> taken(positions.size() * static_cast<size_t>(bytes));
  for (size_t number = 0; number < positions.size(); ++number) {
    std::memcpy(taken.data() + static_cast<int64_t>(number) * bytes, array.bytes().data() + positions[number] * bytes,
                static_cast<size_t>(bytes));
  }
  return taken;
}

void Put(Literal& array, const std::vector<int64_t>& positions, const std::vector<std::byte>& elements) {
  int64_t bytes = ir::ElementBytes(array.shape().element_type);
  std::byte* target = array.mutable_bytes().data();
  for (size_t number = 0; number < positions.size(); ++number) {
    std::memcpy(target + positions[number] * bytes, elements.data() + static_cast<int64_t>(number) * bytes,
                static_cast<size_t>(bytes));
  }
}

// One application of the reducer to many elements at once.
struct Combination {
  // result[outputs[k]] = combine(result[before[k]], operand[inputs[k]])
  std::vector<int64_t> before, inputs, outputs;
  bool operand_first = false;  // combine(operand, result) instead
};

Status Combine(const OpCall& call, ScalarComputation& reducer, const Combination& combination,
               std::vector<Literal>& results) {
  std::vector<std::vector<std::byte>> before, operands;
  for (size_t number = 0; number < results.size(); ++number) {
    before.push_back(Take(results[number], combination.before));
    operands.push_back(Take(call.operand(number), combination.inputs));
  }
  std::vector<std::byte*> places;
  for (std::vector<std::byte>& array : before) places.push_back(array.data());
  const auto& lefts = combination.operand_first ? operands : before;
  const auto& rights = combination.operand_first ? before : operands;
  std::vector<const std::byte*> arguments;
  for (const std::vector<std::byte>& array : lefts) arguments.push_back(array.data());
  for (const std::vector<std::byte>& array : rights) arguments.push_back(array.data());
  TRY_STATUS(reducer.Run(arguments, places, static_cast<int64_t>(combination.outputs.size())));
  for (size_t number = 0; number < results.size(); ++number) Put(results[number], combination.outputs, before[number]);
  return {};
}

// The dimension of a running reduction (a cumulative sum): the window of each output reaches from one end of that
// dimension to the output's own place and is one element wide elsewhere.
struct RunningDimension {
  size_t dim = 0;
  bool from_start = false;
};

std::optional<RunningDimension> FindRunningDimension(const std::vector<ir::WindowDimension>& window,
                                                     const ir::Dimensions& extents) {
  std::optional<RunningDimension> found;
  for (size_t dim = 0; dim < window.size(); ++dim) {
    const ir::WindowDimension& dimension = window[dim];
    int64_t padding = dimension.padding_low + dimension.padding_high;
    bool plain = dimension.stride == 1 && dimension.window_dilation == 1 && dimension.base_dilation == 1 &&
                 dimension.padding_low >= 0 && dimension.padding_high >= 0 && padding == dimension.size - 1;
    if (!plain) return std::nullopt;
    if (dimension.size == 1) continue;
    bool one_sided = dimension.padding_low == 0 || dimension.padding_high == 0;
    if (found.has_value() || dimension.size != extents[dim] || !one_sided) return std::nullopt;
    found = {dim, dimension.padding_high == 0};
  }
  return found;
}

// Every output is its neighbour's combined with one more element: n steps where separate windows would take n^2 / 2.
Status RunAlong(const OpCall& call, ScalarComputation& reducer, RunningDimension running,
                std::vector<Literal>& results) {
  const ir::Dimensions& extents = call.operand(0).shape().dimensions;
  std::vector<int64_t> strides = ir::RowMajorStrides(extents);
  ir::Dimensions lines = extents;
  lines[running.dim] = 1;
  std::vector<int64_t> starts;
  for (IndexCounter index(lines); index.valid(); index.Advance()) starts.push_back(Dot(index.index(), strides));
  Combination combination;
  combination.operand_first = !running.from_start;
  for (int64_t step = 0; step < extents[running.dim]; ++step) {
    int64_t place = running.from_start ? step : extents[running.dim] - 1 - step;
    std::vector<int64_t> positions = starts;
    for (int64_t& position : positions) position += place * strides[running.dim];
    // The first output still holds the initial value.
    combination.before = step == 0 ? positions : std::move(combination.outputs);
    combination.inputs = positions;
    combination.outputs = std::move(positions);
    TRY_STATUS(Combine(call, reducer, combination, results));
  }
  return {};
}

// For every window the position of the element that `select` prefers over all others, or -1 for a window of padding alone.
Result<std::vector<int64_t>> SelectedPositions(const OpCall& call, const WindowPlaces& places, int64_t window_count) {
  ScalarComputation& select = call.evaluator.Scalars(call.instruction.called.at(0));
  const Literal& operand = call.operand(0);
  std::vector<int64_t> selected(static_cast<size_t>(window_count), -1);
  std::vector<int64_t> windows, candidates;
  for (IndexCounter place(places.extents()); place.valid(); place.Advance()) {
    places.Find(place.index(), windows, candidates);
    std::vector<int64_t> current;
    for (size_t lane = 0; lane < windows.size(); ++lane) {
      int64_t& best = selected[windows[lane]];
      // The first element of a window has no rival; comparing it with itself and taking the result changes nothing.
      if (best < 0) best = candidates[lane];
      current.push_back(best);
    }
    std::vector<std::byte> lefts = Take(operand, current);
    std::vector<std::byte> rights = Take(operand, candidates);
    std::vector<std::byte> keeps(windows.size());
    const std::byte* const arguments[] = {lefts.data(), rights.data()};
    std::byte* const decisions[] = {keeps.data()};
    TRY_STATUS(select.Run(arguments, decisions, static_cast<int64_t>(windows.size())));
    for (size_t lane = 0; lane < windows.size(); ++lane) {
      if (keeps[lane] == std::byte{0}) selected[windows[lane]] = candidates[lane];
    }
  }
  return selected;
}

}  // namespace

Result<Literal> EvaluateReduceWindow(const OpCall& call) {
  size_t count = call.operands.size() / 2;
  const auto& window = call.instruction.As<ir::WindowAttributes>().window;
  ScalarComputation& reducer = call.evaluator.Scalars(call.instruction.called.at(0));
  auto shape_of = [&](size_t number) {
    return call.shape().is_tuple() ? call.shape().elements.at(number) : call.shape();
  };
  std::vector<Literal> results;
  for (size_t number = 0; number < count; ++number)
    results.push_back(Splat(shape_of(number), call.operand(count + number)));
  const ir::Dimensions& extents = call.operand(0).shape().dimensions;
  if (std::optional<RunningDimension> running = FindRunningDimension(window, extents)) {
    TRY_STATUS(RunAlong(call, reducer, *running, results));
  } else {
    WindowPlaces places(window, extents, shape_of(0).dimensions);
    Combination combination;
    for (IndexCounter place(places.extents()); place.valid(); place.Advance()) {
      places.Find(place.index(), combination.outputs, combination.inputs);
      combination.before = combination.outputs;
      TRY_STATUS(Combine(call, reducer, combination, results));
    }
  }
  return call.shape().is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results.front());
}

// Each element of the source is combined into the result where `select` finds the winner of its window.
Result<Literal> EvaluateSelectAndScatter(const OpCall& call) {
  const Literal& source = call.operand(1);
  WindowPlaces places(call.instruction.As<ir::WindowAttributes>().window, call.operand(0).shape().dimensions,
                      source.shape().dimensions);
  TRY(std::vector<int64_t> selected, SelectedPositions(call, places, source.shape().element_count()));
  ScalarComputation& scatter = call.evaluator.Scalars(call.instruction.called.at(1));
  Literal result = Splat(call.shape(), call.operand(2));
  int64_t bytes = ir::ElementBytes(call.shape().element_type);
  for (size_t window = 0; window < selected.size(); ++window) {
    if (selected[window] < 0) continue;
    std::byte* target = result.mutable_bytes().data() + selected[window] * bytes;
    const std::byte* const arguments[] = {target, source.bytes().data() + static_cast<int64_t>(window) * bytes};
    std::byte* const places_of_results[] = {target};
    TRY_STATUS(scatter.Run(arguments, places_of_results, 1));
  }
  return result;
}

}  // namespace stead::interp
