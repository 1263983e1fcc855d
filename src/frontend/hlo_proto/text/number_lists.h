// Lists of numbers as HLO text has them: [2,2], (1,0), and the short form of a list of devices, [2,2]T(1,0).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "frontend/hlo_text/cursor.h"

namespace stead::frontend {

// All devices in order, reshaped to `reshape` and transposed by `permutation`.
struct DeviceIota {
  std::vector<int64_t> reshape, permutation;
};

// 1,2,3
std::string JoinedNumbers(const std::vector<int64_t>& numbers);
// [2,2]T(1,0); without the permutation when there is one dimension.
std::string DeviceIotaText(const DeviceIota& iota);

// A list between `open` and `close`.
Result<std::vector<int64_t>> ReadNumberList(Cursor& cursor, std::string_view open, std::string_view close);
// A missing permutation is the identity.
Result<DeviceIota> ReadDeviceIota(Cursor& cursor);

}  // namespace stead::frontend
