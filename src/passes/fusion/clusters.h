// Decides which instructions of a computation become one loop.
//   In: a computation.  Out: clusters, each an instruction that gives the result and the producers computed inside its loop.
//   A producer may be in several clusters, which then compute it each for itself; it is materialised when no cluster holds it or
//   somebody outside all clusters uses it.
//   Read next: clusters.cpp (why no cluster ever makes a cycle), arcs.h (what in-place updates ask for).
#pragma once

#include <vector>

#include "ir/module.h"

namespace stead::passes {

struct Cluster {
  ir::InstrId root;
  std::vector<ir::InstrId> members;  // the root first, each member after all of its users inside
};

// Clusters with something to gain: two members at least that are not constants. Deterministic; near linear.
std::vector<Cluster> FindClusters(const ir::Module& module, ir::ComputationId computation);

}  // namespace stead::passes
