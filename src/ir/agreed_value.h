// The mark on a value that several devices hold and of which the program says that they agree.
//   In HLO text: custom-call(a, b, c), custom_call_target="stead.agreed_value", one operand per device; its value is any of them.
//   The importer of manual computations writes it; a pass proves that the operands agree, or refuses the program.
#pragma once

#include <string_view>

namespace stead::ir {

inline constexpr std::string_view kAgreedValueTarget = "stead.agreed_value";

}  // namespace stead::ir
