#include "passes/pass_runner.h"

#include "base/check.h"
#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

constexpr std::string_view kText = R"(HloModule m
    ENTRY main { x = f32[3] parameter(0)
      ROOT r = f32[3] negate(x) })";

Result<PassReport> DoNothing(ir::Module&) { return PassReport{false}; }
Result<PassReport> ClaimChange(ir::Module&) { return PassReport{true}; }
Result<PassReport> HideChange(ir::Module& module) {
  module.SetMetadata(module.entry_computation().root, {});
  return PassReport{false};
}
Result<PassReport> Fail(ir::Module&) { return Unimplemented("op `x`"); }

TEST(PassRunner, TellsTheObserverOfTheGivenModuleAndOfEachPass) {
  ir::Module module = Parse(kText);
  const Pass passes[] = {{"one", "", DoNothing}, {"two", "", DoNothing}};
  std::string seen;
  Status status = RunPasses(module, passes, [&](int number, std::string_view name, const ir::Module&) -> Status {
    seen += std::to_string(number) + std::string(name) + " ";
    return {};
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(seen, "0given 1one 2two ");
}

TEST(PassRunner, CatchesAPassThatLiesAboutChanges) {
  ir::Module module = Parse(kText);
  for (auto lie : {ClaimChange, HideChange}) {
    const Pass one = {"liar", "", lie};
    EXPECT_THROW((void)RunPasses(module, {&one, 1}), InternalError);
  }
}

TEST(PassRunner, HandsOnTheErrorOfAPassAndOfTheObserver) {
  ir::Module module = Parse(kText);
  const Pass passes[] = {{"fails", "", Fail}};
  EXPECT_FALSE(RunPasses(module, passes).ok());
  const Pass fine[] = {{"fine", "", DoNothing}};
  EXPECT_FALSE(RunPasses(module, fine, [](int, std::string_view, const ir::Module&) -> Status {
                 return NotFound("directory");
               }).ok());
}

TEST(PassRunner, EveryPassHasANameAndASentence) {
  for (const Pass& pass : Pipeline()) {
    EXPECT_FALSE(pass.name.empty());
    EXPECT_FALSE(pass.description.empty());
  }
}

}  // namespace
}  // namespace stead::passes
