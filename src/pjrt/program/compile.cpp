#include "pjrt/program/compile.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "driver/dump.h"
#include "frontend/hlo_proto/reader.h"
#include "ir/literal_layout.h"
#include "pjrt/client.h"
#include "pjrt/given_struct.h"
#include "pjrt/program/default_layouts.h"
#include "pjrt/program/dump.h"
#include "pjrt/program/executable.h"
#include "pjrt/program/partition.h"
#include "pjrt/program/saved_program.h"

struct PJRT_SerializedExecutable {
  std::string bytes;
};

namespace stead::pjrt {

namespace {

constexpr std::string_view kHloFormat = "hlo";
constexpr std::string_view kBytecodeMagic = "ML\xEFR";

Status CheckFormat(std::string_view format, std::string_view code) {
  if (format == kHloFormat) {
    if (frontend::IsHloProto(std::as_bytes(std::span(code)))) return {};
    return InvalidArgument("the program is no HloModuleProto", {}, "a program of format `hlo` is one, serialised");
  }
  // Bytecode or text: the reader tells them apart.
  if (format != "mlir") return InvalidArgument(fmt::format("unknown program format `{}`", format));
  return {};
}

// The name under which the given program is dumped.
std::string_view DumpName(std::string_view format, std::string_view code) {
  if (format == kHloFormat) return "program.pb";
  return code.starts_with(kBytecodeMagic) ? "program.mlirbc" : "program.mlir";
}

std::string FingerprintOf(std::string_view code, std::string_view options) {
  const XXH64_hash_t seed = XXH64(options.data(), options.size(), 0);
  return fmt::format("{:016x}", XXH64(code.data(), code.size(), seed));
}

// Arrays enter and leave in the layouts that the framework is told of.
Status CheckLayouts(const std::vector<ir::Shape>& shapes, const std::vector<ir::Shape>& told, std::string_view what) {
  for (size_t number = 0; number < shapes.size(); ++number) {
    const bool is_as_told =
        number >= told.size() || ir::MemoryStrides(shapes[number]) == ir::MemoryStrides(told[number]);
    const bool is_packed_as_usual = shapes[number].layout.suffix == ir::PackedSuffix(shapes[number].element_type);
    if (is_as_told && is_packed_as_usual) continue;
    return Unimplemented(fmt::format("{} {} has layout {}", what, number, shapes[number].ToString()));
  }
  return {};
}

std::vector<ir::Shape> ArrayLeaves(const std::vector<ir::Shape>& shapes) {
  std::vector<ir::Shape> leaves;
  for (const ir::Shape& shape : shapes) {
    ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) {
      if (leaf.is_array()) leaves.push_back(leaf);
    });
  }
  return leaves;
}

Status CheckBorder(const driver::Compiled& compiled) {
  const std::optional<ir::ProgramShape>& told = compiled.plan.module.entry_layout;
  const runtime::Signature& signature = compiled.executable->signature();
  TRY_STATUS(
      CheckLayouts(signature.parameters, told ? ArrayLeaves(told->parameters) : std::vector<ir::Shape>(), "parameter"));
  return CheckLayouts(signature.results, told ? ArrayLeaves({told->result}) : std::vector<ir::Shape>(), "result");
}

// `given_options`: those of the program, or others that its loader wants instead.
Result<std::shared_ptr<const Program>> CompileProgram(SavedProgram program, std::string_view given_options) {
  const std::string& code = *program.code;
  TRY_STATUS(CheckFormat(program.format, code));
  TRY(CompileOptions options, ParseCompileOptions(given_options));
  TRY(ir::Module module, driver::Load(std::as_bytes(std::span(code)), program.code, options.driver.file_name));
  if (program.format == kHloFormat) UseDefaultLayouts(module);
  UsePackedBorder(module);
  DumpAsEnvironmentSays(module.name, options.driver);
  TRY(const driver::Dump dump, driver::Dump::To(options.driver.dump_to));
  TRY_STATUS(dump.Write(std::string(DumpName(program.format, code)), code));
  TRY(driver::Compiled compiled, driver::Compile(std::move(module), options.driver));
  TRY_STATUS(CheckBorder(compiled));
  TRY_STATUS(DumpFinalProgram(compiled.plan.module, options.final_dump));
  const runtime::Signature& signature = compiled.executable->signature();
  std::optional<ir::BorderTilings> tilings;
  runtime::Signature device_signature = signature;
  const int64_t device_count = static_cast<int64_t>(options.device_ids.size());
  if (device_count > 1) {
    TRY(tilings, driver::LoadBorder(std::as_bytes(std::span(code)), device_count));
    TRY(device_signature, SignatureOfOneDevice(signature, *tilings));
  }
  return std::make_shared<const Program>(std::move(compiled), std::move(options), std::move(program),
                                         std::move(tilings), std::move(device_signature));
}

Result<PJRT_LoadedExecutable*> LoadProgram(PJRT_Client& client, std::shared_ptr<const Program> program) {
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  loaded->client = &client;
  for (const int64_t id : program->options.device_ids) {
    TRY(PJRT_Device * device, DeviceById(client, id));
    loaded->logical_ids.push_back({.replica = 0, .partition = static_cast<int>(loaded->devices.size())});
    loaded->devices.push_back(device);
  }
  loaded->program = std::move(program);
  return loaded.release();
}

}  // namespace

Status ClientCompile(PJRT_Client_Compile_Args& args) {
  const PJRT_Program given = ReadStruct(args.program);
  SavedProgram program{.format = std::string(given.format, given.format_size),
                       .code = std::make_shared<const std::string>(given.code, given.code_size),
                       .options = std::string(args.compile_options, args.compile_options_size)};
  program.fingerprint = FingerprintOf(*program.code, program.options);
  const std::string options = program.options;
  TRY(std::shared_ptr<const Program> compiled, CompileProgram(std::move(program), options));
  TRY(args.executable, LoadProgram(*args.client, std::move(compiled)));
  return {};
}

Status ExecutableSerialize(PJRT_Executable_Serialize_Args& args) {
  auto* holder = new PJRT_SerializedExecutable{WriteSavedProgram(args.executable->program->source, PlatformVersion())};
  args.serialized_bytes = holder->bytes.data();
  args.serialized_bytes_size = holder->bytes.size();
  args.serialized_executable = holder;
  args.serialized_executable_deleter =
      reinterpret_cast<void*>(+[](PJRT_SerializedExecutable* executable) { delete executable; });
  return {};
}

Status ExecutableDeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args& args) {
  const std::string_view bytes(static_cast<const char*>(args.serialized_executable), args.serialized_executable_size);
  const std::string_view other_options(static_cast<const char*>(args.overridden_serialized_compile_options),
                                       args.overridden_serialized_compile_options_size);
  TRY(SavedProgram program, ReadSavedProgram(bytes, PlatformVersion()));
  const std::string options = other_options.empty() ? program.options : std::string(other_options);
  TRY(std::shared_ptr<const Program> compiled, CompileProgram(std::move(program), options));
  TRY(args.loaded_executable, LoadProgram(*args.client, std::move(compiled)));
  return {};
}

}  // namespace stead::pjrt
