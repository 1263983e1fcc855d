// When the memory of each buffer is in use, and which buffers may come to hold one another's memory.
//   touches + pointer exchanges -> what is an allocation of its own, and where in the arena everything else lies.
//   Times are those of assignment.cpp: one clock for the whole run.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "inplace/memory/loops.h"
#include "inplace/plan.h"

namespace stead::inplace {

struct Lifetime {
  int64_t first = 0;
  int64_t last = 0;
};

class Lifetimes {
 public:
  // A buffer that is in use at that time; its number is the next one.
  void Add(int64_t time) { times_.Add({time, time}); }
  // The buffer is in use, and what it may lead to.
  void Touch(BufferId buffer, int64_t time);
  // The pointer may lead to these buffers as well.
  void LeadsTo(BufferId pointer, const std::vector<BufferId>& buffers);
  // Where the pointer may lead; nothing when it is no pointer.
  const std::vector<BufferId>& behind(BufferId pointer) const;
  // Directly, or by way of other pointers.
  bool MayLeadTo(BufferId pointer, BufferId buffer) const;
  // The two may hold each other's memory.
  void Share(BufferId left, BufferId right) { exchanges_.Join(left, right); }
  // The pointer may hold the memory of all that it may lead to, by way of other pointers too.
  void ShareBehind(BufferId pointer);
  // Buffers that exchange pointers share their memory for as long as any of them is used, and all through the exchange.
  void Exchange(const std::vector<PointerMove>& moves, int64_t start, int64_t end);
  // Per buffer: from the first to the last use of all that share its memory. Results, and what shares theirs, become owned.
  IdVector<BufferId, Lifetime> Settle(BufferPlan& plan);

 private:
  IdVector<BufferId, Lifetime> times_;
  std::unordered_map<BufferId, std::vector<BufferId>> behind_;
  ExchangeClasses exchanges_;
};

// Decides what is an allocation of its own and packs the rest. Fills the plan's kinds, offsets, hosts, arena and peak.
void SettleMemory(BufferPlan& plan, Lifetimes& lifetimes, const PlanOptions& options);

}  // namespace stead::inplace
