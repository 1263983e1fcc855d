#include "pjrt/extensions/ffi_extension.h"

#include <string>

#include "ffi/registry.h"

namespace stead::pjrt {

Status ExecuteContextCreate(PJRT_ExecuteContext_Create_Args& args) {
  args.context = new PJRT_ExecuteContext;
  return {};
}

Status ExecuteContextDestroy(PJRT_ExecuteContext_Destroy_Args& args) {
  delete args.context;
  return {};
}

Status FfiTypeRegister(PJRT_FFI_Type_Register_Args& args) {
  TRY(args.type_id, ffi::RegisterType(std::string(args.type_name, args.type_name_size), args.type_id,
                                      args.type_info == nullptr ? nullptr : args.type_info->deleter));
  return {};
}

Status FfiUserDataAdd(PJRT_FFI_UserData_Add_Args& args) {
  args.context->user_data[args.user_data.type_id] = args.user_data.data;
  return {};
}

Status FfiRegisterHandler(PJRT_FFI_Register_Handler_Args& args) {
  return ffi::RegisterHandler(std::string(args.target_name, args.target_name_size),
                              {.execute = reinterpret_cast<ffi::Handler*>(args.handler)});
}

}  // namespace stead::pjrt
