#include "passes/expand/linear_algebra.h"

#include <fmt/format.h>

#include <cmath>

#include "passes/pass_testing.h"

namespace stead::passes {
namespace {

using ir::Opcode;

// The largest difference of two arrays, with NaN equal to NaN and infinity to infinity.
double LargestDifference(const ir::Literal& left, const ir::Literal& right) {
  std::vector<std::complex<double>> ours = interp::ReadAll<std::complex<double>>(left);
  std::vector<std::complex<double>> theirs = interp::ReadAll<std::complex<double>>(right);
  double largest = 0;
  for (size_t element = 0; element < ours.size(); ++element) {
    if (std::isnan(ours[element].real()) && std::isnan(theirs[element].real())) continue;
    if (ours[element] == theirs[element]) continue;
    double difference = std::abs(ours[element] - theirs[element]);
    largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
  }
  return largest;
}

// The interpreter has algorithms of its own for both ops.
void ExpectNearMeaning(std::string_view text, double tolerance) {
  ir::Module before = Parse(text), after = Parse(text);
  EXPECT_TRUE(RunPass(after, ExpandLinearAlgebra));
  EXPECT_EQ(Count(after, Opcode::kCholesky) + Count(after, Opcode::kTriangularSolve), 0);
  std::vector<ir::Literal> arguments = Arguments(before, 1);
  Result<ir::Literal> expected = interp::Evaluate(before, arguments);
  Result<ir::Literal> actual = interp::Evaluate(after, arguments);
  ASSERT_TRUE(expected.ok() && actual.ok()) << text;
  EXPECT_LE(LargestDifference(*actual, *expected), tolerance) << text;
}

// x x^H + 9: positive definite.
std::string Cholesky(std::string_view type, bool lower) {
  return fmt::format(R"(HloModule m
    ENTRY main {{ x = f64[2,3,4,4] parameter(0)
      y = {0}[2,3,4,4] convert(x)
      squares = {0}[2,3,4,4] dot(y, y), lhs_batch_dims={{0,1}}, rhs_batch_dims={{0,1}},
        lhs_contracting_dims={{3}}, rhs_contracting_dims={{3}}
      rows = s32[2,3,4,4] iota(), iota_dimension=2
      columns = s32[2,3,4,4] iota(), iota_dimension=3
      is_diagonal = pred[2,3,4,4] compare(rows, columns), direction=EQ
      ones = {0}[2,3,4,4] convert(is_diagonal)
      definite = {0}[2,3,4,4] add(squares, ones)
      ROOT r = {0}[2,3,4,4] cholesky(definite), lower={1} }})",
                     type, lower);
}

TEST(ExpandLinearAlgebra, CholeskyOfEveryType) {
  for (bool lower : {false, true}) {
    ExpectNearMeaning(Cholesky("f64", lower), 1e-12);
    ExpectNearMeaning(Cholesky("f32", lower), 1e-4);
    ExpectNearMeaning(Cholesky("c64", lower), 1e-4);
    ExpectNearMeaning(Cholesky("bf16", lower), 0.05);
  }
}

// A complex Hermitian matrix: the imaginary parts of the factor have signs that a real one cannot show.
TEST(ExpandLinearAlgebra, CholeskyOfAHermitianMatrix) {
  for (bool lower : {false, true}) {
    ExpectNearMeaning(fmt::format(R"(HloModule m
      ENTRY main {{ m = c128[2,2] constant({{ {{(5,0),(1,-2)}}, {{(1,2),(4,0)}} }})
        ROOT r = c128[2,2] cholesky(m), lower={} }})",
                                  lower),
                      1e-12);
  }
}

TEST(ExpandLinearAlgebra, AMatrixThatIsNotDefiniteGivesNaN) {
  ExpectNearMeaning(R"(HloModule m
    ENTRY main { m = f64[2,2] constant({ {1,2}, {2,1} })
      ROOT r = f64[2,2] cholesky(m), lower=true })",
                    0);
}

TEST(ExpandLinearAlgebra, TriangularSolveInEveryForm) {
  for (bool left : {false, true}) {
    for (bool lower : {false, true}) {
      for (bool unit : {false, true}) {
        for (std::string_view transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          ExpectNearMeaning(fmt::format(R"(HloModule m
            ENTRY main {{ a = f64[2,4,4] parameter(0)
              b = f64[2,{}] parameter(1)
              rows = s32[2,4,4] iota(), iota_dimension=1
              columns = s32[2,4,4] iota(), iota_dimension=2
              is_diagonal = pred[2,4,4] compare(rows, columns), direction=EQ
              three = f64[2,4,4] convert(is_diagonal)
              far = f64[2,4,4] add(a, three)
              farther = f64[2,4,4] add(far, three)
              farthest = f64[2,4,4] add(farther, three)
              z = c128[2,4,4] complex(farthest, a)
              w = c128[2,{}] complex(b, b)
              ROOT r = c128[2,{}] triangular-solve(z, w), left_side={}, lower={}, unit_diagonal={}, transpose_a={} }})",
                                        left ? "4,3" : "3,4", left ? "4,3" : "3,4", left ? "4,3" : "3,4", left, lower,
                                        unit, transpose),
                            1e-6);
        }
      }
    }
  }
}

// The other triangle may hold anything.
TEST(ExpandLinearAlgebra, TheOtherTriangleIsNotRead) {
  ExpectNearMeaning(R"(HloModule m
    ENTRY main { m = f64[2,2] constant({ {4,nan}, {2,5} })
      b = f64[2,1] constant({ {8}, {inf} })
      factor = f64[2,2] cholesky(m), lower=true
      ROOT r = f64[2,1] triangular-solve(m, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE })",
                    0);
}

}  // namespace
}  // namespace stead::passes
