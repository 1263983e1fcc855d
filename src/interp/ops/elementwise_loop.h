// The loops behind elementwise.h: read a block of each operand as values, apply a function, write the block.
//   A function is a lambda without state, called as f(values...) or f(values..., op).
#pragma once

#include <algorithm>
#include <type_traits>

#include "interp/ops/elementwise.h"

namespace stead::interp {

inline constexpr int64_t kElementBlock = 256;

// The type in which a function such as exp is computed before its value is rounded once.
template <typename Real>
using Wider = std::conditional_t<std::is_same_v<Real, float>, double, long double>;

// Room for one block of values, without the zeroing that arrays of std::complex would cost on every call.
template <typename Value>
class ValueBlock {
 public:
  Value* data() { return reinterpret_cast<Value*>(bytes_); }

 private:
  alignas(64) std::byte bytes_[kElementBlock * sizeof(Value)];
};

// Reads an operand block by block.
template <typename Value>
class OperandReader {
 public:
  OperandReader(const ElementRun& run, ir::ElementType type) : run_(run), read_(ReaderOf<Value>(type)) {
    if (run.is_splat) {
      Value value = *read_(run.data, 0, 1, block_.data());
      std::fill_n(block_.data(), kElementBlock, value);
    }
  }
  const Value* Read(int64_t first, int64_t count) {
    return run_.is_splat ? block_.data() : read_(run_.data, first, count, block_.data());
  }

 private:
  ElementRun run_;
  Reader<Value> read_;
  ValueBlock<Value> block_;
};

template <typename Function, typename... Values>
auto Apply(const ElementwiseOp& op, Values... values) {
  if constexpr (std::is_invocable_v<Function, Values...>) {
    return Function{}(values...);
  } else {
    return Function{}(values..., op);
  }
}

template <typename Function, typename Value>
void RunUnary(const ElementwiseOp& op, const ElementRun* operands, std::byte* result, int64_t count) {
  using Output = decltype(Apply<Function>(op, Value()));
  OperandReader<Value> operand(operands[0], op.operand_types[0]);
  Writer<Output> write = WriterOf<Output>(op.result_type);
  ValueBlock<Output> block;
  for (int64_t first = 0; first < count; first += kElementBlock) {
    int64_t size = std::min(kElementBlock, count - first);
    const Value* values = operand.Read(first, size);
    Output* outputs = block.data();
    for (int64_t position = 0; position < size; ++position) outputs[position] = Apply<Function>(op, values[position]);
    write(outputs, size, result, first);
  }
}

template <typename Function, typename Value>
void RunBinary(const ElementwiseOp& op, const ElementRun* operands, std::byte* result, int64_t count) {
  using Output = decltype(Apply<Function>(op, Value(), Value()));
  OperandReader<Value> left(operands[0], op.operand_types[0]);
  OperandReader<Value> right(operands[1], op.operand_types[1]);
  Writer<Output> write = WriterOf<Output>(op.result_type);
  ValueBlock<Output> block;
  for (int64_t first = 0; first < count; first += kElementBlock) {
    int64_t size = std::min(kElementBlock, count - first);
    const Value* lefts = left.Read(first, size);
    const Value* rights = right.Read(first, size);
    Output* outputs = block.data();
    for (int64_t position = 0; position < size; ++position) {
      outputs[position] = Apply<Function>(op, lefts[position], rights[position]);
    }
    write(outputs, size, result, first);
  }
}

template <typename Value, typename Function>
ElementwiseLoop UnaryLoop(Function) {
  return &RunUnary<Function, Value>;
}

template <typename Value, typename Function>
ElementwiseLoop BinaryLoop(Function) {
  return &RunBinary<Function, Value>;
}

}  // namespace stead::interp
