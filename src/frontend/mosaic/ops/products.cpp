// Reductions and matrix products.
#include <fmt/format.h>

#include <limits>

#include "frontend/mosaic/kernel_types.h"
#include "frontend/mosaic/ops/kernel_importers.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

namespace {

Result<Opcode> ReducerOf(const KernelOp& op, std::string_view kind) {
  if (kind == "add") return Opcode::kAdd;
  if (kind == "mul") return Opcode::kMultiply;
  if (kind == "maximumf" || kind == "maxsi") return Opcode::kMaximum;
  if (kind == "minimumf" || kind == "minsi") return Opcode::kMinimum;
  if (kind == "and") return Opcode::kAnd;
  if (kind == "or") return Opcode::kOr;
  if (kind == "xor") return Opcode::kXor;
  return op.Unsupported(fmt::format("of kind `{}` is not supported", kind));
}

}  // namespace

// The second operand is what each reduction begins with: one scalar for all, as JAX writes it.
Status ImportVectorReduction(KernelOp& op) {
  TRY(std::vector<InstrId> operands, op.Values(0, 2));
  TRY(std::string kind, op.Text("kind"));
  TRY(Opcode reducer_opcode, ReducerOf(op, kind));
  TRY(ir::Dimensions dimensions, op.Integers("reduction_dims"));
  InstrId initial = op.emit().FillOf(operands[1]);
  if (!initial.valid()) return op.Unsupported("that begins with different numbers is not supported");
  TRY(ir::ComputationId reducer, op.emit().Reducer(reducer_opcode, op.shape(initial).element_type));
  TRY(InstrId made, op.emit().Add(op.scope(), Opcode::kReduce, {operands[0], initial},
                                  ir::DimensionsAttributes{std::move(dimensions)}, {}, {reducer}));
  return op.SetResult(made);
}

namespace {

// The elements of `operand` that are the largest (or smallest) along `axis`, or NaN.
Result<InstrId> AreBest(KernelOp& op, InstrId operand, int64_t axis, Opcode best_of) {
  KernelEmitter& emit = op.emit();
  KernelScope& scope = op.scope();
  const ir::Shape shape = op.shape(operand);
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float worst = best_of == Opcode::kMaximum ? -kInfinity : kInfinity;
  InstrId scalar =
      emit.Constant(scope, ir::Literal::FromVector<float>(ir::Shape::Array(ir::ElementType::kF32, {}), {worst}));
  TRY(InstrId initial, emit.Convert(scope, scalar, shape.element_type));
  TRY(ir::ComputationId reducer, emit.Reducer(best_of, shape.element_type));
  TRY(InstrId best,
      emit.Add(scope, Opcode::kReduce, {operand, initial}, ir::DimensionsAttributes{{axis}}, {}, {reducer}));
  ir::Dimensions others;
  for (int64_t dimension = 0; dimension < shape.rank(); ++dimension) {
    if (dimension != axis) others.push_back(dimension);
  }
  TRY(InstrId wide, emit.Add(scope, Opcode::kBroadcast, {best}, ir::DimensionsAttributes{std::move(others)}, shape));
  using Direction = ir::CompareAttributes::Direction;
  TRY(InstrId are_equal, emit.Add(scope, Opcode::kCompare, {operand, wide}, ir::CompareAttributes{Direction::kEq}));
  TRY(InstrId are_nan, emit.Add(scope, Opcode::kCompare, {operand, operand}, ir::CompareAttributes{Direction::kNe}));
  return emit.Add(scope, Opcode::kOr, {are_equal, are_nan});
}

}  // namespace

// The first place along `axis` that holds the largest or smallest element, or the first NaN.
Status ImportReduceIndex(KernelOp& op) {
  TRY(InstrId operand, op.Value(0));
  TRY(int64_t axis, op.Integer("axis"));
  TRY(std::string kind, op.Text("kind"));
  const ir::Shape shape = op.shape(operand);
  if ((kind != "arg_max" && kind != "arg_min") || !ir::IsFloat(shape.element_type))
    return op.Unsupported(fmt::format("of kind `{}` on {} is not supported", kind, shape.ToString(false)));
  if (axis < 0 || axis >= shape.rank()) return op.Bad("has no such axis");
  TRY(InstrId are_best, AreBest(op, operand, axis, kind == "arg_max" ? Opcode::kMaximum : Opcode::kMinimum));
  KernelEmitter& emit = op.emit();
  const ir::Shape places_shape = ir::Shape::Array(ir::ElementType::kS32, shape.dimensions);
  TRY(InstrId places, emit.Add(op.scope(), Opcode::kIota, {}, ir::DimensionsAttributes{{axis}}, places_shape));
  InstrId beyond = emit.Integer(op.scope(), ir::ElementType::kS32, INT32_MAX);
  TRY(InstrId all_beyond, emit.Splat(op.scope(), beyond, places_shape));
  TRY(InstrId candidates, emit.Add(op.scope(), Opcode::kSelect, {are_best, places, all_beyond}));
  TRY(ir::ComputationId smaller, emit.Reducer(Opcode::kMinimum, ir::ElementType::kS32));
  TRY(InstrId made,
      emit.Add(op.scope(), Opcode::kReduce, {candidates, beyond}, ir::DimensionsAttributes{{axis}}, {}, {smaller}));
  return op.SetResult(made);
}

namespace {

// Dimensions of `#tpu.dot_dimension_numbers<lhs contracting, rhs contracting, lhs others, rhs others, order of the output as
// pairs (operand, dimension), lhs batch, rhs batch>`. The output must have our order: batch, left others, right others.
Result<ir::DotAttributes> ReadDotDimensions(const KernelOp& op, std::string_view text) {
  const std::vector<std::vector<int64_t>> lists = TextLists(text);
  if (lists.size() != 7) return op.Bad("has no dimension numbers");
  ir::Dimensions order;
  for (int64_t dimension : lists[5]) order.insert(order.end(), {0, dimension});
  for (int64_t dimension : lists[2]) order.insert(order.end(), {0, dimension});
  for (int64_t dimension : lists[3]) order.insert(order.end(), {1, dimension});
  if (order != lists[4]) return op.Unsupported("with dimensions of the output in another order is not supported");
  return ir::DotAttributes{lists[5], lists[6], lists[0], lists[1]};
}

}  // namespace

Status ImportVectorProduct(KernelOp& op) {
  TRY(std::vector<InstrId> operands, op.Values(0, 3));
  TRY(bool left_transposed, op.Flag("transpose_lhs"));
  TRY(bool right_transposed, op.Flag("transpose_rhs"));
  if (left_transposed || right_transposed) return op.Unsupported("with transposed operands is not supported");
  TRY(std::string numbers, op.Text("dimension_numbers"));
  TRY(ir::DotAttributes dimensions, ReadDotDimensions(op, numbers));
  TRY(ir::Shape result, op.ResultShape());
  TRY(InstrId product,
      op.emit().Add(op.scope(), Opcode::kDot, {operands[0], operands[1]}, std::move(dimensions), std::move(result)));
  // A product is nearly always added to zeros.
  const bool adds_zero =
      op.emit().IsConstantFill(operands[2]) &&
      op.emit().module().instruction(op.emit().FillOf(operands[2])).As<ir::Literal>().AsDouble(0) == 0;
  if (!adds_zero) {
    TRY(product, op.emit().Add(op.scope(), Opcode::kAdd, {operands[2], product}));
  }
  return op.SetResult(product);
}

}  // namespace stead::frontend
