#include <algorithm>
#include <cstring>

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

// results[outputs[k]] = combine(results[outputs[k]], operands[inputs[k]]) for all k.
Status CombineAt(const OpCall& call, ScalarComputation& combine, std::vector<Literal>& results,
                 const std::vector<int64_t>& outputs, const std::vector<int64_t>& inputs) {
  std::vector<std::vector<std::byte>> arrays;
  for (const Literal& result : results) arrays.push_back(Take(result, outputs));
  for (size_t number = 0; number < results.size(); ++number) arrays.push_back(Take(call.operand(number), inputs));
  std::vector<const std::byte*> arguments;
  std::vector<std::byte*> places;
  for (const std::vector<std::byte>& array : arrays) arguments.push_back(array.data());
  for (size_t number = 0; number < results.size(); ++number) places.push_back(arrays[number].data());
  TRY_STATUS(combine.Run(arguments, places, static_cast<int64_t>(outputs.size())));
  for (size_t number = 0; number < results.size(); ++number) Put(results[number], outputs, arrays[number]);
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
  ScalarComputation& combine = call.evaluator.Scalars(call.instruction.called.at(0));
  const Shape& first = call.shape().is_tuple() ? call.shape().elements.at(0) : call.shape();
  std::vector<Literal> results;
  for (size_t number = 0; number < count; ++number) {
    results.push_back(
        Splat(call.shape().is_tuple() ? call.shape().elements.at(number) : call.shape(), call.operand(count + number)));
  }
  WindowPlaces places(window, call.operand(0).shape().dimensions, first.dimensions);
  std::vector<int64_t> outputs, inputs;
  for (IndexCounter place(places.extents()); place.valid(); place.Advance()) {
    places.Find(place.index(), outputs, inputs);
    TRY_STATUS(CombineAt(call, combine, results, outputs, inputs));
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
