// How often loops run, as far as the program says.
#include "analysis/trip_count.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"

namespace stead::analysis {
namespace {

// The trip count of a loop whose counter, of this type, starts at a number, runs while `test` holds and becomes `next`. `test` may name zero, three and the
// counter i, `next` one and three and i.
std::optional<int64_t> TripsOf(std::string_view type, std::string_view start, std::string_view test,
                               std::string_view next) {
  auto module = frontend::ParseHloText(fmt::format(R"(HloModule m
condition {{
  s = ({0}[]) parameter(0)
  i = {0}[] get-tuple-element(s), index=0
  zero = {0}[] constant(0)
  three = {0}[] constant(3)
  ROOT c = pred[] compare({2}
}}
body {{
  s = ({0}[]) parameter(0)
  i = {0}[] get-tuple-element(s), index=0
  one = {0}[] constant(1)
  three = {0}[] constant(3)
  next = {0}[] {3}
  ROOT r = ({0}[]) tuple(next)
}}
ENTRY main {{
  start = {0}[] constant({1})
  init = ({0}[]) tuple(start)
  ROOT w = ({0}[]) while(init), condition=condition, body=body
}})",
                                                   type, start, test, next),
                                       "test");
  STEAD_CHECK(module.ok(), module.ok() ? "" : module.error().ToString());
  return TripCount(*module, module->root(module->entry));
}

TEST(TripCount, CountersGoUpOrDown) {
  EXPECT_EQ(TripsOf("s32", "0", "i, three), direction=LT", "add(i, one)"), 3);
  EXPECT_EQ(TripsOf("s32", "-4", "three, i), direction=GE", "add(one, i)"), 8);
  EXPECT_EQ(TripsOf("s32", "10", "i, three), direction=GT", "subtract(i, one)"), 7);
  EXPECT_EQ(TripsOf("s32", "10", "i, three), direction=GE", "subtract(i, three)"), 3);
  EXPECT_EQ(TripsOf("s32", "10", "three, i), direction=LT", "subtract(i, three)"), 3);
  EXPECT_EQ(TripsOf("s32", "2", "i, three), direction=GT", "subtract(i, one)"), 0);
}

TEST(TripCount, WhatGoesTheOtherWayIsUnknown) {
  EXPECT_EQ(TripsOf("s32", "0", "i, three), direction=LT", "subtract(i, one)"), std::nullopt);
  EXPECT_EQ(TripsOf("s32", "5", "i, three), direction=GT", "add(i, one)"), std::nullopt);
  EXPECT_EQ(TripsOf("s32", "5", "i, three), direction=GT", "subtract(one, i)"), std::nullopt);
}

// 4 - 3 - 3 is a large number again where there are none below zero, and and zero is never passed.
TEST(TripCount, CountersThatWrapAreUnknown) {
  EXPECT_EQ(TripsOf("u32", "4", "i, three), direction=GE", "subtract(i, three)"), 1);
  EXPECT_EQ(TripsOf("u32", "4", "i, zero), direction=GT", "subtract(i, three)"), std::nullopt);
  EXPECT_EQ(TripsOf("u32", "6", "i, zero), direction=GT", "subtract(i, three)"), 2);
  EXPECT_EQ(TripsOf("u32", "6", "i, zero), direction=GE", "subtract(i, one)"), std::nullopt);
  EXPECT_EQ(TripsOf("s32", "6", "i, zero), direction=GE", "subtract(i, one)"), 7);
}

}  // namespace
}  // namespace stead::analysis
