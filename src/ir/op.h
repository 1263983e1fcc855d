// Opcodes and what is known of each, generated from op.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stead::ir {

enum class Opcode : uint8_t {
#define OP(enumerator, name, arity, family, traits) k##enumerator,
#include "ir/op.def"
#undef OP
};

inline constexpr size_t kOpcodeCount = 0
#define OP(enumerator, name, arity, family, traits) +1
#include "ir/op.def"
#undef OP
    ;

enum class OpFamily : uint8_t {
  kUnary,
  kBinary,
  kTernary,
  kCompare,
  kBitcastConvert,
  kSource,
  kReshape,
  kTuple,
  kBarrier,
  kCopy,
  kShape,
  kIndexing,
  kReduce,
  kDot,
  kLinearAlgebra,
  kRandom,
  kControl,
  kCommunication,
};

enum OpTrait : uint32_t {
  kCommutative = 1u << 0,
  kForwards = 1u << 1,     // the result is its operand's bytes; nothing moves
  kOrders = 1u << 2,       // everything before it stays before everything after it
  kWritesInto0 = 1u << 3,  // the result may take operand 0's buffer, changing only the update's window
  kCalls = 1u << 4,        // has called computations
  kEffect = 1u << 5,       // may not be removed, merged or reordered against other effects
};

inline constexpr int kVariadic = -1;

struct OpInfo {
  std::string_view name;
  int arity;  // operand count or kVariadic
  OpFamily family;
  uint32_t traits;
};

const OpInfo& InfoOf(Opcode opcode);
// The whole table, in the order of Opcode.
std::span<const OpInfo> AllOps();
inline std::string_view OpcodeName(Opcode opcode) { return InfoOf(opcode).name; }
inline bool HasTrait(Opcode opcode, OpTrait trait) { return (InfoOf(opcode).traits & trait) != 0; }
std::optional<Opcode> OpcodeFromName(std::string_view name);

// Unary, binary, ternary, compare: element k of the result needs element k of each operand (scalars of `select` and
// `clamp` excepted) and nothing else.
bool IsElementwise(Opcode opcode);

}  // namespace stead::ir
