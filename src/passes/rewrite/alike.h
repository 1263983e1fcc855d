// Which instructions and computations say the same, for passes that take one for another.
//   May say without cause that two differ; never takes different ones for the same.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/module.h"

namespace stead::passes {

// Everything about an instruction but its operands, called computations, name and place.
size_t HashOwnFields(const ir::Instruction& instruction);
bool SameOwnFields(const ir::Instruction& left, const ir::Instruction& right);

void MixIntoHash(size_t& hash, size_t value);

// Finds, for a called computation (a reducer, a loop body), the first one seen that says the same in the same order.
class ComputationTable {
 public:
  // `module` outlives the table and changes nothing in called computations meanwhile.
  explicit ComputationTable(const ir::Module& module) : module_(module) {}

  ir::ComputationId Representative(ir::ComputationId id);
  bool SameCalls(const ir::Instruction& left, const ir::Instruction& right);

 private:
  const ir::Module& module_;
  std::unordered_map<ir::ComputationId, ir::ComputationId> representatives_;
  std::unordered_map<size_t, std::vector<ir::ComputationId>> by_hash_;

  size_t Hash(ir::ComputationId id) const;
  bool Same(ir::ComputationId left, ir::ComputationId right);
};

}  // namespace stead::passes
