// Typed 32-bit handles and the vectors they index: an InstrId cannot be used where a BufferId is meant.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/check.h"

namespace stead {

// A handle into a table; `Tag` only tells the kinds apart. The default value is "none".
template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(size_t index) : index_(static_cast<uint32_t>(index)) {}
  constexpr uint32_t index() const { return index_; }
  constexpr bool valid() const { return index_ != kNone; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  static constexpr uint32_t kNone = 0xFFFFFFFF;
  uint32_t index_ = kNone;
};

// A vector indexed by Id<Tag> instead of by a bare integer.
template <typename IdType, typename T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(size_t size, const T& value = T()) : items_(size, value) {}
  typename std::vector<T>::reference operator[](IdType id) {
    STEAD_CHECK(id.index() < items_.size(), "id out of range");
    return items_[id.index()];
  }
  typename std::vector<T>::const_reference operator[](IdType id) const {
    STEAD_CHECK(id.index() < items_.size(), "id out of range");
    return items_[id.index()];
  }
  // Appends and returns the new item's id.
  IdType Add(T item) {
    items_.push_back(std::move(item));
    return IdType(items_.size() - 1);
  }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  void resize(size_t size, const T& value = T()) { items_.resize(size, value); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace stead

template <typename Tag>
struct std::hash<stead::Id<Tag>> {
  size_t operator()(stead::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.index()); }
};
