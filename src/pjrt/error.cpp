#include "pjrt/error.h"

#include <new>

namespace stead::pjrt {

namespace {

PJRT_Error_Code CodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return PJRT_Error_Code_INVALID_ARGUMENT;
    case ErrorCode::kNotFound: return PJRT_Error_Code_NOT_FOUND;
    case ErrorCode::kFailedPrecondition: return PJRT_Error_Code_FAILED_PRECONDITION;
    case ErrorCode::kResourceExhausted: return PJRT_Error_Code_RESOURCE_EXHAUSTED;
    case ErrorCode::kUnimplemented: return PJRT_Error_Code_UNIMPLEMENTED;
    case ErrorCode::kInternal: return PJRT_Error_Code_INTERNAL;
  }
  return PJRT_Error_Code_INTERNAL;
}

// The text without the name of its code, which the framework prints in front by itself.
std::string MessageOf(const Diagnostic& diagnostic) {
  return diagnostic.ToString().substr(ErrorCodeName(diagnostic.code).size() + std::string_view(": ").size());
}

}  // namespace

PJRT_Error* OutOfMemoryError() noexcept {
  static PJRT_Error error{.code = PJRT_Error_Code_RESOURCE_EXHAUSTED, .message = "out of memory"};
  return &error;
}

PJRT_Error* MakeError(const Diagnostic& diagnostic) noexcept {
  try {
    return new PJRT_Error{.code = CodeOf(diagnostic.code), .message = MessageOf(diagnostic)};
  } catch (const std::bad_alloc&) {
    return OutOfMemoryError();
  }
}

PJRT_Error* MakeError(ErrorCode code, const char* what) noexcept {
  try {
    return MakeError(Diagnostic{.code = code, .what = what});
  } catch (const std::bad_alloc&) {
    return OutOfMemoryError();
  }
}

void ErrorDestroy(PJRT_Error_Destroy_Args* args) noexcept {
  if (args->error != OutOfMemoryError()) delete args->error;
}

void ErrorMessage(PJRT_Error_Message_Args* args) noexcept {
  args->message = args->error->message.data();
  args->message_size = args->error->message.size();
}

Status ErrorGetCode(PJRT_Error_GetCode_Args& args) {
  args.code = args.error->code;
  return {};
}

// Our errors carry their whole story in the message.
Status ErrorForEachPayload(PJRT_Error_ForEachPayload_Args&) { return {}; }

}  // namespace stead::pjrt
