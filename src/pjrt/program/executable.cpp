#include "pjrt/program/executable.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "driver/dump.h"
#include "frontend/hlo_proto/reader.h"
#include "frontend/hlo_proto/writer.h"
#include "pjrt/client.h"
#include "pjrt/element_type.h"
#include "pjrt/given_struct.h"
#include "pjrt/program/cost.h"
#include "pjrt/program/default_layouts.h"

struct PJRT_SerializedDeviceAssignment {
  std::string bytes;
};

struct PJRT_SerializedCompileOptions {
  std::string bytes;
};

namespace stead::pjrt {

namespace {

constexpr std::string_view kMemoryKind = "device";
constexpr std::string_view kHloFormat = "hlo";
constexpr std::string_view kOptimizedFormat = "hlo_with_config";
constexpr std::string_view kBytecodeMagic = "ML\xEFR";

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

Status CheckFormat(std::string_view format, std::string_view code) {
  if (format == kHloFormat) {
    if (frontend::IsHloProto(std::as_bytes(std::span(code)))) return {};
    return InvalidArgument("the program is no HloModuleProto", {}, "a program of format `hlo` is one, serialised");
  }
  if (format != "mlir") return InvalidArgument(fmt::format("unknown program format `{}`", format));
  if (!code.starts_with(kBytecodeMagic)) {
    return InvalidArgument("the program is not MLIR bytecode", {},
                           "a program of format `mlir` is a StableHLO portable artifact, which starts with 4D 4C EF 52",
                           "write MLIR text with `stablehlo.serialize_portable_artifact_str`");
  }
  return {};
}

std::string FingerprintOf(std::string_view code, std::string_view options) {
  const XXH64_hash_t seed = XXH64(options.data(), options.size(), 0);
  return fmt::format("{:016x}", XXH64(code.data(), code.size(), seed));
}

// Arrays leave and enter in the order of elements that the framework assumes when it is not told another.
Status CheckLayouts(const std::vector<ir::Shape>& shapes, std::string_view what) {
  for (size_t number = 0; number < shapes.size(); ++number) {
    if (!shapes[number].is_row_major()) {
      return Unimplemented(
          fmt::format("{} {} has layout {}; only row major is offered", what, number, shapes[number].ToString()));
    }
  }
  return {};
}

// A folder name made from the name of a program, which may hold anything.
std::string FolderName(std::string_view name) {
  std::string folder(name.substr(0, 100));
  for (char& letter : folder) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '-';
    if (!is_plain) letter = '_';
  }
  return folder;
}

// torch_xla hands over no compile options of the user, so the passes can be asked for by the environment too: STEAD_DUMP_TO
// gets a folder per program, numbered in the order of compilation.
void DumpAsEnvironmentSays(const ir::Module& module, driver::Options& options) {
  static std::atomic<int> number = 0;
  const char* folder = std::getenv("STEAD_DUMP_TO");
  if (folder == nullptr || *folder == '\0' || !options.dump_to.empty()) return;
  options.dump_to = fmt::format("{}/{:04}-{}", folder, number++, FolderName(module.name));
}

}  // namespace

Program::Program(driver::Compiled compiled_program, CompileOptions compile_options, std::string program_fingerprint)
    : compiled(std::move(compiled_program)),
      options(std::move(compile_options)),
      fingerprint(std::move(program_fingerprint)) {
  for (const ir::Shape& shape : signature().results) {
    output_types.push_back(ToPjrtType(shape.element_type));
    output_dimensions.insert(output_dimensions.end(), shape.dimensions.begin(), shape.dimensions.end());
    output_ranks.push_back(shape.dimensions.size());
  }
  const size_t kinds = std::max(signature().parameters.size(), signature().results.size());
  memory_kinds.assign(kinds, kMemoryKind.data());
  memory_kind_sizes.assign(kinds, kMemoryKind.size());
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

Status ClientCompile(PJRT_Client_Compile_Args& args) {
  const PJRT_Program program = ReadStruct(args.program);
  const std::string_view code(program.code, program.code_size);
  TRY_STATUS(CheckFormat({program.format, program.format_size}, code));
  TRY(CompileOptions options, ParseCompileOptions({args.compile_options, args.compile_options_size}));
  TRY(ir::Module module, driver::Load(std::as_bytes(std::span(code)), nullptr, options.driver.file_name));
  if (std::string_view(program.format, program.format_size) == kHloFormat) UseDefaultLayouts(module);
  DumpAsEnvironmentSays(module, options.driver);
  TRY(const driver::Dump dump, driver::Dump::To(options.driver.dump_to));
  TRY_STATUS(dump.Write(code.starts_with(kBytecodeMagic) ? "program.mlirbc" : "program.pb", code));
  TRY(driver::Compiled compiled, driver::Compile(std::move(module), options.driver));
  TRY_STATUS(CheckLayouts(compiled.executable->signature().parameters, "parameter"));
  TRY_STATUS(CheckLayouts(compiled.executable->signature().results, "result"));
  std::string fingerprint = FingerprintOf(code, options.serialized);
  args.executable = new PJRT_LoadedExecutable{
      .client = args.client,
      .program = std::make_shared<Program>(std::move(compiled), std::move(options), std::move(fingerprint))};
  return {};
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
  args.num_partitions = 1;
  return {};
}

Status ExecutableNumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->program->signature().results.size();
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
  args.num_outputs = program.signature().results.size();
  args.memory_kinds = program.memory_kinds.data();
  args.memory_kind_sizes = program.memory_kind_sizes.data();
  return {};
}

Status ExecutableParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  const Program& program = *args.executable->program;
  args.num_parameters = program.signature().parameters.size();
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
  args.executable_fingerprint = args.executable->program->fingerprint.data();
  args.executable_fingerprint_size = args.executable->program->fingerprint.size();
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
  args.addressable_devices = args.executable->client->devices;
  args.num_addressable_devices = std::size(args.executable->client->devices);
  return {};
}

Status LoadedExecutableAddressableDeviceLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  static PJRT_LogicalDeviceIds ids[] = {{.replica = 0, .partition = 0}};
  args.addressable_device_logical_ids = ids;
  args.num_addressable_device_logical_ids = std::size(ids);
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
  args.executable_fingerprint = args.executable->program->fingerprint.data();
  args.executable_fingerprint_size = args.executable->program->fingerprint.size();
  return {};
}

}  // namespace stead::pjrt
