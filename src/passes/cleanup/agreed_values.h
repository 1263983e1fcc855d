// Takes one value where several devices hold one each and the program says that they agree (ir/agreed_value.h).
//   custom-call(a, b, c), custom_call_target="stead.agreed_value" -> a
//   RETURNS Unimplemented, with the place in the source, where the values are not made in the same way from the same: on devices of
//   their own they could differ, and one program on whole arrays has only one.
//   Needs: calls inlined; after cse and simplification more is known to agree.  Keeps: meaning.  Cost: O(instructions).
#pragma once

#include "passes/pass.h"

namespace stead::passes {

Result<PassReport> TakeAgreedValues(ir::Module& module);

}  // namespace stead::passes
