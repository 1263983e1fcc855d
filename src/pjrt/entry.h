// The threshold of the C API: what each function of the table does before and after its body.
//   Entry<Body> turns `Status Body(PJRT_X_Args&)` into the function pointer of slot X:
//   - no exception crosses: a diagnostic, a bug of ours (InternalError) and a lack of memory all become a PJRT_Error;
//   - the caller's struct_size is honoured: a body sees the whole struct of our version, with zeros where an older caller's
//     struct ends, and nothing is written beyond that end.
//   MissingFunction<slot> is the function of every slot without a body; it names itself.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>

#include "base/result.h"
#include "pjrt/error.h"
#include "pjrt/given_struct.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

// "PJRT_Client_Create" and so on, in slot order.
inline constexpr const char* kFunctionNames[] = {
#define FUNCTION(name) #name,
#include "pjrt_functions.def"
#undef FUNCTION
};

// struct_size, extension_start and the object that the call is about: no struct of ours is of use without them.
inline constexpr size_t kSmallestStructSize = 24;

template <typename Args, typename Body>
Status CallWithWholeStruct(Args* args, Body body) {
  constexpr size_t whole_size = PjrtStructSize(static_cast<Args*>(nullptr));
  if (args->struct_size >= whole_size) return body(*args);
  if (args->struct_size < std::min(whole_size, kSmallestStructSize)) {
    return InvalidArgument(fmt::format("argument struct of {} bytes is too small, the smallest has {}",
                                       args->struct_size, std::min(whole_size, kSmallestStructSize)));
  }
  const size_t given_size = args->struct_size;
  Args whole = ReadStruct(args);
  Status status = body(whole);
  std::memcpy(args, &whole, given_size);
  return status;
}

template <auto body, typename Args>
PJRT_Error* Entry(Args* args) noexcept {
  try {
    const Status status = CallWithWholeStruct(args, body);
    return status.ok() ? nullptr : MakeError(status.error());
  } catch (const std::bad_alloc&) {
    return OutOfMemoryError();
  } catch (const std::exception& exception) {
    return MakeError(ErrorCode::kInternal, exception.what());
  }
}

template <size_t slot, typename Args>
PJRT_Error* MissingFunction(Args*) noexcept {
  return MakeError(ErrorCode::kUnimplemented, kFunctionNames[slot]);
}

}  // namespace stead::pjrt
