// The extension that tells how parameters and results are split over devices; on one device, not at all.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

Status ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args);
Status OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args);

}  // namespace stead::pjrt
