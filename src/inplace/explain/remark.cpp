#include "inplace/explain/remark.h"

#include <fmt/format.h>

#include <algorithm>

#include "inplace/cost.h"
#include "inplace/explain/given_copies.h"
#include "ir/text/printer.h"

namespace stead::inplace {
namespace {

using ir::InstrId;
using ir::Module;

RemarkPoint PointOf(const Module& module, InstrId id, std::string role) {
  if (!id.valid()) return {"", "", std::move(role), {}};
  return {module.instruction(id).name, ir::PrintInstruction(module, id), std::move(role), module.SourceOf(id)};
}

std::string NameOf(const Module& module, InstrId id) {
  return id.valid() ? module.instruction(id).name : std::string();
}

std::vector<std::string> NamesOf(const Module& module, const std::vector<InstrId>& ids) {
  std::vector<std::string> names;
  for (InstrId id : ids) names.push_back(NameOf(module, id));
  return names;
}

// The value as its user knows it: JAX names parameters by their argument (metadata op_name).
std::string ValueText(const Module& module, InstrId id) {
  const ir::Instruction& instruction = module.instruction(id);
  bool argument = instruction.opcode == ir::Opcode::kParameter && !instruction.metadata.op_name.empty();
  return fmt::format("`{}` ({}, {})", argument ? instruction.metadata.op_name : instruction.name,
                     instruction.shape.ToString(false), BytesText(instruction.shape.byte_size()));
}

void AddPoints(const Module& module, InstrId value, InstrId writer, const std::vector<InstrId>& readers,
               Remark& remark) {
  remark.points.push_back(PointOf(module, value, "the value"));
  if (writer.valid()) remark.points.push_back(PointOf(module, writer, "overwrites it"));
  for (InstrId reader : readers) remark.points.push_back(PointOf(module, reader, "reads the old value"));
  remark.source = module.SourceOf(writer.valid() ? writer : value);
  remark.value = NameOf(module, value);
  remark.writer = NameOf(module, writer);
  remark.readers = NamesOf(module, readers);
}

Remark FromCopyRecord(const BufferPlan& plan, const CopyRecord& record) {
  const Module& module = plan.module;
  Remark remark;
  remark.scope = Remark::Scope::kPlan;
  remark.code = ir::CopyReasonCode(record.reason);
  remark.what = fmt::format("copy of {} of {}: {}", BytesText(record.bytes), ValueText(module, record.value),
                            ir::CopyReasonText(record.reason));
  remark.bytes = record.bytes;
  remark.executions = record.executions;
  remark.copies = {NameOf(module, record.copy)};
  AddPoints(module, record.value, record.writer, record.readers, remark);
  for (const WitnessStep& step : record.witness)
    remark.witness.push_back(PointOf(module, step.instruction, step.reason));
  remark.why = ir::CopyReasonText(record.reason);
  remark.fix = record.fix;
  return remark;
}

Remark FromPlanRemark(const BufferPlan& plan, const PlanRemark& note) {
  Remark remark;
  remark.scope = Remark::Scope::kNote;
  remark.code = note.code;
  remark.what = note.what;
  remark.bytes = note.bytes;
  if (note.value.valid()) {
    AddPoints(plan.module, note.value, note.writer, {}, remark);
  } else {
    remark.writer = NameOf(plan.module, note.writer);
  }
  remark.why = note.why;
  remark.fix = note.fix;
  return remark;
}

Remark FromGivenCause(const Module& module, const GivenCause& cause) {
  Remark remark;
  remark.scope = Remark::Scope::kGiven;
  remark.code = ir::CopyReasonCode(cause.reason);
  size_t count = cause.copies.size();
  remark.what = fmt::format("the module as given copies {} {}", ValueText(module, cause.value),
                            count == 1 ? "once" : fmt::format("{} times", count));
  if (cause.writer.valid() && cause.forced_path.empty() && cause.reason == ir::CopyReason::kOldValueRead) {
    remark.what += ", though reading first is legal";
  }
  remark.bytes = cause.bytes;
  remark.executions = cause.executions;
  remark.copies = NamesOf(module, cause.copies);
  AddPoints(module, cause.value, cause.writer, cause.readers, remark);
  for (InstrId step : cause.forced_path) remark.witness.push_back(PointOf(module, step, "must come before the next"));
  if (!cause.forced_path.empty())
    remark.witness.back().role = "reads the old value, so it should come before the first";
  remark.why = cause.why;
  remark.fix = cause.fix;
  return remark;
}

}  // namespace

std::string BytesText(int64_t bytes) {
  if (bytes < 1000) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  double value = static_cast<double>(bytes);
  for (const char* unit : {"KB", "MB", "GB"}) {
    value /= 1000;
    if (value < 999.95) return fmt::format("{:.1f} {}", value, unit);
  }
  return fmt::format("{:.1f} TB", value / 1000);
}

Explanation Explain(const Module& given, const BufferPlan& plan) {
  Explanation explanation;
  explanation.module = given.name;
  for (const CopyRecord& record : plan.copies) {
    explanation.plan.copies += 1;
    explanation.remarks.push_back(FromCopyRecord(plan, record));
  }
  explanation.plan.bytes_copied = CopiedBytes(plan);
  explanation.plan.peak_bytes = plan.peak_bytes;
  auto by_cost = [](const Remark& left, const Remark& right) {
    return left.bytes * left.executions > right.bytes * right.executions;
  };
  std::ranges::stable_sort(explanation.remarks, by_cost);
  for (const PlanRemark& note : plan.remarks) explanation.remarks.push_back(FromPlanRemark(plan, note));

  GivenCopies copies = AnalyseGivenCopies(given, PlanOptions().unknown_trip_count);
  explanation.given = copies.totals;
  for (const GivenCause& cause : copies.causes) explanation.remarks.push_back(FromGivenCause(given, cause));
  return explanation;
}

}  // namespace stead::inplace
