#include "inplace/memory/kernel_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "inplace/records.h"
#include "ir/kernel_mark.h"

namespace stead::inplace {
namespace {

using ir::InstrId;
using ir::Module;

// The entry parameters in whose memory the kernel keeps its result, or a part of its state that it changes.
std::vector<InstrId> OverwrittenParameters(const BufferPlan& plan, InstrId kernel) {
  const Module& module = plan.module;
  const std::vector<InstrId>& parameters = module.entry_computation().parameters;
  std::vector<InstrId> overwritten;
  for (const Donation& donation : plan.donations) {
    const bool keeps = std::ranges::any_of(plan.placements[kernel], [&](const Slice& slice) {
      const Buffer& buffer = plan.buffers[slice.buffer];
      return buffer.kind == Buffer::Kind::kParameter && buffer.parameter == donation.parameter_leaf;
    });
    int64_t leaf = 0;
    for (InstrId parameter : parameters) {
      ir::ForEachLeaf(module.shape(parameter), [&](const ir::ShapeIndex&, const ir::Shape& shape) {
        if (shape.is_array() && leaf++ == donation.parameter_leaf && keeps) overwritten.push_back(parameter);
      });
    }
  }
  return overwritten;
}

PlanRemark Overwrites(const Module& module, InstrId writer, const std::string& kernel, InstrId parameter) {
  PlanRemark remark;
  remark.code = "D002";
  remark.value = parameter;
  remark.writer = writer;
  remark.bytes = module.shape(parameter).byte_size();
  remark.what = fmt::format("kernel `{}` writes its result over donated {}", kernel, ArgumentName(module, parameter));
  remark.why =
      "the body of the kernel was read: it reads each block before it writes it, and the blocks it writes coincide "
      "with "
      "those it has read, so no declared alias is needed";
  return remark;
}

}  // namespace

void ReportKernels(BufferPlan& plan) {
  const Module& module = plan.module;
  for (InstrId id : module.entry_computation().instructions) {
    std::optional<std::string> kernel = ir::MarkedKernel(module.instruction(id));
    if (!kernel) continue;
    for (InstrId parameter : OverwrittenParameters(plan, id)) {
      // What had to be copied was not read before it was written.
      if (std::ranges::find(plan.copies, parameter, &CopyRecord::value) != plan.copies.end()) continue;
      plan.remarks.push_back(Overwrites(module, id, *kernel, parameter));
    }
  }
}

}  // namespace stead::inplace
