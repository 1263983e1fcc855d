// Helpers of this room's tests: modules from text, one pass on them, and what came out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/hlo_text/parser.h"
#include "interp/elements.h"
#include "interp/evaluate.h"
#include "ir/text/printer.h"
#include "passes/pass_runner.h"

namespace stead::passes {

// REQUIRES: HLO text that parses.
inline ir::Module Parse(std::string_view text) { return frontend::ParseHloText(text, "test.hlo").value(); }

// Runs one pass, verified by the runner; RETURNS whether it changed the module.
inline bool RunPass(ir::Module& module, Result<PassReport> (*pass)(ir::Module&)) {
  uint64_t revision = module.revision();
  bool was_scheduled = module.is_scheduled;
  const Pass one = {"tested", "", pass};
  Status status = RunPasses(module, {&one, 1});
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().ToString());
  return module.revision() != revision || module.is_scheduled != was_scheduled;
}

template <typename Predicate>
int CountIf(const ir::Module& module, Predicate predicate) {
  int count = 0;
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (ir::InstrId id : module.computation(computation).instructions) count += predicate(module.instruction(id));
  }
  return count;
}

// How many instructions of reachable computations have the opcode.
inline int Count(const ir::Module& module, ir::Opcode opcode) {
  return CountIf(module, [&](const ir::Instruction& instruction) { return instruction.opcode == opcode; });
}

// The instruction of that name in any reachable computation. REQUIRES: it exists.
inline ir::InstrId Find(const ir::Module& module, std::string_view name) {
  for (ir::ComputationId computation : module.ComputationsPostOrder()) {
    for (ir::InstrId id : module.computation(computation).instructions) {
      if (module.instruction(id).name == name) return id;
    }
  }
  ADD_FAILURE() << "no instruction " << name << " in\n" << ir::PrintModule(module);
  return module.entry_computation().root;
}

inline const ir::Instruction& Named(const ir::Module& module, std::string_view name) {
  return module.instruction(Find(module, name));
}

// The root of the entry computation.
inline const ir::Instruction& Root(const ir::Module& module) {
  return module.instruction(module.entry_computation().root);
}

// The instruction behind an operand.
inline const ir::Instruction& Operand(const ir::Module& module, const ir::Instruction& user, size_t number) {
  return module.instruction(user.operands.at(number));
}

// Deterministic arguments for the entry computation; integers are small and may be negative.
inline std::vector<ir::Literal> Arguments(const ir::Module& module, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<ir::Literal> arguments;
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    const ir::Shape& shape = module.shape(parameter);
    std::vector<double> values(static_cast<size_t>(shape.element_count()));
    bool is_float = ir::IsFloat(shape.element_type);
    for (double& value : values)
      value = is_float ? std::uniform_real_distribution(-2.0, 2.0)(random) : random() % 9 - 2.0;
    arguments.push_back(interp::WriteAll(shape, values));
  }
  return arguments;
}

// Fails the test unless both modules compute the same bits from the same arguments.
inline void ExpectSameMeaning(const ir::Module& before, const ir::Module& after, unsigned seed = 1) {
  std::vector<ir::Literal> arguments = Arguments(before, seed);
  Result<ir::Literal> expected = interp::Evaluate(before, arguments);
  Result<ir::Literal> actual = interp::Evaluate(after, arguments);
  ASSERT_TRUE(expected.ok()) << expected.error().ToString() << ir::PrintModule(before);
  ASSERT_TRUE(actual.ok()) << actual.error().ToString() << ir::PrintModule(after);
  EXPECT_TRUE(expected->SameBits(*actual)) << ir::PrintModule(before) << "became\n" << ir::PrintModule(after);
}

// Parses, runs the pass, compares the meaning of both, and gives the module after.
inline ir::Module After(std::string_view text, Result<PassReport> (*pass)(ir::Module&)) {
  ir::Module module = Parse(text);
  RunPass(module, pass);
  ExpectSameMeaning(Parse(text), module);
  return module;
}

}  // namespace stead::passes
