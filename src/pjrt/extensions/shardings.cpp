#include "pjrt/extensions/shardings.h"

#include "pjrt/program/executable.h"
#include "pjrt/program/op_sharding.h"

namespace stead::pjrt {

namespace {

// The C API wants the texts and their sizes as two lists that live on; each thread has its own until its next call.
struct TextList {
  std::vector<const char*> texts;
  std::vector<size_t> sizes;

  void Assign(const std::vector<std::string>& strings) {
    texts.clear();
    sizes.clear();
    for (const std::string& text : strings) {
      texts.push_back(text.data());
      sizes.push_back(text.size());
    }
  }
};

}  // namespace

Status ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  const Program& program = *args.executable->program;
  args.num_parameters = program.signature.parameters.size();
  args.shardings = nullptr;
  args.sharding_sizes = nullptr;
  if (!program.tilings) return {};
  thread_local TextList list;
  list.Assign(program.parameter_shardings);
  args.shardings = list.texts.data();
  args.sharding_sizes = list.sizes.data();
  return {};
}

Status OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  const Program& program = *args.executable->program;
  args.num_outputs = program.signature.results.size();
  args.shardings = nullptr;
  args.sharding_sizes = nullptr;
  if (!program.tilings) return {};
  thread_local TextList list;
  list.Assign(program.output_shardings);
  // jaxlib has one for a result that is an empty tuple.
  static const std::string whole = WriteOpSharding({});
  if (program.output_shardings.empty()) list = {.texts = {whole.data()}, .sizes = {whole.size()}};
  args.num_outputs = list.texts.size();
  args.shardings = list.texts.data();
  args.sharding_sizes = list.sizes.data();
  return {};
}

}  // namespace stead::pjrt
