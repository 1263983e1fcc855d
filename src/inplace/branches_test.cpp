// Conditionals whose result is a new array in one branch and an existing one in the other: a pointer is set, nothing is copied.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "frontend/hlo_text/parser.h"
#include "inplace/cost.h"
#include "inplace/plan.h"

namespace stead::inplace {
namespace {

constexpr char kBranches[] = R"(
same {
  ROOT x = f32[8] parameter(0)
}
fresh {
  x = f32[8] parameter(0)
  ROOT y = f32[8] reverse(x), dimensions={0}
}
nested {
  p = (pred[], f32[8]) parameter(0)
  choice = pred[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  y = f32[8] conditional(choice, x, x), true_computation=fresh, false_computation=same
  ROOT z = f32[8] negate(y)
}
nested_result {
  p = (pred[], f32[8]) parameter(0)
  choice = pred[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  ROOT y = f32[8] conditional(choice, x, x), true_computation=same, false_computation=fresh
}
updated {
  p = (f32[8], f32[1]) parameter(0)
  x = f32[8] get-tuple-element(p), index=0
  row = f32[1] get-tuple-element(p), index=1
  two = s32[] constant(2)
  ROOT y = f32[8] dynamic-update-slice(x, row, two)
}
condition {
  p = (s32[], f32[8], pred[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[8], pred[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  choice = pred[] get-tuple-element(p), index=2
  y = f32[8] conditional(choice, x, x), true_computation=fresh, false_computation=same
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT t = (s32[], f32[8], pred[]) tuple(j, y, choice)
})";

// What the plan copies of a program with the branches above. `donated`: the caller gives x away.
int64_t Copied(const std::string& lines, bool donated) {
  const std::string text = fmt::format(
      "HloModule m{}\n{}\nENTRY main {{\n  x = f32[8] parameter(0)\n  choice = pred[] parameter(1)\n{}\n}}\n",
      donated ? ", buffer_donor={ (0, {}) }" : "", kBranches, lines);
  Result<ir::Module> module = frontend::ParseHloText(text, "test.hlo");
  if (!module.ok()) throw std::runtime_error(module.error().ToString());
  Result<BufferPlan> plan = MakePlan(std::move(*module), {});
  if (!plan.ok()) throw std::runtime_error(plan.error().ToString());
  Status checked = CheckPlan(*plan);
  EXPECT_TRUE(checked.ok()) << checked.error().ToString();
  for (const PlanRemark& remark : plan->remarks) EXPECT_NE(remark.code, "P001") << remark.why;
  EXPECT_TRUE(plan->exact) << lines;
  return CopiedBytes(*plan);
}

constexpr char kSameFirst[] =
    "  y = f32[8] conditional(choice, x, x), true_computation=same, false_computation=fresh\n";
constexpr char kFreshFirst[] =
    "  y = f32[8] conditional(choice, x, x), true_computation=fresh, false_computation=same\n";

TEST(Branches, AGivenArrayIsHandedOnOrReplaced) {
  EXPECT_EQ(Copied(std::string(kSameFirst) + "  ROOT r = f32[8] negate(y)", true), 0);
  EXPECT_EQ(Copied(std::string(kFreshFirst) + "  ROOT r = f32[8] negate(y)", true), 0);
  EXPECT_EQ(Copied("  ROOT y = f32[8] conditional(choice, x, x), true_computation=same, false_computation=fresh", true),
            0);
}

TEST(Branches, AnArrayThatIsNeededLaterIsPointedTo) {
  const std::string reads = "  both = f32[8] add(x, y)\n  ROOT r = f32[8] negate(both)";
  EXPECT_EQ(Copied(kSameFirst + reads, true), 0);
  EXPECT_EQ(Copied(kFreshFirst + reads, true), 0);
  EXPECT_EQ(Copied(kSameFirst + reads, false), 0);
  EXPECT_EQ(Copied(kFreshFirst + reads, false), 0);
}

// The caller's own array cannot be returned: the branch that hands it on copies it.
TEST(Branches, AnArrayOfTheCallersIsCopiedWhereItIsReturned) {
  const std::string lines =
      "  ROOT y = f32[8] conditional(choice, x, x), true_computation=same, false_computation=fresh";
  EXPECT_EQ(Copied(lines, false), 8 * 4);
}

// Each branch that updates x needs one more array, because all of x is read once the branch has run: no plan copies less.
TEST(Branches, AnUpdateOfWhatIsReadAfterwardsCopiesInEveryPlan) {
  const std::string lines = R"(  row = f32[1] constant({ 1 })
  given = (f32[8], f32[1]) tuple(x, row)
  y = f32[8] conditional(choice, given, given), true_computation=updated, false_computation=updated
  pair = (f32[8], f32[8]) tuple(y, x)
  behind = (f32[8], f32[8]) opt-barrier(pair)
  new = f32[8] get-tuple-element(behind), index=0
  old = f32[8] get-tuple-element(behind), index=1
  turned = f32[8] reverse(old), dimensions={0}
  ROOT r = (f32[8], f32[8]) tuple(new, turned))";
  EXPECT_EQ(Copied(lines, true), 8 * 4);
}

TEST(Branches, NestedInBothPositions) {
  const std::string given = "  given = (pred[], f32[8]) tuple(choice, x)\n";
  for (bool donated : {true, false}) {
    EXPECT_EQ(Copied(given + "  y = f32[8] conditional(choice, given, x), true_computation=nested, "
                             "false_computation=same\n  ROOT r = f32[8] negate(y)",
                     donated),
              0);
    EXPECT_EQ(
        Copied(given + "  y = f32[8] conditional(choice, x, given), true_computation=fresh, "
                       "false_computation=nested_result\n  both = f32[8] add(x, y)\n  ROOT r = f32[8] negate(both)",
               donated),
        0);
  }
}

// The result may be x, or what the inner branch made, and leaves the program.
TEST(Branches, ANestedResultThatIsReturned) {
  const std::string lines =
      "  given = (pred[], f32[8]) tuple(choice, x)\n  ROOT y = f32[8] conditional(choice, x, given), "
      "true_computation=fresh, false_computation=nested_result";
  EXPECT_EQ(Copied(lines, true), 0);
}

TEST(Branches, InALoopThatHandsTheResultOn) {
  const std::string loop =
      "  zero = s32[] constant(0)\n  start = (s32[], f32[8], pred[]) tuple(zero, x, choice)\n"
      "  w = (s32[], f32[8], pred[]) while(start), condition=condition, body=body\n"
      "  y = f32[8] get-tuple-element(w), index=1\n";
  EXPECT_EQ(Copied(loop + "  ROOT r = f32[8] negate(y)", true), 0);
}

}  // namespace
}  // namespace stead::inplace
