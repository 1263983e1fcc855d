#include "pjrt/extensions/shardings.h"

#include "pjrt/program/executable.h"

namespace stead::pjrt {

Status ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  args.num_parameters = args.executable->program->signature().parameters.size();
  args.shardings = nullptr;
  args.sharding_sizes = nullptr;
  return {};
}

Status OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  args.num_outputs = args.executable->program->signature().results.size();
  args.shardings = nullptr;
  args.sharding_sizes = nullptr;
  return {};
}

}  // namespace stead::pjrt
