// The report in the manner of rustc: a title with totals, then per cause the three points (value, overwrite, reads), why,
// cost and help.
//
//   remark[C02]: copy of 4 bytes of `x` (f32[10000,10000], 400.0 MB): an order exists that needs no copy, but ...
//     --> seed2.py:21:8
//      | x.1 = f32[10000,10000]{1,0} parameter(0)            the value
//      | dynamic-update-slice = ...                          overwrites it
//      | slice.1 = ...                                       reads the old value
//      = order: `dynamic-update-slice` -> `optimization_barrier.5` (barrier) -> `slice.1` (reads `x`) -> ...
//      = cost: 4 bytes x 1 per call
//      = fix: ...
#include <fmt/format.h>

#include <algorithm>

#include "inplace/explain.h"
#include "inplace/explain/remark.h"

namespace stead::inplace {
namespace {

constexpr size_t kLineWidth = 96;

std::string PlaceText(const SourcePlace& place) {
  std::string text = place.file.empty() ? "module" : place.file;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.column > 0) text += fmt::format(":{}", place.column);
  return text;
}

// One line of HLO, cut where backend_config and metadata make it long.
std::string Shortened(std::string text) {
  for (std::string_view tail : {", metadata=", ", backend_config=", ", frontend_attributes=", ", sharding="}) {
    if (size_t at = text.find(tail); at != std::string::npos) text.resize(at);
  }
  if (text.size() > kLineWidth) text = text.substr(0, kLineWidth - 3) + "...";
  return text;
}

std::string PointLine(const RemarkPoint& point) {
  std::string source = point.source.known() ? fmt::format("  [{}]", PlaceText(point.source)) : "";
  return fmt::format("   | {}\n   |     ^ {}{}\n", Shortened(point.text), point.role, source);
}

std::string WitnessText(const std::vector<RemarkPoint>& witness) {
  std::string text;
  for (const RemarkPoint& point : witness) {
    std::string name = point.name.empty() ? "end of the program" : fmt::format("`{}`", point.name);
    text += fmt::format("{}{} ({})", text.empty() ? "" : " -> ", name, point.role);
  }
  return text + " -> and back to the first";
}

std::string Detail(std::string_view label, const std::string& text) {
  return text.empty() ? "" : fmt::format("   = {}: {}\n", label, text);
}

std::string RemarkText(const Remark& remark) {
  std::string_view kind = remark.scope == Remark::Scope::kGiven  ? "given"
                          : remark.scope == Remark::Scope::kPlan ? "remark"
                                                                 : "note";
  std::string text = fmt::format("{}[{}]: {}\n", kind, remark.code, remark.what);
  if (remark.source.known()) text += fmt::format("  --> {}\n", PlaceText(remark.source));
  for (const RemarkPoint& point : remark.points) text += PointLine(point);
  if (remark.scope == Remark::Scope::kGiven) {
    std::string copies;
    for (const std::string& copy : remark.copies) copies += fmt::format("{}%{}", copies.empty() ? "" : ", ", copy);
    text += Detail("copies", copies);
  }
  text += Detail("why", remark.why);
  if (!remark.witness.empty()) text += Detail("order", WitnessText(remark.witness));
  if (!remark.copies.empty()) {
    text +=
        Detail("cost", fmt::format("{} x {} per call{}", BytesText(remark.bytes), remark.executions,
                                   remark.copies.size() > 1 ? fmt::format(", {} copies", remark.copies.size()) : ""));
  }
  return text + Detail("fix", remark.fix);
}

std::string TotalsLine(std::string_view who, const Totals& totals) {
  return fmt::format("  {:<6} {} {}, {} copied per call, peak {}\n", who, totals.copies,
                     totals.copies == 1 ? "copy" : "copies", BytesText(totals.bytes_copied),
                     BytesText(totals.peak_bytes));
}

}  // namespace

std::string ExplainAsText(const ir::Module& given, const BufferPlan& plan) {
  Explanation explanation = Explain(given, plan);
  std::string text = fmt::format("{}\n", explanation.module);
  text += TotalsLine("given", explanation.given);
  text += TotalsLine("plan", explanation.plan);
  if (!plan.exact)
    text +=
        fmt::format("  not proved to be the least: at least {} must be copied\n", BytesText(plan.lower_bound_bytes));
  for (const Remark& remark : explanation.remarks) text += fmt::format("\n{}", RemarkText(remark));
  return text;
}

}  // namespace stead::inplace
