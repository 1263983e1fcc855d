// Runs a module given as text on the machine and in the interpreter, on the same made-up arguments, and compares.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cpu/compile.h"
#include "cpu/llvm/jit.h"
#include "frontend/hlo_text/parser.h"
#include "interp/evaluate.h"
#include "runtime/memory.h"
#include "runtime/testing.h"

namespace stead::cpu {

inline ir::Module Parse(const std::string& text) {
  Result<ir::Module> module = frontend::ParseHloText(text, "test.hlo");
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().ToString());
  return std::move(module).value();
}

inline Result<std::unique_ptr<runtime::Executable>> CompileModule(const ir::Module& module,
                                                                  const CodegenOptions& options = {}) {
  TRY(inplace::BufferPlan plan, inplace::MakePlan(module, {}));
  TRY_STATUS(inplace::CheckPlan(plan));
  return CompileToMachineCode(plan, options);
}

// Small numbers of every sign; integers also work as indices, some of them out of range.
inline ir::Literal RandomLiteral(const ir::Shape& shape, std::mt19937& generator) {
  ir::Literal literal = ir::Literal::Zeros(ir::Shape::Array(shape.element_type, shape.dimensions));
  const auto fill = [&]<typename T>(T, auto make) {
    for (T& element : literal.mutable_data<T>()) element = static_cast<T>(make());
  };
  std::uniform_real_distribution<double> real(-2, 2);
  const auto number = [&] { return real(generator); };
  const auto integer = [&] { return static_cast<int64_t>(generator() % 13) - 3; };
  switch (shape.element_type) {
    case ir::ElementType::kF64: fill(double{}, number); break;
    case ir::ElementType::kF32: fill(float{}, number); break;
    case ir::ElementType::kC64:
      fill(std::complex<float>{}, [&] { return std::complex<double>(number(), number()); });
      break;
    case ir::ElementType::kC128:
      fill(std::complex<double>{}, [&] { return std::complex<double>(number(), number()); });
      break;
    case ir::ElementType::kPred: fill(uint8_t{}, [&] { return generator() % 2; }); break;
    case ir::ElementType::kF16:
      fill(uint16_t{}, [&] { return std::bit_cast<uint16_t>(static_cast<_Float16>(number())); });
      break;
    case ir::ElementType::kBF16:
      fill(uint16_t{}, [&] { return std::bit_cast<uint32_t>(static_cast<float>(number())) >> 16; });
      break;
    default:
      switch (ir::ElementBytes(shape.element_type)) {
        case 1: fill(uint8_t{}, integer); break;
        case 2: fill(uint16_t{}, integer); break;
        case 4: fill(uint32_t{}, integer); break;
        default: fill(uint64_t{}, integer);
      }
  }
  return literal;
}

inline std::vector<ir::Literal> RandomArguments(const ir::Module& module, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::vector<ir::Literal> arguments;
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    arguments.push_back(RandomLiteral(module.shape(parameter), generator));
  }
  return arguments;
}

inline runtime::AllocationRef ToMemory(const ir::Literal& literal) {
  runtime::AllocationRef memory = runtime::Allocate(literal.shape().byte_size()).value();
  std::memcpy(memory->data(), literal.bytes().data(), literal.bytes().size());
  return memory;
}

inline std::vector<ir::Literal> Leaves(const ir::Literal& literal) {
  if (!literal.shape().is_tuple()) return {literal};
  std::vector<ir::Literal> leaves;
  for (const ir::Literal& element : literal.elements()) {
    for (ir::Literal& leaf : Leaves(element)) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

inline ir::Literal FromMemory(const runtime::AllocationRef& memory, const ir::Shape& shape) {
  ir::Literal literal = ir::Literal::Zeros(ir::Shape::Array(shape.element_type, shape.dimensions));
  std::memcpy(literal.mutable_bytes().data(), memory->data(), literal.bytes().size());
  return literal;
}

// The real and imaginary parts of complex numbers as one array of floats.
inline ir::Literal Parts(const ir::Literal& literal) {
  const bool is_wide = literal.shape().element_type == ir::ElementType::kC128;
  return literal.WithShape(
      ir::Shape::Array(is_wide ? ir::ElementType::kF64 : ir::ElementType::kF32, {2 * literal.shape().element_count()}));
}

// Floats within `tolerance` of each other, relative to the larger of 1 and their size; everything else bit for bit.
inline void ExpectClose(const ir::Literal& actual, const ir::Literal& expected, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(actual.shape().ToString(false), expected.shape().ToString(false)) << what;
  if (ir::IsComplex(expected.shape().element_type)) {
    return ExpectClose(Parts(actual), Parts(expected), tolerance, what);
  }
  for (int64_t index = 0; index < expected.shape().element_count(); ++index) {
    if (!ir::IsFloat(expected.shape().element_type)) {
      ASSERT_EQ(actual.AsInteger(index), expected.AsInteger(index)) << what << " element " << index;
      continue;
    }
    const double a = actual.AsDouble(index);
    const double e = expected.AsDouble(index);
    if (std::isnan(e) || std::isinf(e)) {
      ASSERT_TRUE(std::isnan(e) ? std::isnan(a) : a == e)
          << what << " element " << index << ": " << a << " is not " << e;
    } else {
      ASSERT_LE(std::abs(a - e), tolerance * std::max(1.0, std::abs(e)))
          << what << " element " << index << ": " << a << ", not " << e;
    }
  }
}

inline std::vector<ir::Literal> RunOnMachine(const ir::Module& module, const std::vector<ir::Literal>& arguments) {
  Result<std::unique_ptr<runtime::Executable>> executable = CompileModule(module);
  EXPECT_TRUE(executable.ok()) << (executable.ok() ? "" : executable.error().ToString());
  if (!executable.ok()) return {};
  std::vector<runtime::Argument> memory;
  for (const ir::Literal& argument : arguments) memory.push_back({ToMemory(argument), true});
  runtime::RunContext context{.threads = &runtime::EagerPool()};
  Result<std::vector<runtime::AllocationRef>> results = (*executable)->Run(memory, context);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().ToString());
  std::vector<ir::Literal> literals;
  for (size_t leaf = 0; leaf < results->size(); ++leaf) {
    literals.push_back(FromMemory((*results)[leaf], (*executable)->signature().results[leaf]));
  }
  return literals;
}

// Also for one of the lesser CPUs, taking turns: every family of programs sees each of them.
inline void ExpectSame(const std::string& text, double tolerance = 1e-6, unsigned seed = 1) {
  SCOPED_TRACE(text);
  static int turn = 0;
  const ir::Module module = Parse(text);
  const std::vector<ir::Literal> arguments = RandomArguments(module, seed);
  const Result<ir::Literal> expected = interp::Evaluate(module, arguments);
  ASSERT_TRUE(expected.ok()) << expected.error().ToString();
  const std::vector<ir::Literal> wanted = Leaves(*expected);
  for (const std::string cpu : {"", ++turn % 2 == 0 ? "haswell" : "x86-64-v2"}) {
    UseCpuForTesting(cpu);
    const std::vector<ir::Literal> actual = RunOnMachine(module, arguments);
    UseCpuForTesting("");
    ASSERT_EQ(actual.size(), wanted.size());
    for (size_t leaf = 0; leaf < wanted.size(); ++leaf) {
      ExpectClose(actual[leaf], wanted[leaf], tolerance, fmt::format("result {} on cpu `{}`", leaf, cpu));
    }
  }
}

}  // namespace stead::cpu
