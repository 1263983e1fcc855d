// How. Each element of the state must be handed on as it is, count, or be made by one update whose windows are the tiles of the
// array. Of such an update the window's value is followed backwards through the body. What it meets is
//   the same in every iteration: a constant, state that is handed on, arithmetic on these; or
//   a tile: the window of another array at the same place, or arithmetic on tiles. Reshapes that add or drop dimensions of size
//   one do not move elements.
// A tile's value is then the tile of the same ops on whole arrays, with what is the same everywhere filled in.
//
// Why it is right. Element k of a tile needs element k of other tiles only, which lie at the same place of arrays of the same
// dimensions. Tiles are disjoint, so that a tile of an array that the loop itself makes still holds what the array started with.
#include "passes/loop_state/raise_loops.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/trip_count.h"
#include "analysis/window_walk.h"
#include "ir/kernel_mark.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/loop_elements.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::Dimensions;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;
using ir::Shape;

// Well below what one fused loop holds: values between the ops of a larger one might need memory of the array's size.
constexpr size_t kMostOps = 32;

enum class Kind { kOther, kSame, kTile };

bool HasSizeOneOrAll(const Dimensions& window, const Dimensions& array) {
  for (size_t dimension = 0; dimension < window.size(); ++dimension) {
    if (window[dimension] != 1 && window[dimension] != array[dimension]) return false;
  }
  return true;
}

class LoopRaiser {
 public:
  LoopRaiser(ir::Module& module, LoopElements loop, const analysis::LoopCounter& counter)
      : module_(module), loop_(std::move(loop)), counter_(counter), before_(module_, loop_) {
    for (size_t element = 0; element < loop_.size(); ++element) {
      for (InstrId reader : loop_.state[element]) element_of_[reader] = element;
    }
    for (const analysis::LoopCounter& each : analysis::CountersOf(module_, loop_.loop))
      counters_[static_cast<size_t>(each.element)] = each;
  }

  bool Raise() {
    if (!SortElements()) return false;
    std::unordered_set<InstrId> done;
    std::vector<Tile> tiles;
    for (const auto& [element, update] : updates_) {
      std::optional<Tile> tile = TileOf(element, update);
      // A value that two arrays need would be computed twice, or be kept.
      if (!tile || !std::ranges::all_of(tile->needed, [&](InstrId id) { return done.insert(id).second; })) return false;
      tiles.push_back(*std::move(tile));
    }
    for (const Tile& tile : tiles) Build(tile);
    HandOnTheRest();
    return true;
  }

 private:
  // What is followed back from one update.
  struct Tile {
    size_t element;
    InstrId update;
    std::unordered_map<InstrId, Kind> kinds;  // of all values of the body
    std::vector<InstrId> needed;              // tiles that are computed, operands first
  };

  // False when an element is neither handed on nor a counter nor made tile by tile.
  bool SortElements() {
    for (size_t element = 0; element < loop_.size(); ++element) {
      if (loop_.IsHandedOn(module_, element) || counters_.contains(element)) continue;
      const InstrId update = module_.operand(loop_.next, element);
      if (!IsMadeByTiles(element, update)) return false;
      updates_.emplace_back(element, update);
    }
    return !updates_.empty();
  }

  bool IsMadeByTiles(size_t element, InstrId id) const {
    const Instruction& update = module_.instruction(id);
    if (update.opcode != Opcode::kDynamicUpdateSlice || !update.shape.is_row_major()) return false;
    const auto old = element_of_.find(update.operands[0]);
    const std::vector<InstrId>& next = module_.instruction(loop_.next).operands;
    const bool is_only_state = module_.users(id).size() == 1 && std::ranges::count(next, id) == 1;
    if (old == element_of_.end() || old->second != element || !is_only_state || !loop_.tested[element].empty())
      return false;
    const std::vector<InstrId>& counters = loop_.state[static_cast<size_t>(counter_.element)];
    return analysis::WalkOf(module_, update, counter_,
                            [&](InstrId scalar) { return std::ranges::count(counters, scalar) > 0; })
        .is_complete;
  }

  // --- what the values of the body are, for one update

  std::optional<Tile> TileOf(size_t element, InstrId update) const {
    Tile tile{element, update, {}, {}};
    for (InstrId id : module_.computation(module_.instruction(update).computation).instructions)
      tile.kinds[id] = KindOf(id, tile);
    const InstrId value = module_.operand(update, 1);
    if (!IsAvailable(value, tile) || !FindNeeded(value, tile)) return std::nullopt;
    return tile;
  }

  Kind KindOf(InstrId id, const Tile& tile) const {
    const Instruction& made = module_.instruction(id);
    if (!made.control_predecessors.empty() || !module_.control_successors(id).empty()) return Kind::kOther;
    if (auto element = element_of_.find(id); element != element_of_.end())
      return KindOfState(id, element->second, tile);
    if (made.opcode == Opcode::kConstant || made.opcode == Opcode::kIota) return Kind::kSame;
    if (made.opcode == Opcode::kDynamicSlice) return IsTileOfState(made, tile) ? Kind::kTile : Kind::kOther;
    const bool moves = made.opcode == Opcode::kReshape || made.opcode == Opcode::kBroadcast;
    if (!moves && !ir::IsElementwise(made.opcode)) return Kind::kOther;
    if (std::ranges::all_of(made.operands, [&](InstrId operand) { return tile.kinds.at(operand) == Kind::kSame; }))
      return Kind::kSame;
    if (!std::ranges::all_of(made.operands, [&](InstrId operand) { return IsAvailable(operand, tile); }))
      return Kind::kOther;
    return !moves || KeepsElements(made) ? Kind::kTile : Kind::kOther;
  }

  // Whether a reshape or broadcast only adds or drops dimensions of size one.
  bool KeepsElements(const Instruction& made) const {
    return WithoutOnes(made.shape.dimensions) == WithoutOnes(module_.shape(made.operands[0]).dimensions) &&
           made.shape.is_row_major();
  }

  Kind KindOfState(InstrId id, size_t element, const Tile& tile) const {
    if (loop_.IsHandedOn(module_, element)) return Kind::kSame;
    return StartDimension(id, tile) ? Kind::kTile : Kind::kOther;
  }

  // The dimension of one-element tiles whose start the scalar is: there it numbers the elements.
  std::optional<int64_t> StartDimension(InstrId scalar, const Tile& tile) const {
    const Instruction& update = module_.instruction(tile.update);
    if (module_.shape(update.operands[1]).element_count() != 1) return std::nullopt;
    for (size_t dimension = 0; dimension < update.shape.dimensions.size(); ++dimension) {
      if (update.operands[2 + dimension] == scalar && update.shape.dimensions[dimension] != 1)
        return static_cast<int64_t>(dimension);
    }
    return std::nullopt;
  }

  // Of an array that the loop makes only the window that is written next still holds what was there before.
  bool IsTileOfState(const Instruction& slice, const Tile& tile) const {
    const auto array = element_of_.find(slice.operands[0]);
    if (array == element_of_.end() || !analysis::ReadsWindowOf(module_, slice, module_.instruction(tile.update)))
      return false;
    if (loop_.IsHandedOn(module_, array->second)) return true;
    const auto made = std::ranges::find(updates_, array->second, &std::pair<size_t, InstrId>::first);
    return made != updates_.end() && analysis::ReadsWindowOf(module_, slice, module_.instruction(made->second));
  }

  // Whether the value can be had for the whole array.
  bool IsAvailable(InstrId id, const Tile& tile) const {
    const Kind kind = tile.kinds.at(id);
    if (kind != Kind::kSame) return kind == Kind::kTile;
    const Instruction& made = module_.instruction(id);
    if (!made.shape.is_array()) return false;
    if (made.shape.is_scalar() || IsSplat(made)) return true;
    const Dimensions& window = module_.shape(module_.operand(tile.update, 1)).dimensions;
    return WithoutOnes(made.shape.dimensions) == WithoutOnes(window) &&
           HasSizeOneOrAll(window, module_.shape(tile.update).dimensions);
  }

  bool IsSplat(const Instruction& made) const {
    return made.opcode == Opcode::kBroadcast && module_.shape(made.operands[0]).is_scalar();
  }

  // Fills in `needed`; false when there are too many.
  bool FindNeeded(InstrId value, Tile& tile) const {
    std::unordered_set<InstrId> seen;
    std::vector<InstrId> stack = {value};
    while (!stack.empty()) {
      const InstrId id = stack.back();
      stack.pop_back();
      if (tile.kinds.at(id) != Kind::kTile || !seen.insert(id).second) continue;
      if (element_of_.contains(id) || module_.instruction(id).opcode == Opcode::kDynamicSlice) continue;
      const std::vector<InstrId>& operands = module_.instruction(id).operands;
      stack.insert(stack.end(), operands.begin(), operands.end());
      tile.needed.push_back(id);
    }
    const auto& body = module_.computation(module_.instruction(tile.update).computation).instructions;
    std::unordered_set<InstrId> wanted(tile.needed.begin(), tile.needed.end());
    tile.needed.clear();
    std::ranges::copy_if(body, std::back_inserter(tile.needed), [&](InstrId id) { return wanted.contains(id); });
    return tile.needed.size() <= kMostOps;
  }

  // --- the same outside

  void Build(const Tile& tile) {
    std::unordered_map<InstrId, InstrId> whole;
    auto whole_of = [&](InstrId id) {
      auto known = whole.find(id);
      return known != whole.end() ? known->second : whole[id] = WholeOf(id, tile);
    };
    for (InstrId id : tile.needed) {
      const Instruction made = module_.instruction(id);
      std::vector<InstrId> operands;
      for (InstrId operand : made.operands) operands.push_back(whole_of(operand));
      Shape shape = Shape::Array(made.shape.element_type, module_.shape(tile.update).dimensions);
      whole[id] = ir::IsElementwise(made.opcode)
                      ? Builder(module_, loop_.loop, id).Op(made.opcode, std::move(shape), operands, made.attributes)
                      : operands[0];
    }
    const InstrId result = whole_of(module_.operand(tile.update, 1));
    std::optional<std::string> kernel = ir::MarkedKernel(module_.instruction(loop_.loop));
    const bool is_new = module_.users(result).empty();
    if (kernel && is_new) module_.SetExtra(result, {ir::KernelMark(*kernel)});
    for (InstrId reader : loop_.results[tile.element]) Forward(module_, reader, result);
  }

  // What a leaf is for the whole array.
  InstrId WholeOf(InstrId id, const Tile& tile) {
    const Instruction made = module_.instruction(id);
    const Dimensions array = module_.shape(tile.update).dimensions;
    if (tile.kinds.at(id) == Kind::kSame) return SpreadOf(id, tile);
    if (made.opcode == Opcode::kDynamicSlice) return module_.operand(loop_.init, element_of_.at(made.operands[0]));
    return Builder(module_, loop_.loop, id)
        .Op(Opcode::kIota, Shape::Array(made.shape.element_type, array), {},
            ir::DimensionsAttributes{{*StartDimension(id, tile)}});
  }

  // What is the same in every tile, in all of them.
  InstrId SpreadOf(InstrId id, const Tile& tile) {
    const Instruction made = module_.instruction(id);
    const Dimensions array = module_.shape(tile.update).dimensions;
    const Dimensions window = module_.shape(module_.operand(tile.update, 1)).dimensions;
    Builder build(module_, loop_.loop, id);
    if (made.shape.is_scalar()) return build.Splat(before_.Of(id), array);
    if (IsSplat(made)) return build.Splat(before_.Of(made.operands[0]), array);
    std::vector<int64_t> places;
    for (size_t dimension = 0; dimension < window.size(); ++dimension) {
      if (window[dimension] != 1) places.push_back(static_cast<int64_t>(dimension));
    }
    const InstrId narrow = build.Reshape(before_.Of(id), WithoutOnes(window));
    return build.Op(Opcode::kBroadcast, Shape::Array(made.shape.element_type, array), {narrow},
                    ir::DimensionsAttributes{std::move(places)});
  }

  void HandOnTheRest() {
    for (size_t element = 0; element < loop_.size(); ++element) {
      for (InstrId reader : loop_.results[element]) {
        if (loop_.IsHandedOn(module_, element)) {
          Forward(module_, reader, module_.operand(loop_.init, element));
        } else if (auto counter = counters_.find(element); counter != counters_.end()) {
          const int64_t end = counter->second.start + counter->second.step * counter->second.trips;
          Replace(module_, reader,
                  Builder(module_, loop_.loop, reader).Integer(module_.shape(reader).element_type, end));
        }
      }
    }
  }

  ir::Module& module_;
  LoopElements loop_;
  analysis::LoopCounter counter_;
  ValuesBeforeLoop before_;
  std::unordered_map<InstrId, size_t> element_of_;  // of readers in the body
  std::unordered_map<size_t, analysis::LoopCounter> counters_;
  std::vector<std::pair<size_t, InstrId>> updates_;  // state element, its update
};

bool RaiseOne(ir::Module& module, InstrId loop) {
  const bool is_ordered =
      !module.instruction(loop).control_predecessors.empty() || !module.control_successors(loop).empty();
  if (is_ordered) return false;
  std::optional<analysis::LoopCounter> counter = analysis::CounterOf(module, loop);
  std::optional<LoopElements> elements = counter ? LoopElements::Of(module, loop) : std::nullopt;
  return elements && LoopRaiser(module, *std::move(elements), *counter).Raise();
}

}  // namespace

Result<PassReport> RaiseLoops(ir::Module& module) {
  bool changed = false;
  const SideEffects effects(module);
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    const std::vector<InstrId> list = module.computation(computation).instructions;
    for (InstrId id : list) {
      if (module.instruction(id).opcode == Opcode::kWhile && !effects.Of(id)) changed |= RaiseOne(module, id);
    }
  }
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
