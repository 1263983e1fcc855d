// `stead run FILE`: runs a module on the interpreter or as machine code; --compare checks one against the other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "base/file.h"
#include "interp/evaluate.h"
#include "ir/literal_layout.h"
#include "ir/text/printer.h"
#include "tools/commands.h"
#include "tools/npy.h"

namespace stead::tools {
namespace {

std::vector<ir::Shape> LeafShapes(const ir::Shape& shape) {
  std::vector<ir::Shape> leaves;
  ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
    if (leaf.is_array()) leaves.push_back(leaf);
  });
  return leaves;
}

std::vector<ir::Shape> ParameterLeaves(const ir::Module& module) {
  std::vector<ir::Shape> leaves;
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    std::ranges::move(LeafShapes(module.shape(parameter)), std::back_inserter(leaves));
  }
  return leaves;
}

// Floats in [-1, 1), integers and booleans in {0, 1}: small enough to be safe as indices.
ir::Literal RandomLiteral(const ir::Shape& shape, std::mt19937& generator) {
  ir::Literal literal = ir::Literal::Zeros(ir::Shape::Array(shape.element_type, shape.dimensions));
  auto unit = [&] { return static_cast<double>(generator()) / 2147483648.0 - 1.0; };
  std::span<std::byte> bytes = literal.mutable_bytes();
  switch (shape.element_type) {
    case ir::ElementType::kF32:
    case ir::ElementType::kC64:
      for (size_t at = 0; at < bytes.size(); at += 4) {
        float value = static_cast<float>(unit());
        std::memcpy(&bytes[at], &value, 4);
      }
      break;
    case ir::ElementType::kF64:
    case ir::ElementType::kC128:
      for (size_t at = 0; at < bytes.size(); at += 8) {
        double value = unit();
        std::memcpy(&bytes[at], &value, 8);
      }
      break;
    case ir::ElementType::kBF16:
    case ir::ElementType::kF16:
      // +-0.5 to +-2 in either format: random sign and mantissa top bits around the exponent of 1.
      for (size_t at = 0; at < bytes.size(); at += 2) {
        uint16_t one = shape.element_type == ir::ElementType::kBF16 ? 0x3F80 : 0x3C00;
        uint16_t value = static_cast<uint16_t>(one ^ (generator() & 0x803F));
        std::memcpy(&bytes[at], &value, 2);
      }
      break;
    default:
      for (size_t at = 0; at < bytes.size(); at += static_cast<size_t>(ir::ElementBytes(shape.element_type))) {
        bytes[at] = static_cast<std::byte>(generator() & 1);
      }
  }
  return literal;
}

Result<std::vector<ir::Literal>> MakeArguments(const ir::Module& module, const RunOptions& options) {
  std::vector<ir::Shape> shapes = ParameterLeaves(module);
  if (!options.inputs.empty() && options.inputs.size() != shapes.size()) {
    return InvalidArgument(
        fmt::format("{} inputs given, the module has {} parameters", options.inputs.size(), shapes.size()));
  }
  std::mt19937 generator(options.seed);
  std::vector<ir::Literal> arguments;
  for (size_t number = 0; number < shapes.size(); ++number) {
    if (options.inputs.empty()) {
      arguments.push_back(RandomLiteral(shapes[number], generator));
      continue;
    }
    TRY(std::string bytes, ReadFile(options.inputs[number]));
    TRY(ir::Literal literal, ReadNpy(bytes, shapes[number], options.inputs[number]));
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

void FlattenInto(const ir::Literal& literal, std::vector<ir::Literal>& leaves) {
  if (!literal.shape().is_tuple()) {
    if (literal.shape().is_array()) leaves.push_back(literal);
    return;
  }
  for (const ir::Literal& element : literal.elements()) FlattenInto(element, leaves);
}

// Rebuilds tuple parameters from the flat list.
ir::Literal TakeShaped(const ir::Shape& shape, std::span<const ir::Literal>& leaves) {
  if (!shape.is_tuple()) {
    if (!shape.is_array()) return ir::Literal();
    ir::Literal leaf = leaves.front();
    leaves = leaves.subspan(1);
    return leaf;
  }
  std::vector<ir::Literal> elements;
  for (const ir::Shape& element : shape.elements) elements.push_back(TakeShaped(element, leaves));
  return ir::Literal::Tuple(std::move(elements));
}

Result<std::vector<ir::Literal>> RunInterpreter(const ir::Module& given, std::span<const ir::Literal> arguments) {
  TRY(const ir::Module module, driver::OpenKernels(given));
  std::vector<ir::Literal> shaped;
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    shaped.push_back(TakeShaped(module.shape(parameter), arguments));
  }
  TRY(ir::Literal result, interp::Evaluate(module, shaped));
  std::vector<ir::Literal> leaves;
  FlattenInto(result, leaves);
  return leaves;
}

Result<std::vector<ir::Literal>> RunNative(ir::Module module, const RunOptions& options,
                                           std::span<const ir::Literal> arguments) {
  TRY(driver::Options driver_options, ToDriverOptions(options.common));
  TRY(driver::Compiled compiled, driver::Compile(std::move(module), driver_options));
  const runtime::Signature& signature = compiled.executable->signature();
  std::vector<runtime::Argument> memory;
  for (size_t number = 0; number < arguments.size(); ++number) {
    TRY(runtime::AllocationRef block, runtime::Allocate(signature.parameters[number].byte_size()));
    ir::StoreInLayout(arguments[number], signature.parameters[number],
                      {block->data(), static_cast<size_t>(block->bytes())});
    memory.push_back({std::move(block), signature.donatable[number]});
  }
  runtime::RunContext context;
  TRY(context.threads, runtime::ThreadPool::Shared());
  TRY(std::vector<runtime::AllocationRef> results, compiled.executable->Run(memory, context));
  std::vector<ir::Literal> leaves;
  for (size_t leaf = 0; leaf < results.size(); ++leaf) {
    const ir::Shape& shape = signature.results[leaf];
    leaves.push_back(ir::LoadFromLayout(shape, {results[leaf]->data(), static_cast<size_t>(shape.byte_size())}));
  }
  return leaves;
}

// Largest difference relative to max(1, |expected|); NaN equals NaN, infinities must be equal.
double LargestDifference(const ir::Literal& actual, const ir::Literal& expected) {
  double largest = 0;
  for (int64_t index = 0; index < expected.shape().element_count(); ++index) {
    double left = actual.AsDouble(index), right = expected.AsDouble(index);
    if (left == right || (std::isnan(left) && std::isnan(right))) continue;
    double difference = std::abs(left - right) / std::max(1.0, std::abs(right));
    largest = std::max(largest, std::isnan(difference) ? INFINITY : difference);
  }
  return largest;
}

int Compare(std::span<const ir::Literal> native, std::span<const ir::Literal> interpreted, double tolerance) {
  bool equal = true;
  for (size_t leaf = 0; leaf < interpreted.size(); ++leaf) {
    double difference = LargestDifference(native[leaf], interpreted[leaf]);
    // Integers, booleans and moved elements are exact; floats may differ by the order of additions.
    bool exact =
        !ir::IsFloat(interpreted[leaf].shape().element_type) && !ir::IsComplex(interpreted[leaf].shape().element_type);
    bool agrees = exact ? difference == 0 : difference <= tolerance;
    fmt::print("result {}: {} largest relative difference {:.3g} {}\n", leaf, interpreted[leaf].shape().ToString(false),
               difference, agrees ? "ok" : "DIFFERS");
    equal = equal && agrees;
  }
  fmt::print("machine code and interpreter {}\n", equal ? "agree" : "differ");
  return equal ? kDone : kRefused;
}

Status Deliver(std::span<const ir::Literal> results, const RunOptions& options) {
  for (size_t leaf = 0; leaf < results.size(); ++leaf) {
    if (!options.output_dir.empty()) {
      std::filesystem::path path = std::filesystem::path(options.output_dir) / fmt::format("{}.npy", leaf);
      TRY_STATUS(WriteFile(path.string(), WriteNpy(results[leaf])));
    } else if (!options.quiet) {
      std::string text = ir::PrintLiteral(results[leaf]);
      constexpr size_t kShown = 2000;
      if (text.size() > kShown) text = text.substr(0, kShown) + "...";
      fmt::print("{} {}\n", results[leaf].shape().ToString(false), text);
    }
  }
  return {};
}

Result<int> RunProgram(const RunOptions& options) {
  TRY(Program program, LoadProgram(options.common.file));
  TRY(std::vector<ir::Literal> arguments, MakeArguments(program.module, options));
  if (options.compare) {
    TRY(std::vector<ir::Literal> interpreted, RunInterpreter(program.module, arguments));
    TRY(std::vector<ir::Literal> native, RunNative(std::move(program.module), options, arguments));
    return Compare(native, interpreted, options.tolerance);
  }
  bool interpreter = options.backend == "interpreter";
  TRY(std::vector<ir::Literal> results, interpreter ? RunInterpreter(program.module, arguments)
                                                    : RunNative(std::move(program.module), options, arguments));
  TRY_STATUS(Deliver(results, options));
  return kDone;
}

}  // namespace

int RunModule(const RunOptions& options) {
  auto result = RunProgram(options);
  return result.ok() ? *result : Refuse(result.error());
}

}  // namespace stead::tools
