// The errors of the XLA FFI: made for handlers and by them, read here as a Status.
//   Some handlers inside jaxlib read an error that our table gave them as XLA's own object. Where jaxlib is there, its maker of
//   errors is used (AdoptErrorMaker), so that such a handler finds the text; else they are objects of ours.
//   The interface tells nobody the code of an error; it is remembered here by address.
//   Only files of this room include it, because it shows the foreign header.
#pragma once

#include <string>

#include "base/result.h"
#include "xla/ffi/api/c_api.h"

namespace stead::ffi {

XLA_FFI_Error* NewError(XLA_FFI_Error_Code code, const std::string& message);
// Lives as long as the error.
const char* MessageOf(XLA_FFI_Error* error);
// Null is allowed.
void DestroyError(XLA_FFI_Error* error);

// Takes over `error`; null is success. `doing` names the target for the reader.
Status ToStatus(XLA_FFI_Error* error, const std::string& doing, const SourcePlace& where);

}  // namespace stead::ffi
