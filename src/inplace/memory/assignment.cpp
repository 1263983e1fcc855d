// Buffers for values, in the final order.
//
// Every scope is walked once, inner scopes at their caller. An op's result is placed by the first rule that applies:
//   1. a preserving tie            in its operand's buffer: the planner made sure that nobody needs the old content
//   2. a paired result head        in the donated buffer or the loop slot chosen in donation.h
//   3. a contiguous slice          on its operand's bytes, if they stay as they are until the slice's last use
//   4. an elementwise tie          in a dying operand's buffer that the scope may overwrite
//   5. anything else               in a buffer of its own
// A buffer dies with the last use, in the scope, of any content that was placed in it.
//
// Loops. The buffer of each initial value is the slot: the loop's result and the body's parameter are the same variable. At
// the end of an iteration slots and the buffers of the new state exchange pointers (loops.h); variables that may exchange form
// a class, and each member keeps its memory as long as any member is used, because its pointer may be with another.
// A leaf that borrows its initial value (borrowing.h) has a buffer of its own as slot, and a pointer that starts at the initial
// value and follows the slot: the body reads through the pointer and overwrites the slot, as if the two were one.
// A leaf that follows another (leaders.h) has only such a pointer, which goes to the other's slot.
// Branches. A result's buffer is an operand's when a branch hands that on or updates it, else a buffer of its own. A branch
// builds its result there if it can; if not, the two buffers exchange pointers when the branch ends.
//
// Time. One clock counts the instructions of the whole run, loops bodies once, in place of their loop. A value that a loop
// only reads is used at the loop's start and end, so it lives through all iterations.
//
// An entry result's buffer, and every buffer of its class, is an allocation of its own; the rest is packed (packing.h) into the
// arena, or into results that are not made yet and donated arguments that are no longer read.
#include "inplace/memory/assignment.h"

#include <algorithm>
#include <unordered_map>

#include "inplace/constraints/pointers.h"
#include "inplace/memory/byte_layout.h"
#include "inplace/memory/donation.h"
#include "inplace/memory/lifetimes.h"
#include "inplace/memory/loops.h"
#include "inplace/memory/packing.h"
#include "inplace/order/chaos.h"

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::ArrayLeafIndex;
using analysis::ArrayLeafNumber;
using analysis::Dataflow;
using analysis::Definition;
using analysis::DefinitionId;
using analysis::Region;
using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

// What one scope knows of a buffer it uses.
struct LocalBuffer {
  int32_t last_use = -1;     // in the scope's nodes
  int32_t last_led_to = -1;  // the last use of a pointer that may lead to it
  bool writable = true;
  std::vector<DefinitionId> held;  // contents placed in it
  size_t over = 0;                 // the first so many of them are over, seen from node `over_at` on
  int32_t over_at = 0;
  DefinitionId reserved_for;  // a result head that will be built here
};

struct Walk {
  Walk(const Module& module, const Scope& walked, const ScopeContext& context)
      : scope(walked),
        dataflow(module, walked.computation, context),
        families(module, dataflow, context),
        place(dataflow.definition_count()) {}

  const Scope& scope;
  Dataflow dataflow;
  Families families;
  IdVector<DefinitionId, Slice> place;
  std::unordered_map<BufferId, LocalBuffer> buffers;
  std::unordered_map<BufferId, BufferId> slot_of;  // of a borrowing leaf's pointer, of a window's
  Pairing pairing;
  std::vector<BufferId> taken_here;  // by results of the current node
};

// Where a scope finds a leaf of its parameters.
struct GivenLeaf {
  Slice place;
  bool writable = false;              // once its content is over
  std::optional<BufferId> slot = {};  // a borrowing leaf: the buffer that is overwritten instead
};

class Assigner {
 public:
  Assigner(BufferPlan& plan, const std::vector<Scope>& scopes, const ScopeContext& context, const PlanOptions& options)
      : plan_(plan), module_(plan.module), context_(context), options_(options) {
    for (const Scope& scope : scopes) scope_of_.emplace(scope.computation, scope);
  }

  void Run() {
    plan_.placements.resize(module_.instruction_count());
    std::vector<Slice> parameters = MakeParameters();
    WalkScope(module_.entry, WithWritable(parameters, WritableParameters()), DeclaredPairs());
    InstrId root = module_.root(module_.entry);
    plan_.results = plan_.placements[root];
    ++time_;
    for (const Slice& result : plan_.results) lifetimes_.Touch(result.buffer, time_);
    SettleMemory(plan_, lifetimes_, options_);
  }

 private:
  // Buffers of the entry's parameter leaves, in order.
  std::vector<Slice> MakeParameters() {
    std::vector<Slice> slices;
    const ir::Computation& entry = module_.entry_computation();
    for (size_t number = 0; number < entry.parameters.size(); ++number) {
      const ir::Shape& shape = module_.shape(entry.parameters[number]);
      std::vector<const ir::Shape*> leaves = analysis::ArrayLeaves(shape);
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        Buffer buffer{.kind = Buffer::Kind::kParameter, .bytes = leaves[leaf]->byte_size()};
        buffer.parameter = static_cast<int64_t>(slices.size());
        buffer.donated =
            module_.IsDonated(static_cast<int64_t>(number), ArrayLeafIndex(shape, static_cast<int32_t>(leaf)));
        slices.push_back({AddBuffer(buffer), 0});
      }
    }
    return slices;
  }

  std::vector<bool> WritableParameters() const {
    std::vector<bool> writable;
    for (const Buffer& buffer : plan_.buffers) writable.push_back(buffer.donated);
    return writable;
  }

  int32_t ParameterLeaf(int64_t parameter, const ir::ShapeIndex& index) const {
    int32_t leaf = 0;
    const ir::Computation& entry = module_.entry_computation();
    for (int64_t before = 0; before < parameter; ++before)
      leaf += ArrayLeafCount(module_.shape(entry.parameters[before]));
    return leaf + ArrayLeafNumber(module_.shape(entry.parameters[parameter]), index);
  }

  Wishes DeclaredPairs() const {
    const ir::Shape& result = module_.shape(module_.root(module_.entry));
    Wishes wishes(ArrayLeafCount(result));
    for (const ir::InputOutputAlias& alias : module_.input_output_aliases) {
      // Parameter buffers are the first ones made.
      BufferId buffer(static_cast<size_t>(ParameterLeaf(alias.parameter, alias.parameter_index)));
      wishes[ArrayLeafNumber(result, alias.output_index)] = Wish{buffer, alias.must};
    }
    return wishes;
  }

  BufferId AddBuffer(Buffer buffer) {
    lifetimes_.Add(time_);
    return plan_.buffers.Add(buffer);
  }

  static std::vector<GivenLeaf> WithWritable(const std::vector<Slice>& places, const std::vector<bool>& writable) {
    std::vector<GivenLeaf> leaves;
    for (size_t leaf = 0; leaf < places.size(); ++leaf) leaves.push_back({places[leaf], writable[leaf]});
    return leaves;
  }

  // `parameters`: all parameter leaves. `wishes`: where results should be built.
  void WalkScope(ComputationId computation, const std::vector<GivenLeaf>& parameters, const Wishes& wishes) {
    Walk walk(module_, scope_of_.at(computation), context_);
    PlaceParameters(walk, parameters);
    Reserve(walk, wishes);
    for (int32_t node = 0; node < walk.dataflow.node_count(); ++node) {
      if (!walk.dataflow.forwards(node)) PlaceNode(walk, node);
      FillPlacement(walk, node);
    }
    ++time_;
    for (const Slice& result : plan_.placements[module_.root(computation)]) lifetimes_.Touch(result.buffer, time_);
  }

  void PlaceParameters(Walk& walk, const std::vector<GivenLeaf>& parameters) {
    size_t next = 0;
    for (InstrId parameter : module_.computation(walk.scope.computation).parameters) {
      for (int32_t leaf = 0; leaf < ArrayLeafCount(module_.shape(parameter)); ++leaf, ++next) {
        const GivenLeaf& given = parameters[next];
        if (given.slot) walk.slot_of[given.place.buffer] = *given.slot;
        Hold(walk, walk.dataflow.value(parameter, leaf).definition, given.place);
        if (!given.writable) walk.buffers[SlotOf(walk, given.place.buffer)].writable = false;
        if (given.slot) walk.buffers[given.place.buffer].writable = false;
      }
    }
  }

  // Decides which results are built in given-away buffers.
  void Reserve(Walk& walk, const Wishes& wishes) {
    InstrId root = module_.root(walk.scope.computation);
    std::vector<Offer> offers;
    for (InstrId parameter : module_.computation(walk.scope.computation).parameters) {
      for (int32_t leaf = 0; leaf < ArrayLeafCount(module_.shape(parameter)); ++leaf) {
        DefinitionId content = walk.dataflow.value(parameter, leaf).definition;
        BufferId buffer = SlotOf(walk, walk.place[content].buffer);
        if (walk.buffers[buffer].writable) offers.push_back({content, buffer, plan_.buffers[buffer].bytes});
      }
    }
    Shuffle(offers, options_.chaos_seed);
    switch (walk.scope.kind) {
      case Scope::Kind::kEntry:
      case Scope::Kind::kLoopBody:
        walk.pairing = PairResults(module_, walk.dataflow, walk.families, root, offers, wishes);
        break;
      case Scope::Kind::kBranch: walk.pairing = PairBranchResults(walk, offers, wishes); break;
      case Scope::Kind::kLoopCondition: break;
    }
    for (const auto& [head, buffer] : walk.pairing) walk.buffers[buffer].reserved_for = head;
  }

  // A branch result is built where the conditional hands it over, unless the branch still needs what lies there.
  Pairing PairBranchResults(Walk& walk, const std::vector<Offer>& offers, const Wishes& wishes) {
    Pairing pairing;
    InstrId root = module_.root(walk.scope.computation);
    for (size_t leaf = 0; leaf < wishes.size(); ++leaf) {
      if (!wishes[leaf]) continue;
      DefinitionId head = walk.families.Head(walk.dataflow.value(root, static_cast<int32_t>(leaf)).definition);
      BufferId buffer = wishes[leaf]->buffer;
      auto offer = std::ranges::find(offers, buffer, &Offer::buffer);
      bool is_operand = walk.buffers.contains(buffer);
      bool is_free = offer != offers.end() && IsFreeFor(module_, walk.dataflow, walk.families, *offer, head);
      bool is_led_to = std::ranges::any_of(
          walk.buffers, [&](const auto& known) { return lifetimes_.MayLeadTo(known.first, buffer); });
      if (is_operand ? is_free : !is_led_to) pairing[head] = buffer;
    }
    return pairing;
  }

  // The buffer that is overwritten in place of this one.
  static BufferId SlotOf(const Walk& walk, BufferId buffer) {
    auto slot = walk.slot_of.find(buffer);
    return slot == walk.slot_of.end() ? buffer : slot->second;
  }

  // Records that a content lies in a slice.
  void Hold(Walk& walk, DefinitionId definition, Slice slice) {
    walk.place[definition] = slice;
    LocalBuffer& local = walk.buffers[SlotOf(walk, slice.buffer)];
    local.last_use =
        std::max({local.last_use, walk.dataflow.LastUse(definition), walk.dataflow.definition(definition).node});
    local.held.push_back(definition);
    HoldBehind(walk, slice.buffer, local.last_use);
  }

  // What the pointer may lead to is needed as long as the pointer.
  void HoldBehind(Walk& walk, BufferId pointer, int32_t last_use) {
    for (BufferId buffer : lifetimes_.behind(pointer)) {
      auto local = walk.buffers.find(SlotOf(walk, buffer));
      if (local != walk.buffers.end()) {
        local->second.last_use = std::max(local->second.last_use, last_use);
        local->second.last_led_to = std::max(local->second.last_led_to, last_use);
      }
      HoldBehind(walk, buffer, last_use);
    }
  }

  void PlaceNode(Walk& walk, int32_t node) {
    InstrId id = walk.dataflow.instruction(node);
    const Instruction& instruction = module_.instruction(id);
    if (instruction.opcode == Opcode::kParameter) return;
    int64_t start = ++time_;
    TouchOperands(id, start);
    walk.taken_here.clear();
    std::vector<std::vector<bool>> spent = SpentOperands(walk, id);
    std::unordered_map<int32_t, Slice> tied;
    for (const PreservingTie& tie : PreservingTies(module_, walk.dataflow, node, context_)) {
      if (tie.result_leaf < 0) continue;
      tied[tie.result_leaf] = PlaceOf(walk, module_.operand(id, tie.operand), tie.leaf);
    }
    for (int32_t leaf = 0; leaf < ArrayLeafCount(instruction.shape); ++leaf) {
      DefinitionId definition = walk.dataflow.value(id, leaf).definition;
      const Definition& made = walk.dataflow.definition(definition);
      if (made.instruction != id || made.leaf != leaf) continue;
      auto in_place = tied.find(leaf);
      Slice slice = in_place != tied.end() ? in_place->second : ChoosePlace(walk, definition);
      Hold(walk, definition, slice);
      walk.taken_here.push_back(slice.buffer);
      lifetimes_.Touch(slice.buffer, start);
    }
    if (instruction.opcode == Opcode::kWhile) return PlaceLoop(walk, id, start);
    if (instruction.opcode == Opcode::kConditional) return PlaceBranches(walk, id, spent, start);
  }

  void TouchOperands(InstrId id, int64_t time) {
    for (InstrId operand : module_.instruction(id).operands) {
      for (const Slice& slice : plan_.placements[operand]) lifetimes_.Touch(slice.buffer, time);
    }
  }

  Slice PlaceOf(const Walk& walk, InstrId id, int32_t leaf) const {
    const analysis::Resolved& value = walk.dataflow.value(id, leaf);
    Slice slice = walk.place[value.definition];
    if (!value.box.whole) slice.offset += BoxOffset(walk.dataflow.shape(value.definition), value.box);
    return slice;
  }

  void FillPlacement(Walk& walk, int32_t node) {
    InstrId id = walk.dataflow.instruction(node);
    std::vector<Slice>& slices = plan_.placements[id];
    for (int32_t leaf = 0; leaf < ArrayLeafCount(module_.shape(id)); ++leaf) slices.push_back(PlaceOf(walk, id, leaf));
  }

  Slice ChoosePlace(Walk& walk, DefinitionId definition) {
    const Definition& made = walk.dataflow.definition(definition);
    if (walk.dataflow.is_pointer(definition)) {
      Slice slice{AddBuffer({.kind = Buffer::Kind::kPointer, .bytes = made.bytes}), 0};
      walk.buffers[slice.buffer].writable = false;
      return slice;
    }
    const Instruction& instruction = module_.instruction(made.instruction);
    if (instruction.opcode == Opcode::kConstant && !IsStored(walk, definition)) {
      Buffer buffer{.kind = Buffer::Kind::kConstant, .bytes = made.bytes};
      buffer.constant = made.instruction;
      Slice slice{AddBuffer(buffer), 0};
      walk.buffers[slice.buffer].writable = false;
      return slice;
    }
    auto paired = walk.pairing.find(definition);
    if (paired != walk.pairing.end() && MayTake(walk, paired->second, definition)) return {paired->second, 0};
    if (instruction.opcode == Opcode::kSlice) {
      if (std::optional<Slice> view = ViewOf(walk, definition)) return *view;
    }
    if (instruction.opcode == Opcode::kDynamicSlice) {
      if (std::optional<Slice> window = WindowOf(walk, definition)) return *window;
    }
    if (std::optional<BufferId> reused = DyingOperand(walk, definition)) return {*reused, 0};
    if (std::optional<BufferId> slot = BorrowedSlot(walk, definition)) return {*slot, 0};
    if (std::optional<BufferId> spare = DeadDonation(walk, definition)) return {*spare, 0};
    if (std::optional<BufferId> spare = IdleReservation(walk, definition)) return {*spare, 0};
    return {AddBuffer({.kind = Buffer::Kind::kScratch, .bytes = made.bytes}), 0};
  }

  // The constant is small, and is handed out or overwritten: it needs memory that the scope may write.
  bool IsStored(const Walk& walk, DefinitionId definition) const {
    bool is_result = walk.families.LastUse(definition) >= walk.dataflow.node_count();
    bool is_overwritten = walk.families.Writer(definition) <= walk.dataflow.node_count();
    return IsImmediate(module_.instruction(walk.dataflow.definition(definition).instruction)) &&
           (is_result || is_overwritten);
  }

  // The buffer's contents are over when the definition is made, or are overwritten by it element by element.
  bool MayTake(Walk& walk, BufferId buffer, DefinitionId definition) const {
    const Definition& made = walk.dataflow.definition(definition);
    if (plan_.buffers[buffer].bytes != made.bytes) return false;
    if (std::ranges::find(walk.taken_here, buffer) != walk.taken_here.end()) return false;
    LocalBuffer& local = walk.buffers[buffer];
    if (!local.writable) return false;
    if (local.last_use < made.node) return true;
    if (local.last_use > made.node || local.last_led_to >= made.node) return false;
    auto is_over = [&](DefinitionId held) { return walk.dataflow.LastUse(held) < made.node; };
    // A long row of contents is not looked at again and again.
    if (made.node < local.over_at) local.over = 0;
    local.over_at = made.node;
    while (local.over < local.held.size() && is_over(local.held[local.over])) ++local.over;
    return std::all_of(local.held.begin() + static_cast<std::ptrdiff_t>(local.over), local.held.end(),
                       [&](DefinitionId held) {
                         if (is_over(held)) return true;
                         // Whether a borrowed content lies in its slot differs between iterations, and exchanging elements depends on it.
                         bool is_borrowed = SlotOf(walk, walk.place[held].buffer) != walk.place[held].buffer;
                         if (is_borrowed && walk.dataflow.effects(made.node).exchange) return false;
                         // A view ends here too, though its bytes are not where the result's element is.
                         return walk.place[held].offset == 0 && walk.dataflow.definition(held).bytes == made.bytes &&
                                OverwritesFully(module_, walk.dataflow, made.node, made.leaf, held);
                       });
  }

  // A reserved buffer may serve others before its result is built, if they are over by then.
  bool LeavesReservation(const Walk& walk, BufferId buffer, DefinitionId definition) const {
    DefinitionId head = walk.buffers.at(buffer).reserved_for;
    if (!head.valid() || head == definition) return true;
    int32_t last = walk.families.LastUse(definition);
    const Definition& reserved = walk.dataflow.definition(head);
    // Once the reserved result is there, ordinary last-use rules protect it.
    if (reserved.node < walk.dataflow.definition(definition).node) return true;
    if (last < reserved.node) return true;
    return last == reserved.node && walk.families.Writer(definition) > walk.dataflow.node_count() &&
           OverwritesFully(module_, walk.dataflow, reserved.node, reserved.leaf, definition);
  }

  std::optional<BufferId> DyingOperand(Walk& walk, DefinitionId definition) {
    if (options_.always_copy) return std::nullopt;
    const Definition& made = walk.dataflow.definition(definition);
    std::vector<analysis::Tie> ties = walk.dataflow.effects(made.node).ties;
    Shuffle(ties, options_.chaos_seed);
    for (const analysis::Tie& tie : ties) {
      if (KeepsBytes(tie.kind)) continue;
      if (ArrayLeafNumber(module_.shape(made.instruction), tie.result_index) != made.leaf) continue;
      InstrId operand = module_.operand(made.instruction, static_cast<size_t>(tie.operand));
      Slice slice = PlaceOf(walk, operand, ArrayLeafNumber(module_.shape(operand), tie.operand_index));
      BufferId buffer = SlotOf(walk, slice.buffer);
      bool elsewhere_safe = slice.offset == 0 && LeavesReservation(walk, buffer, definition);
      if (elsewhere_safe && MayTake(walk, buffer, definition)) return buffer;
    }
    return std::nullopt;
  }

  // A donated parameter that no result is built in serves as scratch after its last use.
  std::optional<BufferId> DeadDonation(Walk& walk, DefinitionId definition) {
    if (walk.scope.kind != Scope::Kind::kEntry || options_.always_copy) return std::nullopt;
    for (size_t number = 0; number < plan_.buffers.size(); ++number) {
      BufferId buffer(number);
      if (plan_.buffers[buffer].kind != Buffer::Kind::kParameter) break;
      if (plan_.buffers[buffer].bytes != walk.dataflow.definition(definition).bytes) continue;
      if (walk.buffers[buffer].last_use >= walk.dataflow.definition(definition).node) continue;
      if (LeavesReservation(walk, buffer, definition) && MayTake(walk, buffer, definition)) return buffer;
    }
    return std::nullopt;
  }

  // Between its old content and the result that is built in it, a loop's slot or the place of a branch's result serves as scratch.
  std::optional<BufferId> IdleReservation(Walk& walk, DefinitionId definition) {
    if (options_.always_copy || walk.scope.kind == Scope::Kind::kEntry) return std::nullopt;
    std::optional<BufferId> idle;
    for (const auto& [head, buffer] : walk.pairing) {
      if (idle && *idle < buffer) continue;
      if (LeavesReservation(walk, buffer, definition) && MayTake(walk, buffer, definition)) idle = buffer;
    }
    return idle;
  }

  // The slot of an inner loop whose initial value is borrowed already, by the outer loop: its content, or what was borrowed, is
  // over with the inner loop, and inner iterations may find it in either as outer ones may.
  std::optional<BufferId> BorrowedSlot(Walk& walk, DefinitionId definition) {
    const Definition& made = walk.dataflow.definition(definition);
    auto borrowing = context_.borrowing.find(made.instruction);
    if (borrowing == context_.borrowing.end() || !borrowing->second.used[static_cast<size_t>(made.leaf)])
      return std::nullopt;
    DefinitionId initial = walk.dataflow.value(module_.operand(made.instruction, 0), made.leaf).definition;
    BufferId pointer = walk.place[initial].buffer, slot = SlotOf(walk, pointer);
    const LocalBuffer& local = walk.buffers[slot];
    if (slot == pointer || !lifetimes_.behind(pointer).empty() || !local.writable ||
        plan_.buffers[slot].bytes != made.bytes)
      return std::nullopt;
    bool is_over = std::ranges::all_of(local.held, [&](DefinitionId held) {
      return walk.dataflow.LastUse(held) < made.node || (held == initial && IsUsedOnceAt(walk, held, made.node));
    });
    bool is_free = is_over && std::ranges::find(walk.taken_here, slot) == walk.taken_here.end();
    return is_free && LeavesReservation(walk, slot, definition) ? std::optional(slot) : std::nullopt;
  }

  static bool IsUsedOnceAt(const Walk& walk, DefinitionId content, int32_t node) {
    return walk.dataflow.LastUse(content) == node &&
           std::ranges::count(walk.dataflow.uses(content), node, &analysis::DefinitionUse::node) == 1;
  }

  // The operand's bytes, when the slice is one run of them that stays as it is until the slice's last use.
  std::optional<Slice> ViewOf(Walk& walk, DefinitionId definition) {
    const Definition& made = walk.dataflow.definition(definition);
    const Instruction& slice = module_.instruction(made.instruction);
    const ir::Shape& array = module_.shape(slice.operands[0]);
    const Region box = analysis::SliceRegion(slice);
    bool dense =
        std::ranges::all_of(slice.As<ir::SliceAttributes>().strides, [](int64_t stride) { return stride == 1; });
    if (!dense || made.bytes == 0 || !IsContiguous(array, box)) return std::nullopt;
    Slice base = PlaceOf(walk, slice.operands[0], 0);
    base.offset += BoxOffset(array, box);
    // Kernels may count on the alignment of their operands.
    if (base.offset % kArenaAlignment != 0 || !StaysAsItIs(walk, base.buffer, definition)) return std::nullopt;
    return base;
  }

  // The buffer that a part of it, `definition`, is read from keeps its bytes until the last use of the part.
  bool StaysAsItIs(Walk& walk, BufferId buffer, DefinitionId definition) {
    int32_t made = walk.dataflow.definition(definition).node;
    int32_t last = walk.families.LastUse(definition);
    bool is_result = last >= walk.dataflow.node_count();
    bool is_overwritten = walk.families.Writer(definition) <= walk.dataflow.node_count();
    if (is_result || is_overwritten || !LeavesReservation(walk, SlotOf(walk, buffer), definition)) return false;
    const std::vector<DefinitionId>& held = walk.buffers[SlotOf(walk, buffer)].held;
    // Who overwrites the bytes may find them elsewhere.
    if (std::ranges::any_of(held, [&](DefinitionId content) { return walk.dataflow.is_shared(content); })) return false;
    return std::ranges::none_of(walk.buffers[SlotOf(walk, buffer)].held, [&](DefinitionId held) {
      int32_t writer = walk.families.Writer(held);
      return writer > made && writer <= last;
    });
  }

  // A pointer into the operand's bytes, when the window of the dynamic-slice is one run of them that stays as it is until the
  // window's last use. Loops and branches keep what they are given for themselves.
  std::optional<Slice> WindowOf(Walk& walk, DefinitionId definition) {
    const Definition& made = walk.dataflow.definition(definition);
    const Instruction& slice = module_.instruction(made.instruction);
    const ir::Shape& array = module_.shape(slice.operands[0]);
    const ir::Dimensions& sizes = slice.shape.dimensions;
    const Region window = Region::Box(ir::Dimensions(sizes.size(), 0), sizes);
    // A window whose place is known may be read after other rows were overwritten; a pointer counts as reading any row.
    if (walk.dataflow.effects(made.node).reads[0].bytes.is_known()) return std::nullopt;
    if (made.bytes == 0 || sizes == array.dimensions || !array.is_row_major() || !IsContiguous(array, window))
      return std::nullopt;
    // Kernels may count on the alignment of their operands.
    Slice base = PlaceOf(walk, slice.operands[0], 0);
    const std::vector<int64_t> strides = ir::RowMajorStrides(array.dimensions);
    bool is_aligned = base.offset % kArenaAlignment == 0;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      bool moves = sizes[dim] != array.dimensions[dim];
      is_aligned = is_aligned && (!moves || strides[dim] * ir::ElementBytes(array.element_type) % kArenaAlignment == 0);
    }
    bool goes_inside = std::ranges::any_of(walk.dataflow.uses(definition), [&](const analysis::DefinitionUse& use) {
      if (use.node >= walk.dataflow.node_count()) return true;
      Opcode user = module_.instruction(walk.dataflow.instruction(use.node)).opcode;
      return user == Opcode::kWhile || user == Opcode::kConditional;
    });
    if (!is_aligned || goes_inside || !StaysAsItIs(walk, base.buffer, definition)) return std::nullopt;
    BufferId pointer = AddBuffer({.kind = Buffer::Kind::kPointer, .bytes = made.bytes});
    walk.slot_of[pointer] = SlotOf(walk, base.buffer);
    lifetimes_.LeadsTo(pointer, {base.buffer});
    plan_.windows[made.instruction] = base;
    return Slice{pointer, 0};
  }

  void PlaceLoop(Walk& walk, InstrId id, int64_t start) {
    const Instruction& loop = module_.instruction(id);
    const std::vector<bool>& untouched = context_.untouched_state.at(id);
    std::vector<Slice> state;
    for (int32_t leaf = 0; leaf < ArrayLeafCount(loop.shape); ++leaf) state.push_back(PlaceOf(walk, id, leaf));
    Wishes wishes(state.size());
    for (size_t leaf = 0; leaf < state.size(); ++leaf) {
      bool is_follower = IsFollower(context_, id, static_cast<int32_t>(leaf));
      if (!untouched[leaf] && !is_follower) wishes[leaf] = Wish{state[leaf].buffer};
    }
    ComputationId condition = loop.called[0], body = loop.called[1];
    std::vector<GivenLeaf> given = GiveState(walk, id, state);
    for (size_t leaf = 0; leaf < state.size(); ++leaf) {
      if (IsPointerState(context_, id, static_cast<int32_t>(leaf)))
        wishes[leaf] = given[leaf].slot ? std::optional(Wish{*given[leaf].slot}) : std::nullopt;
    }
    std::vector<GivenLeaf> read_only = given;
    for (GivenLeaf& leaf : read_only) leaf.writable = false;
    WalkScope(condition, read_only, {});
    WalkScope(body, given, wishes);
    int64_t end = ++time_;
    TouchOperands(id, end);
    const std::vector<Slice>& next = plan_.placements[module_.root(body)];
    std::vector<BufferId> slots;
    std::vector<std::optional<BufferId>> successors;
    for (size_t leaf = 0; leaf < state.size(); ++leaf) {
      lifetimes_.Touch(state[leaf].buffer, end);
      if (untouched[leaf] || IsFollower(context_, id, static_cast<int32_t>(leaf))) continue;
      bool is_pointer = IsPointerState(context_, id, static_cast<int32_t>(leaf));
      if (is_pointer && !given[leaf].slot) continue;
      STEAD_CHECK(is_pointer || (next[leaf].offset == 0 && state[leaf].offset == 0), module_.instruction(id).name);
      slots.push_back(is_pointer ? *given[leaf].slot : state[leaf].buffer);
      successors.push_back(is_pointer ? SlotHandedOn(id, given, next[leaf]) : std::optional(next[leaf].buffer));
      lifetimes_.Touch(slots.back(), end);
    }
    plan_.loops[id].back_edge = BackEdgeMoves(slots, successors);
    lifetimes_.Exchange(plan_.loops[id].back_edge, start, end);
    for (const StatePointer& state_pointer : plan_.loops[id].pointers) {
      auto leaf =
          std::ranges::find(given, state_pointer.pointer, [](const GivenLeaf& leaf) { return leaf.place.buffer; });
      const Slice& target = next[static_cast<size_t>(leaf - given.begin())];
      plan_.loops[id].back_edge.push_back({state_pointer.pointer, target.buffer, target.offset});
    }
    for (size_t leaf = 0; leaf < given.size(); ++leaf) {
      std::vector<BufferId> slot;
      if (given[leaf].slot) slot.push_back(*given[leaf].slot);
      LeadTo(walk, id, static_cast<int32_t>(leaf), slot);
    }
  }

  // The slot in which a pointer leaf's next content is, when it is in one: that of the pointer which hands it on, or where it was made.
  std::optional<BufferId> SlotHandedOn(InstrId loop, const std::vector<GivenLeaf>& given, const Slice& next) const {
    auto handed_on = std::ranges::find(given, next.buffer, [](const GivenLeaf& leaf) { return leaf.place.buffer; });
    bool is_constant = plan_.buffers[next.buffer].kind == Buffer::Kind::kConstant;
    if (handed_on == given.end()) return is_constant ? std::nullopt : std::optional(next.buffer);
    const size_t leaf = static_cast<size_t>(handed_on - given.begin());
    if (IsPointerState(context_, loop, static_cast<int32_t>(leaf))) return handed_on->slot;
    // What the loop leaves alone is read where it is; other state goes with its slot.
    return context_.untouched_state.at(loop)[leaf] ? std::nullopt : std::optional(next.buffer);
  }

  // Records where the pointer that a result of the loop or conditional is may lead: to its hosts, and to the `others`.
  void LeadTo(Walk& walk, InstrId id, int32_t leaf, const std::vector<BufferId>& others) {
    DefinitionId result = walk.dataflow.value(id, leaf).definition;
    if (walk.dataflow.definition(result).instruction != id || !walk.dataflow.is_pointer(result)) return;
    BufferId pointer = walk.place[result].buffer;
    std::vector<BufferId> behind = others;
    for (DefinitionId host : walk.dataflow.hosts(result)) behind.push_back(walk.place[host].buffer);
    std::erase(behind, pointer);
    lifetimes_.LeadsTo(pointer, behind);
    int32_t last_use = walk.families.LastUse(result);
    HoldBehind(walk, pointer, last_use);
    bool may_leave = walk.scope.kind == Scope::Kind::kEntry && last_use >= walk.dataflow.node_count();
    for (BufferId buffer : behind) lifetimes_.Touch(buffer, time_);
    if (may_leave) lifetimes_.ShareBehind(pointer);
  }

  // The state as the body and the condition of the loop find it. A leaf that borrows, follows another or is a pointer gets its pointer,
  // set before the loop.
  std::vector<GivenLeaf> GiveState(Walk& walk, InstrId id, const std::vector<Slice>& state) {
    const std::vector<bool>& untouched = context_.untouched_state.at(id);
    std::vector<bool> has_slot(state.size(), false);
    if (context_.pointer_state.contains(id)) {
      Dataflow body(module_, module_.instruction(id).called[1], context_);
      has_slot = PointersWithSlots(module_, body, context_, id);
    }
    std::vector<GivenLeaf> given;
    for (size_t leaf = 0; leaf < state.size(); ++leaf) given.push_back({state[leaf], !untouched[leaf]});
    for (bool is_follower : {false, true}) {
      for (int32_t leaf = 0; leaf < static_cast<int32_t>(state.size()); ++leaf) {
        if (IsFollower(context_, id, leaf) != is_follower || !NeedsPointer(id, leaf)) continue;
        GivenLeaf& place = given[static_cast<size_t>(leaf)];
        DefinitionId result = walk.dataflow.value(id, leaf).definition;
        bool is_result = walk.dataflow.is_pointer(result) && walk.dataflow.definition(result).instruction == id;
        int64_t bytes = analysis::ArrayLeaves(module_.shape(id))[static_cast<size_t>(leaf)]->byte_size();
        BufferId pointer = is_result ? place.place.buffer : AddBuffer({.kind = Buffer::Kind::kPointer, .bytes = bytes});
        if (is_follower) {
          const GivenLeaf& leader = given[static_cast<size_t>(context_.leaders.at(id)[static_cast<size_t>(leaf)])];
          place.slot = leader.slot ? leader.slot : leader.place.buffer;
        } else if (!IsPointerState(context_, id, leaf) || IsMadeBy(walk, id, leaf)) {
          place.slot = place.place.buffer;
        } else if (has_slot[static_cast<size_t>(leaf)]) {
          place.slot = AddBuffer({.kind = Buffer::Kind::kScratch, .bytes = bytes});
        }
        place.place = {pointer, 0};
        place.writable = place.slot.has_value();
        Slice initial = PlaceOf(walk, module_.operand(id, 0), leaf);
        plan_.loops[id].entry.push_back({pointer, initial.buffer, initial.offset});
        plan_.loops[id].pointers.push_back({pointer, place.slot});
      }
    }
    return given;
  }

  bool NeedsPointer(InstrId loop, int32_t leaf) const {
    auto borrowing = context_.borrowing.find(loop);
    bool borrows = borrowing != context_.borrowing.end() && borrowing->second.used[static_cast<size_t>(leaf)];
    return borrows || IsFollower(context_, loop, leaf) || IsPointerState(context_, loop, leaf);
  }

  // The result is a content of its own, in a buffer of its own.
  static bool IsMadeBy(const Walk& walk, InstrId id, int32_t leaf) {
    DefinitionId result = walk.dataflow.value(id, leaf).definition;
    const Definition& made = walk.dataflow.definition(result);
    return made.instruction == id && made.leaf == leaf && !walk.dataflow.is_pointer(result);
  }

  // Per branch and operand leaf of a conditional: its buffer is over with the conditional, so that the branch may use it for
  // anything. What others read later of an operand that the branch owns is what its updates leave alone.
  std::vector<std::vector<bool>> SpentOperands(Walk& walk, InstrId id) {
    std::vector<std::vector<bool>> spent;
    if (module_.instruction(id).opcode != Opcode::kConditional) return spent;
    const std::vector<InstrId>& operands = module_.instruction(id).operands;
    for (size_t branch = 1; branch < operands.size(); ++branch) {
      const std::vector<Slice>& slices = plan_.placements[operands[branch]];
      std::vector<const ir::Shape*> shapes = analysis::ArrayLeaves(module_.shape(operands[branch]));
      std::vector<bool>& leaves = spent.emplace_back();
      for (size_t leaf = 0; leaf < slices.size(); ++leaf) {
        const LocalBuffer& local = walk.buffers[slices[leaf].buffer];
        bool is_whole =
            slices[leaf].offset == 0 && shapes[leaf]->byte_size() == plan_.buffers[slices[leaf].buffer].bytes;
        bool is_single = std::ranges::count(slices, slices[leaf].buffer, &Slice::buffer) == 1;
        leaves.push_back(local.writable && is_whole && is_single && local.last_use <= walk.dataflow.node(id));
      }
    }
    return spent;
  }

  void PlaceBranches(Walk& walk, InstrId id, const std::vector<std::vector<bool>>& spent, int64_t start) {
    const std::vector<ComputationId> branches = module_.instruction(id).called;
    const int32_t leaf_count = ArrayLeafCount(module_.shape(id));
    std::vector<BufferId> targets;
    Wishes wishes(static_cast<size_t>(leaf_count));
    for (int32_t leaf = 0; leaf < leaf_count; ++leaf) {
      targets.push_back(PlaceOf(walk, id, leaf).buffer);
      if (!IsPointerResult(context_, id, leaf)) wishes[static_cast<size_t>(leaf)] = Wish{targets.back()};
    }
    std::vector<std::vector<Slice>> ends;
    for (size_t branch = 0; branch < branches.size(); ++branch) {
      InstrId operand = module_.operand(id, branch + 1);
      WalkScope(branches[branch], WithWritable(plan_.placements[operand], spent[branch]), wishes);
      ends.push_back(plan_.placements[module_.root(branches[branch])]);
    }
    int64_t end = ++time_;
    TouchOperands(id, end);
    for (BufferId target : targets) lifetimes_.Touch(target, end);
    for (const std::vector<Slice>& results : ends) {
      std::vector<BufferId> exchanged;
      std::vector<std::optional<BufferId>> exchanged_for;
      for (size_t leaf = 0; leaf < targets.size(); ++leaf) {
        if (!wishes[leaf]) continue;
        exchanged.push_back(targets[leaf]);
        exchanged_for.push_back(results[leaf].buffer);
      }
      std::vector<PointerMove>& moves = plan_.branches[id].ends.emplace_back(BackEdgeMoves(exchanged, exchanged_for));
      lifetimes_.Exchange(moves, start, end);
      for (size_t leaf = 0; leaf < targets.size(); ++leaf) {
        DefinitionId result = walk.dataflow.value(id, static_cast<int32_t>(leaf)).definition;
        if (walk.dataflow.is_pointer(result) && walk.dataflow.definition(result).instruction == id)
          moves.push_back({targets[leaf], results[leaf].buffer, results[leaf].offset});
      }
    }
    for (int32_t leaf = 0; leaf < leaf_count; ++leaf) {
      std::vector<BufferId> made;
      for (const std::vector<Slice>& results : ends) made.push_back(results[static_cast<size_t>(leaf)].buffer);
      LeadTo(walk, id, leaf, made);
    }
  }

  BufferPlan& plan_;
  const Module& module_;
  const ScopeContext& context_;
  const PlanOptions& options_;
  std::unordered_map<ComputationId, Scope> scope_of_;
  Lifetimes lifetimes_;
  int64_t time_ = 0;
};

}  // namespace

void AssignBuffers(BufferPlan& plan, const std::vector<Scope>& scopes, const ScopeContext& context,
                   const PlanOptions& options) {
  Assigner(plan, scopes, context, options).Run();
}

}  // namespace stead::inplace
