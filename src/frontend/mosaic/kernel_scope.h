// What the values and the memory of a kernel are in one computation, and how instructions are added to it.
//   A kernel writes memory; HLO has values. So every buffer (operand, result, scratch) has a current value per scope; a store
//   makes the next one, and regions (branches, loop bodies) take in and hand out the values of the buffers that they write.
//   A view is a part of a buffer: no instruction by itself, only starts that loads and stores add to their own.
//   Every instruction is checked by ir::InferShape when it is made, so no body can build a module that is not well formed.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "frontend/mlir_bytecode/parsed_module.h"
#include "ir/module.h"

namespace stead::frontend {

inline constexpr size_t kNoBuffer = SIZE_MAX;

// A window of a buffer. Dimension k of the view is dimension `dimensions[k]` of the buffer; the others are one element wide.
struct View {
  size_t buffer = kNoBuffer;        // kNoBuffer: a semaphore, which holds nothing on one core
  std::vector<ir::InstrId> starts;  // per buffer dimension, s32 scalars; none: 0
  ir::Dimensions sizes;             // per view dimension
  std::vector<size_t> dimensions;   // per view dimension
};

struct KernelScope {
  ir::ComputationId computation_id;
  std::unordered_map<mlir::ValueId, ir::InstrId> values;
  std::unordered_map<mlir::ValueId, View> views;
  std::vector<ir::InstrId> buffers;  // current value of each
};

// Adds instructions to scopes of one module. All of them carry the metadata and the place of the call.
class KernelEmitter {
 public:
  KernelEmitter(ir::Module& module, ir::InstrId call) : module_(module), call_(call) {}

  ir::Module& module() { return module_; }
  const ir::Shape& shape(ir::InstrId id) const { return module_.shape(id); }
  // Where the call stands in the user's program.
  SourcePlace place() const { return module_.SourceOf(call_); }

  // The shape follows from operands and attributes; where it does not, it is `shape`.
  Result<ir::InstrId> Add(KernelScope& scope, ir::Opcode opcode, std::vector<ir::InstrId> operands,
                          ir::Attributes attributes = {}, ir::Shape shape = {},
                          std::vector<ir::ComputationId> called = {});

  ir::InstrId Parameter(KernelScope& scope, int64_t number, ir::Shape shape);
  ir::InstrId Constant(KernelScope& scope, ir::Literal literal);
  // A scalar of an integer or pred type.
  ir::InstrId Integer(KernelScope& scope, ir::ElementType type, int64_t value);
  // A scalar in every element.
  Result<ir::InstrId> Splat(KernelScope& scope, ir::InstrId scalar, ir::Shape shape);
  // Zero bits in every element.
  Result<ir::InstrId> Zeros(KernelScope& scope, const ir::Shape& shape);
  Result<ir::InstrId> Reshape(KernelScope& scope, ir::InstrId operand, ir::Dimensions dimensions);
  Result<ir::InstrId> Convert(KernelScope& scope, ir::InstrId operand, ir::ElementType type);
  // The same bits as elements of another type of the same size.
  Result<ir::InstrId> Bitcast(KernelScope& scope, ir::InstrId operand, ir::ElementType type);
  // Starts that are none become 0.
  Result<ir::InstrId> DynamicSlice(KernelScope& scope, ir::InstrId operand, std::vector<ir::InstrId> starts,
                                   ir::Dimensions sizes);
  Result<ir::InstrId> DynamicUpdateSlice(KernelScope& scope, ir::InstrId operand, ir::InstrId update,
                                         std::vector<ir::InstrId> starts);
  Result<ir::InstrId> Slice(KernelScope& scope, ir::InstrId operand, ir::SliceAttributes attributes);
  Result<ir::InstrId> Concatenate(KernelScope& scope, std::vector<ir::InstrId> operands, int64_t dimension);
  Result<ir::InstrId> Tuple(KernelScope& scope, std::vector<ir::InstrId> elements);
  Result<ir::InstrId> TupleElement(KernelScope& scope, ir::InstrId tuple, size_t index);
  // left + right; either may be none, which is 0.
  Result<ir::InstrId> Sum(KernelScope& scope, ir::InstrId left, ir::InstrId right);

  // The scalar that fills the array; none when the array is not known to be filled.
  ir::InstrId FillOf(ir::InstrId id) const;
  // True for scalars that are constants and arrays filled with them.
  bool IsConstantFill(ir::InstrId id) const;
  // A computation of two scalar parameters: `opcode` of both.
  Result<ir::ComputationId> Reducer(ir::Opcode opcode, ir::ElementType type);

 private:
  std::vector<ir::InstrId> WithZeros(KernelScope& scope, std::vector<ir::InstrId> starts);
  ir::Instruction NewInstruction(ir::Opcode opcode) const;

  ir::Module& module_;
  ir::InstrId call_;
};

}  // namespace stead::frontend
