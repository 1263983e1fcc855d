// A program in any accepted format, told apart by its content -> ir::Module: HLO text, a StableHLO portable artifact, or a
// protocol buffer that is or holds an HloModuleProto.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "ir/module.h"
#include "ir/tiling.h"

namespace stead::frontend {

// `owner` keeps `bytes` alive for large constants; null: they are copied. The result is read, not verified. RETURNS an error
// that names the accepted formats for anything else.
Result<ir::Module> ReadModule(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                              const std::string& file_name);

// How the arrays at the border of a program for several devices lie on them. RETURNS Unimplemented for other formats than StableHLO.
Result<ir::BorderTilings> ReadBorder(std::span<const std::byte> bytes, int64_t device_count);

}  // namespace stead::frontend
