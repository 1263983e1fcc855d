// Why one loop with the point as a number, and not one loop per dimension: every pass and the planner then see one counter and
// one body, and the windows are functions of that counter alone, so what they cover can be found out by counting.
#include "frontend/mosaic/grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/mosaic/kernel_types.h"
#include "ir/kernel_mark.h"

namespace stead::frontend {

using ir::InstrId;
using ir::Opcode;

namespace {

// Places inside a kernel are s32.
constexpr int64_t kMaximumPoints = INT32_MAX, kMaximumExtent = INT32_MAX;
const ir::Shape kPlaceShape = ir::Shape::Array(ir::ElementType::kS32, {});

// A count in an attribute of the kernel's function; 0 when absent.
Result<size_t> CountIn(const mlir::ParsedModule& source, const mlir::Operation& kernel, std::string_view attribute) {
  TRY(std::optional<mlir::IntegerAttribute> found, source.Find<mlir::IntegerAttribute>(kernel, attribute));
  if (!found) return size_t{0};
  constexpr int64_t kMaximum = 1 << 20;
  if (found->value < 0 || found->value > kMaximum)
    return InvalidArgument(fmt::format("`{}` of a kernel is {}", attribute, found->value));
  return static_cast<size_t>(found->value);
}

std::vector<ir::Shape> Leaves(const ir::Shape& shape) {
  return shape.is_tuple() ? shape.elements : std::vector<ir::Shape>{shape};
}

int64_t RoundedUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

Status Grid::ReadAttributes() {
  const mlir::ParsedModule& source = importer_.source();
  const mlir::Operation& kernel = *importer_.kernel_;
  TRY(prefetch_count_, CountIn(source, kernel, "scalar_prefetch"));
  TRY(scratch_count_, CountIn(source, kernel, "scratch_operands"));
  TRY(std::optional<mlir::IntegersAttribute> bounds, source.Find<mlir::IntegersAttribute>(kernel, "iteration_bounds"));
  if (bounds) bounds_ = std::move(bounds->values);
  int64_t points = 1;
  for (int64_t bound : bounds_) {
    bound_operand_count_ += bound == mlir::kDynamicDimension;
    if (bound == mlir::kDynamicDimension) continue;
    if (bound < 0) return importer_.Bad("its grid has a negative size");
    if (bound > kMaximumPoints / std::max<int64_t>(points, 1))
      return importer_.Unsupported("its grid has too many points");
    points *= bound;
  }
  const ir::Instruction& call = emit_.module().instruction(importer_.call_);
  if (bound_operand_count_ > call.operands.size())
    return importer_.Bad("its grid needs more operands than the call has");
  operand_count_ = call.operands.size() - bound_operand_count_;
  result_shapes_ = Leaves(call.shape);
  if (prefetch_count_ > operand_count_) return importer_.Bad("it prefetches more operands than the call has");
  TRY_STATUS(ReadWindows());
  return CheckArguments();
}

Status Grid::ReadWindows() {
  const mlir::AttributePool& pool = importer_.source().pool;
  TRY(std::optional<mlir::ArrayAttribute> windows,
      importer_.source().Find<mlir::ArrayAttribute>(*importer_.kernel_, "window_params"));
  blocks_.resize(array_count() - prefetch_count_);
  if (!windows) return {};
  if (windows->items.size() != blocks_.size()) return importer_.Bad("it has not one window per operand and result");
  for (size_t array = 0; array < blocks_.size(); ++array) {
    TRY(mlir::DictionaryAttribute window, pool.Get<mlir::DictionaryAttribute>(windows->items[array]));
    for (const mlir::DictionaryAttribute::Entry& entry : window.entries) {
      if (entry.name == "transform_indices") {
        TRY(mlir::StringAttribute function, pool.Get<mlir::StringAttribute>(entry.value));
        blocks_[array].index_function = function.text;
      } else if (entry.name == "window_bounds") {
        TRY(mlir::IntegersAttribute sizes, pool.Get<mlir::IntegersAttribute>(entry.value));
        blocks_[array].sizes = std::move(sizes.values);
      } else if (entry.name != "pipeline_mode") {
        return importer_.Unsupported(fmt::format("windows with `{}` are not supported", entry.name));
      }
    }
  }
  return {};
}

// Arguments of the function: one index per grid dimension, prefetched arrays, blocks of operands, of results, scratch.
Status Grid::CheckArguments() const {
  const size_t expected = bounds_.size() + array_count() + scratch_count_;
  if (function().arguments.size() != expected) {
    return importer_.Bad(fmt::format(
        "its function has {} arguments; the grid has {} dimensions, the call {} operands and {} "
        "results, and there are {} scratch arrays",
        function().arguments.size(), bounds_.size(), operand_count_, result_shapes_.size(), scratch_count_));
  }
  std::vector<ir::Shape> arrays;
  for (InstrId operand : emit_.module().instruction(importer_.call_).operands) arrays.push_back(emit_.shape(operand));
  const auto first_array = arrays.begin() + static_cast<ptrdiff_t>(bound_operand_count_);
  if (!std::all_of(arrays.begin(), first_array, [](const ir::Shape& shape) { return shape == kPlaceShape; }))
    return importer_.Bad("the size of its grid is no 32-bit integer");
  arrays.erase(arrays.begin(), first_array);
  arrays.insert(arrays.end(), result_shapes_.begin(), result_shapes_.end());
  for (size_t array = 0; array < arrays.size(); ++array) {
    if (!arrays[array].is_array()) return importer_.Unsupported("an operand or result is no array");
    if (std::ranges::any_of(arrays[array].dimensions, [](int64_t extent) { return extent > kMaximumExtent; }))
      return importer_.Unsupported("arrays of more than 2^31 elements in one dimension are not supported");
    TRY(ir::Shape argument,
        ImportKernelType(importer_.source().pool,
                         importer_.source().value_types[function().arguments[bounds_.size() + array]]));
    ir::Dimensions sizes = arrays[array].dimensions;
    if (array >= prefetch_count_ && !blocks_[array - prefetch_count_].index_function.empty())
      sizes = blocks_[array - prefetch_count_].sizes;
    if (sizes.size() != arrays[array].dimensions.size() || argument.dimensions != sizes ||
        std::ranges::any_of(sizes, [](int64_t size) { return size < 0; }) ||
        ir::ElementBytes(argument.element_type) != ir::ElementBytes(arrays[array].element_type)) {
      return importer_.Bad(fmt::format("array {} of the call is {}, its function takes {}", array,
                                       arrays[array].ToString(false), argument.ToString(false)));
    }
  }
  return {};
}

Result<InstrId> Grid::Padded(KernelScope& scope, InstrId array, const Block& block) {
  const ir::Shape shape = emit_.shape(array);
  ir::PadAttributes pad{ir::Dimensions(shape.dimensions.size(), 0), ir::Dimensions(shape.dimensions.size(), 0),
                        ir::Dimensions(shape.dimensions.size(), 0)};
  for (size_t dimension = 0; dimension < block.sizes.size(); ++dimension) {
    const int64_t size = shape.dimensions[dimension];
    if (block.sizes[dimension] > 0) pad.high[dimension] = RoundedUp(size, block.sizes[dimension]) - size;
  }
  if (std::ranges::all_of(pad.high, [](int64_t high) { return high == 0; })) return array;
  InstrId zero = emit_.Constant(scope, ir::Literal::Zeros(ir::Shape::Array(shape.element_type, {})));
  return emit_.Add(scope, Opcode::kPad, {array, zero}, std::move(pad));
}

Result<InstrId> Grid::InitialResult(KernelScope& scope, size_t result, const std::vector<InstrId>& operands) {
  const auto& call = emit_.module().instruction(importer_.call_).As<ir::CustomCallAttributes>();
  ir::ShapeIndex index;
  if (emit_.module().shape(importer_.call_).is_tuple()) index = {static_cast<int64_t>(result)};
  for (const ir::OutputOperandAlias& alias : call.aliases) {
    if (alias.output_index != index) continue;
    const size_t operand = static_cast<size_t>(alias.operand);
    if (operand >= operands.size() || !(emit_.shape(operands[operand]) == result_shapes_[result]))
      return importer_.Bad("a result is declared to lie in an operand of another shape");
    return operands[operand];
  }
  return emit_.Zeros(scope, result_shapes_[result]);
}

// Buffers in the order of the arguments: operands, results, scratch.
Result<std::vector<InstrId>> Grid::MakeBuffers(KernelScope& scope) {
  const std::vector<InstrId> call_operands = emit_.module().instruction(importer_.call_).operands;
  std::vector<InstrId> operands;
  for (size_t operand = 0; operand < call_operands.size(); ++operand)
    operands.push_back(emit_.Parameter(scope, static_cast<int64_t>(operand), emit_.shape(call_operands[operand])));
  const auto first_array = operands.begin() + static_cast<ptrdiff_t>(bound_operand_count_);
  std::vector<InstrId> bounds(operands.begin(), first_array), arrays(first_array, operands.end());
  for (size_t result = 0; result < result_shapes_.size(); ++result) {
    TRY(InstrId initial, InitialResult(scope, result, operands));
    arrays.push_back(initial);
  }
  for (size_t array = 0; array < arrays.size(); ++array) {
    InstrId buffer = arrays[array];
    if (array >= prefetch_count_) {
      TRY(buffer, Padded(scope, buffer, blocks_[array - prefetch_count_]));
    }
    scope.buffers.push_back(buffer);
  }
  const mlir::ParsedModule& source = importer_.source();
  for (size_t scratch = 0; scratch < scratch_count_; ++scratch) {
    mlir::ValueId argument = function().arguments[bounds_.size() + array_count() + scratch];
    TRY(bool is_semaphore, IsSemaphore(source.pool, source.value_types[argument]));
    // A semaphore keeps its number among the buffers, so that arguments and buffers count alike.
    ir::Shape shape = ir::Shape::Array(ir::ElementType::kS32, {});
    if (!is_semaphore) {
      TRY(shape, ImportKernelType(source.pool, source.value_types[argument]));
    }
    TRY(InstrId zeros, emit_.Zeros(scope, shape));
    scope.buffers.push_back(zeros);
  }
  return bounds;
}

View Grid::WholeOf(const KernelScope& scope, size_t buffer) const {
  View view{.buffer = buffer, .sizes = emit_.shape(scope.buffers[buffer]).dimensions};
  view.starts.resize(view.sizes.size());
  for (size_t dimension = 0; dimension < view.sizes.size(); ++dimension) view.dimensions.push_back(dimension);
  return view;
}

Result<View> Grid::WindowOf(KernelScope& scope, size_t array, const std::vector<InstrId>& point) {
  View view = WholeOf(scope, array);
  if (array < prefetch_count_ || array >= array_count()) return view;
  const Block& block = blocks_[array - prefetch_count_];
  if (block.index_function.empty()) return view;
  std::vector<View> prefetched;
  for (size_t operand = 0; operand < prefetch_count_; ++operand) prefetched.push_back(WholeOf(scope, operand));
  TRY(std::vector<InstrId> index, importer_.CallFunction(block.index_function, scope, point, prefetched));
  if (index.size() != block.sizes.size()) return importer_.Bad("a block index has not one number per dimension");
  for (size_t dimension = 0; dimension < index.size(); ++dimension) {
    if (emit_.shape(index[dimension]) != kPlaceShape) return importer_.Bad("a block index is no 32-bit integer");
    // One block over the whole dimension lies at its start, whatever its index.
    if (block.sizes[dimension] == view.sizes[dimension]) continue;
    InstrId size = emit_.Integer(scope, ir::ElementType::kS32, block.sizes[dimension]);
    TRY(view.starts[dimension], emit_.Add(scope, Opcode::kMultiply, {index[dimension], size}));
  }
  view.sizes = block.sizes;
  return view;
}

Status Grid::RunPoint(KernelScope& scope, const std::vector<InstrId>& point) {
  const std::vector<mlir::ValueId>& arguments = function().arguments;
  for (size_t dimension = 0; dimension < point.size(); ++dimension)
    scope.values[arguments[dimension]] = point[dimension];
  for (size_t array = 0; array < scope.buffers.size(); ++array) {
    mlir::ValueId argument = arguments[bounds_.size() + array];
    TRY(bool is_semaphore, IsSemaphore(importer_.source().pool, importer_.source().value_types[argument]));
    if (is_semaphore) {
      scope.views[argument] = View{};
      continue;
    }
    TRY(scope.views[argument], WindowOf(scope, array, point));
  }
  TRY(std::vector<InstrId> returned, importer_.ImportInline(importer_.kernel_->regions[0], scope));
  if (!returned.empty()) return importer_.Bad("its function returns values");
  return {};
}

// The number of the point in the mixed base of the grid's bounds, last dimension fastest.
Result<std::vector<InstrId>> Grid::Digits(KernelScope& scope, const std::vector<InstrId>& now) {
  std::vector<InstrId> digits(bounds_.size());
  int64_t stride = 1;     // of the dimension: the product of the known bounds after it,
  InstrId stride_factor;  // times that of the bounds that are operands
  size_t next_operand = now.size();
  for (size_t dimension = bounds_.size(); dimension-- > 0;) {
    const bool is_operand = bounds_[dimension] == mlir::kDynamicDimension;
    const bool is_slowest = std::all_of(bounds_.begin(), bounds_.begin() + static_cast<ptrdiff_t>(dimension),
                                        [](int64_t bound) { return bound == 1; });
    if (bounds_[dimension] == 1) {
      digits[dimension] = emit_.Integer(scope, ir::ElementType::kS32, 0);
      continue;
    }
    InstrId bound = is_operand ? now[--next_operand] : emit_.Integer(scope, ir::ElementType::kS32, bounds_[dimension]);
    InstrId digit = now[0];
    if (stride > 1) {
      TRY(digit, emit_.Add(scope, Opcode::kDivide, {digit, emit_.Integer(scope, ir::ElementType::kS32, stride)}));
    }
    if (stride_factor.valid()) {
      TRY(digit, emit_.Add(scope, Opcode::kDivide, {digit, stride_factor}));
    }
    if (!is_slowest) {
      TRY(digit, emit_.Add(scope, Opcode::kRemainder, {digit, bound}));
    }
    digits[dimension] = digit;
    if (!is_operand) {
      stride *= bounds_[dimension];
    } else if (!stride_factor.valid()) {
      stride_factor = bound;
    } else {
      TRY(stride_factor, emit_.Add(scope, Opcode::kMultiply, {stride_factor, bound}));
    }
  }
  return digits;
}

Status Grid::Finish(KernelScope& scope) {
  std::vector<InstrId> results;
  for (size_t result = 0; result < result_shapes_.size(); ++result) {
    InstrId value = scope.buffers[operand_count_ + result];
    const ir::Dimensions& wanted = result_shapes_[result].dimensions;
    if (emit_.shape(value).dimensions != wanted) {
      TRY(value,
          emit_.Slice(scope, value, {ir::Dimensions(wanted.size(), 0), wanted, ir::Dimensions(wanted.size(), 1)}));
    }
    results.push_back(value);
  }
  InstrId root = results.at(0);
  if (emit_.module().shape(importer_.call_).is_tuple()) {
    TRY(root, emit_.Tuple(scope, std::move(results)));
  }
  emit_.module().SetRoot(scope.computation_id, root);
  return {};
}

// The product of all bounds.
Result<InstrId> Grid::PointCount(KernelScope& scope, const std::vector<InstrId>& bound_operands) {
  int64_t known = 1;
  for (int64_t bound : bounds_) known *= bound == mlir::kDynamicDimension ? 1 : bound;
  InstrId count = emit_.Integer(scope, ir::ElementType::kS32, known);
  for (InstrId bound : bound_operands) {
    TRY(count, emit_.Add(scope, Opcode::kMultiply, {count, bound}));
  }
  return count;
}

Status Grid::RunAllPoints(KernelScope& scope, const std::vector<InstrId>& bound_operands) {
  std::vector<InstrId> state = {emit_.Integer(scope, ir::ElementType::kS32, 0)};
  if (!bound_operands.empty()) {
    TRY(InstrId count, PointCount(scope, bound_operands));
    state.push_back(count);
    state.insert(state.end(), bound_operands.begin(), bound_operands.end());
  }
  auto one_point = [&](KernelScope& inner, const std::vector<InstrId>& now) -> Result<std::vector<InstrId>> {
    TRY(std::vector<InstrId> point, Digits(inner, now));
    TRY_STATUS(RunPoint(inner, point));
    std::vector<InstrId> next = now;
    InstrId one = emit_.Integer(inner, ir::ElementType::kS32, 1);
    TRY(next[0], emit_.Add(inner, Opcode::kAdd, {now[0], one}));
    return next;
  };
  auto is_left = [&](KernelScope& inner, const std::vector<InstrId>& now) -> Result<std::vector<InstrId>> {
    InstrId end;
    if (bound_operands.empty()) {
      TRY(end, PointCount(inner, {}));
    } else {
      end = now[1];
    }
    TRY(InstrId less, emit_.Add(inner, Opcode::kCompare, {now[0], end},
                                ir::CompareAttributes{ir::CompareAttributes::Direction::kLt}));
    return std::vector<InstrId>{less};
  };
  TRY(std::vector<InstrId> last,
      importer_.Loop(scope, importer_.Everything(scope), std::move(state), is_left, one_point));
  emit_.module().SetExtra(emit_.module().operand(last[0], 0), {ir::KernelMark(importer_.computation_name())});
  return {};
}

Result<ir::ComputationId> Grid::Import() {
  TRY_STATUS(ReadAttributes());
  KernelScope scope{emit_.module().AddComputation(importer_.computation_name())};
  TRY(std::vector<InstrId> bound_operands, MakeBuffers(scope));
  const bool is_one_point = std::ranges::all_of(bounds_, [](int64_t bound) { return bound == 1; });
  if (is_one_point) {
    InstrId zero = emit_.Integer(scope, ir::ElementType::kS32, 0);
    TRY_STATUS(RunPoint(scope, std::vector<InstrId>(bounds_.size(), zero)));
  } else {
    TRY_STATUS(RunAllPoints(scope, bound_operands));
  }
  TRY_STATUS(Finish(scope));
  return scope.computation_id;
}

}  // namespace stead::frontend
