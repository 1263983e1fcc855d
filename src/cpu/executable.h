// A program with its machine code, ready to run: sets the slots' pointers, walks the steps, hands the results out.
#pragma once

#include <memory>
#include <mutex>

#include "base/random_state.h"
#include "cpu/llvm/jit.h"
#include "cpu/program.h"
#include "runtime/executable.h"

namespace stead::cpu {

class CpuExecutable : public runtime::Executable {
 public:
  // `code` holds every kernel of `program`, and counts what it stores if `counts_copies`.
  static Result<std::unique_ptr<CpuExecutable>> Make(Program program, MachineCode code, runtime::Signature signature,
                                                     runtime::MemoryStats memory_stats, bool counts_copies);

  const runtime::Signature& signature() const override { return signature_; }
  const runtime::MemoryStats& memory_stats() const override { return memory_stats_; }
  Result<std::vector<runtime::AllocationRef>> Run(std::span<const runtime::Argument> arguments,
                                                  runtime::RunContext& context) override;

 private:
  CpuExecutable(Program program, MachineCode code, runtime::Signature signature, runtime::MemoryStats memory_stats);

  // The memory of one run. `owners` keeps alive whatever a slot may point to.
  struct Frame {
    std::vector<std::byte*> slots;
    std::vector<runtime::AllocationRef> owners;
    runtime::AllocationRef arena;
  };
  Status CheckArguments(std::span<const runtime::Argument> arguments) const;
  Result<Frame> MakeFrame(std::span<const runtime::Argument> arguments, runtime::ThreadPool& threads,
                          int64_t& copied_bytes) const;
  // RETURNS the error of a custom call; the steps after it did not run.
  Status Walk(std::vector<std::byte*>& slots, ffi::Execution& execution, runtime::ThreadPool& threads,
              int64_t& copied_bytes) const;
  void RunKernel(uint32_t number, void* const* arguments, runtime::ThreadPool& threads) const;
  // What the step has copied, after it ran.
  int64_t CopiedBytes(const Step& step) const;
  Result<std::vector<runtime::AllocationRef>> TakeResults(Frame& frame, std::span<const runtime::Argument> arguments,
                                                          runtime::ThreadPool& threads, int64_t& copied_bytes) const;

  Program program_;
  MachineCode code_;
  std::vector<KernelFunction*> kernels_;
  std::vector<LoopFunction*> loops_;
  std::vector<MatMulFunction> matmuls_;
  std::vector<MatMulFunction> convolutions_;
  std::vector<FftFunction> ffts_;
  mutable std::vector<RandomState> random_states_;  // live as long as the program, so that each run gets other numbers
  std::vector<std::unique_ptr<ffi::CustomCall>> custom_calls_;
  runtime::Signature signature_;
  runtime::MemoryStats memory_stats_;
  uint32_t most_places_ = 0;
  int64_t* stored_bytes_ = nullptr;  // the counter in the code; null: it does not count
  std::mutex counting_;              // held by a run that counts: the counter is one for all runs
};

}  // namespace stead::cpu
