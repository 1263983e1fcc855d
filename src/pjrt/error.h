// The error object of the C API and how our diagnostics become one.
//   Input: a Diagnostic. Output: a PJRT_Error that the caller reads with PJRT_Error_Message and frees with PJRT_Error_Destroy.
//   The first word of a PJRT_Error is a table pointer that newer callers may read; null means "use the functions of the API".
#pragma once

#include <string>

#include "base/result.h"
#include "pjrt_abi.h"

struct PJRT_Error {
  const PJRT_Error_FunctionTable* vtable = nullptr;
  PJRT_Error_Code code = PJRT_Error_Code_INTERNAL;
  std::string message;
};

namespace stead::pjrt {

// Never fails: where there is no memory for the error, one that lives forever stands in for it.
PJRT_Error* MakeError(const Diagnostic& diagnostic) noexcept;
PJRT_Error* MakeError(ErrorCode code, const char* what) noexcept;
// The error for std::bad_alloc.
PJRT_Error* OutOfMemoryError() noexcept;

void ErrorDestroy(PJRT_Error_Destroy_Args* args) noexcept;
void ErrorMessage(PJRT_Error_Message_Args* args) noexcept;
Status ErrorGetCode(PJRT_Error_GetCode_Args& args);
Status ErrorForEachPayload(PJRT_Error_ForEachPayload_Args& args);

}  // namespace stead::pjrt
