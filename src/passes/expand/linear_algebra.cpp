// Both loops keep a batch of matrices in their state and overwrite one column or row of each in a step. What a step must not
// read (the other triangle, rows not solved yet) is masked after the product, since it may hold anything, NaN included.
#include "passes/expand/linear_algebra.h"

#include <limits>

#include "passes/rewrite/build.h"
#include "passes/rewrite/loop.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::ElementType;
using ir::InstrId;
using ir::Opcode;
using ir::Shape;
using Direction = ir::CompareAttributes::Direction;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Operations on batches of matrices and vectors of one element type.
class MatrixBuilder {
 public:
  MatrixBuilder(Builder& build, ElementType type) : build_(build), type_(type) {}

  Builder& build() { return build_; }
  ElementType type() const { return type_; }
  bool is_complex() const { return ir::IsComplex(type_); }
  Dimensions Extents(InstrId id) const { return build_.module().shape(id).dimensions; }
  InstrId Both(Opcode opcode, InstrId left, InstrId right) {
    return build_.Op(opcode, build_.module().shape(left), {left, right});
  }
  InstrId To(ElementType type, InstrId id) {
    if (build_.module().shape(id).element_type == type) return id;
    return build_.Op(Opcode::kConvert, Shape::Array(type, Extents(id)), {id});
  }
  InstrId Filled(double value, const Dimensions& extents) { return FilledWith(type_, value, extents); }
  InstrId FilledReal(double value, const Dimensions& extents) { return FilledWith(RealType(), value, extents); }
  // Along `dimension` of the result; the operand's dimensions are the others, in order.
  InstrId Repeated(InstrId operand, size_t dimension, int64_t extent) {
    Dimensions extents = Extents(operand);
    ir::DimensionsAttributes kept;
    for (size_t dim = 0; dim <= extents.size(); ++dim) {
      if (dim != dimension) kept.dimensions.push_back(static_cast<int64_t>(dim));
    }
    extents.insert(extents.begin() + static_cast<ptrdiff_t>(dimension), extent);
    ElementType type = build_.module().shape(operand).element_type;
    return build_.Op(Opcode::kBroadcast, Shape::Array(type, std::move(extents)), {operand}, std::move(kept));
  }
  // Whether the position along `dimension` compares so with a scalar.
  InstrId Where(Direction direction, const Dimensions& extents, size_t dimension, InstrId scalar) {
    ir::DimensionsAttributes along{{static_cast<int64_t>(dimension)}};
    InstrId positions = build_.Op(Opcode::kIota, Shape::Array(ElementType::kS32, extents), {}, std::move(along));
    return build_.Compare(direction, positions, build_.Splat(scalar, extents));
  }
  InstrId Conjugate(InstrId id) {
    if (!is_complex()) return id;
    Shape parts = Shape::Array(RealType(), Extents(id));
    InstrId imaginary = build_.Op(Opcode::kImag, parts, {id});
    InstrId negated = build_.Op(Opcode::kNegate, parts, {imaginary});
    return build_.Op(Opcode::kComplex, Shape::Array(type_, Extents(id)),
                     {build_.Op(Opcode::kReal, parts, {id}), negated});
  }
  InstrId Real(InstrId id) {
    return is_complex() ? build_.Op(Opcode::kReal, Shape::Array(RealType(), Extents(id)), {id}) : id;
  }
  InstrId Transposed(InstrId matrices) {
    Dimensions extents = Extents(matrices);
    std::swap(extents[1], extents[2]);
    return build_.Op(Opcode::kTranspose, Shape::Array(type_, std::move(extents)), {matrices},
                     ir::DimensionsAttributes{{0, 2, 1}});
  }
  InstrId SumAlong(InstrId operand, size_t dimension) {
    Dimensions extents = Extents(operand);
    extents.erase(extents.begin() + static_cast<ptrdiff_t>(dimension));
    ir::DimensionsAttributes along{{static_cast<int64_t>(dimension)}};
    InstrId sum =
        build_.Op(Opcode::kReduce, Shape::Array(type_, std::move(extents)), {operand, Filled(0, {})}, std::move(along));
    build_.module().SetCalled(sum, {Adder()});
    return sum;
  }
  // Row `index` of each matrix along `dimension`, without that dimension.
  InstrId Taken(InstrId operand, size_t dimension, InstrId index) {
    Dimensions sizes = Extents(operand);
    sizes[dimension] = 1;
    InstrId slice = build_.DynamicSlice(operand, Starts(sizes.size(), dimension, index), sizes);
    sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(dimension));
    return build_.Reshape(slice, sizes);
  }
  InstrId Put(InstrId operand, InstrId row, size_t dimension, InstrId index) {
    Dimensions sizes = Extents(operand);
    sizes[dimension] = 1;
    std::vector<InstrId> starts = Starts(sizes.size(), dimension, index);
    return build_.DynamicUpdateSlice(operand, build_.Reshape(row, sizes), std::move(starts));
  }

 private:
  Builder& build_;
  ElementType type_;

  ElementType RealType() const {
    if (!is_complex()) return type_;
    return type_ == ElementType::kC128 ? ElementType::kF64 : ElementType::kF32;
  }

  InstrId FilledWith(ElementType type, double value, const Dimensions& extents) {
    Shape scalar = Shape::Array(ElementType::kF64, {});
    InstrId constant = build_.Constant(ir::Literal::FromVector(std::move(scalar), std::vector<double>{value}));
    return build_.Splat(To(type, constant), extents);
  }

  std::vector<InstrId> Starts(size_t rank, size_t dimension, InstrId index) {
    InstrId zero = build_.Integer(ElementType::kS32, 0);
    std::vector<InstrId> starts(rank, zero);
    starts[dimension] = index;
    return starts;
  }

  ir::ComputationId Adder() {
    ir::Module& module = build_.module();
    ir::ComputationId adder = module.AddComputation("sum");
    std::vector<InstrId> parameters;
    for (int64_t number : {0, 1}) {
      ir::Instruction parameter;
      parameter.opcode = Opcode::kParameter;
      parameter.shape = Shape::Array(type_, {});
      parameter.attributes = ir::ParameterAttributes{number};
      parameters.push_back(module.Add(adder, std::move(parameter)));
    }
    ir::Instruction add;
    add.opcode = Opcode::kAdd;
    add.shape = Shape::Array(type_, {});
    add.operands = std::move(parameters);
    module.SetRoot(adder, module.Add(adder, std::move(add)));
    return adder;
  }
};

// Column `step` of the lower factor: what the columns before it leave of the matrix, over the root of its diagonal element.
std::vector<InstrId> FactorColumn(MatrixBuilder& matrices, InstrId step, InstrId factor) {
  Builder& build = matrices.build();
  const Dimensions extents = matrices.Extents(factor);
  const Dimensions column_extents = {extents[0], extents[1]};
  InstrId row = matrices.Conjugate(matrices.Taken(factor, 1, step));
  InstrId products = matrices.Both(Opcode::kMultiply, factor, matrices.Repeated(row, 1, extents[1]));
  InstrId is_done = matrices.Where(Direction::kLt, extents, 2, step);
  InstrId sums = matrices.SumAlong(build.Select(is_done, products, matrices.Filled(0, extents)), 2);
  InstrId rest = matrices.Both(Opcode::kSubtract, matrices.Taken(factor, 2, step), sums);

  InstrId square = matrices.Real(matrices.Taken(rest, 1, step));
  const Dimensions batch = {extents[0]};
  InstrId root = build.Op(Opcode::kSqrt, build.module().shape(square), {square});
  InstrId is_positive = build.Compare(Direction::kGt, square, matrices.FilledReal(0, batch));
  root = build.Select(is_positive, root, matrices.FilledReal(kNaN, batch));

  InstrId diagonal = matrices.Repeated(matrices.To(matrices.type(), root), 1, extents[1]);
  InstrId below = matrices.Both(Opcode::kDivide, rest, diagonal);
  InstrId is_diagonal = matrices.Where(Direction::kEq, column_extents, 1, step);
  InstrId is_below = matrices.Where(Direction::kGt, column_extents, 1, step);
  InstrId upper = build.Select(is_diagonal, diagonal, matrices.Filled(0, column_extents));
  return {matrices.Put(factor, build.Select(is_below, below, upper), 2, step)};
}

// A matrix that is not positive definite gives NaN everywhere.
InstrId SpreadNan(MatrixBuilder& matrices, InstrId factor) {
  Builder& build = matrices.build();
  const Dimensions extents = matrices.Extents(factor);
  InstrId last = build.Slice(factor, {0, extents[1] - 1, extents[2] - 1}, {extents[0], 1, 1});
  last = matrices.Real(build.Reshape(last, {extents[0]}));
  InstrId failed = build.Compare(Direction::kNe, last, last);
  failed = matrices.Repeated(matrices.Repeated(failed, 1, extents[1]), 2, extents[2]);
  return build.Select(failed, matrices.Filled(kNaN, extents), factor);
}

// Row `row` of the solution: what the rows before it leave of the right-hand side, over the diagonal element. `side` is the
// dimension of the right-hand sides that runs with the rows of the matrix, `along` the matrix's own dimension of rows.
struct Substitution {
  bool lower = false, unit_diagonal = false, conjugated = false;
  size_t side = 1, along = 1;
  int64_t size = 0;

  InstrId SolveRow(MatrixBuilder& matrices, InstrId step, InstrId matrix, InstrId solution) const {
    Builder& build = matrices.build();
    InstrId row = step;
    if (!lower) row = matrices.Both(Opcode::kSubtract, build.Integer(ElementType::kS32, size - 1), step);
    InstrId factors = matrices.Taken(matrix, along, row);
    if (conjugated) factors = matrices.Conjugate(factors);
    const Dimensions extents = matrices.Extents(solution);
    size_t other = 3 - side;
    InstrId products = matrices.Both(Opcode::kMultiply, solution, matrices.Repeated(factors, other, extents[other]));
    InstrId is_done = matrices.Where(lower ? Direction::kLt : Direction::kGt, extents, side, row);
    InstrId sums = matrices.SumAlong(build.Select(is_done, products, matrices.Filled(0, extents)), side);
    InstrId solved = matrices.Both(Opcode::kSubtract, matrices.Taken(solution, side, row), sums);
    if (!unit_diagonal) {
      InstrId diagonal = matrices.Repeated(matrices.Taken(factors, 1, row), 1, extents[other]);
      solved = matrices.Both(Opcode::kDivide, solved, diagonal);
    }
    return matrices.Put(solution, solved, side, row);
  }
};

// The type that the arithmetic is done in.
ElementType WorkingType(ElementType type) { return ir::ElementBits(type) < 32 ? ElementType::kF32 : type; }

Dimensions AsBatch(const Dimensions& extents) {
  int64_t batch = 1;
  for (size_t dim = 0; dim + 2 < extents.size(); ++dim) batch *= extents[dim];
  return {batch, extents[extents.size() - 2], extents.back()};
}

bool ExpandCholesky(ir::Module& module, InstrId id) {
  const ir::Instruction cholesky = module.instruction(id);
  const Shape& shape = cholesky.shape;
  if (shape.element_count() == 0 || !(ir::IsFloat(shape.element_type) || ir::IsComplex(shape.element_type)))
    return false;
  bool lower = cholesky.As<ir::CholeskyAttributes>().lower;
  ElementType type = WorkingType(shape.element_type);
  Builder build(module, id);
  MatrixBuilder matrices(build, type);
  InstrId matrix = matrices.To(type, build.Reshape(cholesky.operands[0], AsBatch(shape.dimensions)));
  // The upper triangle of a Hermitian matrix is the lower one of its conjugate transpose.
  if (!lower) matrix = matrices.Conjugate(matrices.Transposed(matrix));
  std::vector<InstrId> factor =
      CountedLoop(build, "cholesky", shape.dimensions.back(), {matrix}, [&](Builder& inner, InstrId step, auto state) {
        MatrixBuilder inner_matrices(inner, type);
        return FactorColumn(inner_matrices, step, state[0]);
      });
  InstrId result = SpreadNan(matrices, factor[0]);
  if (!lower) result = matrices.Conjugate(matrices.Transposed(result));
  return Replace(module, id, build.Reshape(matrices.To(shape.element_type, result), shape.dimensions));
}

bool ExpandTriangularSolve(ir::Module& module, InstrId id) {
  const ir::Instruction solve = module.instruction(id);
  const Shape& shape = solve.shape;
  if (shape.element_count() == 0 || !(ir::IsFloat(shape.element_type) || ir::IsComplex(shape.element_type)))
    return false;
  const auto& attributes = solve.As<ir::TriangularSolveAttributes>();
  // x * op(a) = b is op(a)^T * x^T = b^T, so solving from the right transposes once more and runs along the other dimension.
  bool swapped = (attributes.transpose_a != "NO_TRANSPOSE") != !attributes.left_side;
  Substitution substitution;
  substitution.lower = attributes.lower != swapped;
  substitution.unit_diagonal = attributes.unit_diagonal;
  substitution.conjugated = attributes.transpose_a == "ADJOINT";
  substitution.side = attributes.left_side ? 1 : 2;
  substitution.along = swapped ? 2 : 1;
  const Dimensions matrix_extents = AsBatch(module.shape(solve.operands[0]).dimensions);
  substitution.size = matrix_extents[1];

  ElementType type = WorkingType(shape.element_type);
  Builder build(module, id);
  MatrixBuilder matrices(build, type);
  InstrId matrix = matrices.To(type, build.Reshape(solve.operands[0], matrix_extents));
  InstrId sides = matrices.To(type, build.Reshape(solve.operands[1], AsBatch(shape.dimensions)));
  std::vector<InstrId> solved = CountedLoop(
      build, "triangular_solve", substitution.size, {matrix, sides}, [&](Builder& inner, InstrId step, auto state) {
        MatrixBuilder inner_matrices(inner, type);
        return std::vector<InstrId>{state[0], substitution.SolveRow(inner_matrices, step, state[0], state[1])};
      });
  return Replace(module, id, build.Reshape(matrices.To(shape.element_type, solved[1]), shape.dimensions));
}

}  // namespace

Result<PassReport> ExpandLinearAlgebra(ir::Module& module) {
  bool changed = false;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kCholesky) changed |= ExpandCholesky(module, id);
      if (module.instruction(id).opcode == Opcode::kTriangularSolve) changed |= ExpandTriangularSolve(module, id);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
