#include "frontend/hlo_proto/text/number_lists.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace stead::frontend {

std::string JoinedNumbers(const std::vector<int64_t>& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

std::string DeviceIotaText(const DeviceIota& iota) {
  const std::string transpose =
      iota.reshape.size() > 1 ? fmt::format("T({})", JoinedNumbers(iota.permutation)) : std::string();
  return fmt::format("[{}]{}", JoinedNumbers(iota.reshape), transpose);
}

Result<std::vector<int64_t>> ReadNumberList(Cursor& cursor, std::string_view open, std::string_view close) {
  std::vector<int64_t> numbers;
  TRY_STATUS(cursor.Expect(open, "before a list of numbers"));
  while (!cursor.TryConsume(close)) {
    if (!numbers.empty()) TRY_STATUS(cursor.Expect(",", "in a list of numbers"));
    TRY(int64_t number, cursor.ReadInteger("a number"));
    numbers.push_back(number);
  }
  return numbers;
}

Result<DeviceIota> ReadDeviceIota(Cursor& cursor) {
  DeviceIota iota;
  TRY(iota.reshape, ReadNumberList(cursor, "[", "]"));
  if (cursor.TryConsume("T")) {
    TRY(iota.permutation, ReadNumberList(cursor, "(", ")"));
  } else {
    iota.permutation.resize(iota.reshape.size());
    std::iota(iota.permutation.begin(), iota.permutation.end(), 0);
  }
  return iota;
}

}  // namespace stead::frontend
