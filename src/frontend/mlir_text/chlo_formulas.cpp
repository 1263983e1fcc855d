// Sources: the reflection formulas of gamma functions and Lanczos' series (g = 7, 9 terms); Giles, "Approximating the erfinv
// function" (2012); Cephes' series for erfc, the Bessel function and the Hurwitz zeta function (Euler and Maclaurin).
#include "frontend/mlir_text/chlo_formulas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace stead::frontend::mlir {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Terms = std::vector<Term>;

Term Abs(Term x) { return x.formula->Apply("abs", {x}); }
Term Floor(Term x) { return x.formula->Apply("floor", {x}); }
Term Log(Term x) { return x.formula->Apply("log", {x}); }
Term LogPlusOne(Term x) { return x.formula->Apply("log_plus_one", {x}); }
Term Exponential(Term x) { return x.formula->Apply("exponential", {x}); }
Term SquareRoot(Term x) { return x.formula->Apply("sqrt", {x}); }
Term Sign(Term x) { return x.formula->Apply("sign", {x}); }
Term Sine(Term x) { return x.formula->Apply("sine", {x}); }
Term And(Term a, Term b) { return a.formula->Apply("and", {a, b}); }
Term Or(Term a, Term b) { return a.formula->Apply("or", {a, b}); }
Term Power(Term a, Term b) { return a.formula->Apply("power", {a, b}); }
Term Atan2(Term a, Term b) { return a.formula->Apply("atan2", {a, b}); }

// Coefficients of the highest power first.
Term Polynomial(Formula& f, Term x, std::span<const double> coefficients) {
  Term sum = f(coefficients[0]);
  for (double coefficient : coefficients.subspan(1)) sum = sum * x + f(coefficient);
  return sum;
}

Term Square(Formula&, const Terms& x) { return x[0] * x[0]; }
Term Tangent(Formula& f, const Terms& x) { return f.Apply("tan", {x[0]}); }
Term ArcTangent(Formula& f, const Terms& x) { return Atan2(x[0], f(1)); }

Term ArcSine(Formula& f, const Terms& x) {
  const Term one = f(1);
  const Term half = Atan2(x[0], one + SquareRoot((one - x[0]) * (one + x[0])));
  return half + half;
}

Term ArcCosine(Formula& f, const Terms& x) {
  const Term one = f(1);
  return Atan2(SquareRoot((one - x[0]) * (one + x[0])), x[0]);
}

// Beyond the root of the largest number, x*x would overflow: log(2x) then.
Term ArcSineHyperbolic(Formula& f, const Terms& x) {
  const Term one = f(1), magnitude = Abs(x[0]);
  const Term is_large = f.Compare("GE", magnitude, SquareRoot(f(f.largest())));
  const Term square = magnitude * magnitude;
  const Term small = LogPlusOne(magnitude + square / (one + SquareRoot(one + square)));
  return Sign(x[0]) * f.Select(is_large, Log(f(2)) + Log(magnitude), small);
}

Term ArcCosineHyperbolic(Formula& f, const Terms& x) {
  const Term one = f(1);
  const Term is_large = f.Compare("GE", x[0], f(f.largest()) / f(2));
  const Term root = SquareRoot(x[0] - one);
  const Term small = LogPlusOne(root * (SquareRoot(x[0] + one) + root));
  return f.Select(is_large, Log(f(2)) + Log(x[0]), small);
}

Term ArcTangentHyperbolic(Formula& f, const Terms& x) {
  const Term is_outside = f.Compare("GT", Abs(x[0]), f(1));
  const Term inside = (LogPlusOne(x[0]) - LogPlusOne(-x[0])) * f(0.5);
  return f.Select(is_outside, f(kNan), inside);
}

// exp(x + log(1/2)) and not exp(x)/2, so that nothing overflows before the result does.
Term SineHyperbolic(Formula& f, const Terms& x) {
  const Term one = f(1), half = f(0.5), log_half = Log(half);
  const Term large = Exponential(x[0] + log_half) - Exponential(log_half - x[0]);
  const Term minus_one = f.Apply("exponential_minus_one", {x[0]});
  const Term small = half * (minus_one + minus_one / (minus_one + one));
  return f.Select(Abs(x[0]) < one, small, large);
}

Term CosineHyperbolic(Formula& f, const Terms& x) {
  const Term log_half = Log(f(0.5));
  return Exponential(x[0] + log_half) + Exponential(log_half - x[0]);
}

// erfc(x) for |x| >= 1: exp(-x*x) / |x| times a polynomial of 1 / (x*x), which is another one from 2 on.
Term LargeErrorComplement(Formula& f, Term x) {
  static constexpr std::array<double, 9> kNear = {2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
                                                  -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
                                                  3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
  static constexpr std::array<double, 8> kFar = {-1.047766399936249e1,  1.297719955372516e1,  -7.495518717768503e0,
                                                 2.921019019210786e0,   -1.015265279202700e0, 4.218463358204948e-1,
                                                 -2.820767439740514e-1, 5.641895067754075e-1};
  constexpr double kLogOfLargest = 88.72283905206835;
  const Term zero = f(0), one = f(1), two = f(2);
  const Term square = x * x, exponent = -square, magnitude = Abs(x), inverse_square = one / square;
  const Term scale = Exponential(exponent) * (one / magnitude);
  const Term series =
      f.Select(magnitude < two, Polynomial(f, inverse_square, kNear), Polynomial(f, inverse_square, kFar));
  const Term tail = f.Select(exponent < f(-kLogOfLargest), zero, scale * series);
  return f.Select(x < zero, two - tail, tail);
}

Term ErrorComplement(Formula& f, const Terms& x) {
  static constexpr std::array<double, 7> kErrorFunction = {
      7.853861353153693e-5, -8.010193625184903e-4, 5.188327685732524e-3, -2.685381193529856e-2,
      1.128358514861418e-1, -3.761262582423300e-1, 1.128379165726710e+0};
  const Term one = f(1);
  const Term large = LargeErrorComplement(f, x[0]);
  const Term small = one - x[0] * Polynomial(f, x[0] * x[0], kErrorFunction);
  return f.Select(Abs(x[0]) < one, small, large);
}

Term InverseErrorFunction(Formula& f, const Terms& x) {
  static constexpr std::array<double, 9> kCentral = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                                     -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                                     -0.00417768164,  0.246640727,    1.50140941};
  static constexpr std::array<double, 9> kTail = {-0.000200214257, 0.000100950558, 0.00134934322,
                                                  -0.00367342844,  0.00573950773,  -0.0076224613,
                                                  0.00943887047,   1.00167406,     2.83297682};
  const Term w = -LogPlusOne(x[0] * -x[0]);
  const Term is_central = w < f(5);
  const Term place = f.Select(is_central, w - f(2.5), SquareRoot(w) - f(3));
  auto coefficient = [&](size_t number) { return f.Select(is_central, f(kCentral[number]), f(kTail[number])); };
  Term sum = coefficient(0);
  for (size_t number = 1; number < kCentral.size(); ++number) sum = coefficient(number) + sum * place;
  const Term is_one = f.Compare("EQ", Abs(x[0]), f(1));
  return f.Select(is_one, x[0] * f(kInfinity), sum * x[0]);
}

constexpr double kLanczosShift = 7.5;
constexpr double kLanczosFirst = 0.99999999999980993227684700473478;
constexpr std::array<double, 8> kLanczos = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                                            771.3234287776530788486528258894,   -176.61502916214059906584551354,
                                            12.507343278686904814458936853,     -0.13857109526572011689554707,
                                            9.984369578019570859563e-6,         1.50563273514931155834e-7};

Term LogGamma(Formula& f, const Terms& operands) {
  const Term x = operands[0], half = f(0.5), one = f(1), shift = f(kLanczosShift);
  const Term is_reflected = x < half;
  const Term z = f.Select(is_reflected, -x, x - one);
  Term series = f(kLanczosFirst);
  for (size_t number = 0; number < kLanczos.size(); ++number) {
    series = series + f(kLanczos[number]) / (z + f(static_cast<double>(number + 1)));
  }
  const Term log_t = f(std::log(kLanczosShift)) + LogPlusOne(z / shift);
  const Term scaled = (z + half - (shift + z) / log_t) * log_t;
  const Term log_y = f(std::log(2 * std::numbers::pi) / 2) + scaled + Log(series);
  const Term magnitude = Abs(x);
  const Term fraction = magnitude - Floor(magnitude);
  const Term reduced = f.Select(half < fraction, one - fraction, fraction);
  const Term log_sine = Log(Sine(f(std::numbers::pi) * reduced));
  const Term is_finite = f.ApplyTo("is_finite", {log_sine}, f.TypeOf("bool"));
  const Term reflected = f.Select(is_finite, f(std::log(std::numbers::pi)) - log_sine - log_y, -log_sine);
  const Term is_infinite = f.Compare("EQ", Abs(x), f(kInfinity));
  return f.Select(is_infinite, f(kInfinity), f.Select(is_reflected, reflected, log_y));
}

Term Digamma(Formula& f, const Terms& operands) {
  const Term x = operands[0], zero = f(0), half = f(0.5), one = f(1), shift = f(kLanczosShift),
             pi = f(std::numbers::pi);
  const Term is_reflected = x < half;
  const Term z = f.Select(is_reflected, -x, x - one);
  Term numerator = zero, denominator = f(kLanczosFirst);
  for (size_t number = 0; number < kLanczos.size(); ++number) {
    const Term coefficient = f(kLanczos[number]), place = z + f(static_cast<double>(number + 1));
    numerator = numerator - coefficient / (place * place);
    denominator = denominator + coefficient / place;
  }
  const Term t = shift + z;
  const Term log_t = f(std::log(kLanczosShift)) + LogPlusOne(z / shift);
  const Term y = log_t + numerator / denominator - f(kLanczosShift - 0.5) / t;
  const Term angle = pi * (x + Abs(Floor(x + half)));
  const Term reflected = y - pi * f.Apply("cosine", {angle}) / Sine(angle);
  const Term is_pole = And(f.Compare("LE", x, zero), f.Compare("EQ", x, Floor(x)));
  return f.Select(is_pole, f(kNan), f.Select(is_reflected, reflected, y));
}

// Sum of Chebyshev polynomials, by Clenshaw's recurrence.
Term Chebyshev(Formula& f, Term x, std::span<const double> coefficients) {
  Term b0 = f(0), b1 = f(0), b2 = f(0);
  for (double coefficient : coefficients) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + f(coefficient);
  }
  return (b0 - b2) * f(0.5);
}

Term BesselOrderOne(Formula& f, const Terms& x) {
  static constexpr std::array<double, 17> kNear = {
      9.38153738649577178388E-9, -4.44505912879632808065E-8, 2.00329475355213526229E-7, -8.56872026469545474066E-7,
      3.47025130813767847674E-6, -1.32731636560394358279E-5, 4.78156510755005422638E-5, -1.61760815825896745588E-4,
      5.12285956168575772895E-4, -1.51357245063125314899E-3, 4.15642294431288815669E-3, -1.05640848946261981558E-2,
      2.47264490306265168283E-2, -5.29459812080949914269E-2, 1.02643658689847095384E-1, -1.76416518357834055153E-1,
      2.52587186443633654823E-1};
  static constexpr std::array<double, 7> kFar = {
      -3.83538038596423702205E-9, -2.63146884688951950684E-8, -2.51223623787020892529E-7, -3.88256480887769039346E-6,
      -1.10588938762623716291E-4, -9.76109749136146840777E-3, 7.78576235018280120474E-1};
  const Term magnitude = Abs(x[0]), two = f(2);
  const Term near = magnitude * Chebyshev(f, f(0.5) * magnitude - two, kNear);
  const Term far = Chebyshev(f, f(32) / magnitude - two, kFar) / SquareRoot(magnitude);
  return Sign(x[0]) * f.Select(f.Compare("LE", magnitude, f(8)), near, far);
}

// The sum of (q + k)^-x over the first ten k; the rest of the series from its integral and Bernoulli's numbers.
Term ZetaInside(Formula& f, Term x, Term q) {
  static constexpr std::array<double, 12> kBernoulli = {1.0 / 12,
                                                        -1.0 / 720,
                                                        1.0 / 30240,
                                                        -1.0 / 1209600,
                                                        2.087675698786809898e-08,
                                                        -5.284190138687493185e-10,
                                                        1.338253653068467883e-11,
                                                        -3.389680296322582866e-13,
                                                        8.586062056277844564e-15,
                                                        -2.174868698558061873e-16,
                                                        5.509002828360229515e-18,
                                                        -1.395446468581252307e-19};
  constexpr int kTermsSummed = 10;
  const Term one = f(1), minus_x = -x;
  Term a = q, power = Power(q, minus_x), sum = power;
  for (int number = 1; number < kTermsSummed; ++number) {
    a = a + one;
    power = Power(a, minus_x);
    sum = sum + power;
  }
  a = a + one;
  power = Power(a, minus_x);
  const Term integral = power * a / (x - one);
  const Term inverse_square = one / (a * a);
  Term series = f(0);
  for (size_t number = kBernoulli.size() - 1; number > 0; --number) {
    const double order = 2 * static_cast<double>(number);
    const Term factor = (x + f(order)) * (x + f(order - 1));
    series = factor * (inverse_square * (series + f(kBernoulli[number])));
  }
  const Term correction = power * (f(0.5) + x / a * (f(kBernoulli[0]) + series));
  const Term is_converged = Abs(power) < Abs(sum) * f(f.smallest());
  return f.Select(is_converged, sum, sum + integral + correction);
}

Term Zeta(Formula& f, const Terms& operands) {
  const Term x = operands[0], q = operands[1], one = f(1), zero = f(0), nan = f(kNan), infinity = f(kInfinity);
  Term result = f.Select(x < one, nan, ZetaInside(f, x, q));
  const Term is_below = f.Compare("LE", q, zero);
  result = f.Select(And(is_below, f.Compare("NE", x, Floor(x))), nan, result);
  const Term is_pole = And(is_below, f.Compare("EQ", q, Floor(q)));
  const Term is_even = And(f.Compare("EQ", x, Floor(x)), f.Compare("EQ", f.Apply("remainder", {x, f(2)}), zero));
  result = f.Select(is_pole, f.Select(is_even, infinity, nan), result);
  return f.Select(f.Compare("EQ", x, one), infinity, result);
}

Term Polygamma(Formula& f, const Terms& operands) {
  const Term order = operands[0], x = operands[1], one = f(1), two = f(2), zero = f(0);
  const Term sign = two * f.Apply("remainder", {order, two}) - one;
  const Term next = order + one;
  const Term value = sign * Exponential(LogGamma(f, {next})) * Zeta(f, {next, x});
  const Term result = f.Select(f.Compare("EQ", order, zero), Digamma(f, {x}), value);
  const Term is_bad = Or(f.Compare("NE", order, Floor(order)), order < zero);
  return f.Select(is_bad, f(kNan), result);
}

// The bits of a float, as an integer, count up from number to number.
Term NextAfter(Formula& f, const Terms& operands) {
  const bool is_double = f.element() == "f64", is_single = f.element() == "f32";
  const TypeId bits_type = f.TypeOf(is_double ? "i64" : is_single ? "i32" : "i16");
  const int width = is_double ? 64 : is_single ? 32 : 16;
  const int64_t sign_bit = static_cast<int64_t>(~uint64_t{0} << (width - 1));
  auto bits_of = [&](Term value) { return f.ApplyTo("bitcast_convert", {value}, bits_type); };
  auto integer = [&](int64_t value) { return f.Integer(value, bits_type); };
  const Term x = operands[0], y = operands[1];
  const Term x_bits = bits_of(x), y_bits = bits_of(y), zero = integer(0), one = integer(1), minus_one = integer(-1);
  const Term is_nan = Or(f.Compare("NE", x, x), f.Compare("NE", y, y));
  const Term magnitude_mask = integer(~sign_bit), sign_mask = integer(sign_bit);
  const Term x_magnitude = And(x_bits, magnitude_mask), y_magnitude = And(y_bits, magnitude_mask);
  const Term x_sign = And(x_bits, sign_mask), y_sign = And(y_bits, sign_mask);
  const Term goes_down = Or(f.Compare("GT", x_magnitude, y_magnitude), f.Compare("NE", x_sign, y_sign));
  const Term moved = x_bits + f.Select(goes_down, minus_one, one);
  const Term from_zero = f.Select(f.Compare("EQ", y_magnitude, zero), y_bits, Or(y_sign, one));
  Term result = f.Select(f.Compare("EQ", x_magnitude, zero), from_zero, moved);
  result = f.Select(f.Compare("EQ", x, y), y_bits, result);
  result = f.Select(is_nan, bits_of(f(kNan)), result);
  return f.ApplyTo("bitcast_convert", {result}, f.type());
}

constexpr std::array<ChloFunction, 18> kFunctions = {{
    {"acos", ChloForm::kComposite, 1, ArcCosine},
    {"acosh", ChloForm::kComposite, 1, ArcCosineHyperbolic},
    {"asin", ChloForm::kComposite, 1, ArcSine},
    {"asinh", ChloForm::kComposite, 1, ArcSineHyperbolic},
    {"atan", ChloForm::kInline, 1, ArcTangent},
    {"atanh", ChloForm::kComposite, 1, ArcTangentHyperbolic},
    {"bessel_i1e", ChloForm::kWidenedOnlyF32, 1, BesselOrderOne},
    {"cosh", ChloForm::kCompositeWidened, 1, CosineHyperbolic},
    {"digamma", ChloForm::kWidened, 1, Digamma},
    {"erf_inv", ChloForm::kWidenedOnlyF32, 1, InverseErrorFunction},
    {"erfc", ChloForm::kWidenedOnlyF32, 1, ErrorComplement},
    {"lgamma", ChloForm::kWidened, 1, LogGamma},
    {"next_after", ChloForm::kInline, 2, NextAfter},
    {"polygamma", ChloForm::kWidened, 2, Polygamma},
    {"sinh", ChloForm::kCompositeWidened, 1, SineHyperbolic},
    {"square", ChloForm::kInline, 1, Square},
    {"tan", ChloForm::kInline, 1, Tangent},
    {"zeta", ChloForm::kWidened, 2, Zeta},
}};

}  // namespace

const ChloFunction* FindChloFunction(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &ChloFunction::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

}  // namespace stead::frontend::mlir
