// Uniform floats are the numbers from 1 to 2 whose fraction is random, less one. Normal ones are those of Box and Muller, "A note
// on the generation of random normal deviates" (1958): of two uniform numbers one gives the distance from the mean, one the angle.
#include "passes/expand/distribution.h"

#include <algorithm>
#include <numbers>
#include <string>

#include "passes/expand/array_math.h"

namespace stead::passes {
namespace {

using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// Where streams have the same key their blocks shall not be the same: the golden ratio spreads them.
constexpr uint64_t kStreamSpread = 0x9E3779B97F4A7C15;

std::string DistributionOf(const Instruction& rng) {
  const auto found = std::ranges::find(rng.extra, "distribution", &ir::ExtraAttribute::key);
  return found == rng.extra.end() ? "" : found->value;
}

bool IsFloat16(ElementType type) { return type == ElementType::kF16 || type == ElementType::kBF16; }

// Makes the numbers of one rng.
class Distribution {
 public:
  Distribution(ir::Module& module, InstrId rng, uint64_t stream)
      : build_(module, rng), math_(build_), rng_(module.instruction(rng)), first_block_(stream * kStreamSpread) {}

  InstrId Uniform() {
    const Shape& shape = rng_.shape;
    return ir::IsFloat(shape.element_type) ? UniformFloats() : UniformIntegers();
  }

  // mean + deviation * sqrt(-2 log(1 - u)) * cos(2 pi v), u and v in [0, 1)
  InstrId Normal() {
    const ElementType type = ComputedType();
    const ir::Dimensions& dimensions = rng_.shape.dimensions;
    const Shape pair = Shape::Array(type, {2, rng_.shape.element_count()});
    const InstrId numbers = build_.Reshape(UnitFloats(pair), pair.dimensions);
    const auto half = [&](int64_t which) {
      return build_.Reshape(build_.Slice(numbers, {which, 0}, {1, pair.dimensions[1]}), dimensions);
    };
    const auto number = [&](double value) { return math_.Number(type, value, dimensions); };
    const InstrId log = math_.Of(Opcode::kLog, math_.Subtract(number(1), half(0)));
    const InstrId radius = math_.Of(Opcode::kSqrt, math_.Multiply(number(-2), log));
    const InstrId angle = math_.Multiply(number(2 * std::numbers::pi), half(1));
    const InstrId normal = math_.Multiply(radius, math_.Of(Opcode::kCosine, angle));
    return Finished(math_.Add(Parameter(0), math_.Multiply(Parameter(1), normal)));
  }

 private:
  // Floats of 16 bits are made from those of 32.
  ElementType ComputedType() const {
    const ElementType type = rng_.shape.element_type;
    return IsFloat16(type) ? ElementType::kF32 : type;
  }

  InstrId Parameter(size_t number) {
    return build_.Splat(math_.Convert(rng_.operands[number], ComputedType()), rng_.shape.dimensions);
  }

  InstrId Finished(InstrId numbers) { return math_.Convert(numbers, rng_.shape.element_type); }

  // Words for the elements of a shape, in a line. Every run has the next key.
  InstrId Words(const Shape& shape) {
    const ElementType word = ir::ElementBits(shape.element_type) == 64 ? ElementType::kU64 : ElementType::kU32;
    const Shape state_shape = Shape::Array(ElementType::kU64, {2});
    const InstrId run = build_.Op(Opcode::kRngGetAndUpdateState, state_shape, {});
    build_.module().SetExtra(run, {{"delta", "1"}});
    const InstrId first = build_.Reshape(build_.Integer(ElementType::kU64, static_cast<int64_t>(first_block_)), {1});
    const InstrId state = build_.DynamicUpdateSlice(run, first, {build_.Integer(ElementType::kS32, 1)});
    const Shape made = Shape::Tuple({state_shape, Shape::Array(word, {shape.element_count()})});
    const InstrId generator =
        build_.Op(Opcode::kRngBitGenerator, made, {state}, ir::RngBitGeneratorAttributes{"rng_philox"});
    return build_.TupleElement(generator, 1);
  }

  // In [0, 1), in a line.
  InstrId UnitFloats(const Shape& shape) {
    const bool is_wide = shape.element_type == ElementType::kF64;
    const ElementType word = is_wide ? ElementType::kU64 : ElementType::kU32;
    const ir::Dimensions line = {shape.element_count()};
    const auto splat = [&](int64_t value) { return build_.Splat(build_.Integer(word, value), line); };
    const InstrId fraction = math_.Of(Opcode::kShiftRightLogical, Words(shape), splat(is_wide ? 12 : 9));
    const InstrId bits = math_.Of(Opcode::kOr, fraction, splat(is_wide ? 0x3FF0'0000'0000'0000 : 0x3F80'0000));
    const InstrId floats = build_.Op(Opcode::kBitcastConvert, Shape::Array(shape.element_type, line), {bits});
    return math_.Subtract(floats, math_.Number(shape.element_type, 1, line));
  }

  // low + (high - low) * u; where that was rounded up to `high`, low.
  InstrId UniformFloats() {
    const ir::Dimensions& dimensions = rng_.shape.dimensions;
    const InstrId unit = build_.Reshape(UnitFloats(Shape::Array(ComputedType(), dimensions)), dimensions);
    const InstrId low = Parameter(0), width = math_.Subtract(Parameter(1), low);
    const InstrId numbers = Finished(math_.Add(low, math_.Multiply(width, unit)));
    const InstrId lowest = build_.Splat(rng_.operands[0], dimensions);
    const InstrId limit = build_.Splat(rng_.operands[1], dimensions);
    const InstrId is_inside = build_.Compare(ir::CompareAttributes::Direction::kLt, numbers, limit);
    return build_.Select(is_inside, numbers, lowest);
  }

  // low + word mod (high - low), in words as wide as the elements, so that what wraps around is right.
  InstrId UniformIntegers() {
    const ir::Dimensions& dimensions = rng_.shape.dimensions;
    const bool is_wide = ir::ElementBits(rng_.shape.element_type) == 64;
    const ElementType word = is_wide ? ElementType::kU64 : ElementType::kU32;
    const auto limit = [&](size_t number) {
      return build_.Splat(math_.Convert(rng_.operands[number], word), dimensions);
    };
    const InstrId words = build_.Reshape(Words(rng_.shape), dimensions);
    const InstrId width = math_.Subtract(limit(1), limit(0));
    return Finished(math_.Add(limit(0), math_.Of(Opcode::kRemainder, words, width)));
  }

  Builder build_;
  ArrayMath math_;
  const Instruction rng_;
  uint64_t first_block_;
};

}  // namespace

bool ExpandDistribution(ir::Module& module, InstrId rng, uint64_t stream) {
  const Instruction& instruction = module.instruction(rng);
  const Shape& shape = instruction.shape;
  const ElementType type = shape.is_array() ? shape.element_type : ElementType::kPred;
  const bool is_float = type == ElementType::kF32 || type == ElementType::kF64 || IsFloat16(type);
  const bool is_integer = ir::IsInteger(type) && ir::ElementBits(type) >= 8;
  const bool has_scalars =
      instruction.operands.size() == 2 && std::ranges::all_of(instruction.operands, [&](InstrId operand) {
        return module.shape(operand).is_array() && module.shape(operand).rank() == 0 &&
               module.shape(operand).element_type == type;
      });
  if (!has_scalars || shape.element_count() == 0) return false;
  const std::string distribution = DistributionOf(instruction);
  const bool is_uniform = distribution == "rng_uniform" && (is_float || is_integer);
  const bool is_normal = distribution == "rng_normal" && is_float;
  if (!shape.is_row_major() || (!is_uniform && !is_normal)) return false;
  Distribution numbers(module, rng, stream);
  Replace(module, rng, is_uniform ? numbers.Uniform() : numbers.Normal());
  // It has an effect, so that nobody else would remove it.
  module.Erase(rng);
  return true;
}

}  // namespace stead::passes
