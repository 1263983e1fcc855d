#include "ffi/error.h"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>
#include <utility>

#include "ffi/registry.h"

struct XLA_FFI_Error {
  std::string message;
};

namespace stead::ffi {
namespace {

XLA_FFI_Error* CreateOwn(XLA_FFI_Error_Create_Args* args) { return new XLA_FFI_Error{args->message}; }

void GetOwnMessage(XLA_FFI_Error_GetMessage_Args* args) { args->message = args->error->message.c_str(); }

void DestroyOwn(XLA_FFI_Error_Destroy_Args* args) { delete args->error; }

struct ErrorMaker {
  XLA_FFI_Error_Create* create = CreateOwn;
  XLA_FFI_Error_GetMessage* get_message = GetOwnMessage;
  XLA_FFI_Error_Destroy* destroy = DestroyOwn;
};

struct Errors {
  std::mutex mutex;
  ErrorMaker maker;
  // Each error must go back to the maker that it came from.
  bool is_maker_used = false;
  // A handler that takes an error apart by itself leaves its entry here, until another error gets the address.
  std::unordered_map<const XLA_FFI_Error*, XLA_FFI_Error_Code> codes;
};

// Never destroyed: programs may run until the process ends.
Errors& AllErrors() {
  static Errors* const errors = new Errors;
  return *errors;
}

ErrorMaker UsedMaker() {
  Errors& errors = AllErrors();
  const std::lock_guard lock(errors.mutex);
  errors.is_maker_used = true;
  return errors.maker;
}

XLA_FFI_Error_Code CodeOf(const XLA_FFI_Error* error) {
  Errors& errors = AllErrors();
  const std::lock_guard lock(errors.mutex);
  const auto found = errors.codes.find(error);
  return found == errors.codes.end() ? XLA_FFI_Error_Code_INTERNAL : found->second;
}

// The kinds of failure that our diagnostics tell apart; the rest is a failure inside the handler.
ErrorCode ToErrorCode(XLA_FFI_Error_Code code) {
  switch (code) {
    case XLA_FFI_Error_Code_INVALID_ARGUMENT: return ErrorCode::kInvalidArgument;
    case XLA_FFI_Error_Code_NOT_FOUND: return ErrorCode::kNotFound;
    case XLA_FFI_Error_Code_FAILED_PRECONDITION: return ErrorCode::kFailedPrecondition;
    case XLA_FFI_Error_Code_RESOURCE_EXHAUSTED: return ErrorCode::kResourceExhausted;
    case XLA_FFI_Error_Code_UNIMPLEMENTED: return ErrorCode::kUnimplemented;
    default: return ErrorCode::kInternal;
  }
}

void Adopt(const XLA_FFI_Api& api) {
  if (api.api_version.major_version != XLA_FFI_API_MAJOR) return;
  Errors& errors = AllErrors();
  const std::lock_guard lock(errors.mutex);
  if (errors.is_maker_used) return;
  errors.maker = {api.XLA_FFI_Error_Create, api.XLA_FFI_Error_GetMessage, api.XLA_FFI_Error_Destroy};
}

}  // namespace

XLA_FFI_Error* NewError(XLA_FFI_Error_Code code, const std::string& message) {
  XLA_FFI_Error_Create_Args args = {};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message.c_str();
  args.errc = code;
  XLA_FFI_Error* const error = UsedMaker().create(&args);
  Errors& errors = AllErrors();
  const std::lock_guard lock(errors.mutex);
  errors.codes[error] = code;
  return error;
}

const char* MessageOf(XLA_FFI_Error* error) {
  XLA_FFI_Error_GetMessage_Args args = {};
  args.struct_size = XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE;
  args.error = error;
  UsedMaker().get_message(&args);
  return args.message;
}

void DestroyError(XLA_FFI_Error* error) {
  if (error == nullptr) return;
  Errors& errors = AllErrors();
  {
    const std::lock_guard lock(errors.mutex);
    errors.codes.erase(error);
  }
  XLA_FFI_Error_Destroy_Args args = {};
  args.struct_size = XLA_FFI_Error_Destroy_Args_STRUCT_SIZE;
  args.error = error;
  UsedMaker().destroy(&args);
}

Status ToStatus(XLA_FFI_Error* error, const std::string& doing, const SourcePlace& where) {
  if (error == nullptr) return {};
  Diagnostic diagnostic{.code = ToErrorCode(CodeOf(error)),
                        .what = fmt::format("{} failed: {}", doing, MessageOf(error)),
                        .where = where};
  DestroyError(error);
  return diagnostic;
}

XLA_FFI_Error* AdoptErrorMaker(XLA_FFI_CallFrame* frame) {
  if (frame->api != nullptr) Adopt(*frame->api);
  XLA_FFI_Extension_Base* const extension = frame->extension_start;
  if (extension != nullptr && extension->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Api_Version& version = reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension)->metadata->api_version;
    version.major_version = XLA_FFI_API_MAJOR;
    version.minor_version = XLA_FFI_API_MINOR;
  }
  return nullptr;
}

}  // namespace stead::ffi
