// The shape rules by family of ops; InferShape (ir/infer.h) picks one. Private to ir/.
//   Each rule returns the shape of the result, or an error that states what was seen, the rule, and its number in the
//   StableHLO specification, as in: `y`: update has shape f32[4], operand has f32[3]; update must fit in operand
//   [dynamic_update_slice C6].
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace stead::ir {

// One instruction under its rule.
class Op {
 public:
  Op(const Module& module, const Instruction& instruction) : module_(module), instruction_(instruction) {}

  const Module& module() const { return module_; }
  const Instruction& instruction() const { return instruction_; }
  Opcode opcode() const { return instruction_.opcode; }
  size_t operand_count() const { return instruction_.operands.size(); }
  const Shape& operand(size_t number) const { return module_.shape(instruction_.operands.at(number)); }
  // The shape that the instruction has now.
  const Shape& own_shape() const { return instruction_.shape; }
  template <typename T>
  const T& attributes() const {
    return instruction_.As<T>();
  }

  // `rule` is the name and number of a constraint ("slice C3"), or empty for rules of HLO that StableHLO does not have.
  template <typename... Args>
  Diagnostic Violation(std::string_view rule, fmt::format_string<Args...> text, Args&&... args) const {
    return MakeViolation(rule, fmt::format(text, std::forward<Args>(args)...));
  }

  // All operands from `first` on are arrays.
  Status RequireArrays(size_t first = 0) const;
  Status RequireOperandsAtLeast(size_t count) const;
  // Operands from `first` on have the dimensions of operand `first`.
  Status RequireSameDimensions(size_t first, size_t end, std::string_view rule) const;

 private:
  const Module& module_;
  const Instruction& instruction_;

  Diagnostic MakeViolation(std::string_view rule, std::string text) const;
};

// "shift_left" for shift-left: the op's name in the StableHLO specification, where it is the same but for the dashes.
std::string SpecificationName(Opcode opcode);

// The dimensions named are in [0, rank) / all different / ascending.
bool InRange(const Dimensions& dimensions, int64_t rank);
bool AllDifferent(Dimensions dimensions);
bool Contains(const Dimensions& dimensions, int64_t dimension);
Dimensions Concatenated(const Dimensions& first, const Dimensions& second);
std::string DimensionsText(const Dimensions& dimensions);

// Number of places for a window along one dimension; nothing when the sizes are beyond all bounds.
std::optional<int64_t> WindowCount(int64_t extent, const WindowDimension& window);

// The scalar parameters and results of a called computation: `count` scalars of these types in and those out.
struct ScalarSignature {
  std::vector<ElementType> parameters;
  std::vector<ElementType> results;
};
// RETURNS an error when the op's only called computation takes or gives anything else than scalars.
Result<ScalarSignature> CalledSignature(const Op& op, size_t called_number, std::string_view rule);
// A value of type `from` can stand where the wider `to` of the same class is computed with.
bool IsPromotable(ElementType from, ElementType to);
// The only shape itself, else their tuple.
Shape ArrayOrTuple(std::vector<Shape> shapes);

Result<Shape> InferElementwise(const Op& op);
Result<Shape> InferSource(const Op& op);
Result<Shape> InferForwarding(const Op& op);
Result<Shape> InferMovement(const Op& op);
Result<Shape> InferIndexing(const Op& op);
Result<Shape> InferGather(const Op& op);
Result<Shape> InferScatter(const Op& op);
Result<Shape> InferReduction(const Op& op);
Result<Shape> InferDot(const Op& op);
Result<Shape> InferConvolution(const Op& op);
Result<Shape> InferLinearAlgebra(const Op& op);
Result<Shape> InferRandom(const Op& op);
Result<Shape> InferControl(const Op& op);

}  // namespace stead::ir
