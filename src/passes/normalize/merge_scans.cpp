// Problem. In a scan over layers the loop state holds the rows that go in and the rows that come out:
//
//   body: k = state[0];  y = state[1];  row = dynamic-slice(k, t, 0), {1,n};  new = f(row);
//         next = dynamic-update-slice(y, new, t, 0);  tuple(k, next)
//
// Both are arrays of the full size, and the second one is filled first. If k is dead after the loop, `next` may as well be built
// in k: tuple(dynamic-update-slice(k, new, t, 0)).
//
// Why it is right. Iteration t reads of k only row i(t), the one it writes, and i takes every row once. So row i(t) of the merged
// array still holds what it held before the loop when iteration t reads it; and after the last iteration every row has been
// written, so nothing of k, or of what y was filled with, remains. When k and y start as the same array, what no iteration
// writes is also the same. Instead of rows there may be tiles of any size: the blocks of a kernel.
//
// Given up: reads of rows that are written in later iterations (shifted scans), windows that overlap.
#include "passes/normalize/merge_scans.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "analysis/trip_count.h"
#include "analysis/window.h"
#include "analysis/window_walk.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/tuple_elements.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

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

// One loop whose state is looked at element by element.
class Scan {
 public:
  // `bodies`: the computations that are bodies of loops.
  static std::optional<Scan> Of(ir::Module& module, InstrId loop, const std::set<ComputationId>& bodies) {
    const Instruction& instruction = module.instruction(loop);
    ComputationId condition = instruction.called[0], body = instruction.called[1];
    Scan scan(module, loop, bodies);
    auto counter = analysis::CounterOf(module, loop);
    auto tested = ReadersByElement(module, module.computation(condition).parameters[0]);
    auto state = ReadersByElement(module, module.computation(body).parameters[0]);
    auto results = ReadersByElement(module, loop);
    bool plain = module.instruction(instruction.operands[0]).opcode == Opcode::kTuple &&
                 module.users(instruction.operands[0]).size() == 1 &&
                 module.instruction(module.root(body)).opcode == Opcode::kTuple;
    if (!plain || !counter || !tested || !state || !results) return std::nullopt;
    scan.counter_ = *counter;
    scan.tested_ = *std::move(tested);
    scan.state_ = *std::move(state);
    scan.results_ = *std::move(results);
    scan.init_ = instruction.operands[0];
    scan.next_ = module.root(body);
    return scan;
  }

  bool MergeAll() {
    bool merged = false;
    std::vector<bool> taken(state_.size(), false);
    for (size_t made = 0; made < state_.size(); ++made) {
      std::optional<InstrId> update = WindowUpdate(made);
      const auto walk = update ? WindowsOf(module_.instruction(*update)) : analysis::WindowWalk{};
      if (!walk.is_disjoint) continue;
      for (size_t read = 0; read < state_.size(); ++read) {
        if (taken[read] || read == made || !IsReadByWindows(read, *update)) continue;
        const bool starts_alike = module_.operand(init_, read) == module_.operand(init_, made);
        if (!starts_alike && !(walk.is_complete && IsGivenAway(read))) continue;
        taken[read] = taken[made] = merged = true;
        Merge(made, read, *update);
        break;
      }
    }
    return merged;
  }

 private:
  Scan(ir::Module& module, InstrId loop, const std::set<ComputationId>& bodies)
      : module_(module), bodies_(bodies), loop_(loop) {}

  // The update that makes element `made` of the next state out of this one, when it is its only use.
  std::optional<InstrId> WindowUpdate(size_t made) const {
    InstrId id = module_.operand(next_, made);
    const Instruction& update = module_.instruction(id);
    if (update.opcode != Opcode::kDynamicUpdateSlice) return std::nullopt;
    if (module_.users(id).size() != 1 || !tested_[made].empty() || state_[made].size() != 1) return std::nullopt;
    InstrId old = state_[made].front();
    const std::vector<InstrId>& next = module_.instruction(next_).operands;
    bool once = std::ranges::count(next, id) == 1 && module_.users(old).size() == 1 &&
                std::ranges::count(update.operands, old) == 1 && update.operands[0] == old;
    return once ? std::optional(id) : std::nullopt;
  }

  // Rows are found by algebra, however many; other windows by counting.
  analysis::WindowWalk WindowsOf(const Instruction& update) const {
    std::optional<size_t> row = RowDimension(update.shape.dimensions, module_.shape(update.operands[1]).dimensions);
    if (row && TakesEveryValue(update.operands[2 + *row], update.shape.dimensions[*row])) return {true, true};
    return analysis::WalkOf(module_, update, counter_, [&](InstrId scalar) { return IsCounter(scalar); });
  }

  // The scalar is each of 0 ... count-1 in one of the iterations: the counter plus a constant, or a constant minus the counter.
  bool TakesEveryValue(InstrId scalar, int64_t count) const {
    if (counter_.step != 1 || counter_.trips != count) return false;
    if (IsCounter(scalar)) return counter_.start == 0;
    const Instruction& made = module_.instruction(scalar);
    if (made.opcode == Opcode::kSubtract && IsCounter(made.operands[1])) {
      std::optional<int64_t> from = analysis::StaticInteger(module_, made.operands[0]);
      return from && *from - counter_.start == count - 1;
    }
    if (made.opcode != Opcode::kAdd) return false;
    for (size_t number : {0, 1}) {
      std::optional<int64_t> offset = analysis::StaticInteger(module_, made.operands[1 - number]);
      if (offset && IsCounter(made.operands[number])) return *offset + counter_.start == 0;
    }
    return false;
  }

  bool IsCounter(InstrId scalar) const {
    return std::ranges::count(state_[static_cast<size_t>(counter_.element)], scalar) > 0;
  }

  // Element `read` stays as it is, nobody needs it after the loop, and the body reads of it only the window that `update` writes.
  bool IsReadByWindows(size_t read, InstrId update_id) const {
    const Instruction& update = module_.instruction(update_id);
    if (!results_[read].empty() || !tested_[read].empty() || state_[read].size() != 1) return false;
    InstrId old = state_[read].front();
    if (module_.operand(next_, read) != old || !(module_.shape(old) == update.shape)) return false;
    return std::ranges::all_of(module_.users(old), [&](InstrId user) {
      const Instruction& reader = module_.instruction(user);
      if (user == next_) return std::ranges::count(reader.operands, old) == 1;
      return reader.opcode == Opcode::kDynamicSlice && reader.operands[0] == old && ReadsWindowOf(reader, update);
    });
  }

  bool ReadsWindowOf(const Instruction& reader, const Instruction& update) const {
    const ir::Dimensions& window = module_.shape(update.operands[1]).dimensions;
    if (reader.shape.dimensions != window) return false;
    for (size_t dimension = 0; dimension < window.size(); ++dimension) {
      const InstrId left = reader.operands[1 + dimension], right = update.operands[2 + dimension];
      // A window over the whole dimension lies at its start.
      if (window[dimension] == update.shape.dimensions[dimension] || left == right) continue;
      std::optional<int64_t> known = analysis::StaticInteger(module_, left);
      if (!known || known != analysis::StaticInteger(module_, right)) return false;
    }
    return true;
  }

  // The loop is the last to need what element `read` starts with, and its memory is not the caller's.
  bool IsGivenAway(size_t read) const {
    InstrId start = module_.operand(init_, read);
    if (module_.users(start).size() != 1) return false;
    if (std::ranges::count(module_.instruction(init_).operands, start) != 1) return false;
    const Instruction& made = module_.instruction(start);
    if (made.opcode == Opcode::kParameter) return IsParameterGivenAway(made, {});
    if (made.opcode != Opcode::kGetTupleElement)
      return made.opcode != Opcode::kConstant && !ir::HasTrait(made.opcode, ir::kForwards);
    const Instruction& tuple = module_.instruction(made.operands[0]);
    if (tuple.opcode == Opcode::kParameter)
      return IsParameterGivenAway(tuple, {made.As<ir::TupleElementAttributes>().index});
    return tuple.opcode == Opcode::kWhile;
  }

  // A donated leaf of the entry; or state of a surrounding loop, of which the next iteration gets another value.
  bool IsParameterGivenAway(const Instruction& parameter, const ir::ShapeIndex& index) const {
    if (parameter.computation != module_.entry) return bodies_.contains(parameter.computation) && !index.empty();
    return module_.IsDonated(parameter.As<ir::ParameterAttributes>().number, index);
  }

  void Merge(size_t made, size_t read, InstrId update) {
    module_.SetOperand(update, 0, state_[read].front());
    module_.SetOperand(next_, read, update);
    module_.SetOperand(next_, made, state_[made].front());
    for (InstrId result : results_[made]) {
      Builder build(module_, result);
      Replace(module_, result, build.TupleElement(loop_, static_cast<int64_t>(read)));
    }
  }

  ir::Module& module_;
  const std::set<ComputationId>& bodies_;
  InstrId loop_, init_, next_;
  analysis::LoopCounter counter_;
  std::vector<std::vector<InstrId>> tested_, state_, results_;  // get-tuple-elements, by state element
};

}  // namespace

Result<PassReport> MergeScans(ir::Module& module) {
  std::vector<InstrId> loops;
  std::set<ComputationId> bodies;
  for (ComputationId computation : module.ComputationsPostOrder()) {
    for (InstrId id : module.computation(computation).instructions) {
      if (module.instruction(id).opcode != Opcode::kWhile) continue;
      loops.push_back(id);
      bodies.insert(module.instruction(id).called[1]);
    }
  }
  bool changed = false;
  for (InstrId loop : loops) {
    if (std::optional<Scan> scan = Scan::Of(module, loop, bodies)) changed |= scan->MergeAll();
  }
  return PassReport{changed};
}

}  // namespace stead::passes
