// Who answers custom calls: handlers by target name, and the types of the objects that handlers keep.
//   In: functions with the XLA FFI's C interface, as `jax.ffi.register_ffi_target` and jaxlib's LAPACK hand them over.
//   Out: the same functions, found by name. One registry per process, thread-safe; entries are never removed.
//   Does not: own the code behind a handler, which must stay loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

namespace stead::ffi {

using Handler = XLA_FFI_Error*(XLA_FFI_CallFrame*);

// The handlers of one target, by stage; `execute` is there always, the others are null where there is nothing to do.
struct HandlerBundle {
  Handler* instantiate = nullptr;  // once per call in a compiled program
  Handler* prepare = nullptr;      // once per run, before the first `initialize`
  Handler* initialize = nullptr;   // once per run, before the first `execute`
  Handler* execute = nullptr;
  friend bool operator==(const HandlerBundle&, const HandlerBundle&) = default;
};

// RETURNS an error when the handler was compiled for another version of the interface, or when other handlers have the name.
Status RegisterHandler(const std::string& target, const HandlerBundle& bundle);
std::optional<HandlerBundle> FindHandler(const std::string& target);

// A handler for another runtime, which shows its makers of errors to each handler that it gets: they become ours, unless an
// error was made before. Called as a handler it does nothing.
XLA_FFI_Error* AdoptErrorMaker(XLA_FFI_CallFrame* frame);

using TypeDeleter = void (*)(void* object);

// `type_id` 0: a new one is made. RETURNS the id, or an error when the name has another id already.
Result<int64_t> RegisterType(const std::string& name, int64_t type_id, TypeDeleter deleter);
// Destroys an object of a registered type; of a type that nobody registered, nothing is known and nothing is done.
void DestroyObject(int64_t type_id, void* object);

}  // namespace stead::ffi
