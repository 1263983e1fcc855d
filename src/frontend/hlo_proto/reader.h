// HloModuleProto, or a message that holds one -> ir::Module.
//   Everything that HLO text says is read from the fields of the protocol, and what text has no word for is kept for the
//   writer (text/extra_attributes.h). What cannot be kept is an error that names the field. Ids (of the module, of
//   computations and instructions) are not kept: they are given anew when the module is written.
//   Hostile bytes give an error. Time is linear in their number, memory at most 150 times that (mutation_test.cpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// True for an HloModuleProto and for HloProto, HloModuleProtoWithConfig, HloSnapshot and HloUnoptimizedSnapshot with one,
// by their outermost fields.
bool IsHloProto(std::span<const std::byte> bytes);

// Of what holds a module, only the module and its configuration (layout of the entry, replicas, partitions) are read.
// `file_name` appears in diagnostics. The result is read, not verified.
Result<ir::Module> ReadHloProto(std::span<const std::byte> bytes, const std::string& file_name);

}  // namespace stead::frontend
