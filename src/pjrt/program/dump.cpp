#include "pjrt/program/dump.h"

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <protozero/pbf_builder.hpp>

#include "driver/dump.h"
#include "frontend/hlo_proto/writer.h"
#include "ir/text/printer.h"

namespace stead::pjrt {

namespace {

enum class HloProtoField : protozero::pbf_tag_type { kHloModule = 1 };

// The name of a program, which may hold anything, as a part of a file's name.
std::string FileName(std::string_view name) {
  std::string file(name.substr(0, 100));
  for (char& letter : file) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' || letter == '-';
    if (!is_plain) letter = '_';
  }
  return file;
}

}  // namespace

void DumpAsEnvironmentSays(const std::string& program_name, driver::Options& options) {
  static std::atomic<int> number = 0;
  const char* folder = std::getenv("STEAD_DUMP_TO");
  if (folder == nullptr || *folder == '\0' || !options.dump_to.empty()) return;
  options.dump_to = fmt::format("{}/{:04}-{}", folder, number++, FileName(program_name));
}

Status DumpFinalProgram(const ir::Module& module, const FinalDump& dump) {
  static std::atomic<int> number = 0;
  if (dump.folder.empty()) return {};
  TRY(const driver::Dump files, driver::Dump::To(dump.folder));
  const std::string stem = fmt::format("module_{:04}.{}.stead_after_optimizations", number++, FileName(module.name));
  TRY_STATUS(files.Write(stem + ".txt", ir::PrintModule(module)));
  if (!dump.as_proto) return {};
  TRY(const std::string module_proto, frontend::WriteHloProto(module));
  std::string proto;
  protozero::pbf_builder<HloProtoField>(proto).add_message(HloProtoField::kHloModule, module_proto);
  return files.Write(stem + ".hlo.pb", proto);
}

}  // namespace stead::pjrt
