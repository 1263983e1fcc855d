#include "ffi/custom_call.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>
#include <utility>

#include "ffi/call_frame.h"
#include "ffi/error.h"

namespace stead::ffi {
namespace {

int64_t NextRunId() {
  static std::atomic<int64_t> last = 0;
  return ++last;
}

}  // namespace

struct Execution::CallStates {
  bool is_ready = false;  // the stages before `execute` are done
  StateObject prepared, initialized;
};

Execution::Execution(const UserData* user_data) : user_data_(user_data), run_id_(NextRunId()) {}
Execution::~Execution() = default;

struct CustomCall::Binding {
  std::string doing;  // for diagnostics
  SourcePlace where;
  HandlerBundle handlers;
  CallFrame frame;
  StateObject instance;

  Status Call(Handler* handler, XLA_FFI_ExecutionStage stage, std::span<void* const> arrays,
              XLA_FFI_ExecutionContext& context) const {
    return ToStatus(frame.Call(handler, stage, arrays, context), doing, where);
  }
};

CustomCall::CustomCall(std::unique_ptr<Binding> binding) : binding_(std::move(binding)) {}
CustomCall::~CustomCall() = default;

Result<std::unique_ptr<CustomCall>> CustomCall::Make(CallSite site) {
  std::string doing = fmt::format("custom call to `{}`", site.target);
  const std::optional<HandlerBundle> handlers = FindHandler(site.target);
  if (!handlers) {
    return Unimplemented(fmt::format("{} has no handler", doing), site.where,
                         "nobody registered a handler of that name for this process's CPU",
                         "under JAX, call jax.ffi.register_ffi_target before the program is compiled");
  }
  Result<Dictionary> attributes = ParseAttributes(site.configuration);
  if (!attributes.ok()) {
    Diagnostic diagnostic = attributes.error();
    diagnostic.what = fmt::format("{}: {}", doing, diagnostic.what);
    diagnostic.where = site.where;
    return diagnostic;
  }
  std::unique_ptr<Binding> binding(new Binding{.doing = std::move(doing),
                                               .where = std::move(site.where),
                                               .handlers = *handlers,
                                               .frame = {site.operands, site.results, *std::move(attributes)}});
  if (handlers->instantiate != nullptr) {
    XLA_FFI_ExecutionContext context;
    context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &binding->instance;
    TRY_STATUS(binding->Call(handlers->instantiate, XLA_FFI_ExecutionStage_INSTANTIATE, {}, context));
  }
  return std::unique_ptr<CustomCall>(new CustomCall(std::move(binding)));
}

Execution::CallStates& CustomCall::StatesOf(Execution& execution) const {
  std::unique_ptr<Execution::CallStates>& states = execution.states_[this];
  if (states == nullptr) states = std::make_unique<Execution::CallStates>();
  return *states;
}

// The stages before `execute` come right before the first one of a run: only then are the addresses known.
Status CustomCall::Run(std::span<void* const> arrays, Execution& execution) const {
  const HandlerBundle& handlers = binding_->handlers;
  XLA_FFI_ExecutionContext context;
  context.states[XLA_FFI_ExecutionStage_INSTANTIATE] = &binding_->instance;
  context.user_data = execution.user_data_;
  context.run_id = execution.run_id_;
  if (handlers.prepare != nullptr || handlers.initialize != nullptr) {
    Execution::CallStates& states = StatesOf(execution);
    context.states[XLA_FFI_ExecutionStage_PREPARE] = &states.prepared;
    context.states[XLA_FFI_ExecutionStage_INITIALIZE] = &states.initialized;
    if (!std::exchange(states.is_ready, true)) {
      if (handlers.prepare != nullptr)
        TRY_STATUS(binding_->Call(handlers.prepare, XLA_FFI_ExecutionStage_PREPARE, arrays, context));
      if (handlers.initialize != nullptr)
        TRY_STATUS(binding_->Call(handlers.initialize, XLA_FFI_ExecutionStage_INITIALIZE, arrays, context));
    }
  }
  return binding_->Call(handlers.execute, XLA_FFI_ExecutionStage_EXECUTE, arrays, context);
}

}  // namespace stead::ffi
