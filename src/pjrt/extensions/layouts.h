// The extension that tells in which order the elements of arrays lie: of buffers, of what programs take and give.
//   Without it a framework takes every array for row major. There are few orders, so each is one object that lives on.
#pragma once

#include "base/result.h"
#include "ir/shape.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

// The order in which the array's elements lie.
PJRT_Layouts_MemoryLayout* LayoutOf(const ir::Shape& array);

Status LayoutDestroy(PJRT_Layouts_MemoryLayout_Destroy_Args& args);
Status LayoutSerialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args);
Status ClientDefaultLayout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args);
Status TopologyDefaultLayout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args);
Status BufferLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args);
Status OutputLayouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args);
Status ParameterLayouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args);

}  // namespace stead::pjrt
