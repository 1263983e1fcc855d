// A custom call of a compiled program, bound to its handler.
//   In: what the instruction says. Out: a function over addresses. Thread-safe: runs share nothing but what the stage
//   `instantiate` left.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ffi/execution.h"
#include "ir/shape.h"

namespace stead::ffi {

struct CallSite {
  std::string target;
  // Array and token leaves, in order. Memory is dense, in the order that a shape's layout says.
  std::vector<ir::Shape> operands, results;
  std::string configuration;  // `backend_config` as HLO text writes it
  SourcePlace where;
};

class CustomCall {
 public:
  // Finds the handler and runs its stage `instantiate`.
  // RETURNS `UNIMPLEMENTED` naming target and place when nobody registered the target; what the handler says when it fails.
  static Result<std::unique_ptr<CustomCall>> Make(CallSite site);
  ~CustomCall();
  CustomCall(const CustomCall&) = delete;
  CustomCall& operator=(const CustomCall&) = delete;

  // `arrays`: one address per array of the operands, then of the results. An operand that the call declares as aliased may
  // have the address of its result; no others overlap. RETURNS what the handler says when it fails.
  Status Run(std::span<void* const> arrays, Execution& execution) const;

 private:
  struct Binding;
  explicit CustomCall(std::unique_ptr<Binding> binding);
  Execution::CallStates& StatesOf(Execution& execution) const;
  std::unique_ptr<Binding> binding_;
};

}  // namespace stead::ffi
