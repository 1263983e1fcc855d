#include "inplace/cost.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace stead::inplace {

using ir::ComputationId;
using ir::InstrId;
using ir::Module;
using ir::Opcode;

int64_t SaturatingProduct(int64_t left, int64_t right) {
  int64_t product = 0;
  return __builtin_mul_overflow(left, right, &product) ? std::numeric_limits<int64_t>::max() : product;
}

int64_t SaturatingSum(int64_t left, int64_t right) {
  int64_t sum = 0;
  return __builtin_add_overflow(left, right, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

namespace {

using OwnBytes = std::unordered_map<ComputationId, int64_t>;

int64_t PathFrom(const Module& module, ComputationId computation, const OwnBytes& own_bytes,
                 std::unordered_set<ComputationId>& counted) {
  if (!counted.insert(computation).second) return 0;
  auto own = own_bytes.find(computation);
  int64_t total = own == own_bytes.end() ? 0 : own->second;
  for (InstrId id : module.computation(computation).instructions) {
    const ir::Instruction& instruction = module.instruction(id);
    bool is_choice = instruction.opcode == Opcode::kConditional;
    int64_t dearest = 0;
    for (ComputationId called : instruction.called) {
      int64_t inside = PathFrom(module, called, own_bytes, counted);
      dearest = is_choice ? std::max(dearest, inside) : SaturatingSum(dearest, inside);
    }
    total = SaturatingSum(total, dearest);
  }
  return total;
}

}  // namespace

int64_t DearestPath(const Module& module, const OwnBytes& own_bytes) {
  std::unordered_set<ComputationId> counted;
  return PathFrom(module, module.entry, own_bytes, counted);
}

int64_t CopiedBytes(const BufferPlan& plan) {
  OwnBytes own_bytes;
  for (const CopyRecord& record : plan.copies) {
    int64_t& own = own_bytes[plan.module.instruction(record.copy).computation];
    own = SaturatingSum(own, SaturatingProduct(record.bytes, record.executions));
  }
  return DearestPath(plan.module, own_bytes);
}

}  // namespace stead::inplace
