// Loops of small steps run as one function: the same results, and no steps of their own.
#include "cpu/testing.h"

namespace stead::cpu {
namespace {

std::string Steps(const std::string& text) {
  std::string steps;
  CodegenOptions options;
  options.dump = [&](const std::string& name, const std::string& dumped) {
    if (name == "steps.txt") steps = dumped;
  };
  EXPECT_TRUE(CompileModule(Parse(text), options).ok());
  return steps;
}

int64_t Count(const std::string& text, const std::string& word) {
  int64_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// A loop `count` times over a counter and two arrays of `type`; `body` makes `x` and `y` from `i`, `a` and `b`.
std::string Loop(const std::string& type, int count, const std::string& body, const std::string& computations = "") {
  const std::string state = "(s32[], " + type + ", " + type + ")";
  const std::string parts = "  s = " + state + " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n";
  return "HloModule m\n" + computations + "cond {\n" + parts + "  n = s32[] constant(" + std::to_string(count) +
         ")\n  ROOT c = pred[] compare(i, n), direction=LT\n}\nbody {\n" + parts + "  a = " + type +
         " get-tuple-element(s), index=1\n  b = " + type + " get-tuple-element(s), index=2\n" + body +
         "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  ROOT t = " + state +
         " tuple(j, x, y)\n}\nENTRY e {\n  z = s32[] constant(0)\n  a = " + type + " parameter(0)\n  b = " + type +
         " parameter(1)\n  s = " + state + " tuple(z, a, b)\n  ROOT w = " + state +
         " while(s), condition=cond, body=body\n}\n";
}

TEST(SmallLoops, BecomeOneStep) {
  const std::string text = Loop("f32[]", 9, "  x = f32[] add(a, b)\n  y = f32[] multiply(a, b)\n");
  ExpectSame(text);
  EXPECT_EQ(Count(Steps(text), " loop "), 1);
  EXPECT_EQ(Count(Steps(text), " kernel ") + Count(Steps(text), " jump"), 0);
}

TEST(SmallLoops, RunZeroTimes) { ExpectSame(Loop("f32[3]", 0, "  x = f32[3] add(a, b)\n  y = f32[3] negate(a)\n")); }

// Both memories change hands each time; an odd and an even number of times.
TEST(SmallLoops, ExchangePointers) {
  for (int count : {4, 5}) {
    ExpectSame(Loop("f32[19]", count, "  x = f32[19] sine(b)\n  y = f32[19] copy(a)\n"), 1e-5);
    ExpectSame(Loop("f32[19]", count, "  x = f32[19] negate(b)\n  y = f32[19] add(a, a)\n"), 1e-5);
  }
}

TEST(SmallLoops, Branches) {
  const std::string branches =
      "up {\n  v = f32[7] parameter(0)\n  ROOT r = f32[7] add(v, v)\n}\n"
      "down {\n  v = f32[7] parameter(0)\n  ROOT r = f32[7] negate(v)\n}\n"
      "same {\n  ROOT v = f32[7] parameter(0)\n}\n";
  const std::string text =
      Loop("f32[7]", 6,
           "  k = s32[] constant(2)\n  m = s32[] subtract(i, k)\n  p = pred[] compare(i, k), direction=LT\n"
           "  x = f32[7] conditional(m, a, b, a), branch_computations={up, down, same}\n"
           "  y = f32[7] conditional(p, b, b), true_computation=down, false_computation=same\n",
           branches);
  ExpectSame(text);
  EXPECT_EQ(Count(Steps(text), " loop "), 1);
}

TEST(SmallLoops, Nested) {
  const std::string inner =
      "more {\n  q = (s32[], f32[5]) parameter(0)\n  l = s32[] get-tuple-element(q), index=0\n  three = s32[] "
      "constant(3)\n"
      "  ROOT c = pred[] compare(l, three), direction=LT\n}\n"
      "step {\n  q = (s32[], f32[5]) parameter(0)\n  l = s32[] get-tuple-element(q), index=0\n  v = f32[5] "
      "get-tuple-element(q), index=1\n  o = s32[] constant(1)\n  k = s32[] add(l, o)\n  w = f32[5] cosine(v)\n  ROOT t "
      "= "
      "(s32[], f32[5]) tuple(k, w)\n}\n";
  const std::string body =
      "  zero = s32[] constant(0)\n  u = (s32[], f32[5]) tuple(zero, b)\n  g = (s32[], f32[5]) while(u), "
      "condition=more, "
      "body=step\n  x = f32[5] get-tuple-element(g), index=1\n  y = f32[5] subtract(a, x)\n";
  const std::string text = Loop("f32[5]", 4, body, inner);
  ExpectSame(text, 1e-5);
  EXPECT_EQ(Count(Steps(text), " loop "), 1);
}

// A product of a few numbers is a kernel like others.
TEST(SmallLoops, SmallProducts) {
  for (const std::string type : {"f32[3,3]", "bf16[3,3]", "s32[3,3]"}) {
    const std::string text =
        Loop(type, 3,
             "  x = " + type + " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  y = " + type +
                 " negate(a)\n");
    ExpectSame(text, 1e-2);
    EXPECT_EQ(Count(Steps(text), " loop "), 1);
    EXPECT_EQ(Count(Steps(text), " matmul "), 0);
  }
}

// The product is a step of its own, so only the loop inside becomes one function; steps after it keep their jumps.
TEST(SmallLoops, InsideOfLargerOnes) {
  const std::string inner =
      "more {\n  q = (s32[], f32[8,8]) parameter(0)\n  l = s32[] get-tuple-element(q), index=0\n  three = s32[] "
      "constant(3)\n  ROOT c = pred[] compare(l, three), direction=LT\n}\n"
      "step {\n  q = (s32[], f32[8,8]) parameter(0)\n  l = s32[] get-tuple-element(q), index=0\n  v = f32[8,8] "
      "get-tuple-element(q), index=1\n  o = s32[] constant(1)\n  k = s32[] add(l, o)\n  w = f32[8,8] tanh(v)\n  ROOT t "
      "= "
      "(s32[], f32[8,8]) tuple(k, w)\n}\n";
  const std::string body =
      "  zero = s32[] constant(0)\n  u = (s32[], f32[8,8]) tuple(zero, b)\n  g = (s32[], f32[8,8]) while(u), "
      "condition=more, body=step\n  x = f32[8,8] get-tuple-element(g), index=1\n  y = f32[8,8] dot(a, x), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
  const std::string text = Loop("f32[8,8]", 5, body, inner);
  ExpectSame(text, 1e-4);
  EXPECT_EQ(Count(Steps(text), " loop "), 1);
  EXPECT_EQ(Count(Steps(text), " matmul "), 1);
}

}  // namespace
}  // namespace stead::cpu
