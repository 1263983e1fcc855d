#include "pjrt/topology.h"

#include "pjrt/client.h"

namespace stead::pjrt {

Status TopologyCreate(PJRT_TopologyDescription_Create_Args&) {
  return Unimplemented("topology not implemented: ask a client for its own");
}

// The client owns it.
Status TopologyDestroy(PJRT_TopologyDescription_Destroy_Args&) { return {}; }

Status TopologyPlatformName(PJRT_TopologyDescription_PlatformName_Args& args) {
  args.platform_name = PlatformName().data();
  args.platform_name_size = PlatformName().size();
  return {};
}

Status TopologyPlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  args.platform_version = PlatformVersion().data();
  args.platform_version_size = PlatformVersion().size();
  return {};
}

Status TopologyGetDeviceDescriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions.data();
  args.num_descriptions = args.topology->descriptions.size();
  return {};
}

Status TopologyAttributes(PJRT_TopologyDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  return {};
}

Status TopologyFingerprint(PJRT_TopologyDescription_Fingerprint_Args& args) {
  args.fingerprint = std::hash<std::string_view>()(PlatformVersion()) + args.topology->descriptions.size();
  return {};
}

}  // namespace stead::pjrt
