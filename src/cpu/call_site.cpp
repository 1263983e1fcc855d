#include "cpu/call_site.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace stead::cpu {

Result<ffi::CallSite> ToCallSite(const ir::Module& module, ir::InstrId id) {
  const ir::Instruction& call = module.instruction(id);
  ffi::CallSite site{.target = call.As<ir::CustomCallAttributes>().target, .where = module.SourceOf(id)};
  const auto value_of = [&](std::string_view key) {
    const auto found = std::ranges::find(call.extra, key, &ir::ExtraAttribute::key);
    return found == call.extra.end() ? std::string() : found->value;
  };
  const std::string version = value_of("api_version");
  if (version != "API_VERSION_TYPED_FFI") {
    return Unimplemented(fmt::format("custom call to `{}` with {}", site.target,
                                     version.empty() ? "no `api_version`" : fmt::format("`api_version={}`", version)),
                         site.where, "only calls of the typed XLA FFI (API_VERSION_TYPED_FFI) can run");
  }
  site.configuration = value_of("backend_config");
  const auto add_leaves = [](const ir::Shape& shape, std::vector<ir::Shape>& leaves) {
    ir::ForEachLeaf(shape, [&](const ir::ShapeIndex&, const ir::Shape& leaf) { leaves.push_back(leaf); });
  };
  for (ir::InstrId operand : call.operands) add_leaves(module.shape(operand), site.operands);
  add_leaves(call.shape, site.results);
  for (const std::vector<ir::Shape>* leaves : {&site.operands, &site.results}) {
    for (const ir::Shape& leaf : *leaves) {
      const bool is_dynamic = std::ranges::count(leaf.dynamic_dimensions, true) > 0;
      if (leaf.kind != ir::Shape::Kind::kOpaque && !is_dynamic) continue;
      return Unimplemented(fmt::format("custom call to `{}` with a value of shape {}", site.target, leaf.ToString()),
                           site.where, "it takes and gives tokens, and arrays of known size");
    }
  }
  return site;
}

}  // namespace stead::cpu
