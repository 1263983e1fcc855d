// Footprints against enumeration, byte by byte: every question about random small sets, with all values of their symbols.
#include "analysis/footprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace stead::analysis {
namespace {

using Bytes = std::set<int64_t>;

class Dice {
 public:
  explicit Dice(uint64_t seed) : random_(seed) {}
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 random_;
};

// Two symbols; the values that they take.
const Symbol kFirst{.value = ir::InstrId(1), .high = 3};
const Symbol kSecond{.value = ir::InstrId(2), .high = 2};
struct Values {
  int64_t first = 0, second = 0;
  int64_t Of(const Symbol& symbol) const { return symbol == kFirst ? first : second; }
};

std::vector<Values> AllValues() {
  std::vector<Values> all;
  for (int64_t first = 0; first <= kFirst.high; ++first) {
    for (int64_t second = 0; second <= kSecond.high; ++second) all.push_back({first, second});
  }
  return all;
}

void Enumerate(const StridedRun& run, size_t axis, int64_t start, Bytes& bytes) {
  if (axis == run.axes.size()) {
    for (int64_t byte = 0; byte < run.bytes; ++byte) bytes.insert(start + byte);
    return;
  }
  for (int64_t times = 0; times < run.axes[axis].count; ++times)
    Enumerate(run, axis + 1, start + times * run.axes[axis].stride, bytes);
}

Bytes BytesOf(const Footprint& footprint, const Values& values = {}) {
  Bytes bytes;
  for (const StridedRun& run : footprint.runs) {
    int64_t start = run.start;
    for (const SymbolTerm& term : run.terms) start += term.stride * values.Of(term.symbol);
    Enumerate(run, 0, start, bytes);
  }
  return bytes;
}

bool Share(const Bytes& left, const Bytes& right) {
  return std::ranges::any_of(left, [&](int64_t byte) { return right.contains(byte); });
}

StridedRun RandomRun(Dice& dice, bool with_symbols) {
  StridedRun run{.start = dice.Between(0, 20), .bytes = dice.Between(1, 4)};
  for (int64_t axes = dice.Between(0, 3); axes > 0; --axes) run.Repeat(dice.Between(-12, 12), dice.Between(1, 4));
  if (with_symbols && dice.Between(0, 1) == 0) run.Move(dice.Between(1, 9), kFirst);
  if (with_symbols && dice.Between(0, 2) == 0) run.Move(dice.Between(-5, 5), kSecond);
  return run;
}

TEST(Footprint, RepeatingGivesEveryRepetition) {
  Dice dice(1);
  for (int trial = 0; trial < 2000; ++trial) {
    StridedRun run{.start = 50, .bytes = dice.Between(1, 4)};
    Bytes expected = BytesOf(Footprint::Of(run));
    for (int axis = 0; axis < 3; ++axis) {
      int64_t stride = dice.Between(-9, 9), count = dice.Between(1, 4);
      run.Repeat(stride, count);
      Bytes once = expected;
      for (int64_t times = 1; times < count; ++times) {
        for (int64_t byte : once) expected.insert(byte + times * stride);
      }
    }
    ASSERT_EQ(BytesOf(Footprint::Of(run)), expected) << "trial " << trial;
  }
}

TEST(Footprint, KnownSetsAreDisjointExactlyWhenTheyShareNoByte) {
  Dice dice(2);
  int disjoint = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Footprint left = Footprint::Of(RandomRun(dice, false)), right = Footprint::Of(RandomRun(dice, false));
    bool shares = Share(BytesOf(left), BytesOf(right));
    ASSERT_EQ(Disjoint(left, right), !shares) << "trial " << trial;
    disjoint += !shares;
  }
  EXPECT_GT(disjoint, 2000);
}

TEST(Footprint, SetsWithSymbolsAreDisjointOnlyForAllValues) {
  Dice dice(3);
  const std::vector<Values> all = AllValues();
  int found = 0, missed = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Footprint left = Footprint::Of(RandomRun(dice, true)), right = Footprint::Of(RandomRun(dice, true));
    if (dice.Between(0, 2) == 0) {
      // The same place, moved by a few bytes.
      right.runs[0].terms = left.runs[0].terms;
    }
    bool shares = std::ranges::any_of(
        all, [&](const Values& values) { return Share(BytesOf(left, values), BytesOf(right, values)); });
    bool disjoint = Disjoint(left, right);
    ASSERT_FALSE(disjoint && shares) << "trial " << trial;
    found += disjoint;
    missed += !disjoint && !shares;
  }
  EXPECT_GT(found, 2000);
  EXPECT_EQ(missed, 0);
}

TEST(Footprint, AUnionHoldsAllItsParts) {
  Dice dice(4);
  for (int trial = 0; trial < 2000; ++trial) {
    Footprint all = Footprint::Nothing();
    Bytes expected;
    const int64_t runs = dice.Between(1, 24);
    for (int64_t number = 0; number < runs; ++number) {
      Footprint part = Footprint::Of(RandomRun(dice, false));
      all.Include(part);
      expected.merge(BytesOf(part));
    }
    Bytes found = BytesOf(all);
    ASSERT_TRUE(std::ranges::includes(found, expected)) << "trial " << trial;
    if (runs <= 16) {
      ASSERT_EQ(found, expected) << "trial " << trial;
    }
  }
}

TEST(Footprint, NeighboursBecomeOneRun) {
  Footprint rows = Footprint::Nothing();
  for (int64_t row : {0, 1, 2, 3}) rows.Include(Footprint::Of({.start = row * 8, .bytes = 8}));
  EXPECT_EQ(rows, Footprint::Of({.start = 0, .bytes = 32}));
  Footprint odd = Footprint::Nothing();
  for (int64_t row : {1, 3, 5, 7}) odd.Include(Footprint::Of({.start = row * 8, .bytes = 8}));
  EXPECT_EQ(odd, Footprint::Of({.start = 8, .bytes = 8, .axes = {{16, 4}}}));
}

TEST(Footprint, CoversOnlyWhatItHolds) {
  Dice dice(5);
  int covered = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Footprint outer = Footprint::Of(RandomRun(dice, false)), inner = Footprint::Of(RandomRun(dice, false));
    if (!Covers(outer, inner)) continue;
    ++covered;
    Bytes outside = BytesOf(outer), inside = BytesOf(inner);
    ASSERT_TRUE(std::ranges::includes(outside, inside)) << "trial " << trial;
  }
  EXPECT_GT(covered, 100);
}

TEST(Footprint, ReplacingKeepsWhatIsMeant) {
  Dice dice(6);
  for (int trial = 0; trial < 2000; ++trial) {
    Footprint before = Footprint::Of(RandomRun(dice, true));
    // The first symbol is 3 - second, the second is anything.
    Footprint after = Replaced(before, [](const Symbol& symbol) -> std::optional<SymbolMeaning> {
      if (symbol == kFirst) return SymbolMeaning{3, -1, kSecond};
      return std::nullopt;
    });
    for (int64_t second = 0; second <= kSecond.high; ++second) {
      Bytes exact = BytesOf(before, {3 - second, second});
      ASSERT_TRUE(std::ranges::includes(BytesOf(after, {0, second}), exact)) << "trial " << trial;
    }
  }
}

// Slices of arrays in every layout, by the place of each element.
TEST(Footprint, BoxesAreTheirElements) {
  Dice dice(7);
  for (int trial = 0; trial < 2000; ++trial) {
    ir::Shape array = ir::Shape::Array(ir::ElementType::kS32, {dice.Between(1, 6), dice.Between(1, 6)});
    bool column_major = dice.Between(0, 1) == 0;
    if (column_major) array.layout.minor_to_major = {0, 1};
    std::vector<int64_t> starts, counts, steps;
    for (int64_t extent : array.dimensions) {
      int64_t step = dice.Between(1, 3), count = dice.Between(0, (extent - 1) / step + 1);
      int64_t start = dice.Between(0, extent - 1 - std::max<int64_t>(count - 1, 0) * step);
      bool reversed = count > 0 && dice.Between(0, 1) == 0;
      starts.push_back(reversed ? start + (count - 1) * step : start);
      counts.push_back(count);
      steps.push_back(reversed ? -step : step);
    }
    Bytes expected;
    for (int64_t row = 0; row < counts[0]; ++row) {
      for (int64_t column = 0; column < counts[1]; ++column) {
        int64_t at_row = starts[0] + row * steps[0], at_column = starts[1] + column * steps[1];
        int64_t place =
            column_major ? at_column * array.dimensions[0] + at_row : at_row * array.dimensions[1] + at_column;
        for (int64_t byte = 0; byte < 4; ++byte) expected.insert(4 * place + byte);
      }
    }
    ASSERT_EQ(BytesOf(BoxFootprint(array, starts, counts, steps)), expected) << "trial " << trial;
  }
}

}  // namespace
}  // namespace stead::analysis
