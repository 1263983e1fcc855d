// Why a copy exists. A copy instruction cannot be built without one (ir/module.h, AddCopy).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stead::ir {

enum class CopyReason : uint8_t {
#define COPY_REASON(enumerator, code, line) enumerator,
#include "ir/copy_reason.def"
#undef COPY_REASON
};

// The frontend attribute of HLO text that carries the code of a copy's reason.
inline constexpr std::string_view kCopyReasonKey = "stead_copy_reason";

// "C01".
std::string_view CopyReasonCode(CopyReason reason);
// The one-line description.
std::string_view CopyReasonText(CopyReason reason);
std::optional<CopyReason> CopyReasonFromCode(std::string_view code);

}  // namespace stead::ir
