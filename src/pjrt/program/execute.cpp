#include "pjrt/program/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "pjrt/buffer.h"
#include "pjrt/client.h"
#include "pjrt/event.h"
#include "pjrt/extensions/ffi_extension.h"
#include "pjrt/given_struct.h"
#include "pjrt/program/executable.h"

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
  if (args.num_devices != 1)
    return InvalidArgument(fmt::format("Execute() on {} devices; this client has one", args.num_devices));
  if (options.num_send_ops != 0 || options.num_recv_ops != 0) return Unimplemented("send and receive callbacks");
  return {};
}

}  // namespace

Status LoadedExecutableExecute(PJRT_LoadedExecutable_Execute_Args& args) {
  const PJRT_ExecuteOptions options = args.options == nullptr ? PJRT_ExecuteOptions{} : ReadStruct(args.options);
  TRY_STATUS(CheckCall(args, options));
  const std::shared_ptr<const Program> program = args.executable->program;
  const runtime::Signature& signature = program->signature();

  TakenArguments taken(signature, DonatableParameters(signature, options));
  TRY_STATUS(taken.Take({args.num_args == 0 ? nullptr : args.argument_lists[0], args.num_args}));
  runtime::RunContext context;
  context.threads = args.executable->client->threads;
  if (options.context != nullptr) context.user_data = &options.context->user_data;
  Result<std::vector<runtime::AllocationRef>> run = program->compiled.executable->Run(taken.arguments(), context);
  if (context.started) taken.Commit();
  TRY(std::vector<runtime::AllocationRef> results, std::move(run));
  program->copied_bytes += context.copied_bytes;

  std::vector<std::unique_ptr<PJRT_Buffer>> outputs;
  for (size_t number = 0; number < results.size(); ++number) {
    outputs.push_back(std::make_unique<PJRT_Buffer>(&args.executable->client->device, signature.results[number],
                                                    std::move(results[number])));
  }
  std::unique_ptr<PJRT_Event> event(args.device_complete_events == nullptr ? nullptr : new PJRT_Event);
  for (size_t number = 0; number < outputs.size(); ++number) args.output_lists[0][number] = outputs[number].release();
  if (event != nullptr) args.device_complete_events[0] = event.release();
  return {};
}

}  // namespace stead::pjrt
