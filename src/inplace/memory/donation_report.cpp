#include "inplace/memory/donation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "inplace/explain/given_copies.h"
#include "inplace/memory/donation.h"
#include "inplace/records.h"

namespace stead::inplace {

using analysis::ArrayLeafCount;
using analysis::ArrayLeafIndex;
using analysis::Dataflow;
using analysis::DefinitionId;
using analysis::DefinitionUse;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

// An array leaf of an entry parameter.
struct ParameterLeaf {
  InstrId parameter;
  int64_t number = 0;  // of the parameter
  ir::ShapeIndex index;
  int32_t leaf = 0;  // within the parameter
};

class Reporter {
 public:
  Reporter(BufferPlan& plan, const ScopeContext& context)
      : plan_(plan),
        module_(plan.module),
        dataflow_(plan.module, plan.module.entry, context),
        families_(plan.module, dataflow_, context),
        root_(plan.module.root(plan.module.entry)) {}

  void Run() {
    std::vector<ParameterLeaf> leaves = ParameterLeaves();
    std::vector<ir::InputOutputAlias> aliases;
    std::vector<ir::BufferDonor> donors;
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const ParameterLeaf& given = leaves[leaf];
      if (!module_.IsDonated(given.number, given.index)) continue;
      std::optional<size_t> result = ResultIn(static_cast<int64_t>(leaf));
      if (!result) {
        donors.push_back({given.number, given.index});
        plan_.remarks.push_back(Unused(given));
        continue;
      }
      plan_.donations.push_back({static_cast<int64_t>(*result), static_cast<int64_t>(leaf)});
      ir::ShapeIndex output = ArrayLeafIndex(module_.shape(root_), static_cast<int32_t>(*result));
      aliases.push_back({output, given.number, given.index, IsDemanded(output, given)});
    }
    std::ranges::sort(aliases, {}, &ir::InputOutputAlias::output_index);
    plan_.module.input_output_aliases = std::move(aliases);
    plan_.module.buffer_donors = std::move(donors);
  }

 private:
  std::vector<ParameterLeaf> ParameterLeaves() const {
    std::vector<ParameterLeaf> leaves;
    const std::vector<InstrId>& parameters = module_.entry_computation().parameters;
    for (size_t number = 0; number < parameters.size(); ++number) {
      const ir::Shape& shape = module_.shape(parameters[number]);
      for (int32_t leaf = 0; leaf < ArrayLeafCount(shape); ++leaf) {
        leaves.push_back({parameters[number], static_cast<int64_t>(number), ArrayLeafIndex(shape, leaf), leaf});
      }
    }
    return leaves;
  }

  std::optional<size_t> ResultIn(int64_t parameter_leaf) const {
    for (size_t result = 0; result < plan_.results.size(); ++result) {
      const Buffer& buffer = plan_.buffers[plan_.results[result].buffer];
      if (buffer.kind == Buffer::Kind::kParameter && buffer.parameter == parameter_leaf) return result;
    }
    return std::nullopt;
  }

  bool IsDemanded(const ir::ShapeIndex& output, const ParameterLeaf& given) const {
    return std::ranges::any_of(module_.input_output_aliases, [&](const ir::InputOutputAlias& alias) {
      return alias.must && alias.output_index == output && alias.parameter == given.number &&
             alias.parameter_index == given.index;
    });
  }

  // The head of the result leaf's chain.
  InstrId HeadOf(int32_t result) const {
    return dataflow_.definition(families_.Head(dataflow_.value(root_, result).definition)).instruction;
  }

  PlanRemark Unused(const ParameterLeaf& given) const {
    DefinitionId definition = dataflow_.value(given.parameter, given.leaf).definition;
    PlanRemark remark;
    remark.value = given.parameter;
    remark.bytes = dataflow_.definition(definition).bytes;
    std::vector<int32_t> candidates;
    for (int32_t result = 0; result < ArrayLeafCount(module_.shape(root_)); ++result) {
      if (dataflow_.definition(dataflow_.value(root_, result).definition).bytes == remark.bytes)
        candidates.push_back(result);
    }
    for (int32_t result : candidates) {
      if (ReadsUndeclared(HeadOf(result), definition)) return Undeclared(given, HeadOf(result), std::move(remark));
    }
    remark.code = "D001";
    remark.what = fmt::format("donated {} is not used for a result", ArgumentName(module_, given.parameter));
    if (candidates.empty()) {
      remark.why = fmt::format("no result has its {} bytes", remark.bytes);
      remark.fix = "do not donate it, or return a result of its size";
      return remark;
    }
    ExplainBusy(definition, candidates, remark);
    return remark;
  }

  // A custom call that makes a result from the parameter without declaring that it may overwrite it.
  bool ReadsUndeclared(InstrId maker, DefinitionId definition) const {
    if (module_.instruction(maker).opcode != Opcode::kCustomCall) return false;
    int32_t node = dataflow_.node(maker);
    return std::ranges::any_of(dataflow_.uses(definition), [&](const DefinitionUse& use) { return use.node == node; });
  }

  PlanRemark Undeclared(const ParameterLeaf& given, InstrId call, PlanRemark remark) const {
    remark.code = ir::CopyReasonCode(ir::CopyReason::kUnknownEffect);
    remark.writer = call;
    remark.what =
        fmt::format("custom call `{}` does not declare output_to_operand_aliasing, so {} is not updated in place",
                    module_.instruction(call).name, ArgumentName(module_, given.parameter));
    remark.why =
        "without the declaration the call may still read its operand while it writes its result: donating alone would "
        "force a copy, so the result gets a buffer of its own";
    remark.fix = UndeclaredAliasFix();
    return remark;
  }

  void ExplainBusy(DefinitionId definition, const std::vector<int32_t>& candidates, PlanRemark& remark) const {
    for (int32_t result : candidates) {
      InstrId maker = HeadOf(result);
      int32_t made = dataflow_.node(maker);
      if (families_.LastUse(definition) < made) continue;
      int32_t last = std::min(families_.LastUse(definition), dataflow_.node_count() - 1);
      remark.writer = maker;
      InstrId reader = dataflow_.instruction(last);
      remark.why = reader == maker ? fmt::format("`{}` reads it in another order than it writes its result",
                                                 module_.instruction(maker).name)
                                   : fmt::format("`{}` still reads it when `{}` makes the result",
                                                 module_.instruction(reader).name, module_.instruction(maker).name);
      remark.fix = "read it before the result is made, or do not donate it";
      return;
    }
    remark.why = "every result of its size is built in another donated buffer, or handed over from elsewhere";
    remark.fix = "do not donate it";
  }

  BufferPlan& plan_;
  const Module& module_;
  Dataflow dataflow_;
  Families families_;
  InstrId root_;
};

}  // namespace

void ReportDonations(BufferPlan& plan, const ScopeContext& context) { Reporter(plan, context).Run(); }

}  // namespace stead::inplace
