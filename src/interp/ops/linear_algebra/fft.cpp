// Discrete Fourier transforms of any length over the last one to three dimensions.
//   A length n = p * m with p its smallest prime factor is p transforms of length m (decimation in time) and m small sums of p
//   terms; so the cost is n times the sum of the prime factors. Roots of unity are computed afresh for each angle of
//   the full circle, never by repeated multiplication, which would lose digits.
#include <cmath>
#include <numbers>

#include "interp/ops/complex_math.h"
#include "interp/ops/linear_algebra/linear_algebra.h"
#include "interp/wide_arithmetic.h"

namespace stead::interp {
namespace {

using ir::Dimensions;
using ir::Literal;
using Line = std::vector<Complex128>;

int64_t SmallestPrimeFactor(int64_t number) {
  for (int64_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return factor;
  }
  return number;
}

// roots[k] = exp(sign * 2 pi i k / length). The angle is taken within its quarter of the circle, so that 1, i, -1, -i are exact.
Line RootsOfUnity(int64_t length, int sign) {
  const Complex128 quarter_turns[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  Line roots;
  for (int64_t step = 0; step < length; ++step) {
    int64_t quarter = 4 * step / length;
    int64_t rest = 4 * step % length;
    long double angle = std::numbers::pi_v<long double> / 2 * rest / length;
    Complex128 root(static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle)));
    root = Multiply(root, quarter_turns[quarter]);
    roots.push_back(sign > 0 ? root : std::conj(root));
  }
  return roots;
}

// The transform of `length` values that lie `stride` apart. `roots` are those of a multiple of the length.
Line Transform(const Complex128* values, int64_t length, int64_t stride, const Line& roots) {
  if (length == 1) return {values[0]};
  int64_t factor = SmallestPrimeFactor(length);
  int64_t part_length = length / factor;
  std::vector<Line> parts;
  for (int64_t part = 0; part < factor; ++part) {
    parts.push_back(Transform(values + part * stride, part_length, stride * factor, roots));
  }
  int64_t root_step = static_cast<int64_t>(roots.size()) / length;
  Line result(static_cast<size_t>(length), 0);
  for (int64_t frequency = 0; frequency < length; ++frequency) {
    for (int64_t part = 0; part < factor; ++part) {
      const Complex128& root = roots[frequency * part % length * root_step];
      result[frequency] = MultiplyAdd(parts[part][frequency % part_length], root, result[frequency]);
    }
  }
  return result;
}

// Transforms every line of an array along one dimension, in place.
void TransformDimension(std::vector<Complex128>& values, const Dimensions& extents, size_t dim, int sign) {
  int64_t length = extents[dim];
  int64_t stride = ir::RowMajorStrides(extents)[dim];
  Line roots = RootsOfUnity(length, sign);
  Dimensions lines = extents;
  lines[dim] = 1;
  std::vector<int64_t> strides = ir::RowMajorStrides(extents);
  for (IndexCounter index(lines); index.valid(); index.Advance()) {
    Complex128* line = values.data() + Dot(index.index(), strides);
    Line result = Transform(line, length, stride, roots);
    for (int64_t position = 0; position < length; ++position) line[position * stride] = result[position];
  }
}

// The array with its last dimension cut or, from the symmetry of a real signal's spectrum, filled up to `extent`.
std::vector<Complex128> WithLastExtent(const std::vector<Complex128>& values, Dimensions& extents, int64_t extent) {
  int64_t given = extents.back();
  int64_t rows = given == 0 ? 0 : static_cast<int64_t>(values.size()) / given;
  std::vector<Complex128> result(static_cast<size_t>(rows * extent), 0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t position = 0; position < extent; ++position) {
      if (position < given) {
        result[row * extent + position] = values[row * given + position];
      } else if (extent - position < given) {
        result[row * extent + position] = std::conj(values[row * given + extent - position]);
      }
    }
  }
  extents.back() = extent;
  return result;
}

}  // namespace

Result<Literal> EvaluateFft(const OpCall& call) {
  const auto& attributes = call.instruction.As<ir::FftAttributes>();
  bool inverse = attributes.type == "IFFT" || attributes.type == "IRFFT";
  int sign = inverse ? 1 : -1;
  Dimensions extents = call.operand(0).shape().dimensions;
  std::vector<Complex128> values = ReadAll<Complex128>(call.operand(0));
  size_t first = extents.size() - attributes.length.size();
  // A real result needs its whole spectrum only once the other dimensions are done.
  for (size_t dim = first; dim + 1 < extents.size(); ++dim) TransformDimension(values, extents, dim, sign);
  if (attributes.type == "IRFFT") values = WithLastExtent(values, extents, attributes.length.back());
  if (first < extents.size()) TransformDimension(values, extents, extents.size() - 1, sign);
  if (attributes.type == "RFFT") values = WithLastExtent(values, extents, attributes.length.back() / 2 + 1);
  if (inverse) {
    double count = 1;
    for (int64_t length : attributes.length) count *= static_cast<double>(length);
    for (Complex128& value : values) value /= count;
  }
  return WriteAll(call.shape(), values);
}

}  // namespace stead::interp
