// One candidate of the brute-force planner, run: pointers to shared memory whose elements are the names of the values they hold.
// No two values share a name, so that no stale element can pass for a right one by chance.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"
#include "trials/copy_choices.h"

namespace stead::trials {

// What a run leaves open: which branch each conditional takes, how often a loop of unknown trip count runs. One path at a time.
class Paths {
 public:
  // The choice at the next open point, below `options`.
  int Choose(int options);
  // Begins the next path; false when there is none left.
  bool Next();

 private:
  struct Point {
    int chosen = 0;
    int options = 1;
  };
  std::vector<Point> points_;
  size_t at_ = 0;
};

struct Candidate {
  std::vector<size_t> orders;      // per computation: which of its orders
  std::vector<int32_t> purchases;  // numbers of what is bought
};

enum class Outcome : uint8_t { kRight, kWrong, kTooLong };

// kRight when every read, on every path, finds the value it names, and results can be handed out.
Outcome RunCandidate(const ir::Module& module, const CopyChoices& choices, const Candidate& candidate);

}  // namespace stead::trials
