// Loops and conditionals that overwrite a part.
//
//   y = while(x), body (a, i): ROOT (dynamic-update-slice(a, ..., i), i + 1)        5 iterations from i = 0
//   r = slice(x), [7:8]
//
// The loop is an op that overwrites rows 0 to 4 of x: r may be read before or after it. What happens inside to a leaf of the state is a
// chain of updates in one buffer; the bytes that any of them writes, at any iteration, are what the loop overwrites. That holds
// as long as the state stays in its buffer: where buffers change places, all bytes count as overwritten.
//
// A conditional overwrites what the branch that runs does. Where its result lies in the operand's buffer whichever branch runs,
// the bytes that no branch writes are still there afterwards (branches.cpp).
#include "inplace/constraints/footprints.h"

#include <algorithm>

namespace stead::inplace {

using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::Footprint;
using ir::InstrId;
using ir::Module;
using ir::Opcode;

ParameterFootprints FootprintsOf(const Module& module, const Dataflow& inner, const Families& families, InstrId caller,
                                 size_t called, const ScopeContext& context) {
  ir::ComputationId computation = module.instruction(caller).called[called];
  InstrId parameter = module.computation(computation).parameters.at(0);
  const size_t leaves = static_cast<size_t>(analysis::ArrayLeafCount(module.shape(parameter)));
  ParameterFootprints found{std::vector<Footprint>(leaves, Footprint::Nothing()),
                            std::vector<Footprint>(leaves, Footprint::Nothing()), std::vector<bool>(leaves, false)};
  auto outside = [&](const Footprint& bytes) {
    return context.counters.ByIteration(InCaller(module, caller, called, bytes));
  };
  for (size_t leaf = 0; leaf < leaves; ++leaf) {
    DefinitionId content = inner.value(parameter, static_cast<int32_t>(leaf)).definition;
    for (const analysis::DefinitionUse& use : inner.uses(content)) found.read[leaf].Include(outside(use.bytes));
    for (const analysis::SharedUse& shared : inner.shared_uses(content))
      found.read[leaf].Include(outside(shared.use.bytes));
  }
  // The leaf in whose buffer the content is; none for buffers of the computation's own.
  auto leaf_of = [&](DefinitionId content) {
    const analysis::Definition& head = inner.definition(families.Head(content));
    return head.instruction == parameter ? head.leaf : -1;
  };
  for (int32_t node = 0; node < inner.node_count(); ++node) {
    for (const PreservingTie& tie : PreservingTies(module, inner, node, context)) {
      DefinitionId target = inner.value(module.operand(inner.instruction(node), tie.operand), tie.leaf).definition;
      int32_t leaf = leaf_of(target);
      if (leaf >= 0) found.written[leaf].Include(outside(tie.written));
      for (DefinitionId host : inner.hosts(families.Head(target))) {
        if (leaf = leaf_of(host); leaf >= 0) found.written[leaf].Include(outside(tie.written));
      }
    }
  }
  InstrId root = module.root(computation);
  for (int32_t result = 0; result < analysis::ArrayLeafCount(module.shape(root)); ++result) {
    int32_t leaf = leaf_of(inner.value(root, result).definition);
    if (leaf >= 0) found.returned[leaf] = true;
  }
  return found;
}

namespace {

// What is read of each content of a scope.
class ContentReads {
 public:
  explicit ContentReads(const Dataflow& dataflow)
      : dataflow_(dataflow), reads_(dataflow.definition_count(), Footprint::Nothing()) {
    // Pointers come after what they may lead to.
    for (size_t number = reads_.size(); number-- > 0;) reads_[DefinitionId(number)] = Without(-1, DefinitionId(number));
  }

  // By others than `node`.
  Footprint Without(int32_t node, DefinitionId content) const {
    Footprint reads = Footprint::Nothing();
    for (const analysis::DefinitionUse& use : dataflow_.uses(content)) {
      if (use.node != node) reads.Include(use.bytes);
    }
    // Later pointers may hand it on.
    for (const analysis::SharedUse& shared : dataflow_.shared_uses(content)) {
      const std::vector<DefinitionId>& hosts = dataflow_.hosts(shared.definition);
      if (std::ranges::find(hosts, content) != hosts.end()) reads.Include(reads_[shared.definition]);
    }
    return reads;
  }

 private:
  const Dataflow& dataflow_;
  IdVector<DefinitionId, Footprint> reads_;
};

}  // namespace

void FindResultReads(const Module& module, const Scope& scope, ScopeContext& context) {
  const std::vector<InstrId> conditionals = ConditionalsIn(module, scope.computation);
  if (conditionals.empty()) return;
  const Dataflow dataflow(module, scope.computation, context);
  const ContentReads reads(dataflow);
  for (InstrId id : conditionals) {
    std::vector<Footprint> of_results;
    for (int32_t leaf = 0; leaf < analysis::ArrayLeafCount(module.shape(id)); ++leaf)
      of_results.push_back(reads.Without(dataflow.node(id), dataflow.value(id, leaf).definition));
    for (ir::ComputationId branch : module.instruction(id).called) context.result_reads[branch] = of_results;
  }
}

namespace {

// What the iterations of one loop read of its initial values.
class LoopReads {
 public:
  LoopReads(const Module& module, InstrId loop, const Dataflow& body, const Families& families,
            const ScopeContext& context)
      : module_(module), loop_(loop), body_(body), families_(families), context_(context) {}

  std::vector<Footprint> Run() {
    const Dataflow condition(module_, module_.instruction(loop_).called[0], context_);
    reads_.assign(static_cast<size_t>(analysis::ArrayLeafCount(module_.shape(loop_))), Footprint::Nothing());
    for (int32_t leaf = 0; leaf < count(); ++leaf) {
      AddReads(condition, 0, leaf);
      AddReads(body_, 1, leaf);
    }
    // What is handed on is read as other state in later iterations.
    for (bool changed = true; changed;) {
      changed = false;
      for (int32_t next = 0; next < count(); ++next) {
        DefinitionId head =
            families_.Head(body_.value(module_.root(module_.instruction(loop_).called[1]), next).definition);
        changed = HandOn(head, next) || changed;
        for (DefinitionId host : body_.hosts(head)) changed = HandOn(families_.Head(host), next) || changed;
      }
    }
    return std::move(reads_);
  }

 private:
  int32_t count() const { return static_cast<int32_t>(reads_.size()); }

  void AddReads(const Dataflow& inner, size_t called, int32_t leaf) {
    InstrId parameter = module_.computation(module_.instruction(loop_).called[called]).parameters.at(0);
    DefinitionId content = inner.value(parameter, leaf).definition;
    auto add = [&](const analysis::DefinitionUse& use) {
      if (called == 1 && use.node == inner.node_count()) return;
      const Footprint bytes = InCaller(module_, loop_, called, use.bytes);
      reads_[static_cast<size_t>(leaf)].Include(context_.counters.ByIteration(bytes));
    };
    for (const analysis::DefinitionUse& use : inner.uses(content)) add(use);
    // Other state starts elsewhere, even where it comes to lie in this one's memory later.
    for (const analysis::SharedUse& shared : inner.shared_uses(content)) {
      if (inner.definition(shared.definition).instruction != parameter) add(shared.use);
    }
  }

  // RETURNS whether that adds anything.
  bool HandOn(DefinitionId content, int32_t next) {
    const analysis::Definition& made = body_.definition(content);
    if (module_.instruction(made.instruction).opcode != Opcode::kParameter || made.leaf == next) return false;
    Footprint& reads = reads_[static_cast<size_t>(made.leaf)];
    if (reads.whole || Covers(reads, reads_[static_cast<size_t>(next)])) return false;
    const Footprint before = reads;
    reads.Include(reads_[static_cast<size_t>(next)]);
    return !(reads == before);
  }

  const Module& module_;
  InstrId loop_;
  const Dataflow& body_;
  const Families& families_;
  const ScopeContext& context_;
  std::vector<Footprint> reads_;
};

}  // namespace

void SummariseLoops(const Module& module, const Scope& scope, ScopeContext& context) {
  for (InstrId id : module.computation(scope.computation).instructions) {
    if (module.instruction(id).opcode != Opcode::kWhile) continue;
    ir::ComputationId body = module.instruction(id).called[1];
    Dataflow inner(module, body, context);
    Families families(module, inner, context);
    ParameterFootprints found = FootprintsOf(module, inner, families, id, 1, context);
    InstrId parameter = module.computation(body).parameters.at(0), root = module.root(body);
    std::vector<Footprint> reads = LoopReads(module, id, inner, families, context).Run();
    context.inner_reads[id] = {std::move(reads)};
    std::vector<LoopWrite>& writes = context.loop_writes[id];
    writes.clear();
    for (int32_t leaf = 0; leaf < static_cast<int32_t>(found.written.size()); ++leaf) {
      DefinitionId head = families.Head(inner.value(root, leaf).definition);
      bool stays = head == inner.value(parameter, leaf).definition;
      bool moved = !stays && !found.written[leaf].whole;
      writes.push_back({stays ? std::move(found.written[leaf]) : Footprint{}, moved});
    }
  }
}

}  // namespace stead::inplace
