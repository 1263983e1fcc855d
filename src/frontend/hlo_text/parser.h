// HLO text, as XLA of any age prints it -> ir::Module.
//   Every attribute that no room interprets is kept as text (ir::ExtraAttribute) and printed back.
//   RETURNS an error with file, line and column for anything that is not HLO text; never crashes on hostile bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ir/module.h"

namespace stead::frontend {

// True for what ParseHloText may read: it holds `HloModule`, or begins with a computation.
bool LooksLikeHloText(std::string_view text);

// A module without a header, as XLA's tests write it, is named after its entry. `file_name` appears in diagnostics and in Instruction::text_place. The result is parsed, not verified.
Result<ir::Module> ParseHloText(std::string_view text, const std::string& file_name);

}  // namespace stead::frontend
