#include "passes/fusion/fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/effects.h"
#include "ir/kernel_mark.h"
#include "passes/fusion/clusters.h"
#include "passes/rewrite/build.h"
#include "passes/rewrite/splice.h"
#include "passes/rewrite/sweep.h"

namespace stead::passes {
namespace {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

// Builds the fused computation of one cluster from copies of its members.
class Outliner {
 public:
  Outliner(ir::Module& module, const Cluster& cluster) : module_(module), cluster_(cluster) {
    fused_ = module.AddComputation(fmt::format("fused_{}", module.instruction(cluster.root).name));
  }

  // RETURNS the fusion instruction, which has taken the root's place.
  InstrId Run() {
    for (InstrId member : cluster_.members) copies_[member] = {};
    AddParameters();
    for (auto member = cluster_.members.rbegin(); member != cluster_.members.rend(); ++member) AddCopy(*member);
    module_.SetRoot(fused_, copies_.at(cluster_.root));

    const Instruction root = module_.instruction(cluster_.root);
    std::string kind = root.opcode == Opcode::kReduce ? "kInput" : "kLoop";
    InstrId fusion = Builder(module_, cluster_.root)
                         .Op(Opcode::kFusion, root.shape, arguments_, ir::FusionAttributes{std::move(kind)});
    module_.SetCalled(fusion, {fused_});
    if (std::optional<std::string> kernel = ir::MarkedKernel(root)) module_.SetExtra(fusion, {ir::KernelMark(*kernel)});
    module_.SetControlPredecessors(fusion, ControlPredecessors());
    Replace(module_, cluster_.root, fusion);
    return fusion;
  }

 private:
  ir::Module& module_;
  const Cluster& cluster_;
  ComputationId fused_;
  std::unordered_map<InstrId, InstrId> copies_;  // member or argument -> instruction in the fused computation
  std::vector<InstrId> arguments_;

  void AddParameters() {
    for (auto member = cluster_.members.rbegin(); member != cluster_.members.rend(); ++member) {
      const std::vector<InstrId> operands = module_.instruction(*member).operands;
      for (InstrId operand : operands) {
        if (copies_.contains(operand)) continue;
        Instruction parameter;
        parameter.opcode = Opcode::kParameter;
        parameter.name = "p";
        parameter.shape = module_.shape(operand);
        parameter.attributes = ir::ParameterAttributes{static_cast<int64_t>(arguments_.size())};
        arguments_.push_back(operand);
        copies_[operand] = module_.Add(fused_, std::move(parameter));
      }
    }
  }

  // What a member waits for, the fusion waits for.
  std::vector<InstrId> ControlPredecessors() const {
    std::vector<InstrId> all;
    for (InstrId member : cluster_.members) {
      for (InstrId predecessor : module_.instruction(member).control_predecessors) {
        if (std::ranges::find(all, predecessor) == all.end()) all.push_back(predecessor);
      }
    }
    return all;
  }

  void AddCopy(InstrId member) {
    Instruction copy = module_.instruction(member);
    for (InstrId& operand : copy.operands) operand = copies_.at(operand);
    copy.control_predecessors.clear();
    copies_[member] = module_.Add(fused_, std::move(copy));
    // The copy goes by the member's name; the member is about to be swept. The root's name is for the fusion.
    if (member != cluster_.root) module_.SwapNames(member, copies_[member]);
  }
};

// Fusing may never cost a copy: an update that could be done in place still can, or the fusion is undone.
void KeepInPlaceOrUndo(ir::Module& module, InstrId fusion) {
  std::vector<analysis::Tie> ties = analysis::EffectsOf(module, fusion).ties;
  if (std::ranges::any_of(ties, [](const analysis::Tie& tie) { return tie.kind == analysis::TieKind::kWindow; }))
    return;
  const std::vector<InstrId> arguments = module.instruction(fusion).operands;
  InstrId root = Splice(module, fusion, module.instruction(fusion).called[0], arguments);
  Replace(module, fusion, root);
}

void FuseComputation(ir::Module& module, ComputationId computation) {
  for (const Cluster& cluster : FindClusters(module, computation)) {
    bool is_update = module.instruction(cluster.root).opcode == Opcode::kDynamicUpdateSlice;
    bool in_place = is_update && !analysis::EffectsOf(module, cluster.root).ties.empty();
    InstrId fusion = Outliner(module, cluster).Run();
    if (in_place) KeepInPlaceOrUndo(module, fusion);
  }
}

}  // namespace

Result<PassReport> Fuse(ir::Module& module) {
  uint64_t revision = module.revision();
  for (ComputationId computation : SteppedComputations(module)) FuseComputation(module, computation);
  bool changed = module.revision() != revision;
  if (changed) SweepUnused(module);
  return PassReport{changed};
}

}  // namespace stead::passes
