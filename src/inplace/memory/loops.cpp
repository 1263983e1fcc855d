// Pointers that rotate.
//
//   body (a, b) -> (f(b), a)      slots A, B; f(b) is built in a spare T
//   back edge: A := T, B := A, and T := B, the pointer that nobody holds any more
//
// Copying T to A and A to B each time would move the state; moving pointers is free and keeps the number of buffers. The
// exchange is a permutation of the variables: every path slot -> next ends in a variable that is no slot, and that one takes
// the pointer of the slot where the path began; closed paths are rotations of the slots themselves. By induction over
// iterations the slots hold distinct buffers at the head of each, whatever the number of iterations.
#include "inplace/memory/loops.h"

#include <unordered_map>
#include <unordered_set>

namespace stead::inplace {

std::vector<PointerMove> BackEdgeMoves(const std::vector<BufferId>& slots,
                                       const std::vector<std::optional<BufferId>>& next) {
  STEAD_CHECK(slots.size() == next.size());
  std::unordered_map<BufferId, BufferId> next_of;
  std::unordered_set<BufferId> handed_on;
  std::vector<PointerMove> moves;
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    if (!next[slot]) continue;
    bool is_new = next_of.emplace(slots[slot], *next[slot]).second && handed_on.insert(*next[slot]).second;
    STEAD_CHECK(is_new, "loop state shares a buffer");
    if (slots[slot] != *next[slot]) moves.push_back({slots[slot], *next[slot], 0});
  }
  for (BufferId slot : slots) {
    if (handed_on.contains(slot)) continue;
    BufferId end = slot;
    while (next_of.contains(end)) end = next_of[end];
    if (end != slot) moves.push_back({end, slot, 0});
  }
  return moves;
}

void ExchangeClasses::Join(BufferId left, BufferId right) {
  BufferId one = Leader(left), other = Leader(right);
  leaders_[one] = other;
}

BufferId ExchangeClasses::Leader(BufferId buffer) {
  while (leaders_.size() <= buffer.index()) leaders_.Add(BufferId(leaders_.size()));
  while (leaders_[buffer] != buffer) {
    leaders_[buffer] = leaders_[leaders_[buffer]];
    buffer = leaders_[buffer];
  }
  return buffer;
}

}  // namespace stead::inplace
