#include "passes/fusion/multi_output.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "passes/fusion/arcs.h"
#include "passes/rewrite/build.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

constexpr size_t kMaxMembers = 512;  // instructions in one loop; LLVM takes more than linear time for one
constexpr size_t kMaxOutputs = 32;   // of one loop; each of them may lie over each operand
constexpr size_t kMaxPartners = 16;  // users of one operand that are looked at

bool IsOutputOfLoop(const ir::Module& module, InstrId id) {
  const Instruction& output = module.instruction(id);
  if (!output.shape.is_array() || !output.shape.is_row_major() || output.shape.element_count() < 2) return false;
  switch (output.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kTranspose: return true;
    default: return ir::IsElementwise(output.opcode);
  }
}

// One loop that may be joined with others: a fusion, or an elementwise op that stands alone.
class Loop {
 public:
  static std::optional<Loop> Of(const ir::Module& module, InstrId id) {
    const Instruction& instruction = module.instruction(id);
    if (!instruction.control_predecessors.empty() || !module.control_successors(id).empty()) return std::nullopt;
    Loop loop{id, {id}};
    if (instruction.opcode == Opcode::kFusion) {
      if (instruction.As<ir::FusionAttributes>().kind != "kLoop") return std::nullopt;
      const std::vector<InstrId>& members = module.computation(instruction.called[0]).instructions;
      if (std::ranges::any_of(members, [&](InstrId id) { return module.instruction(id).opcode == Opcode::kReduce; }))
        return std::nullopt;
      InstrId root = module.root(instruction.called[0]);
      loop.outputs = {root};
      if (module.instruction(root).opcode == Opcode::kTuple) loop.outputs = module.instruction(root).operands;
    } else if (!ir::IsElementwise(instruction.opcode)) {
      return std::nullopt;
    }
    bool joinable = std::ranges::all_of(loop.outputs, [&](InstrId output) { return IsOutputOfLoop(module, output); });
    return joinable ? std::optional(std::move(loop)) : std::nullopt;
  }

  const ir::Dimensions& dimensions(const ir::Module& module) const { return module.shape(outputs[0]).dimensions; }
  size_t member_count(const ir::Module& module) const {
    const Instruction& instruction = module.instruction(id);
    if (instruction.opcode != Opcode::kFusion) return 1;
    return module.computation(instruction.called[0]).instructions.size();
  }

  InstrId id;
  std::vector<InstrId> outputs;  // inside the fusion; the op itself when it stands alone
};

// Builds one fusion of two loops, of which the second may use the first.
class Joiner {
 public:
  Joiner(ir::Module& module, const Loop& first, const Loop& second) : module_(module), first_(first), second_(second) {}

  InstrId Run() {
    fused_ = module_.AddComputation("fused_" + module_.instruction(second_.id).name);
    Inline(first_);
    Inline(second_);
    Instruction tuple;
    tuple.opcode = Opcode::kTuple;
    std::vector<ir::Shape> shapes;
    for (InstrId root : roots_) shapes.push_back(module_.shape(root));
    tuple.shape = ir::Shape::Tuple(shapes);
    tuple.operands = roots_;
    module_.SetRoot(fused_, module_.Add(fused_, std::move(tuple)));

    Builder build(module_, second_.id);
    InstrId joined =
        build.Op(Opcode::kFusion, ir::Shape::Tuple(std::move(shapes)), arguments_, ir::FusionAttributes{"kLoop"});
    module_.SetCalled(joined, {fused_});
    size_t next = 0;
    for (const Loop* loop : {&first_, &second_}) HandOver(*loop, joined, next);
    return joined;
  }

 private:
  // The value inside for a value outside: an output of the first loop, or a parameter.
  InstrId Inside(InstrId outside) {
    auto [entry, fresh] = inside_.try_emplace(outside, InstrId());
    if (!fresh) return entry->second;
    Instruction parameter;
    parameter.opcode = Opcode::kParameter;
    parameter.name = "p";
    parameter.shape = module_.shape(outside);
    parameter.attributes = ir::ParameterAttributes{static_cast<int64_t>(arguments_.size())};
    arguments_.push_back(outside);
    return inside_[outside] = module_.Add(fused_, std::move(parameter));
  }

  void Inline(const Loop& loop) {
    const Instruction whole = module_.instruction(loop.id);
    std::unordered_map<InstrId, InstrId> copies;
    std::vector<InstrId> members = {loop.id};
    if (whole.opcode == Opcode::kFusion) members = module_.computation(whole.called[0]).instructions;
    for (InstrId operand : whole.operands) Inside(operand);
    for (InstrId member : members) {
      Instruction copy = module_.instruction(member);
      if (whole.opcode != Opcode::kFusion) {
        for (InstrId& operand : copy.operands) operand = Inside(operand);
      } else if (copy.opcode == Opcode::kParameter) {
        size_t number = static_cast<size_t>(copy.As<ir::ParameterAttributes>().number);
        copies[member] = Inside(whole.operands[number]);
        continue;
      } else if (copy.opcode == Opcode::kTuple && member == module_.root(whole.called[0])) {
        continue;
      } else {
        for (InstrId& operand : copy.operands) operand = copies.at(operand);
      }
      copies[member] = module_.Add(fused_, std::move(copy));
    }
    for (InstrId output : loop.outputs) roots_.push_back(copies.at(output));
    if (!whole.shape.is_tuple()) inside_[loop.id] = roots_.back();
    for (InstrId element : ElementsOf(loop)) {
      auto index = static_cast<size_t>(module_.instruction(element).As<ir::TupleElementAttributes>().index);
      inside_[element] = copies.at(loop.outputs[index]);
    }
  }

  std::vector<InstrId> ElementsOf(const Loop& loop) const {
    return module_.shape(loop.id).is_tuple() ? module_.users(loop.id) : std::vector<InstrId>();
  }

  // Whoever used the loop's results uses the joined ones; `next` counts the results handed over.
  void HandOver(const Loop& loop, InstrId joined, size_t& next) {
    Builder build(module_, second_.id, loop.id);
    if (!module_.shape(loop.id).is_tuple()) {
      Replace(module_, loop.id, build.TupleElement(joined, static_cast<int64_t>(next++)));
      return;
    }
    for (InstrId element : ElementsOf(loop)) {
      int64_t index = module_.instruction(element).As<ir::TupleElementAttributes>().index;
      Replace(module_, element, build.TupleElement(joined, static_cast<int64_t>(next) + index));
      module_.Erase(element);
    }
    next += loop.outputs.size();
  }

  ir::Module& module_;
  const Loop first_, second_;
  ComputationId fused_;
  std::unordered_map<InstrId, InstrId> inside_;
  std::vector<InstrId> arguments_, roots_;
};

// The loops of one computation, joined in the order of its list.
class OutputFusion {
 public:
  OutputFusion(ir::Module& module, ComputationId computation)
      : module_(module), computation_(computation), root_(module.root(computation)), arcs_(module, computation) {}

  bool Run() {
    bool changed = false;
    const std::vector<InstrId> list = module_.computation(computation_).instructions;
    for (InstrId id : list) {
      std::optional<Loop> loop = Candidate(id);
      if (!loop) continue;
      candidates_.insert(id);
      for (std::optional<Loop> partner = PartnerOf(*loop); partner; partner = PartnerOf(*loop)) {
        InstrId joined = Joiner(module_, *partner, *loop).Run();
        for (InstrId old : {partner->id, loop->id}) {
          candidates_.erase(old);
          module_.Erase(old);
        }
        candidates_.insert(joined);
        changed = true;
        loop = *Loop::Of(module_, joined);
      }
    }
    return changed;
  }

 private:
  // A loop whose results only the root uses, and of whose operands none is updated in place later.
  std::optional<Loop> Candidate(InstrId id) const {
    if (id == root_ || module_.instruction(root_).opcode != Opcode::kTuple) return std::nullopt;
    std::optional<Loop> loop = Loop::Of(module_, id);
    if (!loop || loop->member_count(module_) > kMaxMembers || !arcs_.OverwritersAfter(id).empty()) return std::nullopt;
    bool live_out = !module_.users(id).empty() && std::ranges::count(module_.users(id), root_) > 0;
    return live_out ? loop : std::nullopt;
  }

  // An earlier candidate over the same shape that shares an operand with the loop or makes one. Everybody else who uses its
  // results is the root, so no path leads from it to the loop but the direct one.
  std::optional<Loop> PartnerOf(const Loop& loop) const {
    for (InstrId operand : module_.instruction(loop.id).operands) {
      if (!module_.shape(operand).is_array() ||
          module_.shape(operand).element_count() != module_.shape(loop.outputs[0]).element_count())
        continue;
      std::vector<InstrId> partners = module_.users(operand);
      partners.resize(std::min(partners.size(), kMaxPartners));
      InstrId made = operand;
      if (module_.instruction(made).opcode == Opcode::kGetTupleElement) made = module_.operand(made, 0);
      partners.push_back(made);
      for (InstrId id : partners) {
        if (id == loop.id || !candidates_.contains(id)) continue;
        std::optional<Loop> partner = Loop::Of(module_, id);
        if (partner && MayJoin(*partner, loop)) return partner;
      }
    }
    return std::nullopt;
  }

  bool MayJoin(const Loop& first, const Loop& second) const {
    if (first.dimensions(module_) != second.dimensions(module_)) return false;
    if (first.member_count(module_) + second.member_count(module_) > kMaxMembers) return false;
    if (first.outputs.size() + second.outputs.size() > kMaxOutputs) return false;
    auto leads_elsewhere = [&](InstrId user) { return user != root_ && user != second.id; };
    if (!module_.shape(first.id).is_tuple()) return std::ranges::none_of(module_.users(first.id), leads_elsewhere);
    return std::ranges::all_of(module_.users(first.id), [&](InstrId element) {
      return std::ranges::none_of(module_.users(element), leads_elsewhere);
    });
  }

  ir::Module& module_;
  ComputationId computation_;
  InstrId root_;
  Arcs arcs_;
  std::unordered_set<InstrId> candidates_;
};

}  // namespace

Result<PassReport> FuseOutputs(ir::Module& module) {
  bool changed = false;
  for (ComputationId computation : SteppedComputations(module)) changed |= OutputFusion(module, computation).Run();
  return PassReport{changed};
}

}  // namespace stead::passes
