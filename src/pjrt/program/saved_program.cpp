// The file: kMagic, then protocol buffer fields (kVersion first), then 8 bytes of checksum of all before them.
#include "pjrt/program/saved_program.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include <fmt/format.h>

#include <protozero/exception.hpp>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_message.hpp>

namespace stead::pjrt {

namespace {

enum class SavedField : protozero::pbf_tag_type {
  kVersion = 1,
  kFormat = 2,
  kCode = 3,
  kOptions = 4,
  kFingerprint = 5
};

// The digit is the version of the format.
constexpr std::string_view kMagic = "STEADEXECUTABLE1";
constexpr size_t kMagicName = kMagic.size() - 1;
constexpr size_t kChecksumBytes = sizeof(XXH64_canonical_t);

std::string ChecksumOf(std::string_view bytes) {
  XXH64_canonical_t checksum;
  XXH64_canonicalFromHash(&checksum, XXH64(bytes.data(), bytes.size(), 0));
  return {reinterpret_cast<const char*>(checksum.digest), kChecksumBytes};
}

Diagnostic OtherVersion(std::string_view theirs, std::string_view ours) {
  return {.code = ErrorCode::kFailedPrecondition,
          .what = fmt::format("the saved executable is of `{}`, this is `{}`", theirs, ours),
          .fix = "compile the program again, or delete the compilation cache"};
}

// What is between the magic and the checksum.
Result<std::string_view> CheckedContents(std::string_view bytes) {
  if (bytes.substr(0, kMagicName) != kMagic.substr(0, kMagicName)) {
    return InvalidArgument("the bytes are no executable that Stead saved");
  }
  if (bytes.size() < kMagic.size() + kChecksumBytes) return InvalidArgument("the saved executable is cut off");
  if (!bytes.starts_with(kMagic)) {
    return OtherVersion(fmt::format("format {}", bytes.substr(kMagicName, 1)),
                        fmt::format("format {}", kMagic.substr(kMagicName)));
  }
  const std::string_view contents = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (ChecksumOf(contents) != bytes.substr(contents.size())) {
    return InvalidArgument("the saved executable is damaged: its checksum is another one");
  }
  return contents.substr(kMagic.size());
}

Result<SavedProgram> ReadFields(std::string_view contents, std::string_view version) {
  SavedProgram program;
  std::string written_by;
  protozero::pbf_message<SavedField> message(contents.data(), contents.size());
  while (message.next()) {
    switch (message.tag()) {
      case SavedField::kVersion: written_by = message.get_string(); break;
      case SavedField::kFormat: program.format = message.get_string(); break;
      case SavedField::kCode: program.code = std::make_shared<const std::string>(message.get_string()); break;
      case SavedField::kOptions: program.options = message.get_string(); break;
      case SavedField::kFingerprint: program.fingerprint = message.get_string(); break;
      default: message.skip();
    }
  }
  if (written_by != version) return OtherVersion(written_by, version);
  if (program.code == nullptr) return InvalidArgument("the saved executable holds no program");
  return program;
}

}  // namespace

std::string WriteSavedProgram(const SavedProgram& program, std::string_view version) {
  std::string bytes(kMagic);
  protozero::pbf_builder<SavedField> message(bytes);
  message.add_bytes(SavedField::kVersion, version.data(), version.size());
  message.add_bytes(SavedField::kFormat, program.format);
  message.add_bytes(SavedField::kCode, *program.code);
  message.add_bytes(SavedField::kOptions, program.options);
  message.add_bytes(SavedField::kFingerprint, program.fingerprint);
  return bytes + ChecksumOf(bytes);
}

Result<SavedProgram> ReadSavedProgram(std::string_view bytes, std::string_view version) {
  TRY(const std::string_view contents, CheckedContents(bytes));
  try {
    return ReadFields(contents, version);
  } catch (const protozero::exception& exception) {
    return InvalidArgument(fmt::format("the saved executable is malformed: {}", exception.what()));
  }
}

}  // namespace stead::pjrt
