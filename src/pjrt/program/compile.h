// From the framework's bytes to a Program: PJRT_Client_Compile, and PJRT_Executable_Serialize and DeserializeAndLoad, which keep a
// program as it came and compile it again.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

Status ClientCompile(PJRT_Client_Compile_Args& args);
Status ExecutableSerialize(PJRT_Executable_Serialize_Args& args);
Status ExecutableDeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args& args);

}  // namespace stead::pjrt
