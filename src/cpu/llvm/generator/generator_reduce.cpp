// Reductions and other sums: loops inside the value of one element.
//   Where the result's index varies between lanes each lane reduces its own elements in order. Where it does not, and the
//   reduction runs along the fastest dimension, the row is read a vector at a time into a few accumulators, which are combined
//   in a fixed order: the same program gives the same bits on every run and any number of threads.
#include "cpu/llvm/generator/generator.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace stead::cpu {
namespace {

using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

bool Contains(const ir::Dimensions& list, int64_t item) { return std::ranges::count(list, item) > 0; }

bool IsAssociative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return true;
    default: return false;
  }
}

// The op of a reducer that is one associative op on its two parameters.
std::optional<Opcode> SimpleReducer(const ir::Module& module, ir::ComputationId reducer) {
  const Instruction& root = module.instruction(module.root(reducer));
  // Complex products have no value that changes nothing: 0 times an infinite part is NaN.
  if (ir::IsComplex(root.shape.element_type) && root.opcode != Opcode::kAdd) return std::nullopt;
  const std::vector<InstrId>& parameters = module.computation(reducer).parameters;
  if (!IsAssociative(root.opcode) || parameters.size() != 2 ||
      !std::ranges::is_permutation(root.operands, parameters)) {
    return std::nullopt;
  }
  return root.opcode;
}

// True for a pair of a value and a place of which one is chosen, the places deciding between equal values, as in the place of the
// largest element: without NaN, pairs may be combined in any order, and the initial one more than once.
bool IsSelection(const ir::Module& module, ir::ComputationId reducer) {
  const std::vector<InstrId>& parameters = module.computation(reducer).parameters;
  const Instruction& root = module.instruction(module.root(reducer));
  if (root.opcode != Opcode::kTuple || root.operands.size() != 2 || parameters.size() != 4) return false;
  for (size_t number = 0; number < 2; ++number) {
    const Instruction& result = module.instruction(root.operands[number]);
    if (result.opcode != Opcode::kSelect || ir::IsComplex(result.shape.element_type)) return false;
    const std::vector<InstrId> choices = {result.operands[1], result.operands[2]};
    if (!std::ranges::is_permutation(choices, std::vector{parameters[number], parameters[2 + number]})) return false;
  }
  return std::ranges::any_of(module.computation(reducer).instructions, [&](InstrId id) {
    const Instruction& member = module.instruction(id);
    return member.opcode == Opcode::kCompare &&
           std::ranges::is_permutation(member.operands, std::vector{parameters[1], parameters[3]});
  });
}

// The value that changes nothing: what switched-off lanes and fresh accumulators hold.
llvm::Constant* Identity(llvm::LLVMContext& context, Opcode opcode, ElementType type) {
  llvm::Type* const form = RegisterType(context, type);
  if (auto* const complex = llvm::dyn_cast<llvm::StructType>(form)) {
    llvm::Constant* const part = Identity(context, opcode, PartType(type));
    return llvm::ConstantStruct::get(complex, part, part);
  }
  const unsigned bits = form->getScalarSizeInBits();
  const bool is_float = ir::IsFloat(type);
  const bool is_signed = ir::IsSigned(type);
  const auto integer = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(form, value); };
  switch (opcode) {
    case Opcode::kAdd: return is_float ? llvm::ConstantFP::getNegativeZero(form) : integer(llvm::APInt::getZero(bits));
    case Opcode::kMultiply: return is_float ? llvm::ConstantFP::get(form, 1) : integer(llvm::APInt(bits, 1));
    case Opcode::kMaximum:
      if (is_float) return llvm::ConstantFP::getInfinity(form, /*Negative=*/true);
      return integer(is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits));
    case Opcode::kMinimum:
      if (is_float) return llvm::ConstantFP::getInfinity(form);
      return integer(is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getAllOnes(bits));
    case Opcode::kAnd: return integer(llvm::APInt::getAllOnes(bits));
    default: return integer(llvm::APInt::getZero(bits));
  }
}

// The operand's index with the kept dimensions filled in from the result's.
Index KeptIndex(const Shape& operand, const ir::Dimensions& reduced, const Index& index) {
  Index source(operand.dimensions.size());
  size_t next = 0;
  for (int64_t dim = 0; dim < operand.rank(); ++dim) {
    if (!Contains(reduced, dim)) source[dim] = index[next++];
  }
  return source;
}

}  // namespace

ElementType AccumulatorType(ElementType type) {
  return ir::IsFloat(type) && ir::ElementBits(type) < 32 ? ElementType::kF32 : type;
}

std::vector<llvm::Value*> Generator::Accumulate(
    const Values& initial, const std::vector<int64_t>& sizes,
    const std::function<Values(const Index& counters, const Values& accumulators)>& step) {
  if (std::ranges::count(sizes, 0) > 0) return initial;
  Values places;
  for (llvm::Value* value : initial) {
    places.push_back(loops_.Local(value->getType()));
    builder_.CreateStore(value, places.back());
  }
  const auto load = [&] {
    Values values;
    for (size_t number = 0; number < places.size(); ++number) {
      values.push_back(builder_.CreateLoad(initial[number]->getType(), places[number]));
    }
    return values;
  };
  loops_.ForEach(sizes, [&](const Index& counters) {
    const Values next = step(counters, load());
    for (size_t number = 0; number < places.size(); ++number) {
      builder_.CreateStore(arithmetic_.Splat(next[number], initial[number]), places[number]);
    }
  });
  return load();
}

bool Generator::IsRowReduction(InstrId id) const {
  const Instruction& instruction = module_.instruction(id);
  if (instruction.opcode != Opcode::kReduce || instruction.operands.size() != 2) return false;
  const Shape& operand = module_.shape(instruction.operands[0]);
  return operand.element_count() > 0 && SimpleReducer(module_, instruction.called[0]).has_value() &&
         Contains(instruction.As<ir::DimensionsAttributes>().dimensions, FastestDimension(operand));
}

std::vector<llvm::Value*> Generator::Reduce(InstrId id, const Index& index, Guard guard) {
  const Instruction& instruction = module_.instruction(id);
  if (loops_.space().Varies(index)) return ReduceInOrder(instruction, index, guard);
  if (IsRowReduction(id)) return {ReduceRow(id, index)};
  if (SelectsInRows(instruction)) return SelectInRow(instruction, index);
  return ReduceInOrder(instruction, index, guard);
}

std::vector<llvm::Value*> Generator::ReduceInOrder(const Instruction& instruction, const Index& index, Guard guard) {
  const bool varies = loops_.space().Varies(index);
  const ir::Dimensions& reduced = instruction.As<ir::DimensionsAttributes>().dimensions;
  const size_t count = instruction.operands.size() / 2;
  const Shape& operand = module_.shape(instruction.operands[0]);
  Values initial;
  for (size_t number = 0; number < count; ++number) {
    llvm::Value* const value = At(instruction.operands[count + number], {});
    initial.push_back(varies ? Splat(value) : value);
  }
  std::vector<int64_t> dims, sizes;
  for (int64_t dim : MemoryOrder(operand)) {
    if (!Contains(reduced, dim)) continue;
    dims.push_back(dim);
    sizes.push_back(operand.dimensions[dim]);
  }
  return Accumulate(initial, sizes, [&](const Index& counters, const Values& accumulators) {
    Index source = KeptIndex(operand, reduced, index);
    for (size_t level = 0; level < dims.size(); ++level) source[dims[level]] = counters[level];
    Values arguments = accumulators;
    for (size_t number = 0; number < count; ++number)
      arguments.push_back(At(instruction.operands[number], source, guard));
    return Call(instruction.called[0], arguments);
  });
}

// The dimensions that one vector loop can run over: the fastest one, and those before it as long as they are reduced too and
// the operand can be read by position.
std::vector<int64_t> Generator::RowDimensions(InstrId id) const {
  const Instruction& instruction = module_.instruction(id);
  const Shape& operand = module_.shape(instruction.operands[0]);
  const ir::Dimensions& reduced = instruction.As<ir::DimensionsAttributes>().dimensions;
  if (!IsLinear(instruction.operands[0], operand)) return {FastestDimension(operand)};
  std::vector<int64_t> row;
  const std::vector<int64_t> order = MemoryOrder(operand);
  for (size_t step = order.size(); step-- > 0;) {
    if (operand.dimensions[order[step]] == 1) continue;
    if (!Contains(reduced, order[step])) break;
    row.insert(row.begin(), order[step]);
  }
  return row;
}

llvm::Value* Generator::ReduceRow(InstrId id, const Index& index) {
  const Instruction& instruction = module_.instruction(id);
  const ir::Dimensions& reduced = instruction.As<ir::DimensionsAttributes>().dimensions;
  const Shape& operand = module_.shape(instruction.operands[0]);
  const Opcode opcode = *SimpleReducer(module_, instruction.called[0]);
  const ElementType type = AccumulatorType(operand.element_type);
  llvm::Value* const identity = Splat(Identity(builder_.getContext(), opcode, type));

  const std::vector<int64_t> row = RowDimensions(id);
  std::vector<int64_t> row_sizes, outer, outer_sizes;
  for (int64_t dim : row) row_sizes.push_back(operand.dimensions[dim]);
  for (int64_t dim : MemoryOrder(operand)) {
    if (!Contains(reduced, dim) || Contains(row, dim)) continue;
    outer.push_back(dim);
    outer_sizes.push_back(operand.dimensions[dim]);
  }
  const int64_t row_size = std::accumulate(row_sizes.begin(), row_sizes.end(), int64_t{1}, std::multiplies<>());
  // Several accumulators hide the latency of the op; short rows would only pay for combining them.
  constexpr int64_t kAccumulators = 4;
  const int64_t group = row_size >= 4 * kAccumulators * loops_.lanes() ? kAccumulators : 1;

  Values places;
  for (int64_t number = 0; number < group; ++number) {
    places.push_back(loops_.Local(identity->getType()));
    builder_.CreateStore(identity, places.back());
  }
  std::vector<int64_t> row_order(row.size());
  std::iota(row_order.begin(), row_order.end(), 0);
  loops_.ForEach(outer_sizes, [&](const Index& counters) {
    loops_.ForEachVector(row_size, group, [&](const IndexExpression& position, int64_t member) {
      Index source = KeptIndex(operand, reduced, index);
      for (size_t level = 0; level < outer.size(); ++level) source[outer[level]] = counters[level];
      const Index in_row = loops_.space().Delinearize(position, row_sizes, row_order);
      for (size_t level = 0; level < row.size(); ++level) source[row[level]] = in_row[level];
      llvm::Value* element = Splat(At(instruction.operands[0], source));
      if (llvm::Value* const active = loops_.ActiveLanes()) element = registers_.Select(active, element, identity);
      llvm::Value* const sum = builder_.CreateLoad(identity->getType(), places[member]);
      builder_.CreateStore(arithmetic_.Binary(opcode, type, sum, element), places[member]);
    });
  });
  Values sums;
  for (llvm::Value* place : places) sums.push_back(builder_.CreateLoad(identity->getType(), place));
  for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
    for (size_t number = 0; number < sums.size() / 2; ++number) {
      sums[number] = arithmetic_.Binary(opcode, type, sums[number], sums[number + sums.size() / 2]);
    }
  }
  llvm::Value* const total = CombineLanes(opcode, type, sums[0]);
  llvm::Value* const initial = At(instruction.operands[1], {});
  return registers_.Round(arithmetic_.Binary(opcode, type, initial, total), operand.element_type);
}

bool Generator::SelectsInRows(const Instruction& reduce) const {
  const Shape& operand = module_.shape(reduce.operands[0]);
  const ir::Dimensions& reduced = reduce.As<ir::DimensionsAttributes>().dimensions;
  return operand.element_count() > 0 && Contains(reduced, FastestDimension(operand)) &&
         IsSelection(module_, reduce.called[0]);
}

// Each lane selects among its own elements; the lanes' choices are combined at the end. What is chosen of several NaN depends on
// the order, so a row that holds one is done again in order.
std::vector<llvm::Value*> Generator::SelectInRow(const Instruction& reduce, const Index& index) {
  const bool may_be_nan = ir::IsFloat(module_.shape(reduce.operands[0]).element_type);
  Values initial, lanes;
  for (InstrId value : {reduce.operands[2], reduce.operands[3]}) initial.push_back(At(value, {}));
  for (llvm::Value* value : initial) lanes.push_back(Splat(value));
  if (may_be_nan) lanes.push_back(llvm::Constant::getNullValue(lanes[0]->getType()));
  lanes = SelectInLanes(reduce, index, lanes);
  const Values chosen = Accumulate(initial, {loops_.lanes()}, [&](const Index& counters, const Values& accumulators) {
    Values arguments = accumulators;
    for (size_t number = 0; number < 2; ++number)
      arguments.push_back(builder_.CreateExtractElement(lanes[number], loops_.Scalar(counters[0])));
    return Call(reduce.called[0], arguments);
  });
  if (!may_be_nan) return chosen;
  Values places;
  for (llvm::Value* value : chosen) {
    places.push_back(loops_.Local(value->getType()));
    builder_.CreateStore(value, places.back());
  }
  loops_.OpenIf(builder_.CreateOrReduce(builder_.CreateFCmpUNO(lanes[2], lanes[2])));
  const Values in_order = ReduceInOrder(reduce, index, {});
  for (size_t number = 0; number < 2; ++number) builder_.CreateStore(in_order[number], places[number]);
  loops_.Close();
  Values results;
  for (size_t number = 0; number < 2; ++number)
    results.push_back(builder_.CreateLoad(chosen[number]->getType(), places[number]));
  return results;
}

// `initial`: values and places, and of floats what becomes NaN in lanes that see one.
std::vector<llvm::Value*> Generator::SelectInLanes(const Instruction& reduce, const Index& index,
                                                   const Values& initial) {
  const Shape& operand = module_.shape(reduce.operands[0]);
  const ir::Dimensions& reduced = reduce.As<ir::DimensionsAttributes>().dimensions;
  const int64_t row = FastestDimension(operand);
  Values places;
  for (llvm::Value* value : initial) {
    places.push_back(loops_.Local(value->getType()));
    builder_.CreateStore(value, places.back());
  }
  const auto load = [&](size_t number) { return builder_.CreateLoad(initial[number]->getType(), places[number]); };
  std::vector<int64_t> outer, outer_sizes;
  for (int64_t dim : MemoryOrder(operand)) {
    if (dim == row || !Contains(reduced, dim)) continue;
    outer.push_back(dim);
    outer_sizes.push_back(operand.dimensions[dim]);
  }
  loops_.ForEach(outer_sizes, [&](const Index& counters) {
    loops_.ForEachVector(operand.dimensions[row], 1, [&](const IndexExpression& position, int64_t) {
      Index source = KeptIndex(operand, reduced, index);
      for (size_t level = 0; level < outer.size(); ++level) source[outer[level]] = counters[level];
      source[row] = position;
      Values arguments = {load(0), load(1)};
      for (size_t number = 0; number < 2; ++number) {
        llvm::Value* const element = Splat(At(reduce.operands[number], source));
        llvm::Value* const active = loops_.ActiveLanes();
        arguments.push_back(active == nullptr ? element : registers_.Select(active, element, initial[number]));
      }
      const Values chosen = Call(reduce.called[0], arguments);
      for (size_t number = 0; number < 2; ++number) builder_.CreateStore(Splat(chosen[number]), places[number]);
      if (initial.size() == 2) return;
      llvm::Value* const is_nan = builder_.CreateFCmpUNO(arguments[2], arguments[2]);
      builder_.CreateStore(builder_.CreateSelect(is_nan, arguments[2], load(2)), places[2]);
    });
  });
  Values lanes;
  for (size_t number = 0; number < initial.size(); ++number) lanes.push_back(load(number));
  return lanes;
}

// Folds the upper half of the lanes onto the lower one until one is left.
llvm::Value* Generator::CombineLanes(Opcode opcode, ElementType type, llvm::Value* vector) {
  for (int width = static_cast<int>(loops_.lanes()) / 2; width >= 1; width /= 2) {
    llvm::SmallVector<int, 64> lower, upper;
    for (int lane = 0; lane < width; ++lane) {
      lower.push_back(lane);
      upper.push_back(lane + width);
    }
    const auto half = [&](llvm::ArrayRef<int> half_lanes) {
      return registers_.ForParts(vector,
                                 [&](llvm::Value* part) { return builder_.CreateShuffleVector(part, half_lanes); });
    };
    llvm::Value* const left = half(lower);
    vector = arithmetic_.Binary(opcode, type, left, half(upper));
  }
  return registers_.ForParts(vector,
                             [&](llvm::Value* part) { return builder_.CreateExtractElement(part, uint64_t{0}); });
}

llvm::Value* Generator::Operand(InstrId id, const Index& index, Guard guard, ElementType type) {
  return registers_.Convert(At(id, index, guard), module_.shape(id).element_type, type);
}

// A sum of products is one expression: the two roundings of a step may become one where the CPU can.
llvm::Value* Generator::MultiplyAdd(ElementType type, llvm::Value* left, llvm::Value* right, llvm::Value* sum) {
  const llvm::IRBuilderBase::FastMathFlagGuard restore(builder_);
  llvm::FastMathFlags flags;
  flags.setAllowContract(ir::IsFloat(type) || ir::IsComplex(type));
  builder_.setFastMathFlags(flags);
  left = arithmetic_.Splat(left, sum);
  right = arithmetic_.Splat(right, sum);
  return arithmetic_.Binary(Opcode::kAdd, type, sum, arithmetic_.Binary(Opcode::kMultiply, type, left, right));
}

llvm::Value* Generator::Dot(const Instruction& instruction, const Index& index, Guard guard) {
  const auto& dot = instruction.As<ir::DotAttributes>();
  const ElementType result = instruction.shape.element_type;
  const ElementType type = AccumulatorType(result);
  std::vector<int64_t> sizes;
  for (int64_t dim : dot.lhs_contracting) sizes.push_back(module_.shape(instruction.operands[0]).dimensions[dim]);
  llvm::Value* zero = llvm::Constant::getNullValue(RegisterType(builder_.getContext(), type));
  if (loops_.space().Varies(index)) zero = Splat(zero);
  size_t next_free = dot.lhs_batch.size();
  // The index of one operand: batch and contracting dimensions are named, free ones follow in the order of the result.
  const auto fill = [&](const Shape& shape, const ir::Dimensions& batch, const ir::Dimensions& contracting,
                        size_t first_free) {
    Index source(shape.dimensions.size());
    for (size_t number = 0; number < batch.size(); ++number) source[batch[number]] = index[number];
    for (int64_t dim = 0; dim < shape.rank(); ++dim) {
      if (!Contains(batch, dim) && !Contains(contracting, dim)) source[dim] = index[first_free++];
    }
    next_free = first_free;
    return source;
  };
  const Index left = fill(module_.shape(instruction.operands[0]), dot.lhs_batch, dot.lhs_contracting, next_free);
  const Index right = fill(module_.shape(instruction.operands[1]), dot.rhs_batch, dot.rhs_contracting, next_free);
  const auto operand = [&](size_t number, Index source, const ir::Dimensions& contracting, const Index& counters) {
    for (size_t level = 0; level < contracting.size(); ++level) source[contracting[level]] = counters[level];
    return Operand(instruction.operands[number], source, guard, type);
  };
  const Values sum = Accumulate({zero}, sizes, [&](const Index& counters, const Values& accumulators) -> Values {
    llvm::Value* const lhs = operand(0, left, dot.lhs_contracting, counters);
    llvm::Value* const rhs = operand(1, right, dot.rhs_contracting, counters);
    return {MultiplyAdd(type, lhs, rhs, accumulators[0])};
  });
  return registers_.Round(sum[0], result);
}

}  // namespace stead::cpu
