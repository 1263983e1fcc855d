// Gives every array inside a module row-major layout, when its parameters and results have that layout already.
//   In HLO the layout of a value says nothing about its elements, except at a bitcast, which reinterprets bytes: there the
//   change of order is written out as transposes around a reshape. A custom call keeps the layouts it asks for: bitcasts of
//   transposed arrays stand around it. So they do behind parameters and before results where entry_computation_layout asks
//   for another order than row major.
//   Packed parameters and results (see packed-border) are left as they are, whatever their order.
//   Needs: calls and fusions inlined.  Keeps: meaning.  Cost: O(instructions).
//   Does not: touch a module laid out for another machine (tiles, memory spaces), one whose parameters or results were given
//   other layouts by another compiler, or one that cannot be expressed (a bitcast between element types, another layout inside
//   of nested tuples); such modules are planned as they are, and not run.
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> MakeRowMajor(ir::Module& module);

}  // namespace stead::passes
