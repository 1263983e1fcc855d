// A loop seen element by element of its state: who reads each in the condition, in the body and after the loop.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace stead::passes {

struct LoopElements {
  ir::InstrId loop, init, next;  // the while, the tuple that its state starts with, the root of the body
  // The get-tuple-elements by state element.
  std::vector<std::vector<ir::InstrId>> tested, state, results;

  // Nothing unless start and next state are tuples in sight and no state is used whole. REQUIRES: `loop` is a while.
  static std::optional<LoopElements> Of(const ir::Module& module, ir::InstrId loop);

  size_t size() const { return state.size(); }
  // Whether each iteration hands the element on as it got it.
  bool IsHandedOn(const ir::Module& module, size_t element) const;
};

// Values of the body that are the same in every iteration, made again before the loop.
class ValuesBeforeLoop {
 public:
  // REQUIRES: `loop` outlives this.
  ValuesBeforeLoop(ir::Module& module, const LoopElements& loop);
  // REQUIRES: `id` is state that is handed on as it is, or made from such and from constants alone.
  ir::InstrId Of(ir::InstrId id);

 private:
  ir::Module& module_;
  const LoopElements& loop_;
  std::unordered_map<ir::InstrId, ir::InstrId> made_;
};

}  // namespace stead::passes
