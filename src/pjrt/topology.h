// What a program can be compiled for, without a client at hand: here, the virtual devices of this host.
//   A topology comes from a client and belongs to it; making one by name is not offered.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

Status TopologyCreate(PJRT_TopologyDescription_Create_Args& args);
Status TopologyDestroy(PJRT_TopologyDescription_Destroy_Args& args);
Status TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args);
Status TopologyPlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args& args);
Status TopologyGetDeviceDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args);
Status TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args);
Status TopologyFingerprint(PJRT_TopologyDescription_Fingerprint_Args& args);

}  // namespace stead::pjrt
