#include "pjrt/program/executable.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "frontend/hlo_proto/writer.h"
#include "pjrt/client.h"
#include "pjrt/element_type.h"
#include "pjrt/extensions/layouts.h"
#include "pjrt/program/cost.h"
#include "pjrt/program/op_sharding.h"

struct PJRT_SerializedDeviceAssignment {
  std::string bytes;
};

struct PJRT_SerializedCompileOptions {
  std::string bytes;
};

namespace stead::pjrt {

namespace {

constexpr std::string_view kMemoryKind = "device";
constexpr std::string_view kOptimizedFormat = "hlo_with_config";

PJRT_NamedValue FloatProperty(std::string_view name, double value) {
  PJRT_NamedValue property = {};
  property.struct_size = PjrtStructSize(&property);
  property.name = name.data();
  property.name_size = name.size();
  property.type = PJRT_NamedValue_kFloat;
  property.float_value = static_cast<float>(value);
  property.value_size = 1;
  return property;
}

}  // namespace

Program::Program(driver::Compiled compiled_program, CompileOptions compile_options, SavedProgram saved_source,
                 std::optional<ir::BorderTilings> border, runtime::Signature device_signature)
    : compiled(std::move(compiled_program)),
      options(std::move(compile_options)),
      tilings(std::move(border)),
      signature(std::move(device_signature)),
      source(std::move(saved_source)) {
  for (const ir::Shape& shape : signature.results) {
    output_types.push_back(ToPjrtType(shape.element_type));
    output_dimensions.insert(output_dimensions.end(), shape.dimensions.begin(), shape.dimensions.end());
    output_ranks.push_back(shape.dimensions.size());
  }
  const size_t kinds = std::max(signature.parameters.size(), signature.results.size());
  memory_kinds.assign(kinds, kMemoryKind.data());
  memory_kind_sizes.assign(kinds, kMemoryKind.size());
  std::ranges::transform(signature.parameters, std::back_inserter(parameter_layouts), LayoutOf);
  std::ranges::transform(signature.results, std::back_inserter(output_layouts), LayoutOf);
  if (tilings) {
    std::ranges::transform(tilings->parameters, std::back_inserter(parameter_shardings), WriteOpSharding);
    std::ranges::transform(tilings->results, std::back_inserter(output_shardings), WriteOpSharding);
  }
  const Cost cost = EstimateCost(compiled.plan.module);
  costs_ = {FloatProperty("flops", cost.operations), FloatProperty("bytes accessed", cost.bytes_accessed)};
  if (options.driver.count_copies) costs_.push_back(FloatProperty("copied bytes", 0));
}

const std::vector<PJRT_NamedValue>& Program::Costs() const {
  const std::lock_guard lock(mutex_);
  if (options.driver.count_copies) costs_.back().float_value = static_cast<float>(copied_bytes);
  return costs_;
}

Result<const std::string*> Program::OptimizedHlo() const {
  const std::lock_guard lock(mutex_);
  if (!optimized_hlo_) {
    TRY(optimized_hlo_, frontend::WriteHloProtoWithConfig(compiled.plan.module));
  }
  return &*optimized_hlo_;
}

Status ExecutableDestroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status ExecutableName(PJRT_Executable_Name_Args& args) {
  const std::string& name = args.executable->program->compiled.plan.module.name;
  args.executable_name = name.data();
  args.executable_name_size = name.size();
  return {};
}

Status ExecutableNumReplicas(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = 1;
  return {};
}

Status ExecutableNumPartitions(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = args.executable->program->options.device_ids.size();
  return {};
}

Status ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->program->signature.results.size();
  return {};
}

Status ExecutableSizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes = args.executable->program->compiled.executable->memory_stats().code_bytes;
  return {};
}

Status ExecutableGetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  const std::vector<PJRT_NamedValue>& costs = args.executable->program->Costs();
  args.properties = costs.data();
  args.num_properties = costs.size();
  return {};
}

Status ExecutableOutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  const Program& program = *args.executable->program;
  args.num_outputs = program.signature.results.size();
  args.memory_kinds = program.memory_kinds.data();
  args.memory_kind_sizes = program.memory_kind_sizes.data();
  return {};
}

Status ExecutableParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  const Program& program = *args.executable->program;
  args.num_parameters = program.signature.parameters.size();
  args.memory_kinds = program.memory_kinds.data();
  args.memory_kind_sizes = program.memory_kind_sizes.data();
  return {};
}

Status ExecutableOutputElementTypes(PJRT_Executable_OutputElementTypes_Args& args) {
  // The C API forgot a const; nobody writes.
  args.output_types = const_cast<PJRT_Buffer_Type*>(args.executable->program->output_types.data());
  args.num_output_types = args.executable->program->output_types.size();
  return {};
}

Status ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  const Program& program = *args.executable->program;
  args.num_outputs = program.output_ranks.size();
  args.dims = program.output_dimensions.data();
  args.dim_sizes = program.output_ranks.data();
  return {};
}

// Called twice: without memory for the size, then with memory of that size.
Status ExecutableOptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args) {
  TRY(const std::string* hlo, args.executable->program->OptimizedHlo());
  PJRT_Program& program = *args.program;
  program.format = kOptimizedFormat.data();
  program.format_size = kOptimizedFormat.size();
  if (program.code == nullptr) {
    program.code_size = hlo->size();
    return {};
  }
  if (program.code_size < hlo->size()) {
    return InvalidArgument(
        fmt::format("the optimized program takes {} bytes, got room for {}", hlo->size(), program.code_size));
  }
  std::memcpy(program.code, hlo->data(), hlo->size());
  return {};
}

Status ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->program->source.fingerprint.data();
  args.executable_fingerprint_size = args.executable->program->source.fingerprint.size();
  return {};
}

Status ExecutableGetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const runtime::MemoryStats& stats = args.executable->program->compiled.executable->memory_stats();
  args.generated_code_size_in_bytes = stats.code_bytes;
  args.argument_size_in_bytes = stats.argument_bytes;
  args.output_size_in_bytes = stats.output_bytes;
  args.alias_size_in_bytes = stats.alias_bytes;
  args.temp_size_in_bytes = stats.temp_bytes;
  args.host_generated_code_size_in_bytes = 0;
  args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = 0;
  args.host_temp_size_in_bytes = 0;
  args.peak_memory_in_bytes = stats.peak_bytes;
  args.total_size_in_bytes = stats.peak_bytes;
  args.total_allocation_bytes = stats.peak_bytes;
  args.indefinite_allocations = 0;
  args.peak_unpadded_heap_bytes = stats.peak_bytes;
  return {};
}

Status ExecutableGetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  auto* holder = new PJRT_SerializedCompileOptions{args.executable->program->options.serialized};
  args.serialized_bytes = holder->bytes.data();
  args.serialized_bytes_size = holder->bytes.size();
  args.serialized_compile_options = holder;
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions* options) { delete options; };
  return {};
}

Status LoadedExecutableDestroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status LoadedExecutableGetExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable{args.loaded_executable->program};
  return {};
}

Status LoadedExecutableAddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->devices.data();
  args.num_addressable_devices = args.executable->devices.size();
  return {};
}

Status LoadedExecutableAddressableDeviceLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  args.addressable_device_logical_ids = args.executable->logical_ids.data();
  args.num_addressable_device_logical_ids = args.executable->logical_ids.size();
  return {};
}

Status LoadedExecutableGetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  auto* holder = new PJRT_SerializedDeviceAssignment{args.executable->program->options.device_assignment};
  args.serialized_bytes = holder->bytes.data();
  args.serialized_bytes_size = holder->bytes.size();
  args.serialized_device_assignment = holder;
  args.serialized_device_assignment_deleter = [](PJRT_SerializedDeviceAssignment* assignment) { delete assignment; };
  return {};
}

// Runs in progress hold the program; it goes with the last of them and of the handles.
Status LoadedExecutableDelete(PJRT_LoadedExecutable_Delete_Args& args) {
  args.executable->is_deleted = true;
  return {};
}

Status LoadedExecutableIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->is_deleted;
  return {};
}

Status LoadedExecutableFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->program->source.fingerprint.data();
  args.executable_fingerprint_size = args.executable->program->source.fingerprint.size();
  return {};
}

}  // namespace stead::pjrt
