// What a handler may ask of us while it runs: the function table of the XLA FFI and the objects behind its handles.
//   Only files of this room include it, because it shows the foreign header (jaxlib's `xla/ffi/api/c_api.h`, version 0.3).
//   Tasks that a handler schedules run at once on its own thread, so that no handler can wait for a busy pool.
//   Does not: offer streams of a device; handlers that ask for one get UNIMPLEMENTED.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "ffi/execution.h"
#include "xla/ffi/api/c_api.h"

namespace stead::ffi {

// An object that a handler left for later stages; destroyed with its type's deleter.
struct StateObject {
  int64_t type_id = 0;
  void* object = nullptr;
  StateObject() = default;
  StateObject(const StateObject&) = delete;
  StateObject& operator=(const StateObject&) = delete;
  ~StateObject();
};

}  // namespace stead::ffi

// What a handler sees of the run it belongs to.
struct XLA_FFI_ExecutionContext {
  // By stage: instantiate, prepare, initialize. Null where the run has none.
  std::array<stead::ffi::StateObject*, 3> states = {};
  const stead::ffi::UserData* user_data = nullptr;
  int64_t run_id = 0;
};

// The end of an asynchronous handler. Whoever completes it holds on to `progress` until it has let go of the mutex.
struct XLA_FFI_Future {
  struct Progress {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    XLA_FFI_Error* error = nullptr;
  };
  std::shared_ptr<Progress> progress = std::make_shared<Progress>();
};

namespace stead::ffi {

const XLA_FFI_Api* GetApi();

// Waits for the end of an asynchronous handler, null included, and takes over the future and its error.
XLA_FFI_Error* Await(XLA_FFI_Future* future);

}  // namespace stead::ffi
