// The HLO program: computations of instructions, donation requests, source locations.
//   Module owns everything in tables; InstrId and ComputationId are 32-bit handles. Instructions are read through
//   `const Instruction&` (never kept across a change) and changed only through the functions below, which keep the lists of
//   users right. An erased instruction leaves a hole; ids are never reused.
//   A computation lists its instructions in a topological order. Where the module lives in memory, and when it runs, is
//   decided in inplace/; only when `is_scheduled` is set is the list the order that runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.h"
#include "base/id.h"
#include "ir/attributes.h"
#include "ir/op.h"
#include "ir/shape.h"

namespace stead::ir {

using InstrId = Id<struct InstrTag>;
using ComputationId = Id<struct ComputationTag>;

struct Instruction {
  Opcode opcode = Opcode::kParameter;
  std::string name;  // unique in the module, without '%'
  Shape shape;
  std::vector<InstrId> operands;
  std::vector<InstrId> control_predecessors;
  // while: {condition, body}; conditional: the branches; select-and-scatter: {select, scatter}; else at most one
  std::vector<ComputationId> called;
  Attributes attributes;
  Metadata metadata;
  std::vector<ExtraAttribute> extra;
  SourcePlace text_place;  // where the instruction stands in the text or program it was read from
  ComputationId computation;
  bool erased = false;

  // The attribute struct of this instruction. REQUIRES: it holds a T.
  template <typename T>
  const T& As() const {
    const T* held = std::get_if<T>(&attributes);
    STEAD_CHECK(held != nullptr, name);
    return *held;
  }
};

struct Computation {
  std::string name;
  std::vector<InstrId> instructions;  // topological; the schedule when Module::is_scheduled
  std::vector<InstrId> parameters;    // by number
  InstrId root;
  std::string execution_thread;  // empty: main
};

// A result leaf that may (or must) be the same buffer as a parameter leaf.
struct InputOutputAlias {
  ShapeIndex output_index;
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool must = false;
};

// A parameter leaf that the caller gives away, for any use.
struct BufferDonor {
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  friend bool operator==(const BufferDonor&, const BufferDonor&) = default;
};

// The FileNames / FunctionNames / FileLocations / StackFrames tables of HLO text; ids count from 1, but parent_frame_id is as
// XLA's text has it: the row of the parent plus one, so that 1 means none.
struct StackFrames {
  struct Location {
    int file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0, end_column = 0;
  };
  struct Frame {
    int file_location_id = 0, parent_frame_id = 0;
  };
  std::vector<std::string> file_names, function_names;
  std::vector<Location> locations;
  std::vector<Frame> frames;
  bool empty() const { return frames.empty() && file_names.empty(); }
};

struct ProgramShape {
  std::vector<Shape> parameters;
  Shape result;
};

class Module {
 public:
  std::string name = "module";
  bool is_scheduled = false;
  std::vector<InputOutputAlias> input_output_aliases;
  std::vector<BufferDonor> buffer_donors;
  std::optional<ProgramShape> entry_layout;  // entry_computation_layout when it was given
  StackFrames stack_frames;
  std::vector<ExtraAttribute> extra;  // header attributes only passed through
  ComputationId entry;

  // Reading.
  const Instruction& instruction(InstrId id) const { return instructions_[id]; }
  const Computation& computation(ComputationId id) const { return computations_[id]; }
  const Computation& entry_computation() const { return computations_[entry]; }
  // Each user once, in no particular order; control successors are not users.
  const std::vector<InstrId>& users(InstrId id) const { return users_[id]; }
  // The instructions that name `id` as a control predecessor, each once, in no particular order.
  const std::vector<InstrId>& control_successors(InstrId id) const { return control_successors_[id]; }
  const Shape& shape(InstrId id) const { return instructions_[id].shape; }
  InstrId operand(InstrId id, size_t number) const { return instructions_[id].operands.at(number); }
  size_t instruction_count() const { return instructions_.size(); }  // holes included
  size_t computation_count() const { return computations_.size(); }
  // Grows with every change made through the functions below.
  uint64_t revision() const { return revision_; }
  InstrId root(ComputationId id) const { return computations_[id].root; }
  // Computations reachable from the entry, callees before callers; the entry last.
  std::vector<ComputationId> ComputationsPostOrder() const;
  // The best known place of an instruction in the user's source: metadata, stack frame, or text_place.
  SourcePlace SourceOf(InstrId id) const;
  // True when the parameter leaf is given away: aliased with a result or a donor.
  bool IsDonated(int64_t parameter, const ShapeIndex& index) const;

  // Building.
  ComputationId AddComputation(std::string name);
  // Appends to the computation. Empty or taken names are made unique. REQUIRES: operands live in the same computation.
  InstrId Add(ComputationId computation, Instruction instruction);
  // As Add, but placed just before `position` in the computation's list.
  InstrId AddBefore(InstrId position, Instruction instruction);
  // A copy of `operand` with its reason: the only way to make a copy (readers of text use Add with kWritten).
  InstrId AddCopyBefore(InstrId position, InstrId operand, CopyReason reason);

  // Changing.
  void SetRoot(ComputationId computation, InstrId root);
  void SetOperand(InstrId user, size_t number, InstrId operand);
  void SetOperands(InstrId user, std::vector<InstrId> operands);
  void SetShape(InstrId id, Shape shape);
  void SetAttributes(InstrId id, Attributes attributes);
  void SetCalled(InstrId id, std::vector<ComputationId> called);
  void SetControlPredecessors(InstrId id, std::vector<InstrId> predecessors);
  void SetExtra(InstrId id, std::vector<ExtraAttribute> extra);
  void SetMetadata(InstrId id, Metadata metadata);
  void SetExecutionThread(ComputationId id, std::string thread);
  // For an instruction that takes another one's place: it should be known by the name that users know.
  void SwapNames(InstrId left, InstrId right);
  // Replaces every use (operands, control edges, root) of `old_id` by `new_id`; `old_id` stays, unused.
  void ReplaceAllUses(InstrId old_id, InstrId new_id);
  // REQUIRES: no users, not a root. Its control predecessors are handed to its control successors.
  void Erase(InstrId id);
  // As Erase for each, users before what they use, in one sweep of the lists. REQUIRES: all of one computation.
  void EraseAll(const std::vector<InstrId>& ids);
  // Moves the group, listed in topological order, to just before `before` in the computation of `before`; operands that are
  // keys of `replaced` become the values. REQUIRES: no users or roots outside the group; the other operands are in it.
  void MoveBefore(InstrId before, const std::vector<InstrId>& group,
                  const std::unordered_map<InstrId, InstrId>& replaced);
  // As MoveBefore, to the end of `target`. Control edges that leave the group are dropped.
  void MoveToEnd(ComputationId target, const std::vector<InstrId>& group,
                 const std::unordered_map<InstrId, InstrId>& replaced);
  // REQUIRES: a permutation of the computation's list.
  void Reorder(ComputationId computation, std::vector<InstrId> order);
  // A name that no other instruction has. Computations have names of their own: `add` may also be a computation.
  std::string UniqueName(const std::string& base);

 private:
  using TakenNames = std::unordered_map<std::string, int>;  // name -> next suffix

  IdVector<InstrId, Instruction> instructions_;
  IdVector<InstrId, std::vector<InstrId>> users_;
  IdVector<InstrId, std::vector<InstrId>> control_successors_;
  IdVector<ComputationId, Computation> computations_;
  TakenNames names_, computation_names_;
  uint64_t revision_ = 0;

  InstrId Store(ComputationId computation, Instruction instruction);
  void AddUses(InstrId user);
  void DropUses(InstrId user);
  void Disconnect(InstrId id);
  void Move(ComputationId target, size_t position, const std::vector<InstrId>& group,
            const std::unordered_map<InstrId, InstrId>& replaced);
};

}  // namespace stead::ir
