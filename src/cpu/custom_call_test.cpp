#include "cpu/testing.h"
#include "ffi/registry.h"

namespace stead::cpu {
namespace {

// A handler that does nothing, successfully.
XLA_FFI_Error* Nothing(XLA_FFI_CallFrame*) { return nullptr; }

std::string ErrorOf(const std::string& call) {
  const auto executable = CompileModule(Parse("HloModule m\nENTRY main { x = f32[4] parameter(0)\n" + call + " }"));
  return executable.ok() ? "" : executable.error().ToString();
}

TEST(CustomCalls, UnknownTargetIsRefusedByNameAndPlace) {
  const std::string error = ErrorOf(
      "ROOT c = f32[4] custom-call(x), custom_call_target=\"nobody\", api_version=API_VERSION_TYPED_FFI, "
      "metadata={source_file=\"model.py\" source_line=12}");
  EXPECT_EQ(error.rfind("UNIMPLEMENTED: custom call to `nobody` has no handler", 0), 0U) << error;
  EXPECT_NE(error.find("model.py:12"), std::string::npos) << error;
}

TEST(CustomCalls, OtherInterfacesAreRefusedByName) {
  const std::string untyped = ErrorOf("ROOT c = f32[4] custom-call(x), custom_call_target=\"old\"");
  EXPECT_NE(untyped.find("`old` with no `api_version`"), std::string::npos) << untyped;
  const std::string old =
      ErrorOf("ROOT c = f32[4] custom-call(x), custom_call_target=\"old\", api_version=API_VERSION_STATUS_RETURNING");
  EXPECT_NE(old.find("`old` with `api_version=API_VERSION_STATUS_RETURNING`"), std::string::npos) << old;
}

TEST(CustomCalls, ArraysOfUnknownSizeAreRefused) {
  const std::string error =
      ErrorOf("ROOT c = f32[<=4] custom-call(x), custom_call_target=\"dce_sink\", api_version=API_VERSION_TYPED_FFI");
  EXPECT_NE(error.find("f32[<=4]"), std::string::npos) << error;
}

TEST(CustomCalls, CallOnADeclaredAliasLeavesTheArrayInPlace) {
  ASSERT_TRUE(ffi::RegisterHandler("nothing", {.execute = Nothing}).ok());
  const ir::Module module = Parse(R"(HloModule m, input_output_alias={ {}: (0, {}) }
    ENTRY main { x = f32[4] parameter(0)
      ROOT c = f32[4] custom-call(x), custom_call_target="nothing", api_version=API_VERSION_TYPED_FFI,
        output_to_operand_aliasing={{}: (0, {})} })");
  const auto executable = CompileModule(module);
  ASSERT_TRUE(executable.ok()) << executable.error().ToString();
  const runtime::AllocationRef memory = ToMemory(RandomArguments(module)[0]);
  const runtime::Argument arguments[] = {{memory, true}};
  const auto results = (*executable)->Run(arguments);
  ASSERT_TRUE(results.ok());
  EXPECT_EQ((*results)[0]->data(), memory->data());
}

}  // namespace
}  // namespace stead::cpu
