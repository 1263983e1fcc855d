// Helpers of the checker's tests: plans written by hand over modules given as text, and what the checker says of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "frontend/hlo_text/parser.h"
#include "inplace/plan.h"

namespace stead::inplace {

// A plan written by hand over a module given as text, whose order is the order of the text.
class HandMade {
 public:
  explicit HandMade(const std::string& text) {
    auto module = frontend::ParseHloText(text, "test.hlo");
    if (!module.ok()) throw std::runtime_error(module.error().ToString());
    plan_.module = std::move(*module);
    plan_.placements.resize(plan_.module.instruction_count());
    for (size_t number = 0; number < plan_.module.instruction_count(); ++number) {
      ids_[plan_.module.instruction(ir::InstrId(number)).name] = ir::InstrId(number);
    }
  }

  BufferId Parameter(int64_t number, int64_t bytes, bool donated) {
    if (donated) plan_.module.buffer_donors.push_back({number, {}});
    return plan_.buffers.Add({Buffer::Kind::kParameter, bytes, number, donated, {}, 0});
  }
  BufferId Owned(int64_t bytes) { return plan_.buffers.Add({Buffer::Kind::kOwned, bytes, -1, false, {}, 0}); }
  BufferId Scratch(int64_t offset, int64_t bytes) {
    plan_.arena_bytes = std::max(plan_.arena_bytes, offset + bytes);
    return plan_.buffers.Add({Buffer::Kind::kScratch, bytes, -1, false, {}, offset});
  }
  BufferId Constant(const std::string& name, int64_t bytes) {
    return plan_.buffers.Add({Buffer::Kind::kConstant, bytes, -1, false, Named(name), 0});
  }
  HandMade& Place(const std::string& name, std::vector<Slice> slices) {
    plan_.placements[Named(name)] = std::move(slices);
    return *this;
  }
  void Results(std::vector<Slice> results) { plan_.results = std::move(results); }
  void Record(const std::string& copy) {
    CopyRecord record;
    record.copy = Named(copy);
    record.reason = ir::CopyReason::kWritten;
    record.bytes = plan_.module.shape(record.copy).byte_size();
    plan_.lower_bound_bytes += record.bytes;
    plan_.copies.push_back(record);
  }
  ir::InstrId Named(const std::string& name) const { return ids_.at(name); }
  BufferPlan& plan() { return plan_; }
  // Empty when the plan is accepted, else the checker's reason.
  std::string Verdict() const {
    Status status = CheckPlan(plan_);
    return status.ok() ? "" : status.error().what + ": " + status.error().why;
  }

 private:
  BufferPlan plan_;
  std::map<std::string, ir::InstrId> ids_;
};

inline void ExpectRefused(const HandMade& plan, const std::string& reason) {
  std::string verdict = plan.Verdict();
  EXPECT_NE(verdict.find(reason), std::string::npos)
      << "expected a refusal that says `" << reason << "`, got: `" << verdict << "`";
}

inline constexpr int64_t kArray = 64;  // f32[16]

}  // namespace stead::inplace
