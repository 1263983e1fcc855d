// The order problem of one scope: what must precede what, and what need not once a copy is bought. Essay: arcs.cpp.
//   module + dataflow -> ConflictGraph -> hitting -> purchase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/dataflow.h"
#include "inplace/constraints/scope.h"
#include "inplace/order/hitting.h"

namespace stead::inplace {

// Something that can be bought.
struct Element {
  enum class Kind : uint8_t {
    kCopy,    // a private copy of the operand leaf before `node` uses it
    kSave,    // the box that `node` reads of its operand, set aside before anyone overwrites it
    kBorrow,  // `node`, a loop, reads its initial value where it is and overwrites a buffer of its own; costs no copy
    kMove,    // a copy of result `leaf` at the end, into the memory where the module demands it (demands.h)
  };
  Kind kind = Kind::kCopy;
  int32_t node = 0;
  int32_t operand = 0;
  int32_t leaf = 0;
  analysis::DefinitionId definition;  // whose bytes are copied
  analysis::Region box;               // kSave: in the coordinates of the operand
  int64_t bytes = 0;
};

enum class EdgeKind : uint8_t { kData, kBarrier, kControl, kEffect, kEnd };

// Why a conditional arc is there: `reader` needs the content of `definition` that `writer` overwrites.
struct ArcCause {
  analysis::DefinitionId definition;
  bool read_only = false;       // the content is not the program's to overwrite
  analysis::DefinitionUse use;  // the read; none when read_only
  PreservingTie tie;            // the write; none of a demand
  // A result is demanded in the content's memory: in this plan, or whatever is planned, at this price.
  enum class Demand : uint8_t { kNone, kOfPlan, kForced } demand = Demand::kNone;
};

// Node numbers are the dataflow's; node_count() stands for the end of the scope.
struct ConflictGraph {
  HittingProblem problem;
  std::vector<EdgeKind> edge_kinds;  // per problem.edges
  std::vector<ArcCause> causes;      // per problem.arcs
  std::vector<Element> elements;     // per problem.weights
};

ConflictGraph BuildConflictGraph(const ir::Module& module, const Scope& scope, const analysis::Dataflow& dataflow,
                                 const ScopeContext& context);

// The box of its operand that a snapshot for a reader other than the end holds. None when the reader cannot be pointed at one: it
// must be a slice, or a fusion that reads the operand through slices only.
std::optional<analysis::Region> SavedBox(const ir::Module& module, const analysis::Dataflow& dataflow,
                                         const analysis::DefinitionUse& use);

// The edges that the flow of data alone demands: no barriers, control edges, effects or tokens.
std::vector<OrderEdge> DataEdges(const analysis::Dataflow& dataflow);

}  // namespace stead::inplace
