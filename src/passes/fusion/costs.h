// Where an op may stand in a fusion, and how dear it is to compute an element of it twice.
#pragma once

#include "ir/module.h"

namespace stead::passes {

// May be the result of a fusion: elementwise ops, movements, dynamic-update-slice, reduce.
bool MayBeRoot(const ir::Module& module, ir::InstrId id);

// May be computed element by element inside a fusion, on demand.
bool MayBeInside(const ir::Module& module, ir::InstrId id);

// A gather that may be the result of a fusion or inside of one, where nobody asks which elements it reads (clusters.h).
bool MayBeLookup(const ir::Module& module, ir::InstrId id);

// A constant of one element, or a fill or ramp made without reading an array: belongs wherever it is used.
bool IsFree(const ir::Module& module, ir::InstrId id);

// Tens of cycles per element (division, exponentials, ...): never computed more often than once per element.
bool IsExpensive(ir::Opcode opcode);

// True for a reduction along the dimension whose elements lie next to each other (arrays are row major here).
bool ReducesRows(const ir::Module& module, ir::InstrId reduce);

// True for operands that say where a window starts. They stay outside fusions, where planning sees how they are computed, if
// that can matter to anybody.
bool IsWindowStart(const ir::Instruction& user, size_t operand);

}  // namespace stead::passes
