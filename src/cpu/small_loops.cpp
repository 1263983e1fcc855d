// The walk over the steps costs about as much per step as a kernel that adds two numbers, and loops run such kernels a million
// times. A loop is a jump backwards: the steps from its target to it. Loops are nested or apart, so taking the longest one at
// each place, and going into it only when it cannot be taken, finds the outermost.
#include "cpu/small_loops.h"

#include <algorithm>
#include <utility>

namespace stead::cpu {
namespace {

// Results per kernel beyond which the walk does not matter.
constexpr int64_t kMaxElements = 16'384;
constexpr int64_t kMaxCopiedBytes = 65'536;

class SmallLoops {
 public:
  SmallLoops(Program& program, KernelCompiler& compiler, const ir::Module& module)
      : program_(program), compiler_(compiler), module_(module) {
    FindArenaOffsets();
  }

  void Run() {
    const uint32_t count = static_cast<uint32_t>(program_.steps.size());
    std::vector<uint32_t> last_jump_to(count, 0);
    for (uint32_t number = 0; number < count; ++number) {
      if (program_.steps[number].kind != Step::Kind::kJump) continue;
      const uint32_t target = program_.targets[program_.steps[number].first_target];
      if (target <= number) last_jump_to[target] = number + 1;
    }
    std::vector<uint32_t> new_numbers(count + 1);
    for (uint32_t number = 0; number < count;) {
      const uint32_t end = std::max(last_jump_to[number], number + 1);
      new_numbers[number] = static_cast<uint32_t>(kept_.size());
      const bool is_small_loop = last_jump_to[number] > 0 && IsSmall(number, end);
      kept_.push_back(is_small_loop ? Compile(number, end) : program_.steps[number]);
      number = is_small_loop ? end : number + 1;
    }
    new_numbers[count] = static_cast<uint32_t>(kept_.size());
    for (const Step& step : kept_) {
      for (uint32_t target = 0; target < step.target_count; ++target) {
        uint32_t& number = program_.targets[step.first_target + target];
        number = new_numbers[number];
      }
    }
    program_.steps = std::move(kept_);
    DropCompiledKernels();
  }

 private:
  void FindArenaOffsets() {
    for (const Slot& slot : program_.slots) {
      const bool is_in_arena = slot.kind == inplace::Buffer::Kind::kScratch && slot.host < 0;
      arena_offsets_.push_back(is_in_arena ? slot.offset : -1);
    }
    for (const Step& step : program_.steps) {
      if (step.kind != Step::Kind::kMove) continue;
      for (uint32_t pair = 0; pair < step.place_count; pair += 2)
        arena_offsets_[program_.places[step.first_place + pair].slot] = -1;
    }
  }

  bool IsSmall(uint32_t first, uint32_t end) const {
    return std::all_of(program_.steps.begin() + first, program_.steps.begin() + end, [&](const Step& step) {
      switch (step.kind) {
        case Step::Kind::kKernel: return program_.kernels[step.index].elements <= kMaxElements;
        case Step::Kind::kCopy: return step.bytes <= kMaxCopiedBytes;
        case Step::Kind::kMove:
        case Step::Kind::kWindow:
        case Step::Kind::kJump:
        case Step::Kind::kJumpUnless:
        case Step::Kind::kSwitch: return true;
        case Step::Kind::kLoop:
        case Step::Kind::kMatMul:
        case Step::Kind::kConvolution:
        case Step::Kind::kFft:
        case Step::Kind::kCholesky:
        case Step::Kind::kTriangularSolve:
        case Step::Kind::kRandomBits:
        case Step::Kind::kRandomState:
        case Step::Kind::kCustomCall: break;
      }
      return false;
    });
  }

  Step Compile(uint32_t first, uint32_t end) {
    LoopRequest request;
    const Step& back = program_.steps[end - 1];
    request.name = module_.instruction(back.instruction).name;
    request.steps = std::span(program_.steps).subspan(first, end - first);
    request.first = first;
    request.places = program_.places;
    request.targets = program_.targets;
    request.kernels = program_.kernels;
    request.windows = program_.windows;
    request.arena_offsets = arena_offsets_;
    Step step;
    step.kind = Step::Kind::kLoop;
    step.instruction = back.instruction;
    step.index = static_cast<uint32_t>(program_.loops.size());
    program_.loops.push_back(compiler_.AddLoop(request));
    return step;
  }

  void DropCompiledKernels() {
    std::vector<Kernel> kept;
    for (Step& step : program_.steps) {
      if (step.kind != Step::Kind::kKernel) continue;
      kept.push_back(std::move(program_.kernels[step.index]));
      step.index = static_cast<uint32_t>(kept.size() - 1);
    }
    program_.kernels = std::move(kept);
  }

  Program& program_;
  KernelCompiler& compiler_;
  const ir::Module& module_;
  std::vector<int64_t> arena_offsets_;
  std::vector<Step> kept_;
};

}  // namespace

void CompileSmallLoops(Program& program, KernelCompiler& compiler, const ir::Module& module) {
  SmallLoops(program, compiler, module).Run();
}

}  // namespace stead::cpu
