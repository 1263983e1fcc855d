// Elementwise ops: element k of the result from element k of each operand.
//   PrepareElementwise picks the loop for an instruction once (op x value types); Run does it for any number of elements, so
//   that reducers and comparators can be run on a block of scalars at a time (scalar_computation.h).
//   f16, bf16 and smaller floats compute in f32 and are rounded after every op.
#pragma once

#include <array>
#include <optional>

#include "base/result.h"
#include "interp/elements.h"
#include "interp/op_call.h"

namespace stead::interp {

// The elements of one operand; a splat is one element that stands for all (a scalar operand of select or clamp).
struct ElementRun {
  const std::byte* data = nullptr;
  bool is_splat = false;
};

struct ElementwiseOp;
using ElementwiseLoop = void (*)(const ElementwiseOp& op, const ElementRun* operands, std::byte* result, int64_t count);

struct ElementwiseOp {
  ir::Opcode opcode;
  int64_t operand_count = 0;
  std::array<ir::ElementType, 3> operand_types = {};
  ir::ElementType result_type = ir::ElementType::kPred;
  int bits = 0;  // of the first operand's type
  ir::CompareAttributes compare;
  ir::ReducePrecisionAttributes precision;
  ElementwiseLoop loop = nullptr;

  // `result` may be one of the operands' memory when element sizes agree.
  void Run(const ElementRun* operands, std::byte* result, int64_t count) const { loop(*this, operands, result, count); }
};

// RETURNS UNIMPLEMENTED naming op and types when the op has no meaning for them.
Result<ElementwiseOp> PrepareElementwise(const ir::Module& module, ir::InstrId id);

// The loop of each family for the types in `op`, or null when there is none.
ElementwiseLoop SelectUnaryLoop(const ElementwiseOp& op);
ElementwiseLoop SelectComplexUnaryLoop(const ElementwiseOp& op);
ElementwiseLoop SelectBinaryLoop(const ElementwiseOp& op);
ElementwiseLoop SelectCompareLoop(const ElementwiseOp& op);
ElementwiseLoop SelectTernaryLoop(const ElementwiseOp& op);

Result<ir::Literal> EvaluateElementwise(const OpCall& call);

}  // namespace stead::interp
