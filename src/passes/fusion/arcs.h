// Readers before overwriters: the order that an in-place update asks for, and what fusing a reader would do to it.
//   An update U of x can be done in place when every other reader of x runs before it. Fusing such a reader into an instruction
//   that must run after U makes that order impossible and costs a copy of x.
//   Values are followed through reshapes, tuples and barriers to where their bytes come from. Loops and branches count as
//   overwriters of all they are given when they update anything inside.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace stead::passes {

// An array whose bytes are defined by `instruction`, or by leaf `element` of its tuple (-1: no tuple).
struct Origin {
  ir::InstrId instruction;
  int64_t element = -1;
  friend bool operator==(const Origin&, const Origin&) = default;
};

struct OriginHash {
  size_t operator()(const Origin& origin) const {
    return std::hash<ir::InstrId>()(origin.instruction) * 31 + static_cast<size_t>(origin.element);
  }
};

// Where the bytes of an array come from. Safe wrong answer: the value itself.
Origin OriginOf(const ir::Module& module, ir::InstrId array);

// The arcs of one computation, as it is when they are built.
class Arcs {
 public:
  Arcs(const ir::Module& module, ir::ComputationId computation);

  // The instructions that overwrite bytes which `reader` reads.
  std::vector<ir::InstrId> OverwritersAfter(ir::InstrId reader) const;

 private:
  const ir::Module& module_;
  std::unordered_map<Origin, std::vector<ir::InstrId>, OriginHash> overwriters_;

  void AddOverwriter(ir::InstrId id);
  void AddTarget(ir::InstrId array, ir::InstrId overwriter);
  bool ReadsApart(ir::InstrId reader, size_t operand, ir::InstrId overwriter) const;
};

}  // namespace stead::passes
