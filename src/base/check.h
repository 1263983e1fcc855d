// CHECK: stops on a bug of ours, never on bad input (that is Result<T>, see result.h).
//   Throws InternalError, which the doors (tools, pjrt) turn into an INTERNAL error for the caller, so that a bug of ours
//   never takes the user's process and data with it. No room between the doors and the CHECK catches it.
#pragma once

#include <stdexcept>
#include <string>

namespace stead {

// A broken promise of our own code. Caught only at the doors.
class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

// Throws InternalError with the place, the condition and `message`.
[[noreturn]] void FailCheck(const char* file, int line, const char* condition, const std::string& message);

}  // namespace stead

#define STEAD_CHECK(condition, ...)                                                   \
  do {                                                                                \
    if (!(condition)) [[unlikely]]                                                    \
      ::stead::FailCheck(__FILE__, __LINE__, #condition, ::std::string(__VA_ARGS__)); \
  } while (false)
