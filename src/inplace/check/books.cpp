// What a plan says about itself: its buffers, the records of its copies, its certificate and its donations.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/trip_count.h"
#include "inplace/check/checker.h"

namespace stead::inplace::check {

using ir::ComputationId;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

namespace {

Diagnostic WrongBooks(std::string what) {
  return {ErrorCode::kInternal, std::move(what), {}, {}, "please report this module: the program was not run"};
}

// Memory of its own that the program may write.
bool MayHost(const Buffer& buffer) {
  return buffer.kind == Buffer::Kind::kOwned || (buffer.kind == Buffer::Kind::kParameter && buffer.donated);
}

// left x right; none when that is unknown or too large.
std::optional<int64_t> Product(std::optional<int64_t> left, std::optional<int64_t> right) {
  int64_t product = 0;
  if (!left || !right || __builtin_mul_overflow(*left, *right, &product)) return std::nullopt;
  return product;
}

// What a run copies at most, from the computation on: of a conditional only one branch runs.
int64_t MostCopied(const ir::Module& module, ComputationId computation, std::map<ComputationId, int64_t>& copied) {
  int64_t most = copied[computation];
  for (InstrId id : module.computation(computation).instructions) {
    const Instruction& instruction = module.instruction(id);
    if (instruction.opcode != Opcode::kWhile && instruction.opcode != Opcode::kConditional) continue;
    std::vector<int64_t> inside;
    for (ComputationId called : instruction.called) inside.push_back(MostCopied(module, called, copied));
    bool is_loop = instruction.opcode == Opcode::kWhile;
    most += is_loop ? std::accumulate(inside.begin(), inside.end(), int64_t{0}) : std::ranges::max(inside);
  }
  return most;
}

}  // namespace

// The table of buffers agrees with the module about what belongs to the caller.
Status Checker::CheckBuffers() const {
  std::vector<bool> donated;
  const std::vector<InstrId>& parameters = module_.entry_computation().parameters;
  for (size_t number = 0; number < parameters.size(); ++number) {
    ir::ForEachLeaf(module_.shape(parameters[number]), [&](const ir::ShapeIndex& index, const ir::Shape& leaf) {
      if (leaf.is_array()) donated.push_back(module_.IsDonated(static_cast<int64_t>(number), index));
    });
  }
  for (size_t number = 0; number < plan_.buffers.size(); ++number) {
    const Buffer& buffer = plan_.buffers[BufferId(number)];
    if (buffer.host.valid() && (buffer.kind != Buffer::Kind::kScratch || !MayHost(plan_.buffers[buffer.host])))
      return WrongBooks(fmt::format("buffer {} lies in another that is neither a result's nor donated", number));
    int64_t room = buffer.host.valid() ? plan_.buffers[buffer.host].bytes : plan_.arena_bytes;
    bool is_inside = buffer.scratch_offset >= 0 && buffer.scratch_offset + buffer.bytes <= room;
    if (buffer.kind == Buffer::Kind::kScratch && !is_inside)
      return WrongBooks(fmt::format("buffer {} ends after the memory that it lies in", number));
    if (buffer.kind == Buffer::Kind::kConstant && buffer.bytes != module_.shape(buffer.constant).byte_size())
      return WrongBooks(fmt::format("buffer {} has another size than its constant", number));
    if (buffer.kind != Buffer::Kind::kParameter) continue;
    if (buffer.parameter < 0 || buffer.parameter >= static_cast<int64_t>(donated.size()))
      return WrongBooks(fmt::format("buffer {} is a parameter that does not exist", number));
    if (buffer.donated != donated[static_cast<size_t>(buffer.parameter)])
      return WrongBooks(fmt::format("buffer {} is not donated as the module says", number));
  }
  return {};
}

// How often each planned computation runs; none where the module does not say.
std::map<ComputationId, std::optional<int64_t>> Checker::Executions() const {
  std::map<ComputationId, std::optional<int64_t>> executions{{module_.entry, 1}};
  std::vector<ComputationId> open{module_.entry};
  while (!open.empty()) {
    ComputationId caller = open.back();
    open.pop_back();
    for (InstrId id : module_.computation(caller).instructions) {
      const Instruction& instruction = module_.instruction(id);
      if (instruction.opcode != Opcode::kWhile && instruction.opcode != Opcode::kConditional) continue;
      std::optional<int64_t> times = instruction.opcode == Opcode::kWhile ? analysis::TripCount(module_, id) : 1;
      for (ComputationId called : instruction.called) {
        executions[called] = Product(executions[caller], times);
        open.push_back(called);
      }
    }
  }
  return executions;
}

Status Checker::CheckRecord(const CopyRecord& record, std::optional<int64_t> executions) const {
  const Instruction& copy = module_.instruction(record.copy);
  if (record.reason != copy.As<ir::CopyAttributes>().reason)
    return Refused(record.copy, "its record has another reason");
  if (record.bytes != copy.shape.byte_size()) return Refused(record.copy, "its record has another size");
  if (executions && record.executions != *executions) return Refused(record.copy, "its record has another frequency");
  return {};
}

// Every copy has exactly one record, and together they cost what the certificate says.
Status Checker::CheckCopies() const {
  std::map<InstrId, const CopyRecord*> records;
  std::map<ComputationId, int64_t> copied;
  for (const CopyRecord& record : plan_.copies) {
    if (!records.emplace(record.copy, &record).second) return Refused(record.copy, "the copy has two records");
    copied[module_.instruction(record.copy).computation] += Product(record.bytes, record.executions).value_or(0);
  }
  int64_t copied_bytes = MostCopied(module_, module_.entry, copied);
  size_t found = 0;
  for (const auto& [computation, executions] : Executions()) {
    for (InstrId id : module_.computation(computation).instructions) {
      if (module_.instruction(id).opcode != Opcode::kCopy) continue;
      auto record = records.find(id);
      if (record == records.end()) return Refused(id, "the copy has no reason");
      TRY_STATUS(CheckRecord(*record->second, executions));
      ++found;
    }
  }
  if (found != records.size()) return WrongBooks("the plan records a copy that it does not make");
  if (copied_bytes < plan_.lower_bound_bytes) return WrongBooks("the plan copies less than it says is possible");
  if (plan_.exact && copied_bytes != plan_.lower_bound_bytes)
    return WrongBooks("the plan says that it is the cheapest, but copies more than its lower bound");
  return {};
}

// A result that is said to be returned in a parameter's buffer is placed there, and the module says the same.
Status Checker::CheckDonations() const {
  if (plan_.donations.size() != module_.input_output_aliases.size())
    return WrongBooks("the plan and its module disagree about donations");
  for (const Donation& donation : plan_.donations) {
    bool exists = donation.result_leaf >= 0 && donation.result_leaf < static_cast<int64_t>(plan_.results.size());
    if (!exists) return WrongBooks("a parameter is donated to a result that does not exist");
    const Buffer& buffer = plan_.buffers[plan_.results[static_cast<size_t>(donation.result_leaf)].buffer];
    if (buffer.kind != Buffer::Kind::kParameter || buffer.parameter != donation.parameter_leaf)
      return WrongBooks(
          fmt::format("result {} is not in the parameter that it is said to be in", donation.result_leaf));
  }
  return {};
}

}  // namespace stead::inplace::check
