#include "trials/trial.h"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <random>

#include "frontend/hlo_text/parser.h"
#include "interp/evaluate.h"
#include "ir/text/printer.h"
#include "ir/verify.h"

namespace stead::trials {

namespace {

Result<ir::Literal> Prepare(Trial& trial) {
  TRY(trial.module, frontend::ParseHloText(trial.text, "random.hlo"));
  TRY_STATUS(ir::VerifyModule(trial.module));
  trial.arguments = MakeArguments(trial.module, trial.seed);
  return interp::Evaluate(trial.module, trial.arguments);
}

}  // namespace

Result<Trial> MakeTrial(uint64_t seed, const ProgramOptions& options) {
  Trial trial{.seed = seed, .text = RandomProgram(seed, options)};
  Result<ir::Literal> prepared = Prepare(trial);
  if (!prepared.ok()) {
    Diagnostic wrong = prepared.error();
    wrong.fix = "mend the writer of random programs: " + Describe(trial);
    return wrong;
  }
  ir::Literal meaning = std::move(prepared).value();
  if (meaning.shape().is_tuple()) {
    trial.expected = meaning.elements();
  } else {
    trial.expected = {std::move(meaning)};
  }
  return trial;
}

std::vector<ir::Literal> MakeArguments(const ir::Module& module, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ir::Literal> arguments;
  for (ir::InstrId parameter : module.entry_computation().parameters) {
    const ir::Shape& shape = module.shape(parameter);
    ir::Literal literal = ir::Literal::Zeros(shape);
    std::span<uint32_t> elements = literal.mutable_data<uint32_t>();
    for (size_t number = 0; number < elements.size(); ++number) {
      elements[number] = static_cast<uint32_t>(1000003 * (arguments.size() + 1) + 7919 * number);
    }
    if (shape.rank() == 0) elements[0] = static_cast<uint32_t>(random() % 5);
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

std::vector<uint64_t> Seeds(uint64_t first, int count) {
  if (const char* only = std::getenv("STEAD_TEST_SEED")) return {std::strtoull(only, nullptr, 10)};
  const char* scale = std::getenv("STEAD_TEST_SCALE");
  std::vector<uint64_t> seeds(static_cast<size_t>(count * (scale == nullptr ? 1 : std::max(1, std::atoi(scale)))));
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

std::string Difference(const std::vector<ir::Literal>& expected, const std::vector<ir::Literal>& actual) {
  if (expected.size() != actual.size()) return fmt::format("{} results, not {}", actual.size(), expected.size());
  for (size_t leaf = 0; leaf < expected.size(); ++leaf) {
    if (expected[leaf].SameBits(actual[leaf])) continue;
    for (int64_t element = 0; element < expected[leaf].shape().element_count(); ++element) {
      int64_t right = expected[leaf].AsInteger(element), seen = actual[leaf].AsInteger(element);
      if (right != seen) return fmt::format("result {}: element {} is {}, not {}", leaf, element, seen, right);
    }
    return fmt::format("result {} has another shape", leaf);
  }
  return "";
}

namespace {

std::string Moves(const char* when, const std::vector<inplace::PointerMove>& moves) {
  std::string text = fmt::format("  {}:", when);
  for (const inplace::PointerMove& move : moves)
    text += fmt::format(" {}:={}+{}", move.target.index(), move.source.index(), move.source_offset);
  return text + "\n";
}

// Where everything lies: buffers, then one line per instruction (buffer+offset per leaf), then the moves of pointers.
std::string Places(const inplace::BufferPlan& plan) {
  constexpr const char* kKinds[] = {"parameter", "constant", "owned", "scratch", "pointer"};
  std::string text = "places:\n";
  for (size_t number = 0; number < plan.buffers.size(); ++number) {
    const inplace::Buffer& buffer = plan.buffers[inplace::BufferId(number)];
    text += fmt::format("  buffer {}: {} bytes, {}{} at {}{}\n", number, buffer.bytes, buffer.donated ? "donated " : "",
                        kKinds[static_cast<int>(buffer.kind)], buffer.scratch_offset,
                        buffer.host.valid() ? fmt::format(" of buffer {}", buffer.host.index()) : "");
  }
  for (size_t number = 0; number < plan.placements.size(); ++number) {
    const ir::Instruction& instruction = plan.module.instruction(ir::InstrId(number));
    const std::vector<inplace::Slice>& slices = plan.placements[ir::InstrId(number)];
    if (instruction.erased || slices.empty()) continue;
    text += fmt::format("  {}:", instruction.name);
    for (const inplace::Slice& slice : slices) text += fmt::format(" {}+{}", slice.buffer.index(), slice.offset);
    text += "\n";
    if (auto loop = plan.loops.find(ir::InstrId(number)); loop != plan.loops.end())
      text += Moves("entry", loop->second.entry) + Moves("back edge", loop->second.back_edge);
    if (auto branches = plan.branches.find(ir::InstrId(number)); branches != plan.branches.end()) {
      for (const auto& end : branches->second.ends) text += Moves("end", end);
    }
  }
  return text;
}

}  // namespace

std::string Describe(const Trial& trial, const inplace::BufferPlan* plan) {
  std::string text = fmt::format("again: STEAD_TEST_SEED={} ./dev test trials\n{}", trial.seed, trial.text);
  if (plan != nullptr) text += "\nplanned:\n" + ir::PrintModule(plan->module) + Places(*plan);
  return text;
}

}  // namespace stead::trials
