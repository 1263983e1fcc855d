// Who reads which element, and dropping elements, of tuples that pass through loops, branches and barriers.
#pragma once

#include <optional>
#include <vector>

#include "ir/module.h"

namespace stead::passes {

// One flag per element of a tuple; the elements to keep, for the functions below.
using ElementFlags = std::vector<bool>;

// Which elements of a tuple value are taken out and used. Nothing when the value is no tuple, is a root, or is used whole.
std::optional<ElementFlags> UsedElements(const ir::Module& module, ir::InstrId tuple);

// The get-tuple-elements that take each element of a tuple value. Nothing when the value is a root or is used whole.
std::optional<std::vector<std::vector<ir::InstrId>>> ReadersByElement(const ir::Module& module, ir::InstrId tuple);

// The shape without the elements that are not kept.
ir::Shape KeepElements(const ir::Shape& shape, const ElementFlags& kept);

// Gives a value the shape of its kept elements and renumbers the get-tuple-elements that use it.
// REQUIRES: UsedElements is known; get-tuple-elements of dropped elements are unused and will be swept.
void DropElements(ir::Module& module, ir::InstrId tuple, const ElementFlags& kept);

// A new tuple, just before `user`, of the kept elements of `tuple`.
ir::InstrId TupleOfKept(ir::Module& module, ir::InstrId user, ir::InstrId tuple, const ElementFlags& kept);

// Drops the operands that are not kept. REQUIRES: a `tuple` instruction whose users expect the new shape.
void ShrinkTuple(ir::Module& module, ir::InstrId tuple, const ElementFlags& kept);

}  // namespace stead::passes
