// Which result is built in which given-away buffer, once the order of a scope is fixed: of the entry (donated parameters),
// of a loop body (the state's slots). A pairing never costs a copy; what cannot be had for free stays unpaired.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/dataflow.h"
#include "inplace/constraints/scope.h"
#include "inplace/plan.h"

namespace stead::inplace {

// Definitions that follow one another in one buffer through in-place updates.
class Families {
 public:
  Families(const ir::Module& module, const analysis::Dataflow& dataflow, const ScopeContext& context);

  // The first content of the buffer that this content was built in.
  analysis::DefinitionId Head(analysis::DefinitionId definition) const;
  // The last use of the definition and of what in-place updates make of it.
  int32_t LastUse(analysis::DefinitionId definition) const { return last_use_[definition]; }
  // The first preserving writer of the definition; beyond the end when none.
  int32_t Writer(analysis::DefinitionId definition) const { return writer_[definition]; }

 private:
  IdVector<analysis::DefinitionId, analysis::DefinitionId> parent_;  // none: not built in place
  IdVector<analysis::DefinitionId, int32_t> last_use_;
  IdVector<analysis::DefinitionId, int32_t> writer_;
};

// True when result leaf `leaf` of `node` may overwrite a buffer whose content `definition` it reads: a tie that writes every
// element, and every read of the definition by the node is at the index being written (or, for exchanges, at its partner).
bool OverwritesFully(const ir::Module& module, const analysis::Dataflow& dataflow, int32_t node, int32_t leaf,
                     analysis::DefinitionId definition);

// A buffer that the scope may overwrite after the last use of its first content.
struct Offer {
  analysis::DefinitionId content;
  BufferId buffer;
  int64_t bytes = 0;
};

// The result content `head` may be built in the offered buffer without a copy.
bool IsFreeFor(const ir::Module& module, const analysis::Dataflow& dataflow, const Families& families,
               const Offer& offer, analysis::DefinitionId head);

// The head of a result is a full writer that can be told where to write.
bool CanBeDirected(const ir::Module& module, const analysis::Dataflow& dataflow, analysis::DefinitionId head);

// Per paired result head: its buffer.
using Pairing = std::unordered_map<analysis::DefinitionId, BufferId>;

// The buffer that a result leaf should get if that is free of cost. Declared must-aliases come before everything else, other
// wishes after what the flow of data says.
struct Wish {
  BufferId buffer;
  bool must = false;
};
using Wishes = std::vector<std::optional<Wish>>;  // per result leaf; may be shorter

Pairing PairResults(const ir::Module& module, const analysis::Dataflow& dataflow, const Families& families,
                    ir::InstrId root, const std::vector<Offer>& offers, const Wishes& wishes);

}  // namespace stead::inplace
