#include <nlohmann/json.hpp>

#include "inplace/explain.h"
#include "inplace/explain/remark.h"

namespace stead::inplace {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Totals& totals) {
  return {{"copies", totals.copies}, {"bytes_copied", totals.bytes_copied}, {"peak_bytes", totals.peak_bytes}};
}

// null when nothing is known.
Json ToJson(const SourcePlace& place) {
  if (!place.known()) return nullptr;
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Json NameOrNull(const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); }

std::string_view ScopeName(Remark::Scope scope) {
  switch (scope) {
    case Remark::Scope::kGiven: return "given";
    case Remark::Scope::kPlan: return "plan";
    case Remark::Scope::kNote: return "note";
  }
  return "note";
}

Json ToJson(const Remark& remark) {
  Json witness = Json::array();
  for (const RemarkPoint& point : remark.witness) {
    witness.push_back(
        {{"instruction", NameOrNull(point.name)}, {"reason", point.role}, {"source", ToJson(point.source)}});
  }
  return {{"code", remark.code},
          {"scope", ScopeName(remark.scope)},
          {"message", remark.what},
          {"value", NameOrNull(remark.value)},
          {"bytes", remark.bytes},
          {"executions", remark.executions},
          {"copies", remark.copies},
          {"writer", NameOrNull(remark.writer)},
          {"readers", remark.readers},
          {"witness", std::move(witness)},
          {"why", remark.why},
          {"fix", remark.fix},
          {"source", ToJson(remark.source)}};
}

}  // namespace

std::string ExplainAsJson(const ir::Module& given, const BufferPlan& plan) {
  Explanation explanation = Explain(given, plan);
  Json remarks = Json::array();
  for (const Remark& remark : explanation.remarks) remarks.push_back(ToJson(remark));
  Json donations = Json::array();
  for (const Donation& donation : plan.donations) {
    donations.push_back({{"result", donation.result_leaf}, {"parameter", donation.parameter_leaf}});
  }
  Json report = {{"module", explanation.module},
                 {"given", ToJson(explanation.given)},
                 {"plan", ToJson(explanation.plan)},
                 {"remarks", std::move(remarks)}};
  report["plan"]["lower_bound_bytes"] = plan.lower_bound_bytes;
  report["plan"]["temporary_bytes"] = plan.arena_bytes;
  report["plan"]["donations"] = std::move(donations);
  // Names may hold any bytes: replace what is not UTF-8 instead of failing.
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stead::inplace
