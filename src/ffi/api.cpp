#include "ffi/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "ffi/error.h"
#include "ffi/registry.h"

namespace stead::ffi {

StateObject::~StateObject() { DestroyObject(type_id, object); }

namespace {

XLA_FFI_Error* ErrorCreate(XLA_FFI_Error_Create_Args* args) { return NewError(args->errc, args->message); }

void ErrorGetMessage(XLA_FFI_Error_GetMessage_Args* args) { args->message = MessageOf(args->error); }

void ErrorDestroy(XLA_FFI_Error_Destroy_Args* args) { DestroyError(args->error); }

XLA_FFI_Error* HandlerRegister(XLA_FFI_Handler_Register_Args* args) {
  const XLA_FFI_Handler_Bundle& given = args->bundle;
  const Status status = RegisterHandler(std::string(args->name.ptr, args->name.len),
                                        {given.instantiate, given.prepare, given.initialize, given.execute});
  return status.ok() ? nullptr : NewError(XLA_FFI_Error_Code_INVALID_ARGUMENT, status.error().what);
}

XLA_FFI_Error* StreamGet(XLA_FFI_Stream_Get_Args*) {
  // The first words are XLA's: users look for them.
  return NewError(XLA_FFI_Error_Code_UNIMPLEMENTED, "XLA FFI GPU context is not available: a CPU has no streams");
}

XLA_FFI_Error* TypeRegister(XLA_FFI_Type_Register_Args* args) {
  const Result<int64_t> type_id = RegisterType(std::string(args->name.ptr, args->name.len), args->type_id->type_id,
                                               args->type_info == nullptr ? nullptr : args->type_info->deleter);
  if (!type_id.ok()) return NewError(XLA_FFI_Error_Code_ALREADY_EXISTS, type_id.error().what);
  args->type_id->type_id = *type_id;
  return nullptr;
}

XLA_FFI_Error* ExecutionContextGet(XLA_FFI_ExecutionContext_Get_Args* args) {
  const UserData* const user_data = args->ctx->user_data;
  if (user_data == nullptr || !user_data->contains(args->type_id->type_id)) {
    return NewError(XLA_FFI_Error_Code_NOT_FOUND,
                    fmt::format("the caller gave no user data of type id {}", args->type_id->type_id));
  }
  args->data = user_data->at(args->type_id->type_id);
  return nullptr;
}

constexpr const char* kStageNames[] = {"instantiate", "prepare", "initialize", "execute"};

// The place of a stage's state, null where it has none. Handlers compiled for an interface before 0.3 have no `stage`.
template <typename Args>
StateObject* FindState(const Args& args, size_t whole_size) {
  if (args.struct_size < whole_size || static_cast<size_t>(args.stage) >= args.ctx->states.size()) return nullptr;
  return args.ctx->states[static_cast<size_t>(args.stage)];
}

XLA_FFI_Error* StateSet(XLA_FFI_State_Set_Args* args) {
  StateObject* const state = FindState(*args, XLA_FFI_State_Set_Args_STRUCT_SIZE);
  if (state == nullptr) return NewError(XLA_FFI_Error_Code_FAILED_PRECONDITION, "no state can be kept in this stage");
  if (state->object != nullptr) {
    return NewError(XLA_FFI_Error_Code_ALREADY_EXISTS,
                    fmt::format("the stage `{}` has set its state already", kStageNames[args->stage]));
  }
  state->type_id = args->type_id->type_id;
  state->object = args->state;
  return nullptr;
}

XLA_FFI_Error* StateGet(XLA_FFI_State_Get_Args* args) {
  StateObject* const state = FindState(*args, XLA_FFI_State_Get_Args_STRUCT_SIZE);
  if (state == nullptr || state->object == nullptr) {
    return NewError(XLA_FFI_Error_Code_NOT_FOUND, "no state was set in the stage that is asked for");
  }
  if (state->type_id != args->type_id->type_id) {
    return NewError(XLA_FFI_Error_Code_INVALID_ARGUMENT,
                    fmt::format("the state set in the stage `{}` has type id {}, not {}", kStageNames[args->stage],
                                state->type_id, args->type_id->type_id));
  }
  args->state = state->object;
  return nullptr;
}

XLA_FFI_Error* DeviceMemoryAllocate(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  const size_t alignment = std::max(args->alignment, alignof(std::max_align_t));
  if (posix_memalign(&args->data, alignment, std::max<size_t>(args->size, 1)) == 0) return nullptr;
  return NewError(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, fmt::format("no memory for {} bytes", args->size));
}

XLA_FFI_Error* DeviceMemoryFree(XLA_FFI_DeviceMemory_Free_Args* args) {
  std::free(args->data);
  return nullptr;
}

XLA_FFI_Error* ThreadPoolSchedule(XLA_FFI_ThreadPool_Schedule_Args* args) {
  args->task(args->data);
  return nullptr;
}

XLA_FFI_Error* ThreadPoolNumThreads(XLA_FFI_ThreadPool_NumThreads_Args* args) {
  *args->num_threads = 1;
  return nullptr;
}

XLA_FFI_Error* FutureCreate(XLA_FFI_Future_Create_Args* args) {
  args->future = new XLA_FFI_Future;
  return nullptr;
}

XLA_FFI_Error* Complete(XLA_FFI_Future* future, XLA_FFI_Error* error) {
  const std::shared_ptr<XLA_FFI_Future::Progress> progress = future->progress;
  const std::lock_guard lock(progress->mutex);
  progress->is_done = true;
  progress->error = error;
  progress->changed.notify_all();
  return nullptr;
}

XLA_FFI_Error* FutureSetAvailable(XLA_FFI_Future_SetAvailable_Args* args) { return Complete(args->future, nullptr); }

XLA_FFI_Error* FutureSetError(XLA_FFI_Future_SetError_Args* args) { return Complete(args->future, args->error); }

XLA_FFI_Error* RunIdGet(XLA_FFI_RunId_Get_Args* args) {
  args->run_id = args->ctx->run_id;
  return nullptr;
}

XLA_FFI_Error* DeviceOrdinalGet(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  args->device_ordinal = 0;
  return nullptr;
}

XLA_FFI_Api MakeApi() {
  XLA_FFI_Api api = {};
  api.struct_size = XLA_FFI_Api_STRUCT_SIZE;
  api.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  api.api_version.major_version = XLA_FFI_API_MAJOR;
  api.api_version.minor_version = XLA_FFI_API_MINOR;
  api.XLA_FFI_Error_Create = ErrorCreate;
  api.XLA_FFI_Error_GetMessage = ErrorGetMessage;
  api.XLA_FFI_Error_Destroy = ErrorDestroy;
  api.XLA_FFI_Handler_Register = HandlerRegister;
  api.XLA_FFI_Stream_Get = StreamGet;
  api.XLA_FFI_Type_Register = TypeRegister;
  api.XLA_FFI_ExecutionContext_Get = ExecutionContextGet;
  api.XLA_FFI_State_Set = StateSet;
  api.XLA_FFI_State_Get = StateGet;
  api.XLA_FFI_DeviceMemory_Allocate = DeviceMemoryAllocate;
  api.XLA_FFI_DeviceMemory_Free = DeviceMemoryFree;
  api.XLA_FFI_ThreadPool_Schedule = ThreadPoolSchedule;
  api.XLA_FFI_ThreadPool_NumThreads = ThreadPoolNumThreads;
  api.XLA_FFI_Future_Create = FutureCreate;
  api.XLA_FFI_Future_SetAvailable = FutureSetAvailable;
  api.XLA_FFI_Future_SetError = FutureSetError;
  api.XLA_FFI_RunId_Get = RunIdGet;
  api.XLA_FFI_DeviceOrdinal_Get = DeviceOrdinalGet;
  return api;
}

}  // namespace

const XLA_FFI_Api* GetApi() {
  static const XLA_FFI_Api api = MakeApi();
  return &api;
}

XLA_FFI_Error* Await(XLA_FFI_Future* future) {
  if (future == nullptr) return nullptr;
  const std::unique_ptr<XLA_FFI_Future> owned(future);
  std::unique_lock lock(owned->progress->mutex);
  owned->progress->changed.wait(lock, [&] { return owned->progress->is_done; });
  return owned->progress->error;
}

}  // namespace stead::ffi
