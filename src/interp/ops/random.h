// rng-bit-generator: random bits as a pure function of a state, bit for bit as XLA:CPU makes them.
#pragma once

#include "interp/op_call.h"

namespace stead::interp {

// (new state, bits). Algorithms rng_three_fry and rng_philox; rng_default is philox.
Result<ir::Literal> EvaluateRngBitGenerator(const OpCall& call);
Result<ir::Literal> EvaluateRngGetAndUpdateState(const OpCall& call);

}  // namespace stead::interp
