#include "inplace/check/values.h"

#include <utility>

namespace stead::inplace::check {

std::vector<ContentId> Values::Set(ir::InstrId id, std::vector<Leaf> leaves) {
  for (const Leaf& leaf : leaves) ++holders_[leaf.content];
  return Drop(std::exchange(leaves_[id], std::move(leaves)));
}

std::vector<ContentId> Values::Release(ir::InstrId id) {
  auto found = leaves_.find(id);
  if (found == leaves_.end()) return {};
  const std::vector<Leaf> leaves = std::move(found->second);
  leaves_.erase(found);
  return Drop(leaves);
}

std::vector<ContentId> Values::Drop(const std::vector<Leaf>& leaves) {
  std::vector<ContentId> unheld;
  for (const Leaf& leaf : leaves) {
    auto holders = holders_.find(leaf.content);
    if (--holders->second > 0) continue;
    holders_.erase(holders);
    unheld.push_back(leaf.content);
  }
  return unheld;
}

}  // namespace stead::inplace::check
