// Which contents the plan checker's values consist of, as long as an instruction may still ask. A content that no value has any longer
// is of no interest, wherever it lies: the checker forgets it, so that it looks only at what is alive.
#pragma once

#include <unordered_map>
#include <vector>

#include "inplace/check/facts.h"

namespace stead::inplace::check {

// A leaf of a value: what it holds, and which bytes of that content it is (whole unless it is a slice view).
struct Leaf {
  ContentId content;
  analysis::Footprint part;
  Slice base;   // where the content starts (of a slice view: its operand's place)
  Slice place;  // where the leaf itself starts
};

class Values {
 public:
  bool contains(ir::InstrId id) const { return leaves_.contains(id); }
  const std::vector<Leaf>& at(ir::InstrId id) const { return leaves_.at(id); }
  // Both RETURN the contents that no value has any longer.
  std::vector<ContentId> Set(ir::InstrId id, std::vector<Leaf> leaves);
  std::vector<ContentId> Release(ir::InstrId id);

 private:
  std::vector<ContentId> Drop(const std::vector<Leaf>& leaves);

  std::unordered_map<ir::InstrId, std::vector<Leaf>> leaves_;
  std::unordered_map<ContentId, int64_t> holders_;  // the leaves of each content
};

}  // namespace stead::inplace::check
