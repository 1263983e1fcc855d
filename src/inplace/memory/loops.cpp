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

std::vector<PointerMove> BackEdgeMoves(const std::vector<BufferId>& slots, const std::vector<BufferId>& next) {
  STEAD_CHECK(slots.size() == next.size());
  std::unordered_map<BufferId, BufferId> next_of;
  std::unordered_set<BufferId> handed_on(next.begin(), next.end());
  for (size_t slot = 0; slot < slots.size(); ++slot) next_of[slots[slot]] = next[slot];
  STEAD_CHECK(next_of.size() == slots.size() && handed_on.size() == slots.size(), "loop state shares a buffer");
  std::vector<PointerMove> moves;
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    if (slots[slot] != next[slot]) moves.push_back({slots[slot], next[slot], 0});
  }
  for (BufferId slot : slots) {
    if (handed_on.contains(slot)) continue;
    BufferId end = next_of[slot];
    while (next_of.contains(end)) end = next_of[end];
    moves.push_back({end, slot, 0});
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
