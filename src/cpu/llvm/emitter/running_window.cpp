#include "cpu/llvm/emitter/running_window.h"

namespace stead::cpu {

using ir::Instruction;
using ir::Module;
using ir::WindowDimension;

std::optional<RunningWindow> RunningWindowOf(const Module& module, const Instruction& reduce_window) {
  if (reduce_window.opcode != ir::Opcode::kReduceWindow) return std::nullopt;
  const ir::Shape& operand = module.shape(reduce_window.operands[0]);
  if (operand.element_count() == 0) return std::nullopt;
  std::optional<RunningWindow> found;
  const std::vector<WindowDimension>& window = reduce_window.As<ir::WindowAttributes>().window;
  for (size_t dim = 0; dim < window.size(); ++dim) {
    if (window[dim] == WindowDimension()) continue;
    const int64_t beyond = window[dim].size - 1;
    WindowDimension forward, backward;
    forward.size = backward.size = window[dim].size;
    forward.padding_low = backward.padding_high = beyond;
    const bool is_forward = window[dim] == forward;
    if (found || window[dim].size < operand.dimensions[dim] || (!is_forward && window[dim] != backward))
      return std::nullopt;
    found = RunningWindow{static_cast<int64_t>(dim), is_forward};
  }
  return found;
}

}  // namespace stead::cpu
