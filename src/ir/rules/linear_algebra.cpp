// Rules of fft, cholesky, triangular-solve, batch norms and random bits.
#include <algorithm>

#include "ir/rules/rules.h"

namespace stead::ir {
namespace {

ElementType ComplexOf(ElementType part) { return part == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64; }
ElementType RealOf(ElementType type) { return type == ElementType::kC128 ? ElementType::kF64 : ElementType::kF32; }

Result<Shape> InferFft(const Op& op) {
  const auto& fft = op.attributes<FftAttributes>();
  const Shape& operand = op.operand(0);
  size_t count = fft.length.size(), rank = operand.dimensions.size();
  if (count < 1 || count > 3) {
    return op.Violation("fft C3", "fft_length is {}; it must have 1 to 3 numbers", DimensionsText(fft.length));
  }
  if (count > rank) {
    return op.Violation("fft C1", "fft_length is {}, operand has shape {}; it must not have more dimensions",
                        DimensionsText(fft.length), operand.ToString(false));
  }
  bool from_real = fft.type == "RFFT", to_real = fft.type == "IRFFT";
  if (!from_real && !to_real && fft.type != "FFT" && fft.type != "IFFT") {
    return op.Violation("fft C2", "fft_type is `{}`; it must be FFT, IFFT, RFFT or IRFFT", fft.type);
  }
  bool real_type = operand.element_type == ElementType::kF32 || operand.element_type == ElementType::kF64;
  if (from_real ? !real_type : !IsComplex(operand.element_type)) {
    return op.Violation("fft C2", "operand has element type {}; `{}` takes {}", ElementTypeName(operand.element_type),
                        fft.type, from_real ? "f32 or f64" : "complex numbers");
  }
  Shape result = Shape::Array(operand.element_type, operand.dimensions);
  for (size_t dim = 0; dim < count; ++dim) {
    int64_t& extent = result.dimensions[rank - count + dim];
    int64_t length = fft.length[dim];
    bool halved = to_real && dim + 1 == count;
    int64_t expected = halved ? (length == 0 ? 0 : length / 2 + 1) : length;
    if (extent != expected) {
      return op.Violation(from_real ? "fft C4" : "fft C5",
                          "fft_length is {}, operand has shape {}; its last dimensions do not fit",
                          DimensionsText(fft.length), operand.ToString(false));
    }
    if (halved) extent = length;
  }
  if (from_real) {
    result.element_type = ComplexOf(operand.element_type);
    int64_t& last = result.dimensions.back();
    last = last == 0 ? 0 : last / 2 + 1;
  }
  if (to_real) result.element_type = RealOf(operand.element_type);
  return result;
}

Result<Shape> InferCholesky(const Op& op) {
  const Shape& a = op.operand(0);
  if (a.rank() < 2) {
    return op.Violation("cholesky C2", "a has shape {}; it must have at least 2 dimensions", a.ToString(false));
  }
  if (a.dimensions[a.dimensions.size() - 2] != a.dimensions.back()) {
    return op.Violation("cholesky C3", "a has shape {}; its last two dimensions must be equal", a.ToString(false));
  }
  return a;
}

Result<Shape> InferTriangularSolve(const Op& op) {
  const Shape& a = op.operand(0);
  const Shape& b = op.operand(1);
  if (a.element_type != b.element_type) {
    return op.Violation("triangular_solve C1", "a has element type {}, b has {}; they must be the same",
                        ElementTypeName(a.element_type), ElementTypeName(b.element_type));
  }
  size_t rank = a.dimensions.size();
  if (rank < 2 || rank != b.dimensions.size()) {
    return op.Violation("triangular_solve C2",
                        "a has shape {}, b has {}; they must have as many dimensions, at least 2", a.ToString(false),
                        b.ToString(false));
  }
  bool left = op.attributes<TriangularSolveAttributes>().left_side;
  int64_t order = a.dimensions[rank - 1];
  bool same_batch = std::equal(a.dimensions.begin(), a.dimensions.end() - 2, b.dimensions.begin());
  if (!same_batch || a.dimensions[rank - 2] != order || b.dimensions[left ? rank - 2 : rank - 1] != order) {
    return op.Violation("triangular_solve C3", "a has shape {}, b has {}; a must be square and fit b",
                        a.ToString(false), b.ToString(false));
  }
  return b;
}

// rng-bit-generator gives the new state with the bits, or the bits alone.
Result<Shape> InferRngBitGenerator(const Op& op) {
  const Shape& shape = op.own_shape();
  if (!shape.is_tuple()) return shape;
  if (shape.elements.size() == 2 && shape.elements[0].Compatible(op.operand(0))) return shape;
  return op.Violation("rng_bit_generator C1",
                      "state has shape {}, result has {}; it must be a tuple of the new state and the bits",
                      op.operand(0).ToString(false), shape.ToString(false));
}

}  // namespace

Result<Shape> InferLinearAlgebra(const Op& op) {
  TRY_STATUS(op.RequireArrays());
  switch (op.opcode()) {
    case Opcode::kFft: return InferFft(op);
    case Opcode::kCholesky: return InferCholesky(op);
    case Opcode::kTriangularSolve: return InferTriangularSolve(op);
    case Opcode::kBatchNormInference: return op.operand(0);
    // batch-norm-training and -grad: their feature_index is kept as text.
    default: return op.own_shape();
  }
}

Result<Shape> InferRandom(const Op& op) {
  TRY_STATUS(op.RequireArrays());
  if (op.opcode() == Opcode::kRngBitGenerator) return InferRngBitGenerator(op);
  return op.own_shape();
}

}  // namespace stead::ir
