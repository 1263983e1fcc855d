// The element types of the C API and of HLO, one to one.
#pragma once

#include "base/result.h"
#include "ir/number/element_type.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

PJRT_Buffer_Type ToPjrtType(ir::ElementType type);

// RETURNS Unimplemented for tokens and for types that HLO here does not have.
Result<ir::ElementType> FromPjrtType(PJRT_Buffer_Type type);

}  // namespace stead::pjrt
