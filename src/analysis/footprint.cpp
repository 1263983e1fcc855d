// Arithmetic of strided runs.
//
// Two runs share a byte when some choice of repetitions puts them less than their lengths apart:
//
//   x[::2]: start 0, 4 bytes, 5 times 8 apart        x[1::2]: start 4, 4 bytes, 5 times 8 apart
//
// The distance of the starts plus the steps along all axes of both must fall into an interval of a few bytes around 0. Terms that
// both have cancel or leave a difference; what is left of a term becomes an axis, since its symbol takes one of high + 1 values. What is left is a sum of bounded
// multiples of strides that should hit an interval. Strides of one array are mostly multiples of one another, so going through them
// from the largest to the smallest leaves one or two candidates at each. A search that takes longer answers "may share".
#include "analysis/footprint.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stead::analysis {
namespace {

// Runs of one footprint beyond this number are covered by fewer.
constexpr size_t kRunLimit = 16;
constexpr int kSearchLimit = 4096;
// Products of strides and counts of one array stay far below this.
constexpr int64_t kByteLimit = int64_t{1} << 60;

bool IsTooFar(int64_t stride, int64_t count) {
  int64_t product = 0;
  return __builtin_mul_overflow(stride, count, &product) || product > kByteLimit || product < -kByteLimit;
}

// Does a sum of k * stride over the axes, 0 <= k < count each, fall into [low, high]?
class SumSearch {
 public:
  explicit SumSearch(std::vector<Axis> axes) : axes_(std::move(axes)) {
    std::ranges::sort(axes_, [](const Axis& left, const Axis& right) { return left.stride > right.stride; });
    most_.assign(axes_.size() + 1, 0);
    divisors_.assign(axes_.size() + 1, 0);
    for (size_t axis = axes_.size(); axis-- > 0;) {
      most_[axis] = most_[axis + 1] + axes_[axis].stride * (axes_[axis].count - 1);
      divisors_[axis] = std::gcd(divisors_[axis + 1], axes_[axis].stride);
    }
  }

  // May answer yes without cause.
  bool MayHit(int64_t low, int64_t high, size_t axis = 0) {
    if (high < 0 || low > most_[axis]) return false;
    if (axis == axes_.size() || ++steps_ > kSearchLimit) return true;
    const int64_t divisor = divisors_[axis];
    if (low > 0 && high / divisor < (low + divisor - 1) / divisor) return false;
    const auto [stride, count] = axes_[axis];
    int64_t least = low - most_[axis + 1];
    int64_t first = least <= 0 ? 0 : (least + stride - 1) / stride;
    int64_t last = std::min(count - 1, high / stride);
    for (int64_t times = first; times <= last; ++times) {
      if (MayHit(low - times * stride, high - times * stride, axis + 1)) return true;
    }
    return false;
  }

 private:
  std::vector<Axis> axes_;
  std::vector<int64_t> most_, divisors_;  // of the axes from here on: the largest sum, what divides every sum
  int steps_ = 0;
};

// The run with its terms as axes: anywhere that its symbols may put it.
StridedRun Spread(const StridedRun& run) {
  StridedRun spread = run;
  spread.terms.clear();
  for (const SymbolTerm& term : run.terms) spread.Repeat(term.stride, term.symbol.high + 1);
  return spread;
}

// The two runs without symbols: what one symbol does to both is as if it moved the first by the difference.
std::pair<StridedRun, StridedRun> WithoutSymbols(const StridedRun& left, const StridedRun& right) {
  StridedRun difference = left, rest = right;
  difference.terms.clear();
  rest.terms.clear();
  for (const SymbolTerm& term : left.terms) difference.Move(term.stride, term.symbol);
  for (const SymbolTerm& term : right.terms) {
    if (std::ranges::find(left.terms, term.symbol, &SymbolTerm::symbol) == left.terms.end()) {
      rest.Move(term.stride, term.symbol);
    } else {
      difference.Move(-term.stride, term.symbol);
    }
  }
  return {Spread(difference), Spread(rest)};
}

bool Disjoint(const StridedRun& left, const StridedRun& right) {
  auto [first, second] = WithoutSymbols(left, right);
  int64_t distance = second.start - first.start;
  std::vector<Axis> axes = first.axes;
  for (const Axis& axis : second.axes) {
    if (IsTooFar(axis.stride, axis.count)) return false;
    // Steps of the second run count backwards; counted from its end they are positive.
    distance += axis.stride * (axis.count - 1);
    auto same = std::ranges::find(axes, axis.stride, &Axis::stride);
    if (same == axes.end()) {
      axes.push_back(axis);
    } else {
      same->count += axis.count - 1;
    }
  }
  for (const Axis& axis : axes) {
    if (IsTooFar(axis.stride, axis.count)) return false;
  }
  return !SumSearch(std::move(axes)).MayHit(distance - (first.bytes - 1), distance + (second.bytes - 1));
}

// One run of bytes from the first byte of all to the last; nothing when that depends on symbols.
std::optional<StridedRun> Hull(const std::vector<StridedRun>& runs) {
  std::optional<StridedRun> hull;
  for (const StridedRun& run : runs) {
    StridedRun known = Spread(run);
    int64_t end = known.start + known.bytes;
    for (const Axis& axis : known.axes) end += axis.stride * (axis.count - 1);
    if (!hull) hull = StridedRun{.start = known.start};
    int64_t hull_end = std::max(hull->start + hull->bytes, end);
    hull->start = std::min(hull->start, known.start);
    hull->bytes = hull_end - hull->start;
  }
  return hull;
}

// The two runs as one, when they are neighbours of one pattern or one holds the other.
std::optional<StridedRun> Joined(const StridedRun& first, const StridedRun& second) {
  if (first.terms != second.terms) return std::nullopt;
  const bool swap = second.start < first.start;
  const StridedRun& left = swap ? second : first;
  const StridedRun& right = swap ? first : second;
  if (left.axes == right.axes && left.start + left.bytes >= right.start) {
    StridedRun joined = left;
    joined.bytes = std::max(left.bytes, right.start + right.bytes - left.start);
    joined.MergeTouching();
    return joined;
  }
  // A pattern and its next repetition: [a, a + s, ...] and the one that follows.
  if (left.bytes != right.bytes || right.start == left.start) return std::nullopt;
  StridedRun joined = left;
  if (left.axes == right.axes) {
    joined.Repeat(right.start - left.start, 2);
    return joined;
  }
  for (size_t axis = 0; axis < left.axes.size(); ++axis) {
    std::vector<Axis> others = left.axes;
    others.erase(others.begin() + static_cast<int64_t>(axis));
    const Axis& grown = left.axes[axis];
    if (others != right.axes || right.start != left.start + grown.stride * grown.count) continue;
    ++joined.axes[axis].count;
    return joined;
  }
  return std::nullopt;
}

}  // namespace

// Runs that touch or overlap their neighbours are one longer run.
void StridedRun::MergeTouching() {
  while (!axes.empty() && axes.back().stride <= bytes) {
    bytes += axes.back().stride * (axes.back().count - 1);
    axes.pop_back();
  }
}

void StridedRun::Repeat(int64_t stride, int64_t count) {
  if (count <= 1 || stride == 0) return;
  if (stride < 0) {
    start += stride * (count - 1);
    stride = -stride;
  }
  if (stride <= bytes) {
    bytes += stride * (count - 1);
    MergeTouching();
    return;
  }
  auto place = std::ranges::find_if(axes, [&](const Axis& axis) { return axis.stride <= stride; });
  if (place != axes.end() && place->stride == stride) {
    place->count += count - 1;
    return;
  }
  if (place != axes.end() && place->stride * place->count == stride) {
    place->count *= count;
    return;
  }
  axes.insert(place, {stride, count});
}

void StridedRun::Move(int64_t stride, const Symbol& symbol) {
  auto place = std::ranges::find(terms, symbol, &SymbolTerm::symbol);
  if (place == terms.end()) place = terms.insert(place, {0, symbol});
  place->stride += stride;
  if (place->stride == 0) terms.erase(place);
}

bool Footprint::is_known() const {
  return !whole && std::ranges::all_of(runs, [](const StridedRun& run) { return run.terms.empty(); });
}

void Footprint::Include(const Footprint& other) {
  if (whole || other.whole) {
    *this = {};
    return;
  }
  for (const StridedRun& run : other.runs) {
    bool is_joined = std::ranges::find(runs, run) != runs.end();
    for (StridedRun& own : runs) {
      if (is_joined) break;
      std::optional<StridedRun> joined = Joined(own, run);
      is_joined = joined.has_value();
      if (joined) own = std::move(*joined);
    }
    if (!is_joined) runs.push_back(run);
  }
  if (runs.size() <= kRunLimit) return;
  runs = {*Hull(runs)};
}

bool Disjoint(const Footprint& left, const Footprint& right) {
  if (left.empty() || right.empty()) return true;
  if (left.whole || right.whole) return false;
  return std::ranges::all_of(left.runs, [&](const StridedRun& run) {
    return std::ranges::all_of(right.runs, [&](const StridedRun& other) { return Disjoint(run, other); });
  });
}

bool Covers(const Footprint& outer, const Footprint& inner) {
  if (outer.whole || inner.empty()) return true;
  if (inner.whole) return false;
  return std::ranges::all_of(inner.runs, [&](const StridedRun& run) {
    const StridedRun hull = *Hull({run});
    return std::ranges::any_of(outer.runs, [&](const StridedRun& own) {
      bool holds = own.axes.empty() && own.terms.empty() && own.start <= hull.start &&
                   hull.start + hull.bytes <= own.start + own.bytes;
      return holds || own == run;
    });
  });
}

std::optional<std::vector<int64_t>> ByteStrides(const ir::Shape& array) {
  if (!array.is_array() || !array.layout.suffix.empty()) return std::nullopt;
  std::vector<int64_t> strides(array.dimensions.size());
  int64_t stride = ir::ElementBytes(array.element_type);
  for (size_t position = 0; position < strides.size(); ++position) {
    size_t dim = array.layout.minor_to_major.empty() ? strides.size() - 1 - position
                                                     : static_cast<size_t>(array.layout.minor_to_major[position]);
    strides[dim] = stride;
    stride *= array.dimensions[dim];
  }
  return strides;
}

Footprint BoxFootprint(const ir::Shape& array, const std::vector<int64_t>& starts, const std::vector<int64_t>& counts,
                       const std::vector<int64_t>& steps) {
  std::optional<std::vector<int64_t>> strides = ByteStrides(array);
  if (!strides) return {};
  if (std::ranges::find(counts, 0) != counts.end()) return Footprint::Nothing();
  StridedRun run{.bytes = ir::ElementBytes(array.element_type)};
  std::vector<size_t> inner_first(starts.size());
  std::iota(inner_first.begin(), inner_first.end(), size_t{0});
  std::ranges::sort(inner_first, {}, [&](size_t dim) { return (*strides)[dim]; });
  for (size_t dim : inner_first) {
    run.start += starts[dim] * (*strides)[dim];
    run.Repeat(steps[dim] * (*strides)[dim], counts[dim]);
  }
  return Footprint::Of(std::move(run));
}

Footprint Replaced(const Footprint& footprint,
                   const std::function<std::optional<SymbolMeaning>(const Symbol&)>& meaning) {
  if (footprint.whole) return footprint;
  Footprint replaced = Footprint::Nothing();
  for (const StridedRun& run : footprint.runs) {
    StridedRun next = run;
    next.terms.clear();
    for (const SymbolTerm& term : run.terms) {
      std::optional<SymbolMeaning> known = meaning(term.symbol);
      if (!known) {
        next.Repeat(term.stride, term.symbol.high + 1);
        continue;
      }
      next.start += term.stride * known->start;
      if (known->factor != 0) next.Move(term.stride * known->factor, known->symbol);
    }
    replaced.Include(Footprint::Of(std::move(next)));
  }
  return replaced;
}

}  // namespace stead::analysis
