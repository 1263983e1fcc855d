// Ops that combine many elements with a computation over scalars, and sorting.
#pragma once

#include "interp/op_call.h"

namespace stead::interp {

// A balanced tree over neighbours, in order: the error of a sum grows with the logarithm of its length, and the order depends
// on nothing but the length. Reductions of several operands at once give a tuple.
Result<ir::Literal> EvaluateReduce(const OpCall& call);
Result<ir::Literal> EvaluateMap(const OpCall& call);
// Combines the elements of each window in row-major order, starting from the initial value; elements that lie in
// the padding are skipped.
Result<ir::Literal> EvaluateReduceWindow(const OpCall& call);
Result<ir::Literal> EvaluateSelectAndScatter(const OpCall& call);
// Stable, whatever the comparator and whatever `is_stable` says.
Result<ir::Literal> EvaluateSort(const OpCall& call);
// The k largest (smallest) of the last dimension and where they stood; ties by position; NaN is larger than infinity.
Result<ir::Literal> EvaluateTopK(const OpCall& call);

}  // namespace stead::interp
