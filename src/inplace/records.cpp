// Why a copy is there.
//
// The proof is a cycle: steps that must each precede the next, the last the first. The solver kept every cycle that it had to
// hit; the one shown for an element is one that no other bought element breaks, so that the reader sees what this copy, and
// nothing else, resolves. Tuples and bitcasts on it are left out, barriers stay.
//
// C01 or C02? If the program's data flow alone (no barriers, control edges or effects) could be ordered without this copy, the
// order was demanded: C02. Otherwise no order exists: C01.
#include "inplace/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace stead::inplace {

using analysis::Dataflow;
using analysis::DefinitionId;
using ir::CopyReason;
using ir::InstrId;
using ir::Instruction;
using ir::Module;
using ir::Opcode;

namespace {

// Beyond so many purchases in one scope, C01 and C02 are told apart by the steps of the shown cycle.
constexpr size_t kExactReasonLimit = 64;
constexpr size_t kReadersLimit = 8;

class Describer {
 public:
  Describer(const Module& module, const Scope& scope, const Dataflow& dataflow, const ConflictGraph& graph,
            const HittingSolution& solution)
      : module_(module),
        scope_(scope),
        dataflow_(dataflow),
        graph_(graph),
        solution_(solution),
        arcs_of_(graph.elements.size()) {
    for (size_t arc = 0; arc < graph.problem.arcs.size(); ++arc) {
      for (int32_t element : graph.problem.arcs[arc].breakers) arcs_of_[element].push_back(arc);
    }
    for (size_t number = 0; number < graph.problem.edges.size(); ++number) {
      const OrderEdge& edge = graph.problem.edges[number];
      auto [kind, fresh] = edge_kinds_.try_emplace(EdgeKey(edge.before, edge.after), graph.edge_kinds[number]);
      kind->second = std::min(kind->second, graph.edge_kinds[number]);
    }
  }

  CopyRecord Describe(int32_t number) {
    const Element& element = graph_.elements[number];
    CopyRecord record;
    record.value = dataflow_.definition(element.definition).instruction;
    record.bytes = element.bytes;
    record.executions = scope_.executions;
    const OrderCycle* cycle = ShownCycle(number);
    if (cycle != nullptr) record.witness = Steps(*cycle);
    for (size_t arc : arcs_of_[number]) {
      if (BrokenOnlyBy(graph_.problem.arcs[arc], number)) NameParties(element, arc, record);
    }
    record.reason = ReasonFor(number, cycle);
    record.fix = FixFor(record);
    return record;
  }

 private:
  int32_t end() const { return dataflow_.node_count(); }
  std::string NameOf(InstrId id) const { return fmt::format("`{}`", module_.instruction(id).name); }
  std::string NameOfNode(int32_t node) const {
    return node == end() ? std::string("the end of the program") : NameOf(dataflow_.instruction(node));
  }

  bool BrokenOnlyBy(const Arc& arc, int32_t element) const {
    return std::ranges::binary_search(arc.breakers, element) &&
           std::ranges::none_of(solution_.bought, [&](int32_t other) {
             return other != element && std::ranges::binary_search(arc.breakers, other);
           });
  }

  const OrderCycle* ShownCycle(int32_t element) const {
    const OrderCycle* shown = nullptr;
    for (const OrderCycle& cycle : solution_.cycles) {
      if (!std::ranges::binary_search(cycle.breakers, element)) continue;
      bool alone = std::ranges::none_of(solution_.bought, [&](int32_t other) {
        return other != element && std::ranges::binary_search(cycle.breakers, other);
      });
      if (alone) return &cycle;
      if (shown == nullptr) shown = &cycle;
    }
    return shown;
  }

  void NameParties(const Element& element, size_t arc, CopyRecord& record) const {
    const Arc& broken = graph_.problem.arcs[arc];
    if (!record.writer.valid()) record.writer = dataflow_.instruction(broken.after);
    if (broken.before == end() || record.readers.size() >= kReadersLimit) return;
    InstrId reader = dataflow_.instruction(broken.before);
    // An op that copies its own operand to read early is not its own reader.
    if (element.kind == Element::Kind::kCopy && broken.before == element.node && broken.after != element.node) {
      record.writer = reader;
      reader = dataflow_.instruction(broken.after);
    }
    if (std::ranges::find(record.readers, reader) == record.readers.end()) record.readers.push_back(reader);
  }

  // The reason why `before` precedes `after`, by an arc of the cycle or else by an edge.
  std::string StepReason(const OrderCycle& cycle, int32_t before, int32_t after) const {
    for (int32_t number : cycle.arcs) {
      const Arc& arc = graph_.problem.arcs[number];
      if (arc.before != before || arc.after != after) continue;
      const ArcCause& cause = graph_.causes[number];
      std::string value = NameOf(dataflow_.definition(cause.definition).instruction);
      if (cause.read_only)
        return fmt::format("{} must keep its content, which {} overwrites", value, NameOfNode(after));
      if (before == end()) return fmt::format("{} is a result, and {} overwrites it", value, NameOfNode(after));
      return fmt::format("reads {}, which {} overwrites", value, NameOfNode(after));
    }
    switch (KindOfEdge(before, after)) {
      case EdgeKind::kData: return fmt::format("{} uses its result", NameOfNode(after));
      case EdgeKind::kBarrier: return "barrier";
      case EdgeKind::kControl: return fmt::format("control edge to {}", NameOfNode(after));
      case EdgeKind::kEffect: return fmt::format("side effects keep their order before {}", NameOfNode(after));
      case EdgeKind::kEnd: return "runs before the end";
    }
    return "";
  }

  static uint64_t EdgeKey(int32_t before, int32_t after) {
    return static_cast<uint64_t>(before) << 32 | static_cast<uint32_t>(after);
  }
  EdgeKind KindOfEdge(int32_t before, int32_t after) const {
    auto kind = edge_kinds_.find(EdgeKey(before, after));
    return kind == edge_kinds_.end() ? EdgeKind::kEnd : kind->second;
  }

  // A tuple, bitcast or the like: not worth a line of its own.
  bool IsSilent(int32_t node) const {
    if (node == end()) return false;
    Opcode opcode = module_.instruction(dataflow_.instruction(node)).opcode;
    return dataflow_.forwards(node) && !ir::HasTrait(opcode, ir::kOrders);
  }

  std::vector<WitnessStep> Steps(const OrderCycle& cycle) const {
    std::vector<WitnessStep> steps;
    for (size_t at = 0; at < cycle.nodes.size(); ++at) {
      int32_t node = cycle.nodes[at];
      if (IsSilent(node)) continue;
      size_t next = (at + 1) % cycle.nodes.size();
      std::string reason = StepReason(cycle, node, cycle.nodes[next]);
      bool skipped = false;
      while (IsSilent(cycle.nodes[next])) {
        skipped = true;
        next = (next + 1) % cycle.nodes.size();
      }
      int32_t target = cycle.nodes[next];
      if (skipped) {
        bool barrier =
            target != end() && ir::HasTrait(module_.instruction(dataflow_.instruction(target)).opcode, ir::kOrders);
        bool from_barrier =
            node != end() && ir::HasTrait(module_.instruction(dataflow_.instruction(node)).opcode, ir::kOrders);
        reason = barrier || from_barrier ? "barrier" : fmt::format("{} uses its result", NameOfNode(target));
      }
      steps.push_back({node == end() ? InstrId() : dataflow_.instruction(node), std::move(reason)});
    }
    return steps;
  }

  CopyReason ReasonFor(int32_t number, const OrderCycle* cycle) const {
    const Element& element = graph_.elements[number];
    for (size_t arc : arcs_of_[number]) {
      if (graph_.causes[arc].read_only && BrokenOnlyBy(graph_.problem.arcs[arc], number)) {
        return ReadOnlyReason(graph_.causes[arc].definition);
      }
    }
    if (std::ranges::binary_search(solution_.unproven, number)) return CopyReason::kSearchLimit;
    Opcode user = module_.instruction(dataflow_.instruction(element.node)).opcode;
    if (user == Opcode::kWhile) return CopyReason::kLoopState;
    if (user == Opcode::kConditional) return CopyReason::kBranchResult;
    return OrderWasDemanded(number, cycle) ? CopyReason::kOrderDemanded : CopyReason::kOldValueRead;
  }

  CopyReason ReadOnlyReason(DefinitionId definition) const {
    InstrId made = dataflow_.definition(definition).instruction;
    if (module_.instruction(made).opcode == Opcode::kConstant) return CopyReason::kConstant;
    switch (scope_.kind) {
      case Scope::Kind::kEntry: return KeptReason(module_, dataflow_, definition);
      case Scope::Kind::kLoopBody:
      case Scope::Kind::kLoopCondition: return CopyReason::kLoopState;
      case Scope::Kind::kBranch: return CopyReason::kBranchResult;
    }
    return CopyReason::kOldValueRead;
  }

  bool OrderWasDemanded(int32_t number, const OrderCycle* cycle) const {
    if (solution_.bought.size() > kExactReasonLimit) {
      if (cycle == nullptr) return false;
      for (size_t at = 0; at < cycle->nodes.size(); ++at) {
        EdgeKind kind = KindOfEdge(cycle->nodes[at], cycle->nodes[(at + 1) % cycle->nodes.size()]);
        if (kind == EdgeKind::kBarrier || kind == EdgeKind::kControl || kind == EdgeKind::kEffect) return true;
      }
      return false;
    }
    HittingProblem data_only = graph_.problem;
    data_only.edges = DataEdges(dataflow_);
    std::vector<int32_t> others = solution_.bought;
    std::erase(others, number);
    return IsOrderable(data_only, others);
  }

  std::string FixFor(const CopyRecord& record) const {
    std::string value = NameOf(record.value);
    std::string reader = record.readers.empty() ? std::string("the old value") : NameOf(record.readers.front());
    std::string writer = record.writer.valid() ? NameOf(record.writer) : std::string("the update");
    switch (record.reason) {
      case CopyReason::kOrderDemanded:
        return fmt::format("move {} before {}, or drop the barrier or control edge between them", reader, writer);
      case CopyReason::kNotDonated: return fmt::format("donate {}", ArgumentName(module_, record.value));
      case CopyReason::kConstant:
        return fmt::format("build {} by an op (zeros, full, iota) instead of a constant", value);
      case CopyReason::kLoopState: return fmt::format("do not use {} again beside the loop that changes it", value);
      case CopyReason::kBranchResult: return fmt::format("update {} outside of the branch", value);
      case CopyReason::kSearchLimit: return "raise the search budget";
      default: break;
    }
    if (record.readers.empty()) return fmt::format("return only the new value of {}, or accept the copy", value);
    return fmt::format("compute {} from the new value, or return less of the old one", reader);
  }

  const Module& module_;
  const Scope& scope_;
  const Dataflow& dataflow_;
  const ConflictGraph& graph_;
  const HittingSolution& solution_;
  std::vector<std::vector<size_t>> arcs_of_;  // per element: the arcs that it breaks
  std::unordered_map<uint64_t, EdgeKind> edge_kinds_;
};

}  // namespace

std::vector<CopyRecord> DescribePurchases(const Module& module, const Scope& scope, const Dataflow& dataflow,
                                          const ConflictGraph& graph, const HittingSolution& solution) {
  Describer describer(module, scope, dataflow, graph, solution);
  std::vector<CopyRecord> records;
  for (int32_t element : solution.bought) records.push_back(describer.Describe(element));
  return records;
}

CopyReason KeptReason(const Module& module, const Dataflow& entry, DefinitionId content) {
  switch (module.instruction(entry.definition(content).instruction).opcode) {
    case Opcode::kConstant: return CopyReason::kConstant;
    case Opcode::kWhile: return CopyReason::kLoopState;
    case Opcode::kConditional: return CopyReason::kBranchResult;
    default: return CopyReason::kNotDonated;
  }
}

CopyRecord DescribeResultCopy(const Module& module, const Scope& scope, InstrId value, CopyReason reason,
                              int64_t bytes) {
  CopyRecord record;
  record.reason = reason;
  record.value = value;
  record.bytes = bytes;
  record.executions = scope.executions;
  std::string name = module.instruction(value).name;
  switch (reason) {
    case CopyReason::kNotDonated:
      record.fix = fmt::format("donate {}, or do not return it", ArgumentName(module, value));
      break;
    case CopyReason::kConstant: record.fix = fmt::format("do not return the constant `{}`", name); break;
    case CopyReason::kReturnedTwice: record.fix = fmt::format("return `{}` once", name); break;
    case CopyReason::kDemandedPlace:
      record.fix = fmt::format("say may-alias, or let the caller take `{}` where it is", name);
      break;
    case CopyReason::kLoopState:
      record.fix = fmt::format("carry `{}` once, as state of its own, or keep it out of the loop's state", name);
      break;
    case CopyReason::kBranchResult:
      record.fix = fmt::format("do not return `{}` unchanged from the branch", name);
      break;
    default: record.fix = fmt::format("let the caller take `{}` where it is", name);
  }
  return record;
}

CopyRecord DescribeWrittenCopy(const Module& module, const Scope& scope, InstrId copy) {
  CopyRecord record;
  record.copy = copy;
  record.reason = module.instruction(copy).As<ir::CopyAttributes>().reason;
  record.value = module.operand(copy, 0);
  record.bytes = module.shape(copy).byte_size();
  record.executions = scope.executions;
  record.fix = record.reason == CopyReason::kLayout
                   ? fmt::format("keep `{}` in one layout", module.instruction(record.value).name)
                   : fmt::format("take the copy of `{}` out of the program", module.instruction(record.value).name);
  return record;
}

std::string ArgumentName(const Module& module, InstrId parameter) {
  const Instruction& instruction = module.instruction(parameter);
  if (instruction.opcode != Opcode::kParameter) return fmt::format("`{}`", instruction.name);
  return fmt::format("argument {} (`{}`)", instruction.As<ir::ParameterAttributes>().number, instruction.name);
}

}  // namespace stead::inplace
