#include "cpu/llvm/emitter/sort_key.h"

#include <map>
#include <utility>

namespace stead::cpu {
namespace {

using ir::CompareAttributes;
using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

constexpr size_t kMostKeyOps = 64;

// Whether `right` is made from the right elements as `left` is from the left ones.
class Mirror {
 public:
  explicit Mirror(const ir::Module& module) : module_(module) {}

  bool Of(InstrId left, InstrId right) {
    auto [seen, is_new] = answers_.try_emplace({left, right}, false);
    if (!is_new || answers_.size() > kMostKeyOps) return seen->second;
    return answers_[{left, right}] = IsMirrored(module_.instruction(left), module_.instruction(right));
  }

 private:
  bool IsMirrored(const Instruction& left, const Instruction& right) {
    if (left.opcode != right.opcode || !(left.shape == right.shape) || !left.called.empty()) return false;
    if (left.opcode == Opcode::kParameter) {
      const int64_t number = left.As<ir::ParameterAttributes>().number;
      return number % 2 == 0 && right.As<ir::ParameterAttributes>().number == number + 1;
    }
    if (!(left.attributes == right.attributes)) return false;
    for (size_t operand = 0; operand < left.operands.size(); ++operand) {
      if (!Of(left.operands[operand], right.operands[operand])) return false;
    }
    return true;
  }

  const ir::Module& module_;
  std::map<std::pair<InstrId, InstrId>, bool> answers_;
};

}  // namespace

std::optional<SortKey> SortKeyOf(const ir::Module& module, ir::ComputationId comparator) {
  using Direction = CompareAttributes::Direction;
  using Type = CompareAttributes::Type;
  const Instruction& root = module.instruction(module.root(comparator));
  if (root.opcode != Opcode::kCompare) return std::nullopt;
  const auto& compare = root.As<CompareAttributes>();
  if (compare.direction != Direction::kLt && compare.direction != Direction::kGt) return std::nullopt;
  const ir::ElementType type = module.shape(root.operands[0]).element_type;
  const bool is_float = ir::IsFloat(type), is_integer = ir::IsInteger(type) || type == ir::ElementType::kPred;
  if (!(is_float && compare.type == Type::kTotalOrder) && !is_integer) return std::nullopt;
  const bool mirrors = Mirror(module).Of(root.operands[0], root.operands[1]);
  if (!mirrors && !Mirror(module).Of(root.operands[1], root.operands[0])) return std::nullopt;
  // right < left is left > right.
  const bool is_descending = (compare.direction == Direction::kGt) == mirrors;
  return SortKey{root.operands[mirrors ? 0 : 1], ir::IsSigned(type), is_descending};
}

// Floats in total order are integers with a sign apart: negative ones count downwards.
llvm::Value* AscendingNumber(llvm::IRBuilder<>& builder, llvm::Value* value, const SortKey& key) {
  const unsigned bits = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue());
  llvm::Type* const integer = builder.getIntNTy(bits);
  llvm::Value* const sign = llvm::ConstantInt::get(integer, llvm::APInt::getSignMask(bits));
  if (value->getType()->isFloatingPointTy()) {
    value = builder.CreateBitCast(value, integer);
    value = builder.CreateXor(value, builder.CreateOr(builder.CreateAShr(value, bits - 1), sign));
  } else if (key.is_signed) {
    value = builder.CreateXor(value, sign);
  }
  if (key.is_descending) value = builder.CreateNot(value);
  return builder.CreateZExt(value, builder.getInt64Ty());
}

}  // namespace stead::cpu
