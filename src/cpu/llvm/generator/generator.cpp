#include "cpu/llvm/generator/generator.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <numeric>
#include <unordered_set>

#include "ir/number/narrow_float.h"

namespace stead::cpu {

using ir::ElementType;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

std::vector<int64_t> MemoryOrder(const Shape& shape) {
  if (!shape.layout.minor_to_major.empty()) {
    return {shape.layout.minor_to_major.rbegin(), shape.layout.minor_to_major.rend()};
  }
  std::vector<int64_t> order(shape.dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int64_t> MemoryStrides(const Shape& shape) {
  const std::vector<int64_t> order = MemoryOrder(shape);
  std::vector<int64_t> strides(order.size());
  int64_t stride = 1;
  for (size_t step = order.size(); step-- > 0;) {
    strides[order[step]] = stride;
    stride *= shape.dimensions[order[step]];
  }
  return strides;
}

int64_t FastestDimension(const Shape& shape) {
  const std::vector<int64_t> order = MemoryOrder(shape);
  for (size_t step = order.size(); step-- > 0;) {
    if (shape.dimensions[order[step]] != 1) return order[step];
  }
  return -1;
}

const MemoryArray* Generator::Bound(InstrId id) const {
  const auto found = memory_.find(id);
  return found == memory_.end() ? nullptr : &found->second;
}

llvm::Value* Generator::At(InstrId id, const Index& index, Guard guard, int64_t leaf) {
  const bool varies = loops_.space().Varies(index);
  if (!varies) guard = {};
  const int depth = std::max(loops_.space().Depth(index), guard.depth);
  ValueKey key(id, leaf, index, guard);
  if (llvm::Value* const known = loops_.Find(key)) return known;
  PrepareOperands(id, index, guard);
  llvm::Value* value = nullptr;
  loops_.AtDepth(depth, [&] {
    value = Generate(module_.instruction(id), id, index, guard, leaf);
    if (varies) value = Splat(value);
    loops_.Remember(std::move(key), value);
  });
  return value;
}

void Generator::PrepareOperands(InstrId id, const Index& index, Guard guard) {
  const auto is_chained = [&](InstrId value) {
    return Bound(value) == nullptr && ir::IsElementwise(module_.instruction(value).opcode);
  };
  if (!is_chained(id)) return;
  // Scalars beside arrays have an index of their own.
  const auto index_of = [&](InstrId value) { return module_.shape(value).is_scalar() ? Index() : index; };
  const auto is_known = [&](InstrId value) {
    const Index own = index_of(value);
    return loops_.Find(ValueKey(value, 0, own, loops_.space().Varies(own) ? guard : Guard())) != nullptr;
  };
  std::vector<InstrId> waiting = {id};
  while (!waiting.empty()) {
    const InstrId value = waiting.back();
    const size_t before = waiting.size();
    for (InstrId operand : module_.instruction(value).operands) {
      if (is_chained(operand) && !is_known(operand)) waiting.push_back(operand);
    }
    if (waiting.size() > before) continue;
    waiting.pop_back();
    if (value != id) At(value, index_of(value), guard);
  }
}

llvm::Value* Generator::Generate(const Instruction& instruction, InstrId id, const Index& index, Guard guard,
                                 int64_t leaf) {
  if (const MemoryArray* const array = Bound(id)) return Load(*array, index, guard);
  if (ir::IsElementwise(instruction.opcode)) return Elementwise(instruction, index, guard);
  switch (instruction.opcode) {
    case Opcode::kConstant: return Constant(instruction, index, guard);
    case Opcode::kIota: return Iota(instruction, index);
    case Opcode::kBitcastConvert: return BitcastConvert(instruction, index, guard);
    case Opcode::kTuple: return At(instruction.operands[leaf], index, guard);
    case Opcode::kGetTupleElement:
      return At(instruction.operands[0], index, guard, instruction.As<ir::TupleElementAttributes>().index);
    case Opcode::kOptimizationBarrier: return At(instruction.operands[0], index, guard, leaf);
    case Opcode::kBroadcast:
    case Opcode::kCopy:
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse: return At(instruction.operands[0], OperandIndex(instruction, index), guard);
    case Opcode::kPad: return Pad(instruction, index, guard);
    case Opcode::kConcatenate: return Concatenate(instruction, index, guard);
    case Opcode::kDynamicSlice: return DynamicSlice(instruction, index, guard);
    case Opcode::kDynamicUpdateSlice: return DynamicUpdateSlice(instruction, index, guard);
    case Opcode::kGather: return Gather(instruction, index, guard);
    case Opcode::kReduce: return Reduce(id, index, guard)[leaf];
    case Opcode::kReduceWindow: return ReduceWindow(instruction, index, guard)[leaf];
    case Opcode::kDot: return Dot(instruction, index, guard);
    case Opcode::kConvolution: return Convolution(instruction, index, guard);
    case Opcode::kMap: {
      Values arguments;
      for (InstrId operand : instruction.operands) arguments.push_back(At(operand, index, guard));
      return Call(instruction.called[0], arguments)[0];
    }
    default: break;
  }
  FailCheck(__FILE__, __LINE__, "op can be emitted", std::string(ir::OpcodeName(instruction.opcode)));
}

llvm::Value* Generator::Elementwise(const Instruction& instruction, const Index& index, Guard guard) {
  Values operands;
  for (InstrId operand : instruction.operands) {
    // The predicate of select and the bounds of clamp may be scalars.
    operands.push_back(module_.shape(operand).is_scalar() ? At(operand, {}) : At(operand, index, guard));
  }
  return arithmetic_.Apply(module_, instruction, operands);
}

llvm::Value* Generator::Iota(const Instruction& instruction, const Index& index) {
  const IndexExpression& position = index[instruction.As<ir::DimensionsAttributes>().dimensions[0]];
  const bool varies = loops_.space().Varies(position);
  llvm::Value* const number = varies ? loops_.Lanes(position) : loops_.Scalar(position);
  const ElementType type = number->getType()->getScalarSizeInBits() == 32 ? ElementType::kS32 : ElementType::kS64;
  return registers_.Convert(number, type, instruction.shape.element_type);
}

// ---------------------------------------------------------------------------------------------------------------------
// Constants.

namespace {

llvm::Constant* ComplexConstant(llvm::Type* form, std::complex<double> value) {
  llvm::Type* const part = form->getStructElementType(0);
  return llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(form), llvm::ConstantFP::get(part, value.real()),
                                   llvm::ConstantFP::get(part, value.imag()));
}

llvm::Constant* ScalarConstant(llvm::LLVMContext& context, const ir::Literal& literal, int64_t element) {
  const ElementType type = literal.shape().element_type;
  llvm::Type* const form = RegisterType(context, type);
  switch (type) {
    case ElementType::kF64: return llvm::ConstantFP::get(form, literal.data<double>()[element]);
    case ElementType::kF32: return llvm::ConstantFP::get(context, llvm::APFloat(literal.data<float>()[element]));
    case ElementType::kF16:
      return llvm::ConstantFP::get(context, llvm::APFloat(ir::HalfToFloat(literal.data<uint16_t>()[element])));
    case ElementType::kBF16:
      return llvm::ConstantFP::get(context, llvm::APFloat(ir::BFloat16ToFloat(literal.data<uint16_t>()[element])));
    case ElementType::kC64: return ComplexConstant(form, literal.data<std::complex<float>>()[element]);
    case ElementType::kC128: return ComplexConstant(form, literal.data<std::complex<double>>()[element]);
    default: break;
  }
  if (ir::IsFloat(type)) return llvm::ConstantFP::get(form, literal.AsDouble(element));
  return llvm::ConstantInt::get(form, static_cast<uint64_t>(literal.AsInteger(element)), /*IsSigned=*/true);
}

// True when every element has the same bytes.
bool IsUniform(const ir::Literal& literal) {
  const size_t element = ir::ElementBytes(literal.shape().element_type);
  const std::span<const std::byte> bytes = literal.bytes();
  return std::memcmp(bytes.data(), bytes.data() + element, bytes.size() - element) == 0;
}

}  // namespace

llvm::Value* Generator::Constant(const Instruction& instruction, const Index& index, Guard guard) {
  const ir::Literal& literal = instruction.As<ir::Literal>();
  if (IsUniform(literal)) return ScalarConstant(builder_.getContext(), literal, 0);
  llvm::Module& code = *builder_.GetInsertBlock()->getModule();
  const std::string name = "constant." + instruction.name;
  llvm::GlobalVariable* table = code.getNamedGlobal(name);
  if (table == nullptr) {
    const llvm::StringRef bytes(reinterpret_cast<const char*>(literal.bytes().data()), literal.bytes().size());
    llvm::Constant* const data = llvm::ConstantDataArray::getString(builder_.getContext(), bytes, /*AddNull=*/false);
    table = new llvm::GlobalVariable(code, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, name);
    table->setAlignment(llvm::Align(64));
  }
  // Literals lie row major whatever the layout of the shape.
  return Load({table, Shape::Array(literal.shape().element_type, literal.shape().dimensions)}, index, guard);
}

// ---------------------------------------------------------------------------------------------------------------------
// Memory.

namespace {

constexpr int64_t kLongestStep = 4;

// Backwards, or so close together that whole vectors hold no more than a few times what is wanted.
bool HasShortStep(int64_t step, int64_t lanes) {
  return step == -1 || (step >= 2 && step <= std::min(kLongestStep, lanes));
}

}  // namespace

// Whole vectors, the last of which ends with the last element that is wanted: nothing beyond is read.
llvm::Value* Generator::LoadSteps(llvm::Value* first, llvm::FixedVectorType* vector, llvm::Align align, int64_t step) {
  const int64_t lanes = vector->getNumElements();
  const auto load = [&](int64_t start) {
    llvm::Value* const address = builder_.CreateGEP(vector->getElementType(), first, builder_.getInt64(start));
    return builder_.CreateAlignedLoad(vector, address, align);
  };
  if (step == -1) return builder_.CreateVectorReverse(load(1 - lanes));
  llvm::Value* taken = llvm::PoisonValue::get(vector);
  for (int64_t part = 0; part < step; ++part) {
    const bool is_last = part == step - 1;
    const int64_t start = is_last ? part * (lanes - 1) : part * lanes;
    llvm::SmallVector<int, 64> order;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t place = lane * step - start;
      const bool is_here = place >= 0 && place < lanes;
      order.push_back(static_cast<int>(is_here ? lanes + place : lane));
    }
    taken = builder_.CreateShuffleVector(taken, load(start), order);
  }
  return taken;
}

// How many lanes in a row read the same element, the first lane being the first of those, where `position` says so.
int64_t Generator::LanesPerElement(const IndexExpression& position) const {
  const IndexSpace& space = loops_.space();
  int64_t lanes = 0;
  for (const auto& [id, coefficient] : position.terms) {
    if (!space[id].varies) continue;
    if (space[id].kind != Variable::Kind::kQuotient || coefficient != 1 || lanes > 0) return 0;
    if (!StartsAtMultiple(space[id])) return 0;
    lanes = space[id].divisor;
  }
  return lanes;
}

// Whether what is divided grows by one from lane to lane, from a multiple of the divisor on.
bool Generator::StartsAtMultiple(const Variable& division) const {
  const IndexSpace& space = loops_.space();
  const int64_t divisor = division.divisor;
  // Vectors start at multiples of their length.
  if (loops_.lanes() % divisor != 0 || !loops_.IsRegular(division.of) || loops_.LaneStep(division.of) != 1)
    return false;
  return division.of.constant % divisor == 0 && std::ranges::all_of(division.of.terms, [&](const auto& term) {
           return space[term.first].varies || term.second % divisor == 0;
         });
}

llvm::Value* Generator::LoadRepeated(llvm::Value* first, llvm::Type* scalar, llvm::Align align, int64_t repeats) {
  const int64_t count = loops_.lanes() / repeats;
  llvm::SmallVector<int, 64> order;
  for (int64_t lane = 0; lane < loops_.lanes(); ++lane) order.push_back(static_cast<int>(lane / repeats));
  llvm::Value* const loaded =
      builder_.CreateAlignedLoad(llvm::FixedVectorType::get(scalar, static_cast<unsigned>(count)), first, align);
  return builder_.CreateShuffleVector(loaded, order);
}

llvm::Value* Generator::Load(const MemoryArray& array, const Index& index, Guard guard) {
  const ElementType type = array.shape.element_type;
  llvm::Type* const scalar = MemoryType(builder_.getContext(), type);
  const int64_t bytes = ir::ElementBytes(type);
  const llvm::Align align(ir::ElementBytes(PartType(type)));
  const IndexExpression position = loops_.space().Linear(index, MemoryStrides(array.shape));
  if (!loops_.space().Varies(position)) {
    llvm::Value* const address = loops_.Address(array.base, position, bytes);
    return registers_.FromMemory(builder_.CreateAlignedLoad(scalar, address, align), type);
  }
  llvm::Value* const mask = loops_.And(loops_.ActiveLanes(), guard.mask);
  if (ir::IsComplex(type)) return LoadComplexLanes(array, position, mask);
  llvm::FixedVectorType* const vector = llvm::FixedVectorType::get(scalar, static_cast<unsigned>(loops_.lanes()));
  llvm::Constant* const nothing = llvm::Constant::getNullValue(vector);
  llvm::Value* stored = nullptr;
  if (loops_.IsRegular(position) && loops_.LaneStep(position) == 1) {
    llvm::Value* const address = loops_.Address(array.base, position, bytes);
    stored = mask == nullptr ? static_cast<llvm::Value*>(builder_.CreateAlignedLoad(vector, address, align))
                             : builder_.CreateMaskedLoad(vector, address, align, mask, nothing);
  } else if (mask == nullptr && loops_.IsRegular(position) && HasShortStep(loops_.LaneStep(position), loops_.lanes())) {
    stored = LoadSteps(loops_.Address(array.base, position, bytes), vector, align, loops_.LaneStep(position));
  } else if (const int64_t repeats = LanesPerElement(position); mask == nullptr && repeats > 1) {
    stored = LoadRepeated(loops_.Address(array.base, position, bytes), scalar, align, repeats);
  } else {
    llvm::Value* const addresses = builder_.CreateGEP(scalar, array.base, loops_.Lanes(position));
    llvm::Value* const all =
        llvm::Constant::getAllOnesValue(llvm::FixedVectorType::get(builder_.getInt1Ty(), loops_.lanes()));
    stored = builder_.CreateMaskedGather(vector, addresses, align, mask == nullptr ? all : mask, nothing);
  }
  return registers_.FromMemory(stored, type);
}

namespace {

// How many lanes a mask leaves when they are the first ones and known now; 0 otherwise.
int64_t LeadingLanes(const llvm::Value* mask) {
  const auto* const constant = llvm::dyn_cast<llvm::ConstantVector>(mask);
  if (constant == nullptr) return 0;
  const unsigned lanes = constant->getNumOperands();
  unsigned count = 0;
  while (count < lanes && constant->getOperand(count)->isOneValue()) ++count;
  for (unsigned lane = count; lane < lanes; ++lane) {
    if (!constant->getOperand(lane)->isNullValue()) return 0;
  }
  return count;
}

}  // namespace

// In pieces of 8, 4, 2, 1 elements: a load soon after would have to wait until a masked store has reached the cache.
void Generator::StoreLeadingLanes(llvm::Value* vector, int64_t count, llvm::Value* address, llvm::Align align) {
  llvm::Type* const scalar = vector->getType()->getScalarType();
  for (int64_t lane = 0; lane < count;) {
    const int64_t size = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count - lane)));
    std::vector<int> lanes(size);
    std::iota(lanes.begin(), lanes.end(), static_cast<int>(lane));
    llvm::Value* const piece = size == 1 ? builder_.CreateExtractElement(vector, static_cast<uint64_t>(lane))
                                         : builder_.CreateShuffleVector(vector, lanes);
    builder_.CreateAlignedStore(piece, builder_.CreateConstGEP1_64(scalar, address, lane), align);
    lane += size;
  }
}

void Generator::Store(const MemoryArray& array, const Index& index, llvm::Value* value, llvm::Value* mask) {
  const ElementType type = array.shape.element_type;
  const int64_t bytes = ir::ElementBytes(type);
  const llvm::Align align(ir::ElementBytes(PartType(type)));
  const IndexExpression position = loops_.space().Linear(index, MemoryStrides(array.shape));
  if (!loops_.space().Varies(position)) {
    builder_.CreateAlignedStore(registers_.ToMemory(value, type), loops_.Address(array.base, position, bytes), align);
    return;
  }
  llvm::Value* const stored = registers_.ToMemory(Splat(value), type);
  mask = loops_.And(loops_.ActiveLanes(), mask);
  if (ir::IsComplex(type)) return StoreComplexLanes(array, position, stored, mask);
  if (loops_.IsRegular(position) && loops_.LaneStep(position) == 1) {
    llvm::Value* const address = loops_.Address(array.base, position, bytes);
    if (mask == nullptr) {
      builder_.CreateAlignedStore(stored, address, align);
    } else if (const int64_t count = LeadingLanes(mask); count > 0) {
      StoreLeadingLanes(stored, count, address, align);
    } else {
      builder_.CreateMaskedStore(stored, address, align, mask);
    }
    return;
  }
  llvm::Type* const scalar = MemoryType(builder_.getContext(), type);
  builder_.CreateMaskedScatter(stored, builder_.CreateGEP(scalar, array.base, loops_.Lanes(position)), align, mask);
}

// Which part of an element each lane reads: 0, 1, 0, 1, ... where lanes read the elements of a row one by one.
llvm::Value* Generator::PartLanes(const IndexExpression& part) {
  const bool is_one_term = part.constant == 0 && part.terms.size() == 1 && part.terms[0].second == 1;
  if (!is_one_term) return loops_.Lanes(part);
  const Variable& remainder = loops_.space()[part.terms[0].first];
  if (remainder.kind != Variable::Kind::kRemainder || !StartsAtMultiple(remainder)) return loops_.Lanes(part);
  llvm::SmallVector<uint32_t, 64> parts;
  for (int64_t lane = 0; lane < loops_.lanes(); ++lane)
    parts.push_back(static_cast<uint32_t>(lane % remainder.divisor));
  return llvm::ConstantDataVector::get(builder_.getContext(), parts);
}

llvm::Value* Generator::BitcastConvert(const Instruction& instruction, const Index& index, Guard guard) {
  const InstrId operand = instruction.operands[0];
  const ElementType from = module_.shape(operand).element_type;
  const ElementType to = instruction.shape.element_type;
  const int64_t from_bits = ir::ElementBits(from);
  const int64_t to_bits = ir::ElementBits(to);
  if (from_bits == to_bits) return registers_.Reinterpret(At(operand, index, guard), from, to);
  const auto integer = [&](int64_t bits) {
    return bits == 2    ? ElementType::kU2
           : bits == 4  ? ElementType::kU4
           : bits == 8  ? ElementType::kU8
           : bits == 16 ? ElementType::kU16
           : bits == 32 ? ElementType::kU32
                        : ElementType::kU64;
  };
  const ElementType narrow = integer(std::min(from_bits, to_bits));
  const ElementType wide = integer(std::max(from_bits, to_bits));
  if (from_bits > to_bits) {
    // One wide element becomes a row of narrow ones, lowest bits first.
    const Index outer(index.begin(), index.end() - 1);
    llvm::Value* bits = registers_.Reinterpret(At(operand, outer, guard), from, wide);
    const bool varies = loops_.space().Varies(index.back());
    llvm::Value* part = varies ? PartLanes(index.back()) : loops_.Scalar(index.back());
    if (varies) bits = Splat(bits);
    part = arithmetic_.Splat(part, bits);
    llvm::Value* const amount = builder_.CreateMul(builder_.CreateIntCast(part, bits->getType(), false),
                                                   llvm::ConstantInt::get(bits->getType(), to_bits));
    return registers_.Reinterpret(registers_.Convert(builder_.CreateLShr(bits, amount), wide, narrow), narrow, to);
  }
  llvm::Value* bits = nullptr;
  for (int64_t part = 0; part < to_bits / from_bits; ++part) {
    Index inner = index;
    inner.push_back(IndexExpression::Constant(part));
    llvm::Value* const piece = registers_.Reinterpret(At(operand, inner, guard), from, narrow);
    llvm::Value* const shifted = builder_.CreateShl(registers_.Convert(piece, narrow, wide), part * from_bits);
    bits = bits == nullptr ? shifted : builder_.CreateOr(bits, shifted);
  }
  return registers_.Reinterpret(bits, wide, to);
}

// ---------------------------------------------------------------------------------------------------------------------
// Scalar computations and facts.

std::vector<llvm::Value*> Generator::Call(ir::ComputationId id, const Values& arguments) {
  return ValueIn(id, module_.root(id), arguments);
}

std::vector<llvm::Value*> Generator::ValueIn(ir::ComputationId id, InstrId wanted, const Values& arguments) {
  const ir::Computation& computation = module_.computation(id);
  std::unordered_map<InstrId, Values> values;
  for (InstrId member : computation.instructions) {
    const Instruction& instruction = module_.instruction(member);
    Values operands;
    for (InstrId operand : instruction.operands) operands.push_back(values[operand][0]);
    switch (instruction.opcode) {
      case Opcode::kParameter: values[member] = {arguments[instruction.As<ir::ParameterAttributes>().number]}; break;
      case Opcode::kConstant:
        values[member] = {ScalarConstant(builder_.getContext(), instruction.As<ir::Literal>(), 0)};
        break;
      case Opcode::kTuple: values[member] = operands; break;
      case Opcode::kGetTupleElement:
        values[member] = {values[instruction.operands[0]][instruction.As<ir::TupleElementAttributes>().index]};
        break;
      case Opcode::kCall:
      case Opcode::kFusion: values[member] = Call(instruction.called[0], operands); break;
      case Opcode::kBitcast:
      case Opcode::kReshape:
      case Opcode::kBroadcast:
      case Opcode::kCopy: values[member] = operands; break;
      case Opcode::kBitcastConvert:
        values[member] = {registers_.Reinterpret(operands[0], module_.shape(instruction.operands[0]).element_type,
                                                 instruction.shape.element_type)};
        break;
      default: values[member] = {arithmetic_.Apply(module_, instruction, operands)};
    }
  }
  return values[wanted];
}

void Generator::Walk(InstrId id, const std::function<bool(InstrId)>& enter) const {
  std::unordered_set<InstrId> seen = {id};
  std::vector<InstrId> waiting = {id};
  while (!waiting.empty()) {
    const InstrId next = waiting.back();
    waiting.pop_back();
    if (!enter(next)) continue;
    for (InstrId operand : module_.instruction(next).operands) {
      if (seen.insert(operand).second) waiting.push_back(operand);
    }
  }
}

bool Generator::IsLinear(InstrId id, const Shape& shape) const {
  const auto is_fine = [&](InstrId member) {
    const Instruction& instruction = module_.instruction(member);
    if (instruction.shape.is_scalar()) return true;
    if (!instruction.shape.is_array() || instruction.shape.dimensions != shape.dimensions) return false;
    if (Bound(member) != nullptr) return MemoryOrder(instruction.shape) == MemoryOrder(shape);
    if (instruction.opcode == Opcode::kBroadcast) return module_.shape(instruction.operands[0]).element_count() == 1;
    if (instruction.opcode == Opcode::kConstant) return IsUniform(instruction.As<ir::Literal>());
    return ir::IsElementwise(instruction.opcode) || instruction.opcode == Opcode::kCopy;
  };
  bool is_linear = true;
  Walk(id, [&](InstrId member) {
    is_linear = is_linear && is_fine(member);
    const bool ends_here = Bound(member) != nullptr || module_.instruction(member).opcode == Opcode::kBroadcast;
    return is_linear && !ends_here && !module_.shape(member).is_scalar();
  });
  return is_linear;
}

}  // namespace stead::cpu
