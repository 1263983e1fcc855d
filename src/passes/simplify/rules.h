// What a rule is, and the tables of rules.
#pragma once

#include <optional>
#include <span>

#include "passes/rewrite/build.h"

namespace stead::passes {

// RETURNS the value that stands for the instruction: one that existed before or one that `build` made; none when the rule does
// not fit. `instruction` is a copy, so building does not disturb it.
// REQUIRES: the opcode of the rule's row; arrays among operands and result are row major.
using RuleFunction = ir::InstrId (*)(Builder& build, const ir::Instruction& instruction);

struct Rule {
  ir::Opcode opcode;
  RuleFunction apply;
};

std::span<const Rule> ArithmeticRules();
std::span<const Rule> MovementRules();
std::span<const Rule> WindowRules();
std::span<const Rule> ChoiceRules();
std::span<const Rule> ContractionRules();
// Applied to every elementwise op, after the rules of its own.
ir::InstrId ElementwiseOfFills(Builder& build, const ir::Instruction& instruction);

inline constexpr ir::InstrId kNoValue;

// The scalar in every element of the array, when the array is made from one. None otherwise.
ir::InstrId SplatScalar(const ir::Module& module, ir::InstrId id);
// The scalar that all elements of a constant are equal to, bit by bit. Nothing for elided constants.
std::optional<ir::Literal> UniformElement(const ir::Literal& literal);
// The one value of all elements of a pred or integer array, when it is known.
std::optional<int64_t> KnownInteger(const ir::Module& module, ir::InstrId id);
// The one value of all elements of a real (not complex) array, when it is known; minus zero is told from zero by its sign.
std::optional<double> KnownReal(const ir::Module& module, ir::InstrId id);

}  // namespace stead::passes
