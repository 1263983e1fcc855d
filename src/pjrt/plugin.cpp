#include "pjrt/plugin.h"

#include <iterator>
#include <string_view>

namespace stead::pjrt {

namespace {

// The newest StableHLO that our reader is tested with; the framework writes this version or an older one of its own.
constexpr int64_t kStablehloCurrentVersion[] = {1, 17, 0};
// The oldest that the portable format still promises to read (chlo ops come as composites from here on).
constexpr int64_t kStablehloMinimumVersion[] = {1, 0, 0};

template <size_t size>
PJRT_NamedValue IntegerList(std::string_view name, const int64_t (&values)[size]) {
  PJRT_NamedValue named = {};
  named.struct_size = PjrtStructSize(&named);
  named.name = name.data();
  named.name_size = name.size();
  named.type = PJRT_NamedValue_kInt64List;
  named.int64_array_value = values;
  named.value_size = size;
  return named;
}

}  // namespace

Status PluginInitialize(PJRT_Plugin_Initialize_Args&) { return {}; }

Status PluginAttributes(PJRT_Plugin_Attributes_Args& args) {
  static const PJRT_NamedValue attributes[] = {
      IntegerList("stablehlo_current_version", kStablehloCurrentVersion),
      IntegerList("stablehlo_minimum_version", kStablehloMinimumVersion),
  };
  args.attributes = attributes;
  args.num_attributes = std::size(attributes);
  return {};
}

}  // namespace stead::pjrt
