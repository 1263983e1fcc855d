// Readers before writers.
//
// Problem. An op U that updates part of x may do so in x's own buffer when every other use of the old x comes first:
//
//   y = slice(x), [0:1]          arcs: y -> U      unless "copy x for U" or "save what y reads" is bought
//   U = dynamic-update-slice(x, ...)
//   END (x is returned as well)        END -> U    unless "copy x for U" is bought: nothing runs after the end
//
// Only preserving writers (window updates, declared custom calls, loops on the state they change) force anything: an op that
// writes all of its result can take another buffer. A use of bytes that U provably does not write needs no arc to U; but it
// may still meet the next update of the same buffer, so it is passed on to U's result as pending, with "copy for U" as one
// more way out (after that copy the two no longer share).
//
// Which order exists is then decided by hitting.h: it finds the cheapest elements after which edges + arcs have no cycle, and
// any order that respects the rest runs without further copies: by induction along the order, a buffer holds the content
// that its next reader names.
//
// A copy for U and a saved box are taken from the definition itself, so no barrier holds them back: they only need the
// definition before and whoever overwrites it after. That is why an arc from one preserving writer to another is also broken
// by the first one's own copy: the copy takes its place as the early reader.
//
// A loop that writes its state whole need not overwrite its initial value at all (borrowing.h): that is one more way out, which
// weighs nothing. Where it does not even look at the bytes in question, that is a way out for who overwrites them before the loop, too.
//
// Cost: uses of each updated definition, plus pending uses. Pending lists are empty unless regions were proved disjoint.
#include "inplace/constraints/arcs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "inplace/constraints/pointers.h"
#include "inplace/memory/byte_layout.h"

namespace stead::inplace {

using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using analysis::Footprint;
using analysis::Region;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

// More ways out than these are forgotten: fewer breakers are the safe side.
constexpr size_t kPathLimit = 8;

// A use of an older content of the same buffer that no update on the way was proved to destroy.
struct PendingUse {
  DefinitionUse use;
  DefinitionId definition;
  std::vector<int32_t> path;  // elements that part the use's buffer from this one
};

Region Hull(const Region& left, const Region& right) {
  Region hull = left;
  for (size_t dim = 0; dim < hull.starts.size(); ++dim) {
    int64_t end = std::max(left.starts[dim] + left.sizes[dim], right.starts[dim] + right.sizes[dim]);
    hull.starts[dim] = std::min(left.starts[dim], right.starts[dim]);
    hull.sizes[dim] = end - hull.starts[dim];
  }
  return hull;
}

class Builder {
 public:
  Builder(const Module& module, const Scope& scope, const Dataflow& dataflow, const ScopeContext& context)
      : module_(module), scope_(scope), dataflow_(dataflow), context_(context), pending_(dataflow.definition_count()) {}

  ConflictGraph Run() {
    graph_.problem.node_count = end() + 1;
    for (int32_t node = 0; node < end(); ++node) AddEdges(node);
    AddEffectChain();
    CollectKeepingUses();
    for (int32_t node = 0; node < end(); ++node) {
      for (const PreservingTie& tie : PreservingTies(module_, dataflow_, node, context_)) AddArcs(node, tie);
    }
    return std::move(graph_);
  }

 private:
  int32_t end() const { return dataflow_.node_count(); }

  void AddEdge(int32_t before, int32_t after, EdgeKind kind) {
    graph_.problem.edges.push_back({before, after});
    graph_.edge_kinds.push_back(kind);
  }

  void AddEdges(int32_t node) {
    const Instruction& instruction = module_.instruction(dataflow_.instruction(node));
    for (InstrId operand : instruction.operands) {
      bool barrier = ir::HasTrait(instruction.opcode, ir::kOrders) ||
                     ir::HasTrait(module_.instruction(operand).opcode, ir::kOrders);
      AddEdge(dataflow_.node(operand), node, barrier ? EdgeKind::kBarrier : EdgeKind::kData);
    }
    for (InstrId predecessor : instruction.control_predecessors) {
      AddEdge(dataflow_.node(predecessor), node, EdgeKind::kControl);
    }
    AddEdge(node, end(), EdgeKind::kEnd);
  }

  void AddEffectChain() {
    int32_t previous = -1;
    for (int32_t node = 0; node < end(); ++node) {
      if (!dataflow_.effects(node).has_side_effect) continue;
      if (previous >= 0) AddEdge(previous, node, EdgeKind::kEffect);
      previous = node;
    }
  }

  // Operand leaves through which a preserving writer itself reads: a copy for it lets it read early.
  void CollectKeepingUses() {
    for (int32_t node = 0; node < end(); ++node) {
      for (const PreservingTie& tie : PreservingTies(module_, dataflow_, node, context_)) {
        keeping_.insert({std::tuple(node, tie.operand, tie.leaf), true});
      }
    }
  }

  int32_t ElementNumber(Element element) {
    auto key = std::tuple(element.kind, element.node, element.operand, element.leaf);
    auto [entry, fresh] = element_numbers_.try_emplace(key, static_cast<int32_t>(graph_.elements.size()));
    if (fresh) {
      graph_.problem.weights.push_back(SaturatingProduct(element.bytes, scope_.executions));
      graph_.elements.push_back(std::move(element));
    }
    return entry->second;
  }

  bool IsLoop(int32_t node) const { return module_.instruction(dataflow_.instruction(node)).opcode == Opcode::kWhile; }

  bool IsConditional(int32_t node) const {
    return module_.instruction(dataflow_.instruction(node)).opcode == Opcode::kConditional;
  }

  int32_t CopyElement(int32_t node, int32_t operand, int32_t leaf) {
    DefinitionId definition = dataflow_.value(OperandOf(node, operand), leaf).definition;
    if (IsConditional(node)) {
      // One copy serves all branches.
      for (const DefinitionUse& use : dataflow_.uses(definition)) {
        if (use.node != node || use.operand == 0) continue;
        operand = use.operand;
        leaf = use.leaf;
        break;
      }
    }
    return ElementNumber(
        {Element::Kind::kCopy, node, operand, leaf, definition, {}, dataflow_.definition(definition).bytes});
  }

  InstrId OperandOf(int32_t node, int32_t operand) const {
    return module_.operand(dataflow_.instruction(node), static_cast<size_t>(operand));
  }

  void AddArc(int32_t before, int32_t after, std::vector<int32_t> breakers, ArcCause cause) {
    std::ranges::sort(breakers);
    breakers.erase(std::ranges::unique(breakers).begin(), breakers.end());
    graph_.problem.arcs.push_back({before, after, std::move(breakers)});
    graph_.causes.push_back(cause);
  }

  void AddArcs(int32_t writer, const PreservingTie& tie) {
    const analysis::Resolved& target = dataflow_.value(OperandOf(writer, tie.operand), tie.leaf);
    int32_t copy = CopyElement(writer, tie.operand, tie.leaf);
    std::vector<int32_t> ways_out = {copy};
    if (MayBorrow(writer, tie.leaf)) ways_out.push_back(BorrowElement(writer, tie.operand, tie.leaf));
    const Footprint written = target.box.whole ? tie.written : Footprint{};
    if (!IsWritable(module_, scope_, dataflow_, context_, target.definition) || !target.box.whole) {
      AddArc(end(), writer, ways_out, {target.definition, true, {}, tie});
    }
    KeepWherePointersLead(writer, tie, ways_out);
    std::vector<PendingUse> candidates = pending_[target.definition];
    for (const DefinitionUse& use : dataflow_.uses(target.definition))
      candidates.push_back({use, target.definition, {}});
    std::vector<PendingUse> still_pending;
    for (const analysis::SharedUse& shared : dataflow_.shared_uses(target.definition)) {
      // What its own pointers lead to, each branch of a conditional keeps until its end.
      bool is_kept =
          IsConditional(writer) && !dataflow_.MayShareBytesWithout(writer, shared.definition, target.definition);
      (is_kept ? still_pending : candidates).push_back({shared.use, shared.definition, {}});
    }
    for (PendingUse& candidate : candidates) {
      const DefinitionUse& use = candidate.use;
      if (use.node == writer && use.operand == tie.operand && use.leaf == tie.leaf) continue;
      // Only one branch of a conditional runs, after its selector was read.
      if (use.node == writer && IsConditional(writer)) continue;
      if (use.node == writer && IsGuest(writer, use.leaf, tie.leaf)) continue;
      // An op that overwrites a part keeps the rest, and results and a loop's state lie apart: they need all of the array's buffer
      // for themselves.
      bool is_own_state =
          use.node == writer && IsLoop(writer) && !(Disjoint(use.bytes, written) && Borrows(writer, use.leaf));
      bool is_own_result = use.node == end() && !IsPointerOfBranch(use.leaf);
      bool needs_buffer =
          is_own_result || is_own_state || keeping_.contains(std::tuple(use.node, use.operand, use.leaf));
      if (!needs_buffer && Disjoint(use.bytes, written)) {
        if (candidate.path.size() < kPathLimit) candidate.path.push_back(copy);
        still_pending.push_back(std::move(candidate));
        continue;
      }
      AddArc(use.node, writer, BreakersOf(candidate, written, ways_out), {candidate.definition, false, use, tie});
    }
    if (tie.result_leaf < 0) return;
    DefinitionId result = dataflow_.value(dataflow_.instruction(writer), tie.result_leaf).definition;
    pending_[result] = std::move(still_pending);
  }

  // What is overwritten where a pointer leads lies in memory of somebody else's, each time in another one maybe. From inside a loop or
  // branch it is not handed on, nor does it change places.
  void KeepWherePointersLead(int32_t writer, const PreservingTie& tie, const std::vector<int32_t>& ways_out) {
    if (scope_.kind == Scope::Kind::kEntry) return;
    DefinitionId target = dataflow_.value(OperandOf(writer, tie.operand), tie.leaf).definition;
    auto led_to = led_to_.find(target);
    if (!dataflow_.is_pointer(target) && led_to == led_to_.end()) return;
    std::vector<int32_t> path = led_to == led_to_.end() ? std::vector<int32_t>{} : led_to->second;
    if (path.size() < kPathLimit) path.insert(path.end(), ways_out.begin(), ways_out.end());
    bool leaves = (IsLoop(writer) || IsConditional(writer)) && tie.written.whole;
    if (tie.result_leaf >= 0) {
      DefinitionId result = dataflow_.value(dataflow_.instruction(writer), tie.result_leaf).definition;
      leaves = leaves || dataflow_.LastUse(result) == end();
      led_to_[result] = path;
    }
    if (leaves) AddArc(end(), writer, std::move(path), {target, true, {}, tie});
  }

  // The result is found where it lies; what lies there is needed as far as somebody reads it.
  bool IsPointerOfBranch(int32_t result) const {
    return scope_.kind == Scope::Kind::kBranch && IsPointerResult(context_, scope_.caller, result);
  }

  // The loop reads one leaf before it overwrites the other.
  bool IsGuest(int32_t node, int32_t guest, int32_t host) const {
    if (!IsLoop(node)) return false;
    auto leaders = context_.leaders.find(dataflow_.instruction(node));
    if (leaders != context_.leaders.end() && leaders->second[static_cast<size_t>(guest)] == host) return true;
    auto guests = context_.parameter_guests.find(module_.instruction(dataflow_.instruction(node)).called[1]);
    return guests != context_.parameter_guests.end() &&
           std::ranges::find(guests->second, std::pair(guest, host)) != guests->second.end();
  }

  int32_t BorrowElement(int32_t node, int32_t operand, int32_t leaf) {
    DefinitionId initial = dataflow_.value(OperandOf(node, operand), leaf).definition;
    return ElementNumber({Element::Kind::kBorrow, node, operand, leaf, initial, {}, 0});
  }

  bool MayBorrow(int32_t node, int32_t leaf) const {
    auto loop = context_.borrowing.find(dataflow_.instruction(node));
    return loop != context_.borrowing.end() && loop->second.possible[leaf];
  }

  bool Borrows(int32_t node, int32_t leaf) const {
    auto loop = context_.borrowing.find(dataflow_.instruction(node));
    return loop != context_.borrowing.end() && loop->second.used[leaf];
  }

  // `written`: the bytes that the writer overwrites. `ways_out`: what spares the writer from overwriting the content.
  std::vector<int32_t> BreakersOf(const PendingUse& candidate, const Footprint& written,
                                  const std::vector<int32_t>& ways_out) {
    const DefinitionUse& use = candidate.use;
    std::vector<int32_t> breakers = candidate.path;
    breakers.insert(breakers.end(), ways_out.begin(), ways_out.end());
    if (use.node == end()) return breakers;
    bool keeps = keeping_.contains(std::tuple(use.node, use.operand, use.leaf));
    // An op that also reads what it overwrites copies what it overwrites: as many bytes, and the original stays for others.
    if (keeps) breakers.push_back(CopyElement(use.node, use.operand, use.leaf));
    // A loop that does not look at what is overwritten needs a buffer for the rest of its state only, which need not be this one.
    if (MayBorrow(use.node, use.leaf) && !Borrows(use.node, use.leaf) && Disjoint(use.bytes, written))
      breakers.push_back(BorrowElement(use.node, use.operand, use.leaf));
    if (std::optional<Region> box = SavedBox(module_, dataflow_, use)) {
      int64_t bytes = BoxBytes(module_.shape(OperandOf(use.node, use.operand)), *box);
      breakers.push_back(ElementNumber(
          {Element::Kind::kSave, use.node, use.operand, use.leaf, candidate.definition, std::move(*box), bytes}));
    }
    return breakers;
  }

  const Module& module_;
  const Scope& scope_;
  const Dataflow& dataflow_;
  const ScopeContext& context_;
  ConflictGraph graph_;
  IdVector<DefinitionId, std::vector<PendingUse>> pending_;
  std::map<DefinitionId, std::vector<int32_t>>
      led_to_;  // contents that lie where a pointer leads: the copies that part them
  std::map<std::tuple<int32_t, int32_t, int32_t>, bool> keeping_;
  std::map<std::tuple<Element::Kind, int32_t, int32_t, int32_t>, int32_t> element_numbers_;
};

}  // namespace

ConflictGraph BuildConflictGraph(const Module& module, const Scope& scope, const Dataflow& dataflow,
                                 const ScopeContext& context) {
  return Builder(module, scope, dataflow, context).Run();
}

std::optional<Region> SavedBox(const Module& module, const Dataflow& dataflow, const DefinitionUse& use) {
  const Instruction& reader = module.instruction(dataflow.instruction(use.node));
  if (!dataflow.value(reader.operands[use.operand], use.leaf).box.whole) return std::nullopt;
  if (reader.opcode == Opcode::kSlice) return analysis::SliceRegion(reader);
  if (reader.opcode != Opcode::kFusion) return std::nullopt;
  InstrId parameter = module.computation(reader.called[0]).parameters[use.operand];
  if (module.root(reader.called[0]) == parameter) return std::nullopt;
  std::optional<Region> hull;
  for (InstrId user : module.users(parameter)) {
    if (module.instruction(user).opcode != Opcode::kSlice) return std::nullopt;
    Region box = analysis::SliceRegion(module.instruction(user));
    hull = hull ? Hull(*hull, box) : std::move(box);
  }
  return hull;
}

std::vector<OrderEdge> DataEdges(const Dataflow& dataflow) {
  std::vector<OrderEdge> edges;
  for (size_t number = 0; number < dataflow.definition_count(); ++number) {
    DefinitionId definition(number);
    for (const DefinitionUse& use : dataflow.uses(definition))
      edges.push_back({dataflow.definition(definition).node, use.node});
  }
  for (int32_t node = 0; node < dataflow.node_count(); ++node) edges.push_back({node, dataflow.node_count()});
  return edges;
}

}  // namespace stead::inplace
