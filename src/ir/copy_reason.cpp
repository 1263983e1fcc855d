#include "ir/copy_reason.h"

namespace stead::ir {
namespace {

struct ReasonRow {
  std::string_view code;
  std::string_view text;
};

constexpr ReasonRow kReasonRows[] = {
#define COPY_REASON(enumerator, code, line) {code, line},
#include "ir/copy_reason.def"
#undef COPY_REASON
};

}  // namespace

std::string_view CopyReasonCode(CopyReason reason) { return kReasonRows[static_cast<int>(reason)].code; }
std::string_view CopyReasonText(CopyReason reason) { return kReasonRows[static_cast<int>(reason)].text; }

std::optional<CopyReason> CopyReasonFromCode(std::string_view code) {
  for (size_t row = 0; row < std::size(kReasonRows); ++row) {
    if (kReasonRows[row].code == code) return static_cast<CopyReason>(row);
  }
  return std::nullopt;
}

}  // namespace stead::ir
