// Loop state and branch results that are only pointers: they are read where they lie, in arrays that somebody else keeps, instead of
// being copied into buffers of their own. Which of them are is a choice (regions.h). Essay: pointers.cpp.
//   choices + module -> per loop and conditional: what its pointers may lead to (analysis::PointerResult).
#pragma once

#include <cstdint>
#include <optional>

#include "inplace/constraints/scope.h"

namespace stead::inplace {

// Records the pointers of the loops and conditionals that the scope holds. REQUIRES: those inside them, what their loops leave
// untouched and the leaders of their state are known.
void FindPointers(const ir::Module& module, const Scope& scope, ScopeContext& context);

// The result leaf is a pointer that may lead to other values, or another value itself.
bool IsPointerResult(const ScopeContext& context, ir::InstrId caller, int32_t leaf);

// Per state leaf of a planned loop: it is a pointer that goes with a slot.
std::vector<bool> PointersWithSlots(const ir::Module& module, const analysis::Dataflow& body,
                                    const ScopeContext& context, ir::InstrId loop);

// The content of one leaf of the parameter that the next iteration finds in this one: where it lies, it may be handed on as it is.
// None when the next content is made, or is copied.
std::optional<int32_t> HandedOnLeaf(const ir::Module& module, const analysis::Dataflow& body,
                                    const ScopeContext& context, ir::InstrId loop, int32_t leaf);

}  // namespace stead::inplace
