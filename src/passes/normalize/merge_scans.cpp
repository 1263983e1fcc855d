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
#include <utility>
#include <vector>

#include "analysis/trip_count.h"
#include "analysis/window_walk.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/loop_elements.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

// One loop whose state is looked at element by element.
class Scan {
 public:
  // `bodies`: the computations that are bodies of loops.
  static std::optional<Scan> Of(ir::Module& module, InstrId loop, const std::set<ComputationId>& bodies) {
    auto counter = analysis::CounterOf(module, loop);
    auto elements = LoopElements::Of(module, loop);
    if (!counter || !elements || module.users(elements->init).size() != 1) return std::nullopt;
    return Scan(module, *std::move(elements), *counter, bodies);
  }

  bool MergeAll() {
    bool merged = false;
    std::vector<bool> taken(loop_.size(), false);
    for (size_t made = 0; made < loop_.size(); ++made) {
      std::optional<InstrId> update = WindowUpdate(made);
      const auto walk = update ? WindowsOf(module_.instruction(*update)) : analysis::WindowWalk{};
      if (!walk.is_disjoint) continue;
      for (size_t read = 0; read < loop_.size(); ++read) {
        if (taken[read] || read == made || !IsReadByWindows(read, *update)) continue;
        const bool starts_alike = module_.operand(loop_.init, read) == module_.operand(loop_.init, made);
        if (!starts_alike && !(walk.is_complete && IsGivenAway(read))) continue;
        taken[read] = taken[made] = merged = true;
        Merge(made, read, *update);
        break;
      }
    }
    return merged;
  }

 private:
  Scan(ir::Module& module, LoopElements elements, const analysis::LoopCounter& counter,
       const std::set<ComputationId>& bodies)
      : module_(module), bodies_(bodies), counter_(counter), loop_(std::move(elements)) {}

  // The update that makes element `made` of the next state out of this one, when it is its only use.
  std::optional<InstrId> WindowUpdate(size_t made) const {
    InstrId id = module_.operand(loop_.next, made);
    const Instruction& update = module_.instruction(id);
    if (update.opcode != Opcode::kDynamicUpdateSlice) return std::nullopt;
    const bool is_read_once =
        module_.users(id).size() == 1 && loop_.tested[made].empty() && loop_.state[made].size() == 1;
    if (!is_read_once) return std::nullopt;
    InstrId old = loop_.state[made].front();
    const std::vector<InstrId>& next = module_.instruction(loop_.next).operands;
    bool once = std::ranges::count(next, id) == 1 && module_.users(old).size() == 1 &&
                std::ranges::count(update.operands, old) == 1 && update.operands[0] == old;
    return once ? std::optional(id) : std::nullopt;
  }

  analysis::WindowWalk WindowsOf(const Instruction& update) const {
    return analysis::WalkOf(module_, update, counter_, [&](InstrId scalar) { return IsCounter(scalar); });
  }

  bool IsCounter(InstrId scalar) const {
    return std::ranges::count(loop_.state[static_cast<size_t>(counter_.element)], scalar) > 0;
  }

  // Element `read` stays as it is, nobody needs it after the loop, and the body reads of it only the window that `update` writes.
  bool IsReadByWindows(size_t read, InstrId update_id) const {
    const Instruction& update = module_.instruction(update_id);
    if (!loop_.results[read].empty() || !loop_.tested[read].empty() || loop_.state[read].size() != 1) return false;
    InstrId old = loop_.state[read].front();
    if (module_.operand(loop_.next, read) != old || !(module_.shape(old) == update.shape)) return false;
    return std::ranges::all_of(module_.users(old), [&](InstrId user) {
      const Instruction& reader = module_.instruction(user);
      if (user == loop_.next) return std::ranges::count(reader.operands, old) == 1;
      return reader.opcode == Opcode::kDynamicSlice && reader.operands[0] == old &&
             analysis::ReadsWindowOf(module_, reader, update);
    });
  }

  // The loop is the last to need what element `read` starts with, and its memory is not the caller's.
  bool IsGivenAway(size_t read) const {
    InstrId start = module_.operand(loop_.init, read);
    if (module_.users(start).size() != 1) return false;
    if (std::ranges::count(module_.instruction(loop_.init).operands, start) != 1) return false;
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
    module_.SetOperand(update, 0, loop_.state[read].front());
    module_.SetOperand(loop_.next, read, update);
    module_.SetOperand(loop_.next, made, loop_.state[made].front());
    for (InstrId result : loop_.results[made]) {
      Builder build(module_, result);
      Replace(module_, result, build.TupleElement(loop_.loop, static_cast<int64_t>(read)));
    }
  }

  ir::Module& module_;
  const std::set<ComputationId>& bodies_;
  analysis::LoopCounter counter_;
  LoopElements loop_;
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
