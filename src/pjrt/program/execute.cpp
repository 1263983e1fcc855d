#include "pjrt/program/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "driver/memory_report.h"
#include "ir/literal_layout.h"
#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "pjrt/event.h"
#include "pjrt/extensions/ffi_extension.h"
#include "pjrt/given_struct.h"
#include "pjrt/program/executable.h"
#include "pjrt/program/partition.h"

namespace stead::pjrt {

namespace {

// The arguments of one call, taken from their buffers. What was given away and not used goes back when this goes out of scope.
class TakenArguments {
 public:
  TakenArguments(const runtime::Signature& signature, std::vector<bool> may_donate)
      : signature_(signature), may_donate_(std::move(may_donate)) {}
  TakenArguments(const TakenArguments&) = delete;
  TakenArguments& operator=(const TakenArguments&) = delete;

  ~TakenArguments() {
    for (Donation& donation : donations_) {
      const std::lock_guard lock(donation.buffer->mutex);
      donation.buffer->memory = std::move(donation.memory);
      donation.buffer->is_deleted = false;
    }
  }

  Status Take(std::span<PJRT_Buffer* const> buffers) {
    if (buffers.size() != signature_.parameters.size()) {
      return InvalidArgument(fmt::format("Execution supplied {} buffers but compiled program expected {} buffers",
                                         buffers.size(), signature_.parameters.size()));
    }
    TRY_STATUS(CheckUsedOnce(buffers));
    // Room first: between the deletion of a buffer and the note of it nothing may fail.
    arguments_.reserve(buffers.size());
    donations_.reserve(buffers.size());
    for (size_t number = 0; number < buffers.size(); ++number) TRY_STATUS(TakeOne(*buffers[number], number));
    return {};
  }

  std::span<const runtime::Argument> arguments() const { return arguments_; }

  // The program ran, if only in part: what was given away is gone for good.
  void Commit() { donations_.clear(); }

 private:
  struct Donation {
    PJRT_Buffer* buffer;
    runtime::AllocationRef memory;
  };

  // A buffer that is given away must not be an argument twice.
  Status CheckUsedOnce(std::span<PJRT_Buffer* const> buffers) const {
    if (std::ranges::find(may_donate_, true) == may_donate_.end()) return {};
    std::unordered_map<PJRT_Buffer*, size_t> first_use;
    for (size_t number = 0; number < buffers.size(); ++number) {
      const auto [use, is_first] = first_use.try_emplace(buffers[number], number);
      if (is_first) continue;
      const bool was_donated = may_donate_[use->second];
      if (was_donated && may_donate_[number]) {
        return InvalidArgument(fmt::format("Attempt to donate the same buffer twice in Execute() (arguments {} and {})",
                                           use->second, number));
      }
      if (was_donated) {
        return InvalidArgument(
            fmt::format("Attempt to use a buffer that was previously donated in the same call to Execute() "
                        "(argument {}, donated as argument {})",
                        number, use->second));
      }
      if (may_donate_[number]) {
        return InvalidArgument(
            fmt::format("Attempt to donate a buffer which is also used by the same call to Execute() "
                        "(argument {}, used as argument {})",
                        number, use->second));
      }
    }
    return {};
  }

  Status TakeOne(PJRT_Buffer& buffer, size_t number) {
    const ir::Shape& expected = signature_.parameters[number];
    if (!buffer.shape.Compatible(expected)) {
      return InvalidArgument(fmt::format("Executable expected parameter {} of type {} but got a buffer of type {}",
                                         number, expected.ToString(false), buffer.shape.ToString(false)));
    }
    if (ir::MemoryStrides(buffer.shape) != ir::MemoryStrides(expected)) {
      return InvalidArgument(fmt::format("Executable expected parameter {} with layout {} but got a buffer with {}",
                                         number, expected.ToString(), buffer.shape.ToString()));
    }
    const std::lock_guard lock(buffer.mutex);
    TRY(runtime::AllocationRef memory, LockedMemory(buffer));
    const bool is_given_away = may_donate_[number] && buffer.external_references == 0;
    if (!is_given_away) {
      arguments_.push_back({std::move(memory), false});
      return {};
    }
    LockedDelete(buffer);
    // Held by this argument alone: no other buffer, view or run can see it change.
    const bool is_writable = !buffer.is_view && memory.use_count() == 1;
    donations_.push_back({&buffer, memory});
    arguments_.push_back({std::move(memory), is_writable});
    return {};
  }

  const runtime::Signature& signature_;
  const std::vector<bool> may_donate_;
  std::vector<runtime::Argument> arguments_;
  std::vector<Donation> donations_;
};

// Per parameter: the module gives it away and the caller did not forbid that for this call.
std::vector<bool> DonatableParameters(const runtime::Signature& signature, const PJRT_ExecuteOptions& options) {
  std::vector<bool> donatable = signature.donatable;
  donatable.resize(signature.parameters.size());
  for (size_t entry = 0; entry < options.num_non_donatable_input_indices; ++entry) {
    const int64_t parameter = options.non_donatable_input_indices[entry];
    if (parameter >= 0 && parameter < static_cast<int64_t>(donatable.size())) donatable[parameter] = false;
  }
  return donatable;
}

Status CheckCall(const PJRT_LoadedExecutable_Execute_Args& args, const PJRT_ExecuteOptions& options) {
  if (args.executable->is_deleted) return InvalidArgument("Execute() called on a deleted executable");
  if (args.num_devices != args.executable->devices.size()) {
    return InvalidArgument(
        fmt::format("Execute() on {} devices of a program for {}", args.num_devices, args.executable->devices.size()));
  }
  if (options.num_send_ops != 0 || options.num_recv_ops != 0) return Unimplemented("send and receive callbacks");
  return {};
}

// Whole arrays, put together from what the devices hold.
Result<std::vector<runtime::Argument>> GatherArguments(const Program& program,
                                                       const std::vector<std::unique_ptr<TakenArguments>>& taken) {
  const runtime::Signature& whole = program.compiled.executable->signature();
  std::vector<runtime::Argument> arguments;
  std::vector<runtime::Argument> tiles(taken.size());
  for (size_t number = 0; number < whole.parameters.size(); ++number) {
    for (size_t device = 0; device < taken.size(); ++device) tiles[device] = taken[device]->arguments()[number];
    TRY(runtime::Argument argument, Gather(whole.parameters[number], program.tilings->parameters[number], tiles));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

// A lack of memory says what the program wanted it for.
Diagnostic ErrorOfRun(Diagnostic error, const Program& program) {
  if (error.code == ErrorCode::kResourceExhausted) error.why = driver::MemoryReport(program.compiled.plan);
  return error;
}

using Outputs = std::vector<std::unique_ptr<PJRT_Buffer>>;

// The results per device.
Result<std::vector<Outputs>> MakeOutputs(const Program& program, std::span<PJRT_Device* const> devices,
                                         std::vector<runtime::AllocationRef> results) {
  std::vector<Outputs> outputs(devices.size());
  for (size_t number = 0; number < results.size(); ++number) {
    std::vector<runtime::AllocationRef> tiles(1);
    if (program.tilings) {
      TRY(tiles, Scatter(program.compiled.executable->signature().results[number], program.tilings->results[number],
                         results[number]));
    } else {
      tiles[0] = std::move(results[number]);
    }
    for (size_t device = 0; device < devices.size(); ++device) {
      outputs[device].push_back(std::make_unique<PJRT_Buffer>(
          devices[device]->default_memory(), program.signature.results[number], std::move(tiles[device])));
    }
  }
  return outputs;
}

}  // namespace

Status LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args& args) {
  const PJRT_ExecuteOptions options = args.options == nullptr ? PJRT_ExecuteOptions{} : ReadStruct(args.options);
  TRY_STATUS(CheckCall(args, options));
  const std::shared_ptr<const Program> program = args.executable->program;
  const std::vector<PJRT_Device*>& devices = args.executable->devices;

  std::vector<std::unique_ptr<TakenArguments>> taken;
  for (size_t device = 0; device < devices.size(); ++device) {
    taken.push_back(
        std::make_unique<TakenArguments>(program->signature, DonatableParameters(program->signature, options)));
    TRY_STATUS(taken.back()->Take({args.num_args == 0 ? nullptr : args.argument_lists[device], args.num_args}));
  }
  std::span<const runtime::Argument> arguments = taken.front()->arguments();
  std::vector<runtime::Argument> gathered;
  if (program->tilings) {
    TRY(gathered, GatherArguments(*program, taken));
    arguments = gathered;
  }
  runtime::RunContext context;
  context.threads = args.executable->client->threads;
  if (options.context != nullptr) context.user_data = &options.context->user_data;
  Result<std::vector<runtime::AllocationRef>> run = program->compiled.executable->Run(arguments, context);
  if (context.started) {
    for (const std::unique_ptr<TakenArguments>& one : taken) one->Commit();
  }
  if (!run.ok()) return ErrorOfRun(run.error(), *program);
  std::vector<runtime::AllocationRef> results = std::move(*run);
  program->copied_bytes += context.copied_bytes;

  TRY(std::vector<Outputs> outputs, MakeOutputs(*program, devices, std::move(results)));
  std::vector<std::unique_ptr<PJRT_Event>> events;
  if (args.device_complete_events != nullptr) {
    for (size_t device = 0; device < devices.size(); ++device) events.push_back(std::make_unique<PJRT_Event>());
  }
  for (size_t device = 0; device < devices.size(); ++device) {
    for (size_t number = 0; number < outputs[device].size(); ++number) {
      args.output_lists[device][number] = outputs[device][number].release();
    }
    if (!events.empty()) args.device_complete_events[device] = events[device].release();
  }
  return {};
}

}  // namespace stead::pjrt
