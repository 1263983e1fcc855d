// Sorts row numbers by merging, with the arrays' rows gathered side by side, then puts the elements where their numbers say.
#include "cpu/kernels/sort.h"

#include <algorithm>
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

// What a thread keeps between sorts.
struct Workspace {
  std::vector<std::byte> elements;
  std::vector<int64_t> starts;
  std::vector<int64_t> order, merged;
  std::vector<const void*> pointers;
};

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

}  // namespace

void SortRow(void* const* rows, const int64_t* element_bytes, int64_t array_count, int64_t size, int64_t stride,
             SortComparator* comparator) {
  thread_local Workspace workspace;
  std::vector<int64_t>& starts = workspace.starts;
  starts.clear();
  int64_t total = 0;
  for (int64_t array = 0; array < array_count; ++array) {
    starts.push_back(total);
    // Every array starts at a multiple of the largest alignment.
    total += (size * element_bytes[array] + 15) / 16 * 16;
  }
  workspace.elements.resize(total);
  std::byte* const elements = workspace.elements.data();
  for (int64_t array = 0; array < array_count; ++array) {
    CopyElements(elements + starts[array], element_bytes[array], static_cast<std::byte*>(rows[array]),
                 stride * element_bytes[array], element_bytes[array], size);
  }
  workspace.order.resize(size);
  workspace.merged.resize(size);
  std::iota(workspace.order.begin(), workspace.order.end(), 0);
  workspace.pointers.resize(2 * array_count);
  MergeSort(workspace.order, workspace.merged, [&](int64_t left, int64_t right) {
    for (int64_t array = 0; array < array_count; ++array) {
      workspace.pointers[2 * array] = elements + starts[array] + left * element_bytes[array];
      workspace.pointers[2 * array + 1] = elements + starts[array] + right * element_bytes[array];
    }
    return comparator(workspace.pointers.data());
  });
  for (int64_t array = 0; array < array_count; ++array) {
    std::byte* const row = static_cast<std::byte*>(rows[array]);
    const int64_t bytes = element_bytes[array];
    for (int64_t index = 0; index < size; ++index) {
      std::memcpy(row + index * stride * bytes, elements + starts[array] + workspace.order[index] * bytes, bytes);
    }
  }
}

}  // namespace stead::cpu
