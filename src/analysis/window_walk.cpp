// Windows of one size that start at multiples of it are the tiles of the array: two of them are the same or apart, and as many
// different ones as the array has are all of it. So it is enough to count which tiles the loop takes, and no algebra is needed
// for starts like (t / 8) * 512 and (t % 8) * 128, which grids of several dimensions have.
#include "analysis/window_walk.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "analysis/window.h"

namespace stead::analysis {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

constexpr int64_t kMaximumIterations = 65536;
constexpr int kMaximumDepth = 32;

// The scalar's value when the counter is `now`; nothing when it depends on anything but the counter and constants.
class ScalarAt {
 public:
  ScalarAt(const ir::Module& module, const std::function<bool(InstrId)>& is_counter, int64_t now)
      : module_(module), is_counter_(is_counter), now_(now) {}

  std::optional<int64_t> Of(InstrId id, int depth = 0) const {
    if (depth > kMaximumDepth || !module_.shape(id).is_scalar() || !IsWide(module_.shape(id).element_type))
      return std::nullopt;
    if (is_counter_(id)) return now_;
    const Instruction& made = module_.instruction(id);
    if (made.opcode == Opcode::kConstant) return Constant(made);
    if (made.operands.size() != 2) return std::nullopt;
    std::optional<int64_t> left = Of(made.operands[0], depth + 1);
    std::optional<int64_t> right = left ? Of(made.operands[1], depth + 1) : std::nullopt;
    return right ? InRange(Combined(made.opcode, *left, *right)) : std::nullopt;
  }

 private:
  static bool IsWide(ir::ElementType type) { return ir::IsSigned(type) && ir::ElementBits(type) >= 32; }

  static std::optional<int64_t> Constant(const Instruction& made) {
    const auto& literal = made.As<ir::Literal>();
    return literal.elided() ? std::nullopt : InRange(literal.AsInteger(0));
  }

  // Narrower types than s32 might wrap around before, and are not looked at.
  static std::optional<int64_t> InRange(std::optional<int64_t> value) {
    const bool is_safe = value && *value >= INT32_MIN && *value <= INT32_MAX;
    return is_safe ? value : std::nullopt;
  }

  static std::optional<int64_t> Combined(Opcode opcode, int64_t left, int64_t right) {
    switch (opcode) {
      case Opcode::kAdd: return left + right;
      case Opcode::kSubtract: return left - right;
      case Opcode::kMultiply: return left * right;
      case Opcode::kDivide: return right == 0 ? std::nullopt : std::optional(left / right);
      case Opcode::kRemainder: return right == 0 ? std::nullopt : std::optional(left % right);
      case Opcode::kMinimum: return std::min(left, right);
      case Opcode::kMaximum: return std::max(left, right);
      default: return std::nullopt;
    }
  }

  const ir::Module& module_;
  const std::function<bool(InstrId)>& is_counter_;
  int64_t now_;
};

// The number of the tile that the window at these starts is; nothing when it is none.
std::optional<int64_t> TileAt(const ir::Module& module, const Instruction& update, const ScalarAt& scalar) {
  const ir::Dimensions& array = update.shape.dimensions;
  const ir::Dimensions& window = module.shape(update.operands[1]).dimensions;
  int64_t tile = 0;
  for (size_t dimension = 0; dimension < array.size(); ++dimension) {
    if (window[dimension] == array[dimension]) continue;
    if (window[dimension] == 0 || array[dimension] % window[dimension] != 0) return std::nullopt;
    std::optional<int64_t> start = scalar.Of(update.operands[2 + dimension]);
    if (!start || *start < 0 || *start >= array[dimension] || *start % window[dimension] != 0) return std::nullopt;
    tile = tile * (array[dimension] / window[dimension]) + *start / window[dimension];
  }
  return tile;
}

// The dimension in which a window of these sizes is one element wide, all others being full; nothing for other windows.
std::optional<size_t> RowDimension(const ir::Dimensions& array, const ir::Dimensions& window) {
  std::optional<size_t> row;
  for (size_t dim = 0; dim < array.size(); ++dim) {
    if (window[dim] == array[dim]) continue;
    if (row || window[dim] != 1) return std::nullopt;
    row = dim;
  }
  return row;
}

// The scalar is each of 0 ... count-1 in one of the iterations: the counter plus a constant, or a constant minus the counter.
bool TakesEveryValue(const ir::Module& module, InstrId scalar, int64_t count, const LoopCounter& counter,
                     const std::function<bool(InstrId)>& is_counter) {
  if (counter.step != 1 || counter.trips != count) return false;
  if (is_counter(scalar)) return counter.start == 0;
  const Instruction& made = module.instruction(scalar);
  if (made.opcode == Opcode::kSubtract && is_counter(made.operands[1])) {
    std::optional<int64_t> from = StaticInteger(module, made.operands[0]);
    return from && *from - counter.start == count - 1;
  }
  if (made.opcode != Opcode::kAdd) return false;
  for (size_t number : {0, 1}) {
    std::optional<int64_t> offset = StaticInteger(module, made.operands[1 - number]);
    if (offset && is_counter(made.operands[number])) return *offset + counter.start == 0;
  }
  return false;
}

}  // namespace

WindowWalk WalkOf(const ir::Module& module, const Instruction& update, const LoopCounter& counter,
                  const std::function<bool(InstrId)>& is_counter) {
  const ir::Dimensions& array = update.shape.dimensions;
  const std::optional<size_t> row = RowDimension(array, module.shape(update.operands[1]).dimensions);
  if (row && TakesEveryValue(module, update.operands[2 + *row], array[*row], counter, is_counter)) return {true, true};
  if (counter.trips > kMaximumIterations) return {};
  std::unordered_set<int64_t> tiles;
  for (int64_t iteration = 0; iteration < counter.trips; ++iteration) {
    ScalarAt scalar(module, is_counter, counter.start + counter.step * iteration);
    std::optional<int64_t> tile = TileAt(module, update, scalar);
    if (!tile || !tiles.insert(*tile).second) return {};
  }
  const int64_t window = module.shape(update.operands[1]).element_count();
  const bool is_complete = window > 0 && counter.trips * window == update.shape.element_count();
  return {.is_disjoint = true, .is_complete = is_complete};
}

bool ReadsWindowOf(const ir::Module& module, const Instruction& slice, const Instruction& update) {
  const ir::Dimensions& window = module.shape(update.operands[1]).dimensions;
  const ir::Dimensions& array = update.shape.dimensions;
  if (slice.shape.dimensions != window || module.shape(slice.operands[0]).dimensions != array) return false;
  for (size_t dimension = 0; dimension < window.size(); ++dimension) {
    const InstrId left = slice.operands[1 + dimension], right = update.operands[2 + dimension];
    // A window over the whole dimension lies at its start.
    if (window[dimension] == array[dimension] || left == right) continue;
    std::optional<int64_t> known = StaticInteger(module, left);
    if (!known || known != StaticInteger(module, right)) return false;
  }
  return true;
}

}  // namespace stead::analysis
