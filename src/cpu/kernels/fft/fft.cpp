// One dimension after the other. Lines are brought into a small buffer, as many side by side as a vector has lanes and the
// caches hold, transformed there and stored.
#include "cpu/kernels/fft/fft.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "cpu/kernels/fft/line_transform.h"
#include "cpu/kernels/fft/real_lines.h"

namespace stead::cpu {
namespace {

enum class Place : uint8_t { kOperand, kResult, kScratch };

// What of a line is in memory.
enum class Form : uint8_t { kComplex, kReal, kHalfSpectrum };

// One side of a stage: where its lines stand, in numbers.
struct Side {
  Place place = Place::kOperand;
  Form form = Form::kComplex;
  int64_t stride = 1;                 // from number to number of a line
  std::vector<int64_t> line_strides;  // per dimension of the lines
};

// The transform of one dimension.
struct Stage {
  int64_t length = 1;
  std::vector<int64_t> line_sizes;  // slowest first
  Side from, to;
};

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

// As many lines as stay in the second-level cache, both arrays of both parts. Where lines are neighbours, so many that whole cache
// lines are read and written for each of their numbers.
template <typename Real>
int64_t LinesAtOnce(const Stage& stage, int64_t room_per_line) {
  constexpr int64_t kCacheBytes = 768 * 1024;
  const bool are_neighbours =
      !stage.line_sizes.empty() && (stage.from.line_strides.back() == 1 || stage.to.line_strides.back() == 1);
  const int64_t most = (are_neighbours ? 256 : 64) / static_cast<int64_t>(sizeof(Real));
  return std::clamp<int64_t>(kCacheBytes / (4 * room_per_line * static_cast<int64_t>(sizeof(Real))), 1, most);
}

template <typename Real>
class StageRunner {
 public:
  StageRunner(Stage stage, bool is_inverse)
      : kernels_(BestFftKernels<Real>()),
        stage_(std::move(stage)),
        is_inverse_(is_inverse),
        scale_(is_inverse ? Real(1) / static_cast<Real>(stage_.length) : Real(1)),
        line_count_(Product(stage_.line_sizes)),
        // Real lines of even length are transformed as complex ones of half of it.
        is_packed_(stage_.length % 2 == 0 && (stage_.from.form == Form::kReal || stage_.to.form == Form::kReal)),
        transform_(is_packed_ ? stage_.length / 2 : stage_.length),
        room_(std::max(transform_.room(1), stage_.length / 2 + 1)),
        most_lines_(std::min(line_count_, LinesAtOnce<Real>(stage_, room_))) {
    if (is_packed_) real_lines_.emplace(stage_.length);
  }

  const Stage& stage() const { return stage_; }

  void Run(const Real* from, Real* to, runtime::ThreadPool& threads) const {
    const int64_t blocks = (line_count_ + most_lines_ - 1) / most_lines_;
    threads.ForEach(blocks, NanosecondsPerLine() * static_cast<double>(most_lines_), [&](int64_t begin, int64_t end) {
      RunBlocks(from, to, begin * most_lines_, std::min(line_count_, end * most_lines_));
    });
  }

 private:
  double NanosecondsPerLine() const {
    const double length = static_cast<double>(stage_.length);
    return length * (1 + 0.25 * std::log2(length));
  }

  // Lines [begin, end).
  void RunBlocks(const Real* from, Real* to, int64_t begin, int64_t end) const {
    thread_local std::vector<Real> buffer;
    // Arrays that start at the same place of their pages would drive each other out of the first-level cache.
    constexpr int64_t kApart = 256 / sizeof(Real);
    const int64_t room = room_ * most_lines_ + kApart;
    buffer.resize(std::max<size_t>(buffer.size(), 4 * room));
    const SplitArray<Real> first_array = {buffer.data(), buffer.data() + room};
    const SplitArray<Real> second_array = {buffer.data() + 2 * room, buffer.data() + 3 * room};
    std::vector<int64_t> starts(most_lines_);
    for (int64_t first = begin; first < end; first += most_lines_) {
      starts.resize(std::min(most_lines_, end - first));
      FindStarts(stage_.from, first, starts);
      const SplitArray<Real> result = Transform(from, starts, first_array, second_array);
      FindStarts(stage_.to, first, starts);
      Store(result, starts, to);
    }
  }

  // Of lines that start at `starts`.
  SplitArray<Real> Transform(const Real* from, const std::vector<int64_t>& starts, SplitArray<Real> data,
                             SplitArray<Real> spare) const {
    const int64_t lines = static_cast<int64_t>(starts.size());
    Load(from, starts, data);
    if (is_packed_ && stage_.from.form == Form::kHalfSpectrum) {
      real_lines_->FromHalfSpectrum(data, spare, lines);
      std::swap(data, spare);
    }
    const SplitArray<Real> result = Exchanged(transform_.Run(Exchanged(data), Exchanged(spare), lines));
    if (!is_packed_ || stage_.to.form != Form::kHalfSpectrum) return result;
    const SplitArray<Real> other = result.real == data.real ? spare : data;
    real_lines_->ToHalfSpectrum(result, other, lines);
    return other;
  }

  // A forward transform is an inverse one with the parts exchanged, before and after.
  SplitArray<Real> Exchanged(SplitArray<Real> array) const {
    return is_inverse_ ? SplitArray<Real>{array.imaginary, array.real} : array;
  }

  // In Reals.
  void FindStarts(const Side& side, int64_t first, std::vector<int64_t>& starts) const {
    const int64_t unit = side.form == Form::kReal ? 1 : 2;
    for (size_t line = 0; line < starts.size(); ++line) {
      int64_t rest = first + static_cast<int64_t>(line);
      starts[line] = 0;
      for (size_t dim = stage_.line_sizes.size(); dim-- > 0;) {
        starts[line] += rest % stage_.line_sizes[dim] * side.line_strides[dim] * unit;
        rest /= stage_.line_sizes[dim];
      }
    }
  }

  // The numbers of one line that a block takes from there, or gives.
  int64_t CountOf(const Side& side) const {
    switch (side.form) {
      case Form::kComplex: return stage_.length;
      case Form::kReal: return transform_.length();
      case Form::kHalfSpectrum: break;
    }
    return stage_.length / 2 + 1;
  }

  // The two parts of every number of a block lie side by side there, and so do the numbers of a line.
  bool LiesInPairs(const Side& side) const { return side.stride == 1 && (side.form != Form::kReal || is_packed_); }

  // Calls `visit` with every number's place in a block and in memory, `stride` Reals from one to the next. Where lines are neighbours,
  // `kUnit` Reals apart, they are walked side by side, elsewhere a few cache lines of each in turn.
  template <int64_t kUnit, typename Visit>
  static void ForEachPlace(const std::vector<int64_t>& starts, int64_t count, int64_t stride, Visit visit) {
    const int64_t lines = static_cast<int64_t>(starts.size());
    const auto are_apart = [](int64_t left, int64_t right) { return right != left + kUnit; };
    if (std::ranges::adjacent_find(starts, are_apart) == starts.end()) {
      for (int64_t number = 0; number < count; ++number) {
        const int64_t place = starts.front() + number * stride;
        for (int64_t line = 0; line < lines; ++line) visit(number * lines + line, place + line * kUnit);
      }
      return;
    }
    constexpr int64_t kTile = 128;
    for (int64_t tile = 0; tile < count; tile += kTile) {
      const int64_t end = std::min(count, tile + kTile);
      for (int64_t line = 0; line < lines; ++line) {
        for (int64_t number = tile; number < end; ++number) {
          visit(number * lines + line, starts[line] + number * stride);
        }
      }
    }
  }

  void Load(const Real* from, const std::vector<int64_t>& starts, SplitArray<Real> to) const {
    const Side& side = stage_.from;
    const int64_t count = CountOf(side);
    if (LiesInPairs(side)) {
      kernels_.load_lines(from, starts.data(), static_cast<int64_t>(starts.size()), count, to);
    } else if (side.form != Form::kReal) {
      ForEachPlace<2>(starts, count, 2 * side.stride, [&](int64_t target, int64_t place) {
        to.real[target] = from[place];
        to.imaginary[target] = from[place + 1];
      });
    } else if (is_packed_) {
      const Real* const odd = from + side.stride;
      ForEachPlace<1>(starts, count, 2 * side.stride, [&](int64_t target, int64_t place) {
        to.real[target] = from[place];
        to.imaginary[target] = odd[place];
      });
    } else {
      ForEachPlace<1>(starts, count, side.stride, [&](int64_t target, int64_t place) {
        to.real[target] = from[place];
        to.imaginary[target] = 0;
      });
    }
    if (side.form == Form::kHalfSpectrum && !is_packed_) AddMirrored(to, static_cast<int64_t>(starts.size()));
  }

  // The rest of the spectrum of a real line: X[n - k] is the conjugate of X[k].
  void AddMirrored(SplitArray<Real> spectrum, int64_t lines) const {
    for (int64_t number = stage_.length / 2 + 1; number < stage_.length; ++number) {
      const int64_t mirrored = stage_.length - number;
      for (int64_t line = 0; line < lines; ++line) {
        spectrum.real[number * lines + line] = spectrum.real[mirrored * lines + line];
        spectrum.imaginary[number * lines + line] = -spectrum.imaginary[mirrored * lines + line];
      }
    }
  }

  void Store(SplitArray<Real> from, const std::vector<int64_t>& starts, Real* to) const {
    const Side& side = stage_.to;
    const int64_t count = CountOf(side);
    if (LiesInPairs(side)) {
      kernels_.store_lines(from, starts.data(), static_cast<int64_t>(starts.size()), count, scale_, to);
    } else if (side.form != Form::kReal) {
      ForEachPlace<2>(starts, count, 2 * side.stride, [&](int64_t source, int64_t place) {
        to[place] = from.real[source] * scale_;
        to[place + 1] = from.imaginary[source] * scale_;
      });
    } else if (is_packed_) {
      Real* const odd = to + side.stride;
      ForEachPlace<1>(starts, count, 2 * side.stride, [&](int64_t source, int64_t place) {
        to[place] = from.real[source] * scale_;
        odd[place] = from.imaginary[source] * scale_;
      });
    } else {
      ForEachPlace<1>(starts, count, side.stride,
                      [&](int64_t source, int64_t place) { to[place] = from.real[source] * scale_; });
    }
  }

  const FftKernels<Real>& kernels_;
  const Stage stage_;
  const bool is_inverse_;
  const Real scale_;
  const int64_t line_count_;
  const bool is_packed_;
  const LineTransform<Real> transform_;
  const int64_t room_;  // numbers per line
  const int64_t most_lines_;
  std::optional<RealLines<Real>> real_lines_;
};

// Makes the stages of a transform. The dimension that is cut comes first when its operand is real, last when its result is.
class StagePlanner {
 public:
  explicit StagePlanner(const Fft& fft) : fft_(fft) {
    for (const FftDimension& dimension : fft.batch) {
      sizes_.push_back(dimension.size);
      operand_strides_.push_back(dimension.operand_stride);
      result_strides_.push_back(dimension.result_stride);
    }
    for (const FftDimension& dimension : fft.transformed) {
      sizes_.push_back(dimension.size);
      operand_strides_.push_back(dimension.operand_stride);
      result_strides_.push_back(dimension.result_stride);
    }
    if (fft.kind == FftKind::kRealToComplex || fft.kind == FftKind::kComplexToReal) {
      sizes_.back() = sizes_.back() / 2 + 1;
    }
    // A real result has no room for the spectrum in between.
    scratch_strides_.resize(sizes_.size());
    for (size_t dim = sizes_.size(); dim-- > 0;) {
      scratch_strides_[dim] = scratch_size_;
      scratch_size_ *= sizes_[dim];
    }
  }

  std::vector<Stage> Stages() const {
    std::vector<Stage> stages;
    const bool to_real = fft_.kind == FftKind::kComplexToReal;
    const size_t count = fft_.transformed.size();
    Place current = Place::kOperand;
    for (size_t step = 0; step < count; ++step) {
      const size_t number = to_real ? step : count - 1 - step;
      const Place next = to_real && step + 1 < count ? Place::kScratch : Place::kResult;
      stages.push_back(Make(number, current, next));
      current = next;
    }
    return stages;
  }

  int64_t ScratchSize() const {
    return fft_.kind == FftKind::kComplexToReal && fft_.transformed.size() > 1 ? scratch_size_ : 0;
  }

 private:
  Stage Make(size_t number, Place from, Place to) const {
    const size_t dim = fft_.batch.size() + number;
    Stage stage;
    stage.length = fft_.transformed[number].size;
    stage.from = MakeSide(from, dim);
    stage.to = MakeSide(to, dim);
    if (number + 1 == fft_.transformed.size()) {
      if (fft_.kind == FftKind::kRealToComplex) stage.from.form = Form::kReal, stage.to.form = Form::kHalfSpectrum;
      if (fft_.kind == FftKind::kComplexToReal) stage.from.form = Form::kHalfSpectrum, stage.to.form = Form::kReal;
    }
    // Neighbouring lines first, so that a block of them reads and writes whole cache lines.
    std::vector<size_t> others;
    for (size_t other = 0; other < sizes_.size(); ++other) {
      if (other != dim) others.push_back(other);
    }
    const std::vector<int64_t>& strides = StridesIn(to);
    std::ranges::stable_sort(others, [&](size_t left, size_t right) { return strides[left] > strides[right]; });
    for (size_t other : others) {
      stage.line_sizes.push_back(sizes_[other]);
      stage.from.line_strides.push_back(StridesIn(from)[other]);
      stage.to.line_strides.push_back(StridesIn(to)[other]);
    }
    return stage;
  }

  Side MakeSide(Place place, size_t dim) const {
    Side side;
    side.place = place;
    side.stride = StridesIn(place)[dim];
    return side;
  }

  const std::vector<int64_t>& StridesIn(Place place) const {
    switch (place) {
      case Place::kOperand: return operand_strides_;
      case Place::kResult: return result_strides_;
      case Place::kScratch: break;
    }
    return scratch_strides_;
  }

  const Fft& fft_;
  std::vector<int64_t> sizes_;  // of the complex arrays
  std::vector<int64_t> operand_strides_, result_strides_, scratch_strides_;
  int64_t scratch_size_ = 1;
};

template <typename Real>
FftFunction Prepare(const Fft& fft) {
  const StagePlanner planner(fft);
  const bool is_inverse = fft.kind == FftKind::kInverse || fft.kind == FftKind::kComplexToReal;
  std::vector<std::shared_ptr<const StageRunner<Real>>> runners;
  for (Stage& stage : planner.Stages()) {
    runners.push_back(std::make_shared<const StageRunner<Real>>(std::move(stage), is_inverse));
  }
  return [runners = std::move(runners), scratch_size = 2 * planner.ScratchSize()](const void* operand, void* result,
                                                                                  runtime::ThreadPool& threads) {
    const auto scratch = std::make_unique_for_overwrite<Real[]>(scratch_size);
    const auto address = [&](Place place) {
      return static_cast<Real*>(place == Place::kResult ? result : scratch.get());
    };
    for (const auto& runner : runners) {
      const Stage& stage = runner->stage();
      const Real* const from =
          stage.from.place == Place::kOperand ? static_cast<const Real*>(operand) : address(stage.from.place);
      runner->Run(from, address(stage.to.place), threads);
    }
  };
}

}  // namespace

FftFunction PrepareFft(const Fft& fft) { return fft.is_wide ? Prepare<double>(fft) : Prepare<float>(fft); }

}  // namespace stead::cpu
