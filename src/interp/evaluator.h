// Runs the instructions of computations one after another on a table of values.
//   Native recursion happens only through called computations and is bounded; a value is let go after its last use.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/random_state.h"
#include "base/result.h"
#include "interp/op_call.h"
#include "ir/module.h"

namespace stead::interp {

class ScalarComputation;

class Evaluator {
 public:
  // Borrows the module.
  explicit Evaluator(const ir::Module& module);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  const ir::Module& module() const { return module_; }

  // RETURNS RESOURCE_EXHAUSTED when computations call each other too deeply.
  Result<ir::Literal> Run(ir::ComputationId computation, std::span<const ir::Literal* const> arguments);
  Result<ir::Literal> RunInstruction(ir::InstrId id, std::span<const ir::Literal* const> operands);
  // The state of an rng-get-and-update-state.
  RandomState& random_state(ir::InstrId id) { return random_states_[id]; }
  // The computation made ready to run on elements; prepared once.
  ScalarComputation& Scalars(ir::ComputationId computation);

 private:
  // An instruction with the places of its operands in the table of values, and the places nobody reads after it.
  struct Step {
    ir::InstrId id;
    std::vector<size_t> operands;
    std::vector<size_t> last_uses;
  };
  struct Plan {
    std::vector<Step> steps;
    size_t root = 0;
  };

  const Plan& PlanFor(ir::ComputationId computation);
  Result<ir::Literal> RunPlan(const Plan& plan, std::span<const ir::Literal* const> arguments);

  const ir::Module& module_;
  int depth_ = 0;
  std::unordered_map<ir::ComputationId, std::unique_ptr<Plan>> plans_;
  std::unordered_map<ir::ComputationId, std::unique_ptr<ScalarComputation>> scalars_;
  std::unordered_map<ir::InstrId, RandomState> random_states_;
};

}  // namespace stead::interp
