// A computation over scalars (a reducer, a comparator, a loop of counters) made ready to run on many elements at once.
//   Parameters and results are flattened to their leaves: tuple parameters and tuple roots count element by element. When every
//   instruction is elementwise, tuple or call, the elements go through each instruction a block at a time and nothing
//   is allocated; any other computation is evaluated element by element.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "interp/ops/elementwise.h"

namespace stead::interp {

class ScalarComputation {
 public:
  ScalarComputation(Evaluator& evaluator, ir::ComputationId computation);

  // Applies the computation to elements 0..count-1 of every input leaf. An output may be the same memory as an input.
  // REQUIRES: one array of `count` elements per leaf of the parameters and of the result.
  Status Run(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs, int64_t count);

  // True when no instruction needs the evaluator.
  bool is_straight() const { return is_straight_; }
  const std::vector<ir::ElementType>& input_types() const { return input_types_; }
  const std::vector<ir::ElementType>& output_types() const { return output_types_; }

 private:
  // Where a leaf's elements are while a block runs: in a caller's input, or in storage of our own.
  struct Slot {
    ir::ElementType type = ir::ElementType::kPred;
    const std::byte* elements = nullptr;
    std::unique_ptr<std::byte[]> storage;  // none for inputs
  };
  // An output that is an input handed on; kept aside because outputs may overwrite inputs.
  struct HandedOn {
    size_t input;
    size_t stored;
  };
  struct Step {
    ElementwiseOp op;
    std::array<size_t, 3> operands = {};
    size_t result = 0;
  };
  using Leaves = std::vector<size_t>;  // slots of a value's leaves

  bool Prepare(ir::ComputationId computation, const std::vector<Leaves>& arguments, Leaves& root, int depth);
  bool PrepareInstruction(ir::InstrId id, const std::vector<Leaves>& operands, Leaves& leaves, int depth);
  bool PrepareElementwiseStep(ir::InstrId id, const std::vector<Leaves>& operands, Leaves& leaves);
  size_t AddInput(ir::ElementType type);
  size_t AddStored(ir::ElementType type);
  size_t AddConstant(const ir::Literal& value);
  void RunBlock(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs, int64_t first,
                int64_t count);
  Status RunOneByOne(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs, int64_t count);

  Evaluator& evaluator_;
  ir::ComputationId computation_;
  bool is_straight_ = false;
  std::vector<ir::ElementType> input_types_, output_types_;
  std::vector<Slot> slots_;  // the inputs first
  std::vector<Step> steps_;
  std::vector<HandedOn> handed_on_;
  Leaves outputs_;
};

}  // namespace stead::interp
