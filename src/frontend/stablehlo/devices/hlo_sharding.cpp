#include "frontend/stablehlo/devices/hlo_sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "frontend/stablehlo/devices/sharding.h"

namespace stead::frontend {

namespace {

// Reads the text from left to right; what is not there is simply not taken.
class ShardingText {
 public:
  explicit ShardingText(std::string_view rest) : rest_(rest) {}

  bool Take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Numbers with commas between them.
  std::vector<int64_t> TakeNumbers() {
    std::vector<int64_t> numbers;
    int64_t number = 0;
    while (true) {
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) return numbers;
      numbers.push_back(number);
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      if (!Take(",")) return numbers;
    }
  }
  // The text up to `end`, which is taken too.
  std::string_view TakeUpTo(char end) {
    const std::string_view taken = rest_.substr(0, rest_.find(end));
    rest_.remove_prefix(std::min(taken.size() + 1, rest_.size()));
    return taken;
  }

 private:
  std::string_view rest_;
};

std::optional<int64_t> ProductOf(const std::vector<int64_t>& numbers, int64_t limit) {
  int64_t product = 1;
  for (const int64_t number : numbers) {
    if (number < 1 || number > limit || product > limit / number) return std::nullopt;
    product *= number;
  }
  return product;
}

// The numbers 0, 1, ... written into an array of `sizes`, in the order in which they lie after its dimensions are permuted.
std::vector<int64_t> PermutedIota(const std::vector<int64_t>& sizes, const std::vector<int64_t>& order) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t dim = sizes.size(); dim-- > 1;) strides[dim - 1] = strides[dim] * sizes[dim];
  std::vector<int64_t> numbers = {0};
  for (const int64_t dim : order) {
    std::vector<int64_t> longer;
    for (const int64_t number : numbers) {
      for (int64_t index = 0; index < sizes[dim]; ++index) longer.push_back(number + index * strides[dim]);
    }
    numbers = std::move(longer);
  }
  return numbers;
}

// "<=[4,2]T(1,0)" or "0,1,2,3": the devices in the order of their tiles; empty when the text says no such thing.
std::vector<int64_t> TakeDevices(ShardingText& text, int64_t device_count) {
  if (!text.Take("<=[")) return text.TakeNumbers();
  const std::vector<int64_t> sizes = text.TakeNumbers();
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<int64_t> in_place = order;
  if (!text.Take("]") || ProductOf(sizes, device_count) != device_count) return {};
  if (text.Take("T(")) {
    order = text.TakeNumbers();
    if (!text.Take(")") || !std::ranges::is_permutation(order, in_place)) return {};
  }
  return PermutedIota(sizes, order);
}

// Of the sizes in "devices=[...]" the last ones that do not cut the array: "last_tile_dims={manual, replicated}".
int64_t TakeUncutCount(ShardingText& text) {
  if (text.Take(" last_tile_dim_replicate")) return 1;
  if (!text.Take(" last_tile_dims={")) return 0;
  return 1 + std::ranges::count(text.TakeUpTo('}'), ',');
}

}  // namespace

Result<ir::Tiling> ParseHloSharding(std::string_view text, int64_t rank, int64_t device_count) {
  ShardingText rest(text);
  const Diagnostic malformed = InvalidArgument(
      fmt::format("`{}` is no sharding of an array of {} dimensions on {} devices", text, rank, device_count));
  if (!rest.Take("{")) return malformed;
  if (rest.Take("replicated") || rest.Take("manual") || rest.Take("maximal")) return WholeArray(rank, device_count);
  if (!rest.Take("devices=[")) return malformed;
  std::vector<int64_t> counts = rest.TakeNumbers();
  if (!rest.Take("]")) return malformed;
  const std::vector<int64_t> devices = TakeDevices(rest, device_count);
  const int64_t uncut_count = TakeUncutCount(rest);
  const bool fits = static_cast<int64_t>(counts.size()) == rank + uncut_count &&
                    ProductOf(counts, device_count) == device_count &&
                    static_cast<int64_t>(devices.size()) == device_count;
  if (!fits) return malformed;
  counts.resize(static_cast<size_t>(rank));
  const int64_t holders = device_count / *ProductOf(counts, device_count);
  ir::Tiling tiling{.tile_counts = counts, .device_tiles = std::vector<int64_t>(devices.size(), -1)};
  for (size_t place = 0; place < devices.size(); ++place) {
    if (devices[place] < 0 || devices[place] >= device_count) return malformed;
    tiling.device_tiles[devices[place]] = static_cast<int64_t>(place) / holders;
  }
  if (std::ranges::find(tiling.device_tiles, -1) != tiling.device_tiles.end()) return malformed;
  return tiling;
}

}  // namespace stead::frontend
