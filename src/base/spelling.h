// Finds the word that somebody probably meant: for hints such as "did you mean `add`?".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stead {

// The candidate nearest to `word` by single-letter edits (insert, drop, change, swap of neighbours), empty when none is near.
std::string_view ClosestWord(std::string_view word, std::span<const std::string_view> candidates);

// "did you mean `add`?", or empty when no candidate is near.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace stead
