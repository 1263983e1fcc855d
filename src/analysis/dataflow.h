// Where the bytes of a value come from, in one computation: module -> definitions and their uses.
//   A value is an array leaf of an instruction. Forwarding ops (tuple, get-tuple-element, bitcast, row-major reshape, barrier)
//   and the state that a loop hands on untouched have no bytes of their own: they are resolved to the definition that made
//   them. Only the others use a definition, and the end of the computation, which needs its results.
//   Says nothing of buffers, and follows no in-place update: each definition counts as new content.
//   Facts hold until the module changes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/effects.h"
#include "analysis/index_value.h"
#include "analysis/window.h"
#include "base/id.h"
#include "ir/module.h"

namespace stead::analysis {

// Array leaves of a shape, in order; tokens and opaque leaves are no values.
std::vector<const ir::Shape*> ArrayLeaves(const ir::Shape& shape);
int32_t ArrayLeafCount(const ir::Shape& shape);
// Number of the first array leaf below `index`.
int32_t ArrayLeafNumber(const ir::Shape& shape, const ir::ShapeIndex& index);
// The index of array leaf number `leaf`.
ir::ShapeIndex ArrayLeafIndex(const ir::Shape& shape, int32_t leaf);

using DefinitionId = Id<struct DefinitionTag>;

// Content that an instruction makes. Nodes are positions in the computation's list.
struct Definition {
  ir::InstrId instruction;
  int32_t node = 0;
  int32_t leaf = 0;  // array leaf of the instruction's shape
  int64_t bytes = 0;
};

// A value as bytes of a definition.
struct Resolved {
  DefinitionId definition;
  bool same_places = true;  // the value's shape names the elements as the definition's does
  Region box;               // the part of the definition's elements that the value is (not whole: a slice view)
};

// One operand leaf through which an instruction needs a definition's bytes.
struct DefinitionUse {
  int32_t node = 0;         // node_count(): the end of the computation
  int32_t operand = 0;      // at the end: 0
  int32_t leaf = 0;         // array leaf of the operand; at the end: of the result
  Footprint bytes;          // of the definition's bytes: those that are read
  bool same_index = false;  // as in OperandRead
  bool same_pair = false;   // as in OperandRead
};

// A result leaf of a loop or conditional that is handed out as a pointer to where it happens to lie, which may be in the bytes of other
// values.
struct PointerResult {
  struct OperandLeaf {
    int32_t operand = 0;
    int32_t leaf = 0;
  };
  bool is_pointer = false;
  bool is_operand = false;            // it is one of the operands below, not only in their bytes
  std::vector<OperandLeaf> operands;  // it may lie where these do,
  std::vector<int32_t> results;       // or these other result leaves,
  bool is_fixed = false;              // or in memory that nobody may overwrite
  std::optional<OperandLeaf> same;    // it is this operand leaf, whichever way the loop or conditional goes
};

// What the dataflow of one computation depends on besides the module.
struct DataflowContext {
  // Per while: which state leaves it hands on untouched, so that result leaf = operand leaf.
  std::unordered_map<ir::InstrId, std::vector<bool>> untouched_state;
  // Per while and state leaf: the leaf that is always the same content once the body has run, and in whose memory it then lies;
  // -1: none. Such a follower is only read.
  std::unordered_map<ir::InstrId, std::vector<int32_t>> leaders;
  // The same for the parameter of the loop's body and condition.
  std::unordered_map<ir::ComputationId, std::vector<int32_t>> parameter_leaders;
  // Slices that are views of their operand.
  std::unordered_set<ir::InstrId> views;
  // Per loop body: a leaf of its parameter that may lie in the bytes of another one, until that is overwritten.
  std::unordered_map<ir::ComputationId, std::vector<std::pair<int32_t, int32_t>>> parameter_guests;
  // Per while or conditional: its result leaves.
  std::unordered_map<ir::InstrId, std::vector<PointerResult>> pointer_results;
  // Of all loops.
  LoopCounters counters;
  // Per while or conditional, operand and leaf: what is read inside. A leaf without an entry is read whole.
  std::unordered_map<ir::InstrId, std::vector<std::vector<Footprint>>> inner_reads;
  // Per computation and result leaf: what its caller reads of the result. Whole where there is no entry.
  std::unordered_map<ir::ComputationId, std::vector<Footprint>> result_reads;
};

// A use of another content, which may lie in the same bytes.
struct SharedUse {
  DefinitionId definition;
  DefinitionUse use;
};

class Dataflow {
 public:
  Dataflow(const ir::Module& module, ir::ComputationId computation, const DataflowContext& context);

  int32_t node_count() const { return static_cast<int32_t>(nodes_.size()); }
  ir::InstrId instruction(int32_t node) const { return nodes_[node]; }
  int32_t node(ir::InstrId id) const { return node_of_.at(id); }
  const Effects& effects(int32_t node) const { return effects_[node]; }
  // True for instructions without bytes of their own (as above); views included.
  bool forwards(int32_t node) const { return forwards_[node]; }

  size_t definition_count() const { return definitions_.size(); }
  const Definition& definition(DefinitionId id) const { return definitions_[id]; }
  const ir::Shape& shape(DefinitionId id) const;
  const std::vector<DefinitionUse>& uses(DefinitionId id) const { return uses_[id]; }
  // Uses of contents that lie in the definition's bytes at times: of a loop's state, those of its followers; of what pointers may lead
  // to, those of the pointers, and the other way round.
  const std::vector<SharedUse>& shared_uses(DefinitionId id) const { return shared_uses_[id]; }
  bool has_pointers() const { return !pointers_.empty(); }
  // The definition is a PointerResult: it may lie in the bytes of its hosts, or in fixed memory.
  bool is_pointer(DefinitionId id) const { return pointers_.contains(id); }
  bool is_fixed(DefinitionId id) const { return is_pointer(id) && pointers_.at(id).is_fixed; }
  // Other contents may lie in its bytes at times, or it in theirs; followers of state apart.
  bool is_shared(DefinitionId id) const { return shared_.contains(id); }
  // All of them, those of hosts that are pointers included.
  const std::vector<DefinitionId>& hosts(DefinitionId id) const;
  bool MayShareBytes(DefinitionId left, DefinitionId right) const;
  // Of two that share bytes: they do so too if no pointer that `node` makes leads anywhere.
  bool MayShareBytesWithout(int32_t node, DefinitionId pointer, DefinitionId other) const;
  const Resolved& value(ir::InstrId id, int32_t leaf) const { return values_[first_value_[node(id)] + leaf]; }
  // The last node that uses the definition, shared uses included; -1 when none does.
  int32_t LastUse(DefinitionId id) const { return last_use_[id]; }

 private:
  void AddNode(ir::InstrId id, const DataflowContext& context);
  void AddLeaves(ir::InstrId id, const DataflowContext& context);
  void Forward(ir::InstrId id);
  void View(ir::InstrId id);
  void AddUses(int32_t node, const DataflowContext& context);
  void AddResultUses(ir::ComputationId computation, const DataflowContext& context);
  void AddSharedUses(ir::ComputationId computation, const DataflowContext& context);
  std::optional<Resolved> SameOperand(ir::InstrId id, const PointerResult& result) const;
  void AddPointer(ir::InstrId id, int32_t leaf, const PointerResult& result);
  void ShareThroughPointers();
  void Share(DefinitionId guest, DefinitionId host);
  void Use(const Resolved& value, DefinitionUse use);
  void Define(ir::InstrId id, int32_t leaf, const ir::Shape& shape);

  const ir::Module& module_;
  std::vector<ir::InstrId> nodes_;
  std::unordered_map<ir::InstrId, int32_t> node_of_;
  std::vector<Effects> effects_;
  std::vector<bool> forwards_;
  std::vector<int32_t> first_value_;
  std::vector<Resolved> values_;
  IdVector<DefinitionId, Definition> definitions_;
  IdVector<DefinitionId, std::vector<DefinitionUse>> uses_;
  IdVector<DefinitionId, std::vector<SharedUse>> shared_uses_;
  IdVector<DefinitionId, int32_t> last_use_;
  struct Pointer {
    std::vector<DefinitionId> hosts;
    size_t direct = 0;  // so many of them are no hosts of another host only
    bool is_fixed = false;
  };
  std::map<DefinitionId, Pointer> pointers_;
  std::set<DefinitionId> shared_;
};

}  // namespace stead::analysis
