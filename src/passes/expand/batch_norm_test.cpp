#include "passes/expand/batch_norm.h"

#include <cmath>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

int CountBatchNorms(const ir::Module& module) {
  return Count(module, Opcode::kBatchNormTraining) + Count(module, Opcode::kBatchNormInference) +
         Count(module, Opcode::kBatchNormGrad);
}

void ExpectClose(const ir::Literal& expected, const ir::Literal& actual, double tolerance) {
  ASSERT_EQ(expected.shape(), actual.shape());
  for (size_t part = 0; part < expected.elements().size(); ++part) {
    ExpectClose(expected.elements()[part], actual.elements()[part], tolerance);
  }
  if (!expected.shape().is_array()) return;
  for (int64_t element = 0; element < expected.shape().element_count(); ++element) {
    EXPECT_NEAR(expected.AsDouble(element), actual.AsDouble(element),
                tolerance * std::max(1.0, std::abs(expected.AsDouble(element))));
  }
}

// The pass writes out every batch norm, and the interpreter, which has a meaning of its own for the op, agrees.
void ExpectWrittenOut(std::string_view text, double tolerance) {
  const ir::Module before = Parse(text);
  ir::Module after = Parse(text);
  EXPECT_TRUE(RunPass(after, ExpandBatchNorms));
  EXPECT_EQ(CountBatchNorms(after), 0);
  std::vector<ir::Literal> arguments = Arguments(before, 1);
  // A variance is not negative.
  for (ir::InstrId parameter : before.entry_computation().parameters) {
    if (before.instruction(parameter).name != "variance") continue;
    ir::Literal& variance =
        arguments.at(static_cast<size_t>(before.instruction(parameter).As<ir::ParameterAttributes>().number));
    std::vector<double> values = interp::ReadAll<double>(variance);
    for (double& value : values) value *= value;
    variance = interp::WriteAll(variance.shape(), values);
  }
  ExpectClose(interp::Evaluate(before, arguments).value(), interp::Evaluate(after, arguments).value(), tolerance);
}

TEST(BatchNorm, TrainingGivesMeanAndVariancePerFeature) {
  ExpectWrittenOut(R"(HloModule m
    ENTRY main { x = f32[2,3,5] parameter(0)
      scale = f32[3] parameter(1)
      offset = f32[3] parameter(2)
      ROOT n = (f32[2,3,5], f32[3], f32[3]) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=1 })",
                   1e-5);
}

TEST(BatchNorm, MeanFarFromZeroKeepsTheVariance) {
  ExpectWrittenOut(R"(HloModule m
    ENTRY main { x = f32[1,2,64] parameter(0)
      far = f32[] constant(10000)
      moved = f32[1,2,64] broadcast(far), dimensions={}
      sum = f32[1,2,64] add(x, moved)
      scale = f32[2] parameter(1)
      offset = f32[2] parameter(2)
      ROOT n = (f32[1,2,64], f32[2], f32[2]) batch-norm-training(sum, scale, offset), epsilon=1e-05, feature_index=1 })",
                   2e-3);
}

TEST(BatchNorm, InferenceUsesTheGivenStatistics) {
  ExpectWrittenOut(R"(HloModule m
    ENTRY main { x = f64[4,3] parameter(0)
      scale = f64[3] parameter(1)
      offset = f64[3] parameter(2)
      mean = f64[3] parameter(3)
      variance = f64[3] parameter(4)
      ROOT n = f64[4,3] batch-norm-inference(x, scale, offset, mean, variance), epsilon=0.1, feature_index=1 })",
                   1e-12);
}

TEST(BatchNorm, GradientsOfOperandScaleAndOffset) {
  ExpectWrittenOut(R"(HloModule m
    ENTRY main { x = f32[2,3,5] parameter(0)
      scale = f32[3] parameter(1)
      mean = f32[3] parameter(2)
      variance = f32[3] parameter(3)
      gradient = f32[2,3,5] parameter(4)
      ROOT n = (f32[2,3,5], f32[3], f32[3]) batch-norm-grad(x, scale, mean, variance, gradient), epsilon=0.01,
        feature_index=1 })",
                   1e-4);
}

TEST(BatchNorm, NarrowFloatsAreComputedWithAsF32) {
  constexpr std::string_view kText = R"(HloModule m
    ENTRY main { x = bf16[2,3,5] parameter(0)
      scale = bf16[3] parameter(1)
      offset = bf16[3] parameter(2)
      ROOT n = (bf16[2,3,5], bf16[3], bf16[3]) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=1 })";
  ExpectWrittenOut(kText, 1e-2);
  ir::Module module = Parse(kText);
  RunPass(module, ExpandBatchNorms);
  EXPECT_EQ(CountIf(module,
                    [&](const ir::Instruction& instruction) {
                      return instruction.opcode == Opcode::kReduce &&
                             instruction.shape.element_type != ir::ElementType::kF32;
                    }),
            0);
}

TEST(BatchNorm, ResultsKeepTheirUsersAndNames) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[2,3] parameter(0)
      scale = f32[3] parameter(1)
      offset = f32[3] parameter(2)
      norm = (f32[2,3], f32[3], f32[3]) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=1
      ROOT mean = f32[3] get-tuple-element(norm), index=1 })");
  EXPECT_TRUE(RunPass(module, ExpandBatchNorms));
  EXPECT_EQ(Named(module, "norm").opcode, Opcode::kTuple);
}

TEST(BatchNorm, OtherLayoutsPassThrough) {
  ir::Module module = Parse(R"(HloModule m
    ENTRY main { x = f32[4,3]{0,1} parameter(0)
      scale = f32[3] parameter(1)
      offset = f32[3] parameter(2)
      ROOT n = (f32[4,3]{0,1}, f32[3], f32[3]) batch-norm-training(x, scale, offset), epsilon=0.1, feature_index=1 })");
  EXPECT_FALSE(RunPass(module, ExpandBatchNorms));
}

}  // namespace
}  // namespace stead::passes
