#include "ffi/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "ffi/api.h"
#include "ffi/error.h"

namespace stead::ffi {
namespace {

// Ids also come from jaxlib, which counts from 1; those made here stay clear of them.
constexpr int64_t kFirstOwnTypeId = int64_t{1} << 40;

struct RegisteredType {
  int64_t type_id = 0;
  TypeDeleter deleter = nullptr;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, HandlerBundle, std::less<>> handlers;
  std::map<std::string, RegisteredType, std::less<>> types;
};

// jax.lax.dce_sink: its operands are needed, for nothing.
XLA_FFI_Error* IgnoreOperands(XLA_FFI_CallFrame*) { return nullptr; }

// Never destroyed: programs may run until the process ends.
Registry& TheRegistry() {
  static Registry* const registry = new Registry{.handlers = {{"dce_sink", {.execute = IgnoreOperands}}}};
  return *registry;
}

// The version of the interface that the handler was compiled for must be one that our structs serve.
Status CheckVersion(const std::string& target, Handler* handler) {
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension = {};
  extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE;
  extension.extension_base.type = XLA_FFI_Extension_Metadata;
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  frame.api = GetApi();
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  TRY_STATUS(ToStatus(handler(&frame), fmt::format("registration of custom call target `{}`", target), {}));
  const XLA_FFI_Api_Version& version = metadata.api_version;
  if (version.major_version == XLA_FFI_API_MAJOR && version.minor_version <= XLA_FFI_API_MINOR) return {};
  return InvalidArgument(
      fmt::format("custom call target `{}` was compiled for version {}.{} of the XLA FFI, this is version {}.{}",
                  target, version.major_version, version.minor_version, XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR),
      {}, "", "compile it with the headers in the folder that jax.ffi.include_dir() names");
}

}  // namespace

Status RegisterHandler(const std::string& target, const HandlerBundle& bundle) {
  if (bundle.execute == nullptr) {
    return InvalidArgument(fmt::format("custom call target `{}` has no handler for the stage `execute`", target));
  }
  TRY_STATUS(CheckVersion(target, bundle.execute));
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto [entry, is_new] = registry.handlers.try_emplace(target, bundle);
  if (is_new || entry->second == bundle) return {};
  return InvalidArgument(fmt::format("custom call target `{}` is registered already, with other handlers", target));
}

std::optional<HandlerBundle> FindHandler(const std::string& target) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.handlers.find(target);
  if (found == registry.handlers.end()) return std::nullopt;
  return found->second;
}

Result<int64_t> RegisterType(const std::string& name, int64_t type_id, TypeDeleter deleter) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.types.find(name);
  if (found != registry.types.end()) {
    if (type_id == 0 || found->second.type_id == type_id) return found->second.type_id;
    return InvalidArgument(fmt::format("type `{}` has id {} already, not {}", name, found->second.type_id, type_id));
  }
  int64_t highest = kFirstOwnTypeId - 1;
  for (const auto& [other, type] : registry.types) {
    if (type_id != 0 && type.type_id == type_id) {
      return InvalidArgument(fmt::format("types `{}` and `{}` have the same id {}", other, name, type_id));
    }
    highest = std::max(highest, type.type_id);
  }
  const int64_t given = type_id != 0 ? type_id : highest + 1;
  registry.types.emplace(name, RegisteredType{given, deleter});
  return given;
}

void DestroyObject(int64_t type_id, void* object) {
  TypeDeleter deleter = nullptr;
  {
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    for (const auto& [name, type] : registry.types) {
      if (type.type_id == type_id) deleter = type.deleter;
    }
  }
  if (deleter != nullptr && object != nullptr) deleter(object);
}

}  // namespace stead::ffi
