#include "cpu/executable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu/llvm/count_stores.h"

namespace stead::cpu {

using inplace::Buffer;
using runtime::AllocationRef;
using runtime::Argument;
using runtime::ThreadPool;

namespace {

// A start of a window, kept inside the array: an integer of any width and sign.
int64_t ClampedStart(const Window::Start& start, const std::byte* data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<size_t>(start.bytes));
  const int unused = static_cast<int>(64 - 8 * start.bytes);
  if (start.is_signed) return std::clamp<int64_t>(static_cast<int64_t>(bits << unused) >> unused, 0, start.last);
  return static_cast<int64_t>(std::min(bits, static_cast<uint64_t>(start.last)));
}

void Copy(std::byte* to, const std::byte* from, int64_t bytes, ThreadPool& threads) {
  constexpr int64_t kPiece = 64 * 1024;
  constexpr double kNanosecondsPerPiece = 6000;
  threads.ForEach((bytes + kPiece - 1) / kPiece, kNanosecondsPerPiece, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin * kPiece, from + begin * kPiece, std::min(bytes, end * kPiece) - begin * kPiece);
  });
}

}  // namespace

CpuExecutable::CpuExecutable(Program program, MachineCode code, runtime::Signature signature,
                             runtime::MemoryStats memory_stats)
    : program_(std::move(program)),
      code_(std::move(code)),
      random_states_(program_.random_deltas.size()),
      signature_(std::move(signature)),
      memory_stats_(memory_stats) {
  for (const Step& step : program_.steps) most_places_ = std::max(most_places_, step.place_count);
}

Result<std::unique_ptr<CpuExecutable>> CpuExecutable::Make(Program program, MachineCode code,
                                                           runtime::Signature signature,
                                                           runtime::MemoryStats memory_stats, bool counts_copies) {
  std::unique_ptr<CpuExecutable> executable(
      new CpuExecutable(std::move(program), std::move(code), std::move(signature), memory_stats));
  for (const Kernel& kernel : executable->program_.kernels) {
    TRY(void* const address, executable->code_.Find(kernel.symbol));
    executable->kernels_.push_back(reinterpret_cast<KernelFunction*>(address));
  }
  for (const std::string& loop : executable->program_.loops) {
    TRY(void* const address, executable->code_.Find(loop));
    executable->loops_.push_back(reinterpret_cast<LoopFunction*>(address));
  }
  if (counts_copies) {
    TRY(void* const counter, executable->code_.Find(kStoredBytesSymbol));
    executable->stored_bytes_ = static_cast<int64_t*>(counter);
  }
  for (const MatMul& matmul : executable->program_.matmuls) executable->matmuls_.push_back(PrepareMatMul(matmul));
  for (const Convolution& convolution : executable->program_.convolutions) {
    executable->convolutions_.push_back(PrepareConvolution(convolution));
  }
  for (const Fft& fft : executable->program_.ffts) executable->ffts_.push_back(PrepareFft(fft));
  for (const ffi::CallSite& site : executable->program_.custom_calls) {
    TRY(std::unique_ptr<ffi::CustomCall> call, ffi::CustomCall::Make(site));
    executable->custom_calls_.push_back(std::move(call));
  }
  return executable;
}

Status CpuExecutable::CheckArguments(std::span<const Argument> arguments) const {
  if (arguments.size() != signature_.parameters.size()) {
    return InvalidArgument(
        fmt::format("{} arguments were given, the program takes {}", arguments.size(), signature_.parameters.size()));
  }
  for (size_t number = 0; number < arguments.size(); ++number) {
    const int64_t wanted = signature_.parameters[number].byte_size();
    if (arguments[number].memory == nullptr || arguments[number].memory->bytes() < wanted) {
      const int64_t given = arguments[number].memory == nullptr ? 0 : arguments[number].memory->bytes();
      return InvalidArgument(fmt::format("argument {} has {} bytes, {} needs {}", number, given,
                                         signature_.parameters[number].ToString(false), wanted));
    }
    for (size_t other = 0; other < number && wanted > 0; ++other) {
      if (arguments[other].memory->data() != arguments[number].memory->data()) continue;
      if (!arguments[other].donated && !arguments[number].donated) continue;
      return InvalidArgument(fmt::format("arguments {} and {} are the same array, and it is donated", other, number),
                             {}, "the program may overwrite a donated array while it still reads the other argument",
                             "pass a copy of one of them, or do not donate it");
    }
  }
  return {};
}

Result<CpuExecutable::Frame> CpuExecutable::MakeFrame(std::span<const Argument> arguments, ThreadPool& threads,
                                                      int64_t& copied_bytes) const {
  Frame frame;
  TRY(frame.arena, runtime::Allocate(program_.arena_bytes));
  for (const Slot& slot : program_.slots) {
    std::byte* data = nullptr;
    switch (slot.kind) {
      case Buffer::Kind::kScratch:
        if (slot.host < 0) data = frame.arena->data() + slot.offset;
        break;
      case Buffer::Kind::kPointer: break;
      // Constants are only read; slots of all kinds share one type of pointer.
      case Buffer::Kind::kConstant:
        data = const_cast<std::byte*>(program_.constants[slot.constant].bytes().data());
        break;
      case Buffer::Kind::kOwned: {
        TRY(AllocationRef memory, runtime::Allocate(slot.bytes));
        data = memory->data();
        frame.owners.push_back(std::move(memory));
        break;
      }
      case Buffer::Kind::kParameter: {
        const Argument& argument = arguments[slot.parameter];
        AllocationRef memory = argument.memory;
        if (slot.overwritten && !argument.donated) {
          TRY(memory, runtime::Allocate(slot.bytes));
          Copy(memory->data(), argument.memory->data(), slot.bytes, threads);
          copied_bytes += slot.bytes;
        }
        data = memory->data();
        frame.owners.push_back(std::move(memory));
        break;
      }
    }
    frame.slots.push_back(data);
  }
  for (size_t number = 0; number < program_.slots.size(); ++number) {
    const Slot& slot = program_.slots[number];
    if (slot.host >= 0) frame.slots[number] = frame.slots[static_cast<size_t>(slot.host)] + slot.offset;
  }
  return frame;
}

int64_t CpuExecutable::CopiedBytes(const Step& step) const {
  const int64_t stored = step.kind == Step::Kind::kKernel ? std::exchange(*stored_bytes_, 0) : step.bytes;
  return step.new_bytes < 0 ? 0 : std::max<int64_t>(0, stored - step.new_bytes);
}

void CpuExecutable::RunKernel(uint32_t number, void* const* arguments, ThreadPool& threads) const {
  const Kernel& kernel = program_.kernels[number];
  KernelFunction* const function = kernels_[number];
  threads.ForEach(kernel.work_items, kernel.nanoseconds / static_cast<double>(kernel.work_items),
                  [=](int64_t begin, int64_t end) { function(arguments, begin, end); });
}

Status CpuExecutable::Walk(std::vector<std::byte*>& slots, ffi::Execution& execution, ThreadPool& threads,
                           int64_t& copied_bytes) const {
  std::vector<void*> pointers(most_places_);
  const auto address = [&](uint32_t number) {
    return slots[program_.places[number].slot] + program_.places[number].offset;
  };
  const auto gather_addresses = [&](const Step& step) {
    for (uint32_t number = 0; number < step.place_count; ++number)
      pointers[number] = address(step.first_place + number);
  };
  for (size_t at = 0; at < program_.steps.size();) {
    const Step& step = program_.steps[at];
    const uint32_t first = step.first_place;
    size_t next = at + 1;
    switch (step.kind) {
      case Step::Kind::kKernel:
        gather_addresses(step);
        RunKernel(step.index, pointers.data(), threads);
        break;
      case Step::Kind::kLoop: loops_[step.index](slots.data()); break;
      case Step::Kind::kMatMul:
        matmuls_[step.index](address(first), address(first + 1), address(first + 2), threads);
        break;
      case Step::Kind::kConvolution:
        convolutions_[step.index](address(first), address(first + 1), address(first + 2), threads);
        break;
      case Step::Kind::kFft: ffts_[step.index](address(first), address(first + 1), threads); break;
      case Step::Kind::kCholesky:
        RunCholesky(program_.choleskys[step.index], address(first), address(first + 1), threads);
        break;
      case Step::Kind::kTriangularSolve:
        RunTriangularSolve(program_.triangular_solves[step.index], address(first), address(first + 1),
                           address(first + 2), threads);
        break;
      case Step::Kind::kRandomBits:
        MakeRandomBits(program_.random_bits[step.index], address(first), address(first + 1), address(first + 2),
                       threads);
        break;
      case Step::Kind::kRandomState: {
        const std::array<uint64_t, 2> state = random_states_[step.index].Take(program_.random_deltas[step.index]);
        std::memcpy(address(first), state.data(), sizeof state);
        break;
      }
      case Step::Kind::kCustomCall:
        gather_addresses(step);
        TRY_STATUS(custom_calls_[step.index]->Run({pointers.data(), step.place_count}, execution));
        break;
      case Step::Kind::kWindow: {
        std::byte* data = address(first + 1);
        uint32_t place = first + 2;
        for (const Window::Start& start : program_.windows[step.index].starts)
          data += ClampedStart(start, address(place++)) * start.stride_bytes;
        slots[program_.places[first].slot] = data;
        break;
      }
      case Step::Kind::kCopy: Copy(address(first), address(first + 1), step.bytes, threads); break;
      case Step::Kind::kMove:
        for (uint32_t pair = 0; pair < step.place_count; pair += 2) pointers[pair] = address(first + pair + 1);
        for (uint32_t pair = 0; pair < step.place_count; pair += 2) {
          slots[program_.places[first + pair].slot] = static_cast<std::byte*>(pointers[pair]);
        }
        break;
      case Step::Kind::kJump: next = program_.targets[step.first_target]; break;
      case Step::Kind::kJumpUnless:
        if (*address(first) == std::byte{0}) next = program_.targets[step.first_target];
        break;
      case Step::Kind::kSwitch: {
        int32_t branch = 0;
        std::memcpy(&branch, address(first), sizeof branch);
        const int32_t last = static_cast<int32_t>(step.target_count) - 1;
        next = program_.targets[step.first_target + (branch < 0 || branch > last ? last : branch)];
        break;
      }
    }
    if (stored_bytes_ != nullptr) copied_bytes += CopiedBytes(step);
    at = next;
  }
  return {};
}

// A result is handed out in the memory that it lies in. Loops may have exchanged pointers, so the owner is looked up by
// address; memory that must stay here (the arena, constants, arguments that were not given away) is copied out.
Result<std::vector<AllocationRef>> CpuExecutable::TakeResults(Frame& frame, std::span<const Argument> arguments,
                                                              ThreadPool& threads, int64_t& copied_bytes) const {
  std::vector<AllocationRef> results;
  for (size_t leaf = 0; leaf < program_.results.size(); ++leaf) {
    const Place place = program_.results[leaf];
    std::byte* const data = frame.slots[place.slot] + place.offset;
    const auto owner =
        std::ranges::find_if(frame.owners, [&](const AllocationRef& memory) { return memory->data() == data; });
    const bool is_kept = std::ranges::any_of(
        arguments, [&](const Argument& argument) { return !argument.donated && argument.memory->data() == data; });
    const bool is_taken = std::ranges::count(results, owner == frame.owners.end() ? AllocationRef() : *owner) > 0;
    if (owner != frame.owners.end() && !is_kept && !is_taken) {
      results.push_back(*owner);
      continue;
    }
    TRY(AllocationRef copy, runtime::Allocate(program_.result_bytes[leaf]));
    Copy(copy->data(), data, program_.result_bytes[leaf], threads);
    copied_bytes += program_.result_bytes[leaf];
    results.push_back(std::move(copy));
  }
  return results;
}

Result<std::vector<AllocationRef>> CpuExecutable::Run(std::span<const Argument> arguments,
                                                      runtime::RunContext& context) {
  TRY_STATUS(CheckArguments(arguments));
  std::unique_lock counting(counting_, std::defer_lock);
  if (stored_bytes_ != nullptr) counting.lock();
  // The counter is not made for several threads either.
  const bool runs_alone = context.threads == nullptr || stored_bytes_ != nullptr;
  ThreadPool& threads = runs_alone ? ThreadPool::OfCaller() : *context.threads;
  TRY(Frame frame, MakeFrame(arguments, threads, context.copied_bytes));
  context.started = true;
  ffi::Execution execution(context.user_data);
  TRY_STATUS(Walk(frame.slots, execution, threads, context.copied_bytes));
  return TakeResults(frame, arguments, threads, context.copied_bytes);
}

}  // namespace stead::cpu
