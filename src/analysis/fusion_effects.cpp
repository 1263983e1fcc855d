// Effects of a fusion.
//
// Problem. A fusion is one step for the planner, but what it does to an operand is spread over the instructions it holds:
//
//   fused (p: f32[8,4]) { s = slice(p), [0:1],[0:4];  a = add(s, s);  ROOT d = dynamic-update-slice(p, a, 0, 0) }
//
// reads all of p (the elements it keeps) and may be built in p's buffer, changing only row 0.
//
// Reads. An operand is read through the users of its parameter inside; renames are looked through. Its bytes are those that any
// user reads. Elements that a later slice would not need are counted as read, so the answer holds for an emitter that computes
// more than it must.
//
// Elementwise ties. Element k of the parameter may only flow into element k of the results: each user on every path must
// read it at the same index. A loop fusion with several results of one size computes, for each index, all results before it
// stores any; results of different sizes need several loops, so then nothing is tied.
//
// Exchange ties. Where the fusion transposes squares or reverses, all in the same way, element k may also flow into the partner
// of k: the loop then makes both elements of a pair before it stores either. Twice to the partner is back again.
//
// Window ties. The result is an update (through bitcasts) whose target is the parameter (through bitcasts). Every other
// read of the parameter must take place before the element is overwritten: the same window, element j of it flowing only
// into element j of the update; or be of bytes that the update leaves alone. A read of anything else loses the tie: it could come
// after the overwrite.
//
// Cost: linear in uses inside the fusion for each parameter.
#include "analysis/fusion_effects.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "analysis/index_value.h"
#include "analysis/window.h"

namespace stead::analysis {
namespace {

using ir::Computation;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;
using ir::Shape;
using ir::ShapeIndex;

// One operand position of one instruction.
struct Use {
  InstrId user;
  size_t operand;
};

std::vector<Use> UsesOf(const Module& module, InstrId id) {
  std::vector<Use> uses;
  for (InstrId user : module.users(id)) {
    const std::vector<InstrId>& operands = module.instruction(user).operands;
    for (size_t number = 0; number < operands.size(); ++number) {
      if (operands[number] == id) uses.push_back({user, number});
    }
  }
  return uses;
}

// A bitcast or reshape inside the fusion that leaves every element where it is.
bool IsRename(const Module& module, InstrId id) {
  const Instruction& instruction = module.instruction(id);
  if (instruction.opcode != Opcode::kBitcast && instruction.opcode != Opcode::kReshape) return false;
  const Shape& operand = module.shape(instruction.operands[0]);
  return EffectsOf(module, id).forwards &&
         ir::ElementBytes(operand.element_type) == ir::ElementBytes(instruction.shape.element_type);
}

// Elements that renames lead to each other lie in the same bytes.
bool SameMemory(const Shape& left, const Shape& right) {
  if (SamePlaces(left, right)) return true;
  return left.is_row_major() && right.is_row_major() && left.element_count() == right.element_count() &&
         ir::ElementBytes(left.element_type) == ir::ElementBytes(right.element_type);
}

// Follows renames from a value back to what they rename.
InstrId SourceOfRenames(const Module& module, InstrId id) {
  while (IsRename(module, id)) id = module.operand(id, 0);
  return id;
}

// Whether element k of a value flows only into element k of a sink.
class Alignment {
 public:
  // `is_sink(use)`: the use is an allowed end. `outputs_are_sinks`: so is being a result of the fusion.
  // `exchange`: element k may flow into its partner as well.
  // `byte_count`: of arrays of so many bytes, each may be taken apart into smaller elements and put together again; 0: not.
  Alignment(const Module& module, InstrId root, bool outputs_are_sinks, std::function<bool(const Use&)> is_sink,
            std::optional<Exchange> exchange = std::nullopt, int64_t byte_count = 0)
      : module_(module),
        root_(root),
        outputs_are_sinks_(outputs_are_sinks),
        is_sink_(std::move(is_sink)),
        exchange_(std::move(exchange)),
        byte_count_(byte_count) {}

  bool Holds(InstrId id) {
    auto [entry, fresh] = known_.try_emplace(id, false);
    if (!fresh) return entry->second;
    bool holds = (id != root_ || outputs_are_sinks_) &&
                 std::ranges::all_of(UsesOf(module_, id), [&](const Use& use) { return HoldsAt(use); });
    known_[id] = holds;
    return holds;
  }

 private:
  bool HoldsAt(const Use& use) {
    if (is_sink_(use)) return true;
    if (module_.instruction(use.user).opcode == Opcode::kTuple) return use.user == root_ && outputs_are_sinks_;
    if (IsRename(module_, use.user) || StaysInsideBytes(use.user)) return Holds(use.user);
    if (exchange_ && ExchangeOf(module_, use.user) == exchange_) return Holds(use.user);
    const OperandRead read = EffectsOf(module_, use.user).reads[use.operand];
    // Only loops over elements read and write them one by one. A window update has its own rule in WindowTie; a sort or a
    // Fourier transform reads each operand whole before it reads the next.
    Opcode opcode = module_.instruction(use.user).opcode;
    bool is_loop = !ir::HasTrait(opcode, ir::kWritesInto0) && opcode != Opcode::kSort &&
                   ir::InfoOf(opcode).family != ir::OpFamily::kLinearAlgebra;
    return read.same_index && is_loop && Holds(use.user);
  }

  // The parts of byte k come behind those of byte k - 1, as long as nothing larger than a byte is made.
  bool StaysInsideBytes(InstrId id) const {
    const Instruction& instruction = module_.instruction(id);
    if (byte_count_ == 0 || instruction.opcode != Opcode::kBitcastConvert) return false;
    const Shape& operand = module_.shape(instruction.operands[0]);
    const int bits = std::max(ir::ElementBits(operand.element_type), ir::ElementBits(instruction.shape.element_type));
    return bits == 8 && operand.is_row_major() && instruction.shape.is_row_major() &&
           instruction.shape.element_count() >= byte_count_;
  }

  const Module& module_;
  InstrId root_;
  bool outputs_are_sinks_;
  std::function<bool(const Use&)> is_sink_;
  std::optional<Exchange> exchange_;
  int64_t byte_count_;
  std::unordered_map<InstrId, bool> known_;
};

// What the fusion reads of the value `id`, a parameter or a rename of one.
void IncludeReads(const Module& module, InstrId root, InstrId id, OperandRead& read) {
  auto include = [&](const Footprint& bytes) {
    read.reads = true;
    read.bytes.Include(bytes);
  };
  if (id == root) include({});
  for (const Use& use : UsesOf(module, id)) {
    if (module.instruction(use.user).opcode == Opcode::kTuple) {
      include({});
    } else if (IsRename(module, use.user)) {
      IncludeReads(module, root, use.user, read);
    } else {
      const OperandRead inner = EffectsOf(module, use.user).reads[use.operand];
      if (inner.reads) include(inner.bytes);
    }
  }
}

struct Output {
  ShapeIndex index;
  InstrId value;
};

std::vector<Output> OutputsOf(const Module& module, InstrId root) {
  if (module.instruction(root).opcode != Opcode::kTuple) return {{{}, root}};
  std::vector<Output> outputs;
  for (InstrId operand : module.instruction(root).operands) {
    outputs.push_back({{static_cast<int64_t>(outputs.size())}, operand});
  }
  return outputs;
}

// One fusion under analysis.
class FusionAnalysis {
 public:
  FusionAnalysis(const Module& module, InstrId fusion)
      : module_(module),
        fusion_id_(fusion),
        fusion_(module.instruction(fusion)),
        fused_(module.computation(fusion_.called.at(0))),
        outputs_(OutputsOf(module, fused_.root)) {}

  Effects Run() {
    Effects effects;
    effects.reads.resize(fusion_.operands.size());
    const auto nowhere = [](const Use&) { return false; };
    bool one_loop = IsOneLoop();
    if (one_loop) effects.exchange = CommonExchange();
    Alignment alignment(module_, fused_.root, true, nowhere);
    Alignment paired(module_, fused_.root, true, nowhere, effects.exchange);
    const int64_t byte_count = CommonByteCount();
    Alignment in_bytes(module_, fused_.root, true, nowhere, std::nullopt, byte_count);
    for (size_t number = 0; number < effects.reads.size(); ++number) {
      InstrId parameter = fused_.parameters.at(number);
      if (!module_.shape(parameter).is_array()) {
        effects.reads[number].reads = true;
        continue;
      }
      effects.reads[number].bytes = Footprint::Nothing();
      IncludeReads(module_, fused_.root, parameter, effects.reads[number]);
      effects.reads[number].bytes = OutsideFusion(module_, fusion_id_, effects.reads[number].bytes);
      const bool holds_bytes = byte_count > 0 && IsBytes(module_.shape(parameter), byte_count);
      effects.reads[number].same_index =
          one_loop && (alignment.Holds(parameter) || (holds_bytes && in_bytes.Holds(parameter)));
      effects.reads[number].same_pair = one_loop && paired.Holds(parameter);
      if (effects.reads[number].same_index) {
        AddFullTies(number, TieKind::kElementwise, effects);
      } else if (effects.reads[number].same_pair) {
        AddFullTies(number, TieKind::kExchange, effects);
      }
    }
    for (const Output& output : outputs_) AddWindowTie(output, effects);
    return effects;
  }

 private:
  bool IsOneLoop() const {
    if (fusion_.As<ir::FusionAttributes>().kind != "kLoop") return false;
    return std::ranges::all_of(outputs_, [&](const Output& output) {
      return SameOrder(module_.shape(output.value), module_.shape(outputs_.front().value));
    });
  }

  static bool IsBytes(const Shape& shape, int64_t count) {
    return shape.is_array() && ir::ElementBits(shape.element_type) == 8 && shape.element_count() == count &&
           shape.is_row_major();
  }

  // The number of elements of every result where all are arrays of as many bytes; 0 otherwise.
  int64_t CommonByteCount() const {
    const Shape& first = module_.shape(outputs_.front().value);
    if (!first.is_array()) return 0;
    const int64_t count = first.element_count();
    const bool all = std::ranges::all_of(
        outputs_, [&](const Output& output) { return IsBytes(module_.shape(output.value), count); });
    return all ? count : 0;
  }

  // The exchange that all transposes and reverses inside make; nothing when they differ.
  std::optional<Exchange> CommonExchange() const {
    std::optional<Exchange> common;
    for (InstrId id : fused_.instructions) {
      std::optional<Exchange> exchange = ExchangeOf(module_, id);
      if (!exchange) continue;
      if (common && !(common == exchange)) return std::nullopt;
      common = std::move(exchange);
    }
    return common;
  }

  void AddFullTies(size_t number, TieKind kind, Effects& effects) {
    for (const Output& output : outputs_) {
      if (!SameMemory(module_.shape(fused_.parameters[number]), module_.shape(output.value))) continue;
      effects.ties.push_back({.operand = static_cast<int64_t>(number), .result_index = output.index, .kind = kind});
    }
  }

  void AddWindowTie(const Output& output, Effects& effects) {
    InstrId update = output.value;
    while (IsRename(module_, update) && module_.users(update).size() <= 1) update = module_.operand(update, 0);
    Opcode opcode = module_.instruction(update).opcode;
    bool is_update = opcode == Opcode::kDynamicUpdateSlice || opcode == Opcode::kScatter;
    if (!is_update || !module_.shape(update).is_array() ||
        UsesOf(module_, update).size() > (update == fused_.root ? 0 : 1)) {
      return;
    }
    InstrId parameter = SourceOfRenames(module_, module_.operand(update, 0));
    if (module_.instruction(parameter).opcode != Opcode::kParameter) return;
    const Shape& operand_shape = module_.shape(parameter);
    const Shape& result_shape = module_.shape(output.value);
    if (operand_shape.byte_size() != result_shape.byte_size() || !OtherReadsComeFirst(parameter, update)) return;
    Tie tie{.operand = module_.instruction(parameter).As<ir::ParameterAttributes>().number,
            .result_index = output.index,
            .kind = TieKind::kWindow};
    tie.written = OutsideFusion(module_, fusion_id_, WrittenBy(update));
    effects.ties.push_back(std::move(tie));
  }

  // Every read of `value` other than as target of `update` is over before the update overwrites it.
  bool OtherReadsComeFirst(InstrId value, InstrId update) {
    Alignment into_update(module_, fused_.root, false,
                          [update](const Use& use) { return use.user == update && use.operand == 1; });
    bool windows_flow = module_.instruction(update).opcode == Opcode::kDynamicUpdateSlice;
    const Footprint written = WrittenBy(update);
    std::function<bool(InstrId)> check = [&](InstrId id) -> bool {
      return id != fused_.root && std::ranges::all_of(UsesOf(module_, id), [&](const Use& use) {
               if (use.user == update && use.operand == 0) return true;
               if (IsRename(module_, use.user)) return check(use.user);
               const OperandRead read = EffectsOf(module_, use.user).reads[use.operand];
               if (read.reads && Disjoint(read.bytes, written)) return true;
               return windows_flow && use.operand == 0 && IsSameWindow(use.user, update) && into_update.Holds(use.user);
             });
    };
    return check(value);
  }

  // The bytes of the array that an update inside writes.
  Footprint WrittenBy(InstrId update) const {
    std::vector<Tie> ties = EffectsOf(module_, update).ties;
    return ties.empty() ? Footprint{} : std::move(ties.front().written);
  }

  // `reader` slices exactly the elements that `update` overwrites.
  bool IsSameWindow(InstrId reader, InstrId update) const {
    const Instruction& read = module_.instruction(reader);
    const Instruction& write = module_.instruction(update);
    const Shape& target = module_.shape(write.operands[0]);
    if (!SameOrder(module_.shape(read.operands[0]), target)) return false;
    if (read.shape.dimensions != module_.shape(write.operands[1]).dimensions) return false;
    if (read.opcode != Opcode::kSlice && read.opcode != Opcode::kDynamicSlice) return false;
    if (read.opcode == Opcode::kDynamicSlice &&
        std::equal(read.operands.begin() + 1, read.operands.end(), write.operands.begin() + 2, write.operands.end())) {
      return true;
    }
    const Footprint written = WrittenBy(update);
    return !written.whole && EffectsOf(module_, reader).reads[0].bytes == written;
  }

  const Module& module_;
  InstrId fusion_id_;
  const Instruction& fusion_;
  const Computation& fused_;
  std::vector<Output> outputs_;
};

}  // namespace

Effects FusionEffects(const Module& module, InstrId id) {
  Effects effects = FusionAnalysis(module, id).Run();
  effects.has_side_effect = HasSideEffect(module, id);
  return effects;
}

}  // namespace stead::analysis
