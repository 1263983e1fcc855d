// Compiled programs and what the framework asks about them. Making one is in compile.h, running one in execute.h.
//   A Program is immutable and shared by every handle to it: LoadedExecutable (can run, can be deleted) and Executable
//   (only answers). Answers that are strings or lists point into the Program.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/compile.h"
#include "pjrt/program/compile_options.h"
#include "pjrt/program/saved_program.h"
#include "pjrt_abi.h"

namespace stead::pjrt {

struct Program {
  // `tilings`: how the arrays at the border lie on the devices, where there are several.
  // REQUIRES: signature is SignatureOfOneDevice(that of `compiled`, tilings).
  Program(driver::Compiled compiled, CompileOptions options, SavedProgram source,
          std::optional<ir::BorderTilings> tilings, runtime::Signature signature);

  driver::Compiled compiled;
  CompileOptions options;
  std::optional<ir::BorderTilings> tilings;
  runtime::Signature signature;  // as each device sees it
  SavedProgram source;           // what it was compiled from

  // The signature in the lists that the C API hands out.
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dimensions;  // of all results, one after the other
  std::vector<size_t> output_ranks;
  std::vector<const char*> memory_kinds;  // "device", at least one per parameter and per result
  std::vector<size_t> memory_kind_sizes;
  std::vector<PJRT_Layouts_MemoryLayout*> parameter_layouts, output_layouts;
  std::vector<std::string> parameter_shardings, output_shardings;  // OpSharding each; empty on one device
  mutable std::atomic<int64_t> copied_bytes = 0;                   // by all runs so far, if the program counts

  // What cost_analysis() shows. The list is valid until it is asked for again.
  const std::vector<PJRT_NamedValue>& Costs() const;
  // The final HLO as HloModuleProtoWithConfig; written when first asked for.
  Result<const std::string*> OptimizedHlo() const;

 private:
  mutable std::mutex mutex_;
  mutable std::optional<std::string> optimized_hlo_;
  mutable std::vector<PJRT_NamedValue> costs_;
};

}  // namespace stead::pjrt

struct PJRT_Executable {
  std::shared_ptr<const stead::pjrt::Program> program;
};

struct PJRT_LoadedExecutable {
  PJRT_Client* client = nullptr;
  std::vector<PJRT_Device*> devices;               // one per partition
  std::vector<PJRT_LogicalDeviceIds> logical_ids;  // of these
  std::shared_ptr<const stead::pjrt::Program> program;
  std::atomic<bool> is_deleted = false;
};

namespace stead::pjrt {

Status ExecutableDestroy(PJRT_Executable_Destroy_Args& args);
Status ExecutableName(PJRT_Executable_Name_Args& args);
Status ExecutableNumReplicas(PJRT_Executable_NumReplicas_Args& args);
Status ExecutableNumPartitions(PJRT_Executable_NumPartitions_Args& args);
Status ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args& args);
Status ExecutableSizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args);
Status ExecutableGetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args);
Status ExecutableOutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args);
Status ExecutableParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args& args);
Status ExecutableOutputElementTypes(PJRT_Executable_OutputElementTypes_Args& args);
Status ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args);
Status ExecutableOptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args);
Status ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args);
Status ExecutableGetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args);
Status ExecutableGetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args);

Status LoadedExecutableDestroy(PJRT_LoadedExecutable_Destroy_Args& args);
Status LoadedExecutableGetExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args);
Status LoadedExecutableAddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args& args);
Status LoadedExecutableAddressableDeviceLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args);
Status LoadedExecutableGetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args);
Status LoadedExecutableDelete(PJRT_LoadedExecutable_Delete_Args& args);
Status LoadedExecutableIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args);
Status LoadedExecutableFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args);

}  // namespace stead::pjrt
