// Cumulative sums and the like: one pass along the dimension instead of a window per element. Lanes run side by side along the fastest
// dimension, unless that is the one passed along: then each row is a chain of single elements.
#include <algorithm>
#include <utility>

#include "cpu/llvm/emitter/kernel_emitter.h"
#include "cpu/llvm/emitter/running_window.h"

namespace stead::cpu {

void KernelEmitter::EmitRunning(const std::vector<Output>& outputs) {
  const Output& output = outputs[0];
  const ir::Instruction& window = module_.instruction(output.root);
  const RunningWindow running = *RunningWindowOf(module_, window);
  const int64_t length = output.array.shape.dimensions[running.dimension];
  std::vector<int64_t> lines = output.array.shape.dimensions;
  lines[running.dimension] = 1;
  const int64_t fastest = FastestDimension(output.array.shape);
  const int64_t vector_dim = fastest == running.dimension ? -1 : fastest;
  std::vector<MemoryArray> results;
  for (const Output& result : outputs) results.push_back(result.array);
  const auto run = [&](Index index) {
    generator_.Running(window, length, running.is_forward, results, [&](const IndexExpression& step) {
      index[running.dimension] = running.is_forward ? step : step * -1 + IndexExpression::Constant(length - 1);
      return index;
    });
  };
  const std::vector<int64_t> order = MemoryOrder(output.array.shape);
  const bool is_one_row = vector_dim >= 0 && std::ranges::count_if(lines, [](int64_t size) { return size > 1; }) == 1;
  if (!is_one_row) return ForEachElement(lines, order, vector_dim, OuterShare(lines, order, vector_dim), run);
  const int64_t vectors = (lines[vector_dim] + loops_.lanes() - 1) / loops_.lanes();
  if (shares_work_) kernel_.work_items = vectors;
  loops_.ForEachVector(Begin(), End(vectors), lines[vector_dim], [&](const IndexExpression& position) {
    Index index(lines.size());
    index[vector_dim] = position;
    run(std::move(index));
  });
}

}  // namespace stead::cpu
