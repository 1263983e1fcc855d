// The arrays at the border of a program for several devices, cut into what each device holds and put together again.
//   A program runs once, on whole arrays: all devices are virtual and share the memory of the host.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "ir/tiling.h"
#include "runtime/executable.h"

namespace stead::pjrt {

// What one device holds of an array. RETURNS Unimplemented when the tiles are not of one size.
Result<ir::Shape> TileShape(const ir::Shape& whole, const ir::Tiling& tiling);
// The signature that each device sees: every array is a tile.
Result<runtime::Signature> SignatureOfOneDevice(const runtime::Signature& whole, const ir::BorderTilings& tilings);

// Puts an array together from the tiles that the devices hold. `device_tiles`: one argument per device.
//   An array that is whole on every device is not copied.
Result<runtime::Argument> Gather(const ir::Shape& whole, const ir::Tiling& tiling,
                                 std::span<const runtime::Argument> device_tiles);
// The tile for each device. Devices that hold the same share its memory, as long as nobody overwrites it.
Result<std::vector<runtime::AllocationRef>> Scatter(const ir::Shape& whole, const ir::Tiling& tiling,
                                                    const runtime::AllocationRef& memory);

}  // namespace stead::pjrt
