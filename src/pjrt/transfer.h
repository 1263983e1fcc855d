// Moving arrays into and out of the device's memory, and lending it memory of others.
#pragma once

#include "base/result.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

// Always copies: the host's memory may be numpy's, which moves and changes under our feet, and is seldom aligned.
Status ClientBufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args);
// Takes the memory as it is (dlpack); the callback runs when nothing refers to it any more.
Status ClientCreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args& args);
Status BufferToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args);
Status BufferCopyToDevice(PJRT_Buffer_CopyToDevice_Args& args);
Status BufferCopyToMemory(PJRT_Buffer_CopyToMemory_Args& args);

}  // namespace stead::pjrt
