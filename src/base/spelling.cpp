#include "base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace stead {
namespace {

// Words beyond this are not mistyped names; it also bounds the work spent on hostile text.
constexpr size_t kLongestWord = 64;

// Optimal string alignment distance.
size_t EditDistance(std::string_view left, std::string_view right) {
  std::vector<size_t> before(right.size() + 1), above(right.size() + 1), current(right.size() + 1);
  for (size_t column = 0; column <= right.size(); ++column) above[column] = column;
  for (size_t row = 1; row <= left.size(); ++row) {
    current[0] = row;
    for (size_t column = 1; column <= right.size(); ++column) {
      size_t change = above[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1);
      current[column] = std::min({above[column] + 1, current[column - 1] + 1, change});
      bool swapped = row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1];
      if (swapped) current[column] = std::min(current[column], before[column - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, current);
  }
  return above[right.size()];
}

}  // namespace

std::string_view ClosestWord(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view best;
  size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    size_t difference = std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (difference >= best_distance) continue;
    size_t distance = EditDistance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best = ClosestWord(word, candidates);
  return best.empty() ? std::string() : fmt::format("did you mean `{}`?", best);
}

}  // namespace stead
