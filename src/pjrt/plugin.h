// What the plugin says of itself before there is a client.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

Status PluginInitialize(PJRT_Plugin_Initialize_Args& args);
Status PluginAttributes(PJRT_Plugin_Attributes_Args& args);

}  // namespace stead::pjrt
