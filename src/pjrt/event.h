// Events: when a piece of work is done.
//   Every call of this plugin finishes its work before it returns, and a failure is returned by the call itself: an event
//   is ready from birth and has nothing to report.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

struct PJRT_Event {};

namespace stead::pjrt {

Status EventDestroy(PJRT_Event_Destroy_Args& args);
Status EventIsReady(PJRT_Event_IsReady_Args& args);
Status EventError(PJRT_Event_Error_Args& args);
Status EventAwait(PJRT_Event_Await_Args& args);
Status EventOnReady(PJRT_Event_OnReady_Args& args);

}  // namespace stead::pjrt
