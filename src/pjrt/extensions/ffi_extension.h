// The extension through which a framework reaches the handlers of custom calls: types, handlers, and objects for one run.
#pragma once

#include <cstdint>
#include <map>

#include "base/result.h"
#include "pjrt_abi.h"

// What one run hands to its custom calls.
struct PJRT_ExecuteContext {
  std::map<int64_t, void*> user_data;  // by the ids of the objects' types
};

namespace stead::pjrt {

Status ExecuteContextCreate(PJRT_ExecuteContext_Create_Args& args);
Status ExecuteContextDestroy(PJRT_ExecuteContext_Destroy_Args& args);
Status FfiTypeRegister(PJRT_FFI_Type_Register_Args& args);
Status FfiUserDataAdd(PJRT_FFI_UserData_Add_Args& args);
Status FfiRegisterHandler(PJRT_FFI_Register_Handler_Args& args);

}  // namespace stead::pjrt
