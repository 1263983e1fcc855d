// One kernel per instruction that computes: a fusion, or an op that stands alone. Free of LLVM headers.
//   In: instructions of one module, and which of their results take over an operand's memory.
//   Out: functions over arrays of pointers. Kernels of one compiler share one LLVM module, which is cheaper than one each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cpu/llvm/jit.h"
#include "cpu/llvm/step.h"
#include "ir/module.h"

namespace stead::cpu {

// Arguments: the operands' array leaves, then the result's array leaves. Runs the work items [begin, end) of the kernel, which
// may run in any order and at the same time as others. REQUIRES: begin < end.
using KernelFunction = void(void* const* arguments, int64_t begin, int64_t end);

// Pairs of elements that are exchanged: the partner of index k is p with p[dim] = k[permutation[dim]], counted from the end of
// the dimension where it is reversed.
struct ElementPairs {
  std::vector<int64_t> dimensions;  // row major, as many elements as the results
  std::vector<int64_t> permutation;
  std::vector<bool> reversed;
};

struct KernelRequest {
  ir::InstrId instruction;
  // Per result leaf: the operand leaf whose memory it takes over, -1 for memory of its own.
  std::vector<int64_t> in_place;
  // Set when an operand whose memory is taken over is read at an element's partner too: both are read before either is written.
  std::optional<ElementPairs> pairs = {};
};

struct Kernel {
  std::string symbol;
  // The largest `end`: iterations of the outermost loop. 0: nothing to do.
  int64_t work_items = 0;
  int64_t elements = 0;    // of all results
  double nanoseconds = 0;  // estimated, of all work items one after the other
};

// A loop of steps. `steps` are numbered from `first` in `targets`; the loop starts at the first of them and is left by a jump to
// the number after the last. REQUIRES: kernels, copies, moves and jumps only.
struct LoopRequest {
  std::string name;
  std::span<const Step> steps;
  uint32_t first = 0;
  std::span<const Place> places;
  std::span<const uint32_t> targets;
  std::span<const Kernel> kernels;
  std::span<const Window> windows;
  // Per slot: its place in the arena, the same for the whole run; -1 for slots whose pointer is known only at run time.
  std::span<const int64_t> arena_offsets;
};

// Runs a loop; `slots` is the executable's table of pointers.
using LoopFunction = void(std::byte** slots);

class KernelCompiler {
 public:
  explicit KernelCompiler(const ir::Module& module);
  ~KernelCompiler();
  KernelCompiler(const KernelCompiler&) = delete;

  // Adds the kernel of one instruction.
  // RETURNS error (kUnimplemented) naming the first op or element type that cannot be emitted, with its source.
  Result<Kernel> Add(const KernelRequest& request);

  // Adds the function of a whole loop and gives its symbol. Its kernels become part of it: they cannot be called otherwise.
  std::string AddLoop(const LoopRequest& request);

  // Compiles everything added so far; the compiler is used up. `count_stores`: the code counts (count_stores.h).
  Result<MachineCode> Finish(const DumpSink& dump, bool count_stores);

 private:
  const ir::Module& module_;
  JitModule code_;
  int64_t next_number_ = 0;
};

}  // namespace stead::cpu
