// Makes instructions that stand in for another one.
//   Each new instruction goes just before a given position and takes the metadata and the source place of the instruction it
//   stems from, so that a remark about it still points at the user's line. New shapes are row major.
//   REQUIRES everywhere: operands that fit the op; the pass runner verifies the module afterwards.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"

namespace stead::passes {

class Builder {
 public:
  // REQUIRES: `position` outlives the builder in its computation's list.
  Builder(ir::Module& module, ir::InstrId position, ir::InstrId origin)
      : module_(module), position_(position), origin_(origin) {}
  Builder(ir::Module& module, ir::InstrId position) : Builder(module, position, position) {}

  ir::InstrId Op(ir::Opcode opcode, ir::Shape shape, std::vector<ir::InstrId> operands, ir::Attributes attributes = {});
  ir::InstrId Constant(ir::Literal literal);
  // A scalar constant of an integer or pred type.
  ir::InstrId Integer(ir::ElementType type, int64_t value);
  // The operand itself when it has these dimensions already.
  ir::InstrId Reshape(ir::InstrId operand, std::vector<int64_t> dimensions);
  // A scalar in every element; the scalar itself for rank 0.
  ir::InstrId Splat(ir::InstrId scalar, const std::vector<int64_t>& dimensions);
  ir::InstrId Slice(ir::InstrId operand, std::vector<int64_t> starts, std::vector<int64_t> sizes);
  // `starts` holds one scalar per dimension.
  ir::InstrId DynamicSlice(ir::InstrId operand, std::vector<ir::InstrId> starts, std::vector<int64_t> sizes);
  ir::InstrId DynamicUpdateSlice(ir::InstrId operand, ir::InstrId update, std::vector<ir::InstrId> starts);
  ir::InstrId Compare(ir::CompareAttributes::Direction direction, ir::InstrId left, ir::InstrId right);
  // `predicate` is a scalar or has the shape of the cases.
  ir::InstrId Select(ir::InstrId predicate, ir::InstrId on_true, ir::InstrId on_false);
  ir::InstrId TupleElement(ir::InstrId tuple, int64_t index);

  ir::Module& module() { return module_; }
  ir::InstrId position() const { return position_; }

 private:
  ir::Module& module_;
  ir::InstrId position_;
  ir::InstrId origin_;
};

// An instruction behind all others of the computation, for a builder to build at. The caller erases it.
ir::InstrId AddPlaceAtEnd(ir::Module& module, ir::ComputationId computation);

// Replaces all uses of `old_id` by a value that existed before; whatever came after `old_id` still comes after its control
// predecessors. RETURNS false, and does nothing, when the shapes differ (layouts included).
bool Forward(ir::Module& module, ir::InstrId old_id, ir::InstrId value);

// Replaces all uses of `old_id` by an instruction made for it at its place, which takes over its name and control edges.
// RETURNS false, and does nothing, when the shapes differ (layouts included).
bool Replace(ir::Module& module, ir::InstrId old_id, ir::InstrId made);

// The sizes that are not 1, in order.
ir::Dimensions WithoutOnes(ir::Dimensions dimensions);

// A scalar of an integer or pred type.
ir::Literal IntegerLiteral(ir::ElementType type, int64_t value);

// True for arrays made from a scalar or from nothing: a broadcast of a scalar, an iota. They cost less to make again than to copy.
bool IsFill(const ir::Module& module, ir::InstrId id);

// A new computation with copies of all instructions; computations that they call are shared.
ir::ComputationId CloneComputation(ir::Module& module, ir::ComputationId id);

// The entry, loop bodies and conditions, branches: computations whose instructions run one by one.
std::vector<ir::ComputationId> SteppedComputations(const ir::Module& module);

// How many instructions of reachable computations call each computation; an instruction that names one twice counts twice.
IdVector<ir::ComputationId, int> CountCallers(const ir::Module& module);

}  // namespace stead::passes
