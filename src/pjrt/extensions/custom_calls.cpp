// Where handlers of custom calls come in: three functions beside the PJRT table for the Python package (python/stead/ffi.py).
//   The table's own extension for this takes the stage `execute` alone, and handlers may have four.
//   RETURN null, or what went wrong; the text lives until the thread's next call.
#include <exception>
#include <string>

#include "ffi/registry.h"

namespace stead::pjrt {

namespace {

const char* KeepText(std::string text) {
  thread_local std::string kept;
  kept = std::move(text);
  return kept.c_str();
}

// No exception crosses into C.
template <typename Body>
const char* TextOfFailure(Body body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? nullptr : KeepText(status.error().ToString());
  } catch (const std::exception&) {
    return "out of memory";
  }
}

}  // namespace

}  // namespace stead::pjrt

using stead::ffi::Handler;

extern "C" __attribute__((visibility("default"))) const char* stead_register_ffi_handler(
    const char* target, Handler* instantiate, Handler* prepare, Handler* initialize, Handler* execute) {
  return stead::pjrt::TextOfFailure(
      [&] { return stead::ffi::RegisterHandler(target, {instantiate, prepare, initialize, execute}); });
}

// `type_id`: 0 asks for a new id, which is written there.
extern "C" __attribute__((visibility("default"))) const char* stead_register_ffi_type(const char* name,
                                                                                      int64_t* type_id,
                                                                                      stead::ffi::TypeDeleter deleter) {
  return stead::pjrt::TextOfFailure([&]() -> stead::Status {
    TRY(*type_id, stead::ffi::RegisterType(name, *type_id, deleter));
    return {};
  });
}

// For jaxlib's registry of handlers.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* stead_adopt_error_maker(XLA_FFI_CallFrame* frame) {
  return stead::ffi::AdoptErrorMaker(frame);
}
