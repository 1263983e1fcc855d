#include "cpu/program.h"

#include <fmt/format.h>

namespace stead::cpu {
namespace {

const char* KindName(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::kKernel: return "kernel";
    case Step::Kind::kLoop: return "loop";
    case Step::Kind::kMatMul: return "matmul";
    case Step::Kind::kConvolution: return "convolution";
    case Step::Kind::kFft: return "fft";
    case Step::Kind::kCholesky: return "cholesky";
    case Step::Kind::kTriangularSolve: return "triangular-solve";
    case Step::Kind::kRandomBits: return "random-bits";
    case Step::Kind::kRandomState: return "random-state";
    case Step::Kind::kCustomCall: return "custom-call";
    case Step::Kind::kWindow: return "window";
    case Step::Kind::kCopy: return "copy";
    case Step::Kind::kMove: return "move";
    case Step::Kind::kJump: return "jump";
    case Step::Kind::kJumpUnless: return "jump-unless";
    case Step::Kind::kSwitch: return "switch";
  }
  return "?";
}

}  // namespace

std::string ToString(const Program& program, const ir::Module& module) {
  std::string text;
  for (size_t number = 0; number < program.steps.size(); ++number) {
    const Step& step = program.steps[number];
    text += fmt::format("{:4} {}", number, KindName(step.kind));
    if (step.kind == Step::Kind::kKernel) text += fmt::format(" {}", program.kernels[step.index].symbol);
    if (step.kind == Step::Kind::kLoop) text += fmt::format(" {}", program.loops[step.index]);
    if (step.kind == Step::Kind::kCustomCall) text += fmt::format(" {}", program.custom_calls[step.index].target);
    for (uint32_t place = step.first_place; place < step.first_place + step.place_count; ++place) {
      text += fmt::format(" {}+{}", program.places[place].slot, program.places[place].offset);
    }
    if (step.bytes > 0) text += fmt::format(" {} bytes", step.bytes);
    for (uint32_t target = step.first_target; target < step.first_target + step.target_count; ++target) {
      text += fmt::format(" -> {}", program.targets[target]);
    }
    text += fmt::format("  # {}\n", module.instruction(step.instruction).name);
  }
  return text;
}

}  // namespace stead::cpu
