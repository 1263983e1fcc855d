#include "ir/verify.h"

#include <fmt/format.h>

namespace stead::ir {

Status VerifyModule(const Module& module) {
  if (!module.entry.valid()) return InvalidArgument("the module has no entry computation");
  for (ComputationId id : module.ComputationsPostOrder()) {
    if (!module.root(id).valid())
      return InvalidArgument(fmt::format("computation `{}` has no root", module.computation(id).name));
  }
  return {};
}

}  // namespace stead::ir
