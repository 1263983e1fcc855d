#include "pjrt/event.h"

namespace stead::pjrt {

Status EventDestroy(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return {};
}

Status EventIsReady(PJRT_Event_IsReady_Args& args) {
  args.is_ready = true;
  return {};
}

Status EventError(PJRT_Event_Error_Args&) { return {}; }

Status EventAwait(PJRT_Event_Await_Args&) { return {}; }

// Fires at once: the work is done.
Status EventOnReady(PJRT_Event_OnReady_Args& args) {
  args.callback(nullptr, args.user_arg);
  return {};
}

}  // namespace stead::pjrt
