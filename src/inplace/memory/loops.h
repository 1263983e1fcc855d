// Loop state as pointer variables: what the back edge of a loop exchanges, and which buffers may trade places.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inplace/plan.h"

namespace stead::inplace {

// The parallel pointer moves after an iteration: slot k takes the pointer of next[k], and the pointers this frees go to the
// variables that lost theirs, so that the moves permute pointers. Identities are left out.
// A slot without next takes any that is free.
// REQUIRES: slots are distinct, next are distinct.
std::vector<PointerMove> BackEdgeMoves(const std::vector<BufferId>& slots,
                                       const std::vector<std::optional<BufferId>>& next);

// Buffers that may hold each other's pointers at some time of a run.
class ExchangeClasses {
 public:
  void Join(BufferId left, BufferId right);
  BufferId Leader(BufferId buffer);

 private:
  IdVector<BufferId, BufferId> leaders_;
};

}  // namespace stead::inplace
