// Sorts row numbers, with the arrays' rows gathered side by side, then puts the elements where their numbers say. By a comparator
// they are sorted by merging; keys are sorted digit by digit, the last one first (Knuth, The Art of Computer Programming 5.2.5).
#include "cpu/kernels/sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <vector>

namespace stead::cpu {
namespace {

// Copies `size` elements of `bytes` each, `from_stride` and `to_stride` bytes apart.
void CopyElements(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t bytes,
                  int64_t size) {
  for (int64_t index = 0; index < size; ++index) std::memcpy(to + index * to_stride, from + index * from_stride, bytes);
}

// The rows that are sorted together.
struct Rows {
  void* const* rows;
  const int64_t* element_bytes;
  int64_t array_count, size, stride;
};

// The elements of the rows, array after array without gaps between them.
class GatheredRows {
 public:
  void Gather(const Rows& rows) {
    starts_.clear();
    int64_t total = 0;
    for (int64_t array = 0; array < rows.array_count; ++array) {
      starts_.push_back(total);
      // Every array starts at a multiple of the largest alignment.
      total += (rows.size * rows.element_bytes[array] + 15) / 16 * 16;
    }
    bytes_.resize(total);
    for (int64_t array = 0; array < rows.array_count; ++array) {
      const int64_t bytes = rows.element_bytes[array];
      CopyElements(bytes_.data() + starts_[array], bytes, static_cast<std::byte*>(rows.rows[array]),
                   rows.stride * bytes, bytes, rows.size);
    }
  }

  const void* At(const Rows& rows, int64_t array, int64_t index) const {
    return bytes_.data() + starts_[array] + index * rows.element_bytes[array];
  }

  // Element k of the rows becomes the one that was number order_of(k).
  template <typename OrderOf>
  void Place(const Rows& rows, OrderOf order_of) const {
    for (int64_t array = 0; array < rows.array_count; ++array) {
      std::byte* const row = static_cast<std::byte*>(rows.rows[array]);
      const int64_t bytes = rows.element_bytes[array];
      for (int64_t index = 0; index < rows.size; ++index)
        std::memcpy(row + index * rows.stride * bytes, At(rows, array, order_of(index)), bytes);
    }
  }

 private:
  std::vector<std::byte> bytes_;
  std::vector<int64_t> starts_;
};

// --- by a comparator

constexpr int64_t kShortRun = 16;

template <typename Less>
void InsertionSort(int64_t* first, int64_t* last, Less less) {
  for (int64_t* next = first; next < last; ++next) {
    const int64_t item = *next;
    int64_t* hole = next;
    for (; hole > first && less(item, hole[-1]); --hole) *hole = hole[-1];
    *hole = item;
  }
}

// Bottom up, so that a comparator that is no order at all cannot lead outside the arrays.
template <typename Less>
void MergeSort(std::vector<int64_t>& items, std::vector<int64_t>& other, Less less) {
  const int64_t size = static_cast<int64_t>(items.size());
  for (int64_t start = 0; start < size; start += kShortRun) {
    InsertionSort(&items[start], items.data() + std::min(start + kShortRun, size), less);
  }
  for (int64_t run = kShortRun; run < size; run *= 2) {
    for (int64_t start = 0; start < size; start += 2 * run) {
      const int64_t middle = std::min(start + run, size);
      const int64_t end = std::min(start + 2 * run, size);
      std::merge(items.begin() + start, items.begin() + middle, items.begin() + middle, items.begin() + end,
                 other.begin() + start, less);
    }
    std::swap(items, other);
  }
}

// --- by keys

struct Item {
  uint64_t key;
  int64_t number;
};

// Below this many, counting digits costs more than comparing keys.
constexpr int64_t kFewItems = 128;
constexpr int kDigitBits = 8;
constexpr size_t kDigits = size_t{1} << kDigitBits;
constexpr int kPlaces = 64 / kDigitBits;

size_t DigitOf(uint64_t key, int place) { return (key >> (place * kDigitBits)) % kDigits; }

// Items come in the order of their numbers, and equal keys keep it.
void SortItems(std::vector<Item>& items, std::vector<Item>& other) {
  if (static_cast<int64_t>(items.size()) < kFewItems) {
    std::ranges::sort(items, [](const Item& left, const Item& right) {
      return left.key != right.key ? left.key < right.key : left.number < right.number;
    });
    return;
  }
  std::array<std::array<int64_t, kDigits>, kPlaces> counts = {};
  for (const Item& item : items) {
    for (int place = 0; place < kPlaces; ++place) ++counts[place][DigitOf(item.key, place)];
  }
  other.resize(items.size());
  for (int place = 0; place < kPlaces; ++place) {
    std::array<int64_t, kDigits>& next = counts[place];
    const bool is_constant = next[DigitOf(items[0].key, place)] == static_cast<int64_t>(items.size());
    if (is_constant) continue;
    std::exclusive_scan(next.begin(), next.end(), next.begin(), int64_t{0});
    for (const Item& item : items) other[next[DigitOf(item.key, place)]++] = item;
    std::swap(items, other);
  }
}

// What a thread keeps between sorts of rows that are not long.
struct Workspace {
  GatheredRows elements;
  std::vector<int64_t> order, merged;
  std::vector<Item> items, moved;
  std::vector<const void*> pointers;
};
thread_local Workspace workspace;

constexpr int64_t kMostElementsKept = int64_t{1} << 20;

void ReleaseAfter(int64_t size) {
  if (size > kMostElementsKept) workspace = {};
}

}  // namespace

void SortRow(void* const* rows, const int64_t* element_bytes, int64_t array_count, int64_t size, int64_t stride,
             SortComparator* comparator) {
  const Rows all = {rows, element_bytes, array_count, size, stride};
  Workspace& work = workspace;
  work.elements.Gather(all);
  work.order.resize(size);
  work.merged.resize(size);
  std::iota(work.order.begin(), work.order.end(), 0);
  work.pointers.resize(2 * array_count);
  MergeSort(work.order, work.merged, [&](int64_t left, int64_t right) {
    for (int64_t array = 0; array < array_count; ++array) {
      work.pointers[2 * array] = work.elements.At(all, array, left);
      work.pointers[2 * array + 1] = work.elements.At(all, array, right);
    }
    return comparator(work.pointers.data());
  });
  work.elements.Place(all, [&](int64_t index) { return work.order[index]; });
  ReleaseAfter(size);
}

void SortRowByKey(void* const* rows, const int64_t* element_bytes, int64_t array_count, int64_t size, int64_t stride,
                  SortKeyFunction* key) {
  const Rows all = {rows, element_bytes, array_count, size, stride};
  Workspace& work = workspace;
  work.elements.Gather(all);
  work.items.resize(size);
  work.pointers.resize(array_count);
  for (int64_t index = 0; index < size; ++index) {
    for (int64_t array = 0; array < array_count; ++array) work.pointers[array] = work.elements.At(all, array, index);
    work.items[index] = {key(work.pointers.data()), index};
  }
  SortItems(work.items, work.moved);
  work.elements.Place(all, [&](int64_t index) { return work.items[index].number; });
  ReleaseAfter(size);
}

}  // namespace stead::cpu
