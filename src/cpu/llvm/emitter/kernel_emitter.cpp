#include "cpu/llvm/emitter/kernel_emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cpu/llvm/emitter/kernel_cost.h"
#include "cpu/llvm/emitter/running_window.h"

namespace stead::cpu {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::Shape;

// The instructions a kernel is made of: the fused ones, or the one that stands alone.
std::vector<InstrId> Members(const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (instruction.opcode != Opcode::kFusion) return {id};
  return module.computation(instruction.called[0]).instructions;
}

// True for a reduction whose results lie side by side: each vector of them walks down its rows.
bool ReducesColumns(const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  const Instruction& root =
      module.instruction(instruction.opcode == Opcode::kFusion ? module.root(instruction.called[0]) : id);
  if (root.opcode != Opcode::kReduce || root.operands.size() != 2) return false;
  const ir::Dimensions& reduced = root.As<ir::DimensionsAttributes>().dimensions;
  return std::ranges::count(reduced, FastestDimension(module.shape(root.operands[0]))) == 0;
}

// Enough lanes to fill a register with the widest elements that dominate: 4 bytes unless all are wider or all are narrower. Several
// registers where rows are walked down, since a row's cache line holds as much.
int64_t ChooseLanes(const Module& module, InstrId id) {
  int64_t narrowest = 8;
  int64_t widest = 1;
  for (InstrId member : Members(module, id)) {
    std::vector<InstrId> values = module.instruction(member).operands;
    values.push_back(member);
    for (InstrId value : values) {
      const Shape& shape = module.shape(value);
      if (!shape.is_array() || shape.dimensions.empty() || shape.element_type == ir::ElementType::kPred) continue;
      const bool is_narrow = ir::IsFloat(shape.element_type) && ir::ElementBits(shape.element_type) < 32;
      const int64_t bytes = is_narrow ? 4 : ir::ElementBytes(PartType(shape.element_type));
      narrowest = std::min(narrowest, bytes);
      widest = std::max(widest, bytes);
    }
  }
  const int64_t bytes = narrowest == 8 ? 8 : std::min<int64_t>(widest, 4);
  constexpr int64_t kRegisters = 4;
  return NativeVectorBytes() / bytes * (ReducesColumns(module, id) ? kRegisters : 1);
}

std::vector<int64_t> WithoutUnitDimensions(const std::vector<int64_t>& order, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> kept;
  for (int64_t dim : order) {
    if (sizes[dim] != 1) kept.push_back(dim);
  }
  return kept;
}

}  // namespace

KernelEmitter::KernelEmitter(const Module& module, const KernelRequest& request, llvm::Function* function)
    : module_(module),
      request_(request),
      instruction_(module.instruction(request.instruction)),
      function_(function),
      loops_(function, ChooseLanes(module, request.instruction)),
      builder_(loops_.ir()),
      generator_(module, loops_) {}

// ---------------------------------------------------------------------------------------------------------------------
// What goes in and comes out.

void KernelEmitter::BindOperands() {
  const bool is_fusion = instruction_.opcode == Opcode::kFusion;
  for (size_t number = 0; number < instruction_.operands.size(); ++number) {
    const InstrId outside = instruction_.operands[number];
    const InstrId inside = is_fusion ? module_.computation(instruction_.called[0]).parameters[number] : outside;
    STEAD_CHECK(module_.shape(outside).is_array(), instruction_.name);
    llvm::Value* const slot =
        builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_->getArg(0), operand_leaf_count_);
    // A fused parameter may name another layout than the array it stands for; the array's holds.
    Shape shape = module_.shape(outside);
    generator_.Bind(inside, {builder_.CreateLoad(builder_.getPtrTy(), slot), std::move(shape)});
    operand_leaves_.emplace(inside, operand_leaf_count_++);
  }
}

std::vector<KernelEmitter::Output> KernelEmitter::Outputs() {
  const bool is_fusion = instruction_.opcode == Opcode::kFusion;
  const InstrId root = is_fusion ? module_.root(instruction_.called[0]) : request_.instruction;
  std::vector<Output> outputs;
  ir::ForEachLeaf(instruction_.shape, [&](const ir::ShapeIndex& index, const Shape& shape) {
    Output output;
    output.root = root;
    output.leaf = index.empty() ? 0 : index[0];
    // Through the tuple and the elements taken from other tuples, to the instruction that computes.
    for (bool moved = true; moved;) {
      const Instruction& producer = module_.instruction(output.root);
      moved = producer.opcode == Opcode::kTuple || producer.opcode == Opcode::kGetTupleElement;
      if (producer.opcode == Opcode::kTuple) {
        output.root = producer.operands[output.leaf];
        output.leaf = 0;
      } else if (producer.opcode == Opcode::kGetTupleElement) {
        output.root = producer.operands[0];
        output.leaf = producer.As<ir::TupleElementAttributes>().index;
      }
    }
    const int64_t number = static_cast<int64_t>(outputs.size());
    llvm::Value* const slot =
        builder_.CreateConstGEP1_64(builder_.getPtrTy(), function_->getArg(0), operand_leaf_count_ + number);
    output.array = {builder_.CreateLoad(builder_.getPtrTy(), slot), shape};
    output.in_place = request_.in_place.empty() ? -1 : request_.in_place[number];
    outputs.push_back(std::move(output));
  });
  return outputs;
}

int64_t KernelEmitter::OperandLeafOf(InstrId id) const {
  const auto found = operand_leaves_.find(id);
  return found == operand_leaves_.end() ? -1 : found->second;
}

InstrId KernelEmitter::BehindViews(InstrId id) const {
  while (generator_.Bound(id) == nullptr) {
    const Instruction& instruction = module_.instruction(id);
    const bool is_view = instruction.opcode == Opcode::kBitcast ||
                         (instruction.opcode == Opcode::kReshape && instruction.shape.is_row_major() &&
                          module_.shape(instruction.operands[0]).is_row_major());
    if (!is_view) break;
    id = instruction.operands[0];
  }
  return id;
}

// ---------------------------------------------------------------------------------------------------------------------
// Nests.

// True when the value is a reduction along its operand's fastest dimension, perhaps with elementwise ops after it.
bool KernelEmitter::ReducesFastestDimension(InstrId id) const {
  bool found = false;
  generator_.Walk(id, [&](InstrId member) {
    const Instruction& instruction = module_.instruction(member);
    if (found || generator_.Bound(member) != nullptr || instruction.shape.is_scalar()) return false;
    switch (instruction.opcode) {
      case Opcode::kReduce: {
        const ir::Dimensions& reduced = instruction.As<ir::DimensionsAttributes>().dimensions;
        found = std::ranges::count(reduced, FastestDimension(module_.shape(instruction.operands[0]))) > 0;
        return false;
      }
      case Opcode::kGetTupleElement:
      case Opcode::kReshape:
      case Opcode::kBitcast:
      case Opcode::kCopy: return true;
      default: return ir::IsElementwise(instruction.opcode);
    }
  });
  return found;
}

KernelEmitter::NestKind KernelEmitter::KindOf(InstrId root) const {
  if (generator_.Bound(root) != nullptr) return NestKind::kLoop;
  if (module_.instruction(root).opcode == Opcode::kSort) return NestKind::kSort;
  if (module_.instruction(root).opcode == Opcode::kTopK) return NestKind::kTopK;
  if (module_.instruction(root).opcode == Opcode::kSelectAndScatter) return NestKind::kSelectAndScatter;
  if (RunningWindowOf(module_, module_.instruction(root))) return NestKind::kRunning;
  const Instruction& behind = module_.instruction(BehindViews(root));
  if (generator_.Bound(BehindViews(root)) == nullptr) {
    if (behind.opcode == Opcode::kDynamicUpdateSlice) return NestKind::kWindow;
    if (behind.opcode == Opcode::kScatter) return NestKind::kScatter;
    if (behind.opcode == Opcode::kConcatenate) return NestKind::kPieces;
  }
  return ReducesFastestDimension(root) ? NestKind::kRows : NestKind::kLoop;
}

std::vector<KernelEmitter::Nest> KernelEmitter::Nests() {
  std::vector<Nest> nests;
  for (Output& output : Outputs()) {
    const NestKind kind = KindOf(output.root);
    const auto joins = [&](const Nest& nest) {
      if (nest.kind != kind) return false;
      const Output& first = nest.outputs[0];
      if (kind == NestKind::kScatter || kind == NestKind::kSort || kind == NestKind::kTopK ||
          kind == NestKind::kRunning)
        return BehindViews(first.root) == BehindViews(output.root);
      return (kind == NestKind::kLoop || kind == NestKind::kRows) &&
             first.array.shape.dimensions == output.array.shape.dimensions &&
             MemoryOrder(first.array.shape) == MemoryOrder(output.array.shape);
    };
    auto nest = std::ranges::find_if(nests, joins);
    if (nest == nests.end()) nest = nests.insert(nests.end(), Nest{kind, {}, {}, {}});
    generator_.Walk(output.root, [&](InstrId member) {
      if (generator_.Bound(member) == nullptr) return true;
      nest->reads.insert(OperandLeafOf(member));
      return false;
    });
    if (output.in_place >= 0) nest->writes.insert(output.in_place);
    nest->outputs.push_back(std::move(output));
  }
  return nests;
}

// A nest that overwrites an operand comes after the other nests that read it.
Status KernelEmitter::Order(std::vector<Nest>& nests) const {
  std::vector<Nest> ordered;
  while (!nests.empty()) {
    const auto is_free = [&](const Nest& candidate) {
      return std::ranges::none_of(nests, [&](const Nest& other) {
        return &other != &candidate &&
               std::ranges::any_of(candidate.writes, [&](int64_t leaf) { return other.reads.contains(leaf); });
      });
    };
    const auto next = std::ranges::find_if(nests, is_free);
    if (next == nests.end()) {
      return Unimplemented(
          fmt::format("op `{}` (`{}`) overwrites two operands in place that its results read crosswise",
                      ir::OpcodeName(instruction_.opcode), instruction_.name),
          module_.SourceOf(request_.instruction));
    }
    ordered.push_back(std::move(*next));
    nests.erase(next);
  }
  nests = std::move(ordered);
  return {};
}

Result<Kernel> KernelEmitter::Emit() {
  BindOperands();
  std::vector<Nest> nests = Nests();
  TRY_STATUS(Order(nests));
  std::erase_if(nests, [](const Nest& nest) { return nest.outputs[0].array.shape.element_count() == 0; });
  kernel_.symbol = function_->getName().str();
  shares_work_ = nests.size() == 1 && IsDivisible(nests[0]);
  kernel_.work_items = nests.empty() ? 0 : 1;
  int64_t elements = 0;
  for (const Nest& nest : nests) {
    EmitNest(nest);
    for (const Output& output : nest.outputs) elements += output.array.shape.element_count();
  }
  kernel_.elements = elements;
  kernel_.nanoseconds = EstimatedNanoseconds(module_, request_.instruction);
  builder_.CreateRetVoid();
  return kernel_;
}

bool KernelEmitter::IsDivisible(const Nest& nest) const {
  switch (nest.kind) {
    case NestKind::kLoop:
    case NestKind::kRows:
    case NestKind::kRunning:
    case NestKind::kTopK: return true;
    case NestKind::kPieces: return nest.outputs[0].in_place < 0;
    case NestKind::kWindow: {
      const Output& output = nest.outputs[0];
      const InstrId base = module_.operand(BehindViews(output.root), 0);
      return output.in_place >= 0 && OperandLeafOf(BehindViews(base)) == output.in_place;
    }
    case NestKind::kSort: return CopiesRowByRow(nest.outputs);
    case NestKind::kScatter:
    case NestKind::kSelectAndScatter: break;
  }
  return false;
}

void KernelEmitter::EmitNest(const Nest& nest) {
  if (const std::vector<InstrId> pieces = DealtPieces(nest); !pieces.empty()) return EmitDealt(nest.outputs[0], pieces);
  switch (nest.kind) {
    case NestKind::kLoop:
      if (request_.pairs) return EmitPairs(nest.outputs);
      EmitLoop(nest.outputs, true);
      break;
    case NestKind::kRows: EmitLoop(nest.outputs, false); break;
    case NestKind::kWindow: EmitWindow(nest.outputs[0]); break;
    case NestKind::kPieces: EmitPieces(nest.outputs[0]); break;
    case NestKind::kRunning: EmitRunning(nest.outputs); break;
    case NestKind::kScatter: EmitScatter(nest.outputs); break;
    case NestKind::kSort: EmitSort(nest.outputs); break;
    case NestKind::kTopK: EmitTopK(nest.outputs); break;
    case NestKind::kSelectAndScatter: EmitSelectAndScatter(nest.outputs[0]); break;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Loops over all elements.

llvm::Value* KernelEmitter::Begin() {
  if (shares_work_) return function_->getArg(1);
  return builder_.getInt64(0);
}

llvm::Value* KernelEmitter::End(int64_t items) {
  if (shares_work_) return function_->getArg(2);
  return builder_.getInt64(items);
}

void KernelEmitter::EmitBody(const std::vector<Output>& outputs, const Index& index) {
  std::vector<llvm::Value*> values;
  for (const Output& output : outputs) values.push_back(generator_.At(output.root, index, {}, output.leaf));
  for (size_t number = 0; number < outputs.size(); ++number)
    generator_.Store(outputs[number].array, index, values[number]);
}

void KernelEmitter::EmitFlat(const std::vector<Output>& outputs, int64_t count,
                             const std::function<Index(const IndexExpression&)>& index_of) {
  const int64_t items = (count + loops_.lanes() - 1) / loops_.lanes();
  if (shares_work_) kernel_.work_items = items;
  loops_.ForEachVector(Begin(), End(items), count,
                       [&](const IndexExpression& position) { EmitBody(outputs, index_of(position)); });
}

void KernelEmitter::EmitLoop(const std::vector<Output>& outputs, bool with_vectors) {
  const Shape& shape = outputs[0].array.shape;
  const std::vector<int64_t> order = MemoryOrder(shape);
  const std::vector<int64_t> dims = WithoutUnitDimensions(order, shape.dimensions);
  Index index(shape.dimensions.size());
  if (dims.empty()) return EmitBody(outputs, index);
  if (!with_vectors) {
    for (size_t level = 0; level < dims.size(); ++level)
      index[dims[level]] = OpenLevel(level, shape.dimensions[dims[level]]);
    EmitBody(outputs, index);
    for (size_t level = 0; level < dims.size(); ++level) loops_.Close();
    return;
  }
  if (const int64_t phases = PhasesOf(outputs, dims.back()); phases > 1) return EmitPhases(outputs[0], dims, phases);
  const bool is_linear =
      std::ranges::all_of(outputs, [&](const Output& output) { return generator_.IsLinear(output.root, shape); });
  if (is_linear || dims.size() == 1) {
    return EmitFlat(outputs, shape.element_count(), [&](const IndexExpression& position) {
      return loops_.space().Delinearize(position, shape.dimensions, order);
    });
  }
  EmitVectorNest(outputs, dims);
}

IndexExpression KernelEmitter::OpenLevel(size_t level, int64_t count) {
  if (level > 0 || !shares_work_) return loops_.OpenLoop(count);
  kernel_.work_items = count;
  return loops_.OpenLoop(Begin(), End(count), count);
}

KernelEmitter::Share KernelEmitter::OuterShare(const std::vector<int64_t>& sizes, const std::vector<int64_t>& order,
                                               int64_t vector_dim) {
  const std::vector<int64_t> dims = WithoutUnitDimensions(order, sizes);
  if (!shares_work_ || dims.empty() || dims.front() == vector_dim) return {};
  kernel_.work_items = sizes[dims.front()];
  return {dims.front(), Begin(), End(kernel_.work_items)};
}

void KernelEmitter::ForEachElement(const std::vector<int64_t>& sizes, const std::vector<int64_t>& order,
                                   int64_t vector_dim, const Share& share,
                                   const std::function<void(const Index&)>& body) {
  Index index(sizes.size());
  int opened = 0;
  for (int64_t dim : order) {
    const bool is_shared = dim == share.dimension;
    if (dim == vector_dim || (sizes[dim] == 1 && !is_shared)) continue;
    index[dim] = is_shared ? loops_.OpenLoop(share.begin, share.end, sizes[dim]) : loops_.OpenLoop(sizes[dim]);
    ++opened;
  }
  if (vector_dim >= 0 && sizes[vector_dim] > 1) {
    loops_.ForEachVector(sizes[vector_dim], 1, [&](const IndexExpression& position, int64_t) {
      index[vector_dim] = position;
      body(index);
    });
  } else {
    body(index);
  }
  for (; opened > 0; --opened) loops_.Close();
}

void KernelEmitter::EmitInitial(const Output& output, InstrId id) {
  const InstrId source = BehindViews(id);
  if (output.in_place >= 0 && OperandLeafOf(source) == output.in_place) return;
  const MemoryArray* const array = generator_.Bound(source);
  if (array != nullptr && array->shape.byte_size() == output.array.shape.byte_size() &&
      MemoryOrder(module_.shape(id)) == MemoryOrder(output.array.shape)) {
    builder_.CreateMemCpy(output.array.base, llvm::Align(1), array->base, llvm::Align(1), array->shape.byte_size());
    return;
  }
  Output whole = output;
  whole.root = id;
  whole.array.shape.dimensions = module_.shape(id).dimensions;
  EmitLoop({whole}, true);
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts of the result.

void KernelEmitter::EmitWindow(const Output& output) {
  const InstrId id = BehindViews(output.root);
  const Instruction& update_slice = module_.instruction(id);
  const Shape& update = module_.shape(update_slice.operands[1]);
  // The bytes of the result seen in the shape of the dynamic-update-slice.
  Output viewed = output;
  viewed.root = id;
  viewed.array.shape = update_slice.shape;
  if (id == output.root) viewed.array.shape = output.array.shape;
  const InstrId base = BehindViews(update_slice.operands[0]);
  const bool is_chain = output.in_place >= 0 && generator_.Bound(base) == nullptr &&
                        module_.instruction(base).opcode == Opcode::kDynamicUpdateSlice;
  if (is_chain) {
    Output inner = viewed;
    inner.root = update_slice.operands[0];
    EmitWindow(inner);
  } else {
    EmitInitial(viewed, update_slice.operands[0]);
  }
  if (update.element_count() == 0) return;
  const Index start = generator_.WindowStart(update_slice, 2, update_slice.shape, update.dimensions);
  const std::vector<int64_t> order = MemoryOrder(viewed.array.shape);
  const std::vector<int64_t> dims = WithoutUnitDimensions(order, update.dimensions);
  const int64_t vector_dim = dims.empty() ? -1 : dims.back();
  const Share share = OuterShare(update.dimensions, order, vector_dim);
  ForEachElement(update.dimensions, order, vector_dim, share, [&](const Index& index) {
    Index target;
    for (size_t dim = 0; dim < index.size(); ++dim) target.push_back(index[dim] + start[dim]);
    generator_.Store(viewed.array, target, generator_.At(update_slice.operands[1], index));
  });
}

KernelEmitter::Share KernelEmitter::PartOfShare(const Share& whole, int64_t start, int64_t count) {
  const auto inside = [&](llvm::Value* position) {
    llvm::Value* const moved = builder_.CreateSub(position, builder_.getInt64(start));
    llvm::Value* const low = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, moved, builder_.getInt64(0));
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, low, builder_.getInt64(count));
  };
  return {whole.dimension, inside(whole.begin), inside(whole.end)};
}

void KernelEmitter::EmitPieces(const Output& output) {
  const InstrId id = BehindViews(output.root);
  const Instruction& concatenate = module_.instruction(id);
  MemoryArray array = output.array;
  if (id != output.root) array.shape = concatenate.shape;
  const int64_t dim = concatenate.As<ir::DimensionsAttributes>().dimensions[0];
  const std::vector<int64_t> order = MemoryOrder(array.shape);
  const std::vector<int64_t> whole_dims = WithoutUnitDimensions(order, array.shape.dimensions);
  const Share whole = OuterShare(array.shape.dimensions, order, whole_dims.empty() ? -1 : whole_dims.back());
  int64_t start = 0;
  for (InstrId operand : concatenate.operands) {
    const std::vector<int64_t>& sizes = module_.shape(operand).dimensions;
    if (module_.shape(operand).element_count() > 0) {
      const std::vector<int64_t> dims = WithoutUnitDimensions(order, sizes);
      const Share share = whole.dimension == dim ? PartOfShare(whole, start, sizes[dim]) : whole;
      const int64_t vector_dim = dims.empty() || dims.back() == share.dimension ? -1 : dims.back();
      const bool may_be_empty = share.dimension == dim;
      if (may_be_empty) loops_.OpenIf(builder_.CreateICmpSLT(share.begin, share.end));
      ForEachElement(sizes, order, vector_dim, share, [&](const Index& index) {
        Index target = index;
        target[dim] = index[dim] + IndexExpression::Constant(start);
        generator_.Store(array, target, generator_.At(operand, index));
      });
      if (may_be_empty) loops_.Close();
    }
    start += sizes[dim];
  }
}

}  // namespace stead::cpu
