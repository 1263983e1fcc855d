// The floats of 8 and 4 bits: conversion to and from double, by bits. Each occupies one byte in a Literal. And where a float
// keeps the payload of a NaN.
//   Rounds to nearest, ties to even (f8e8m0fnu: up). Beyond the largest value: infinity where the type has one, else NaN, else the largest value.
#pragma once

#include <cstdint>

#include "ir/number/element_type.h"

namespace stead::ir {

// The codes of a type that has a sign. A code without its sign bit counts up with the number it means; the exponent stands above
// the mantissa, and its value 0 means numbers below the first full binade.
struct SmallFloatFormat {
  static constexpr int kNoNan = -1;
  int mantissa_bits;
  int bias;
  int largest;   // code of the largest finite value, without sign
  int overflow;  // code of what lies beyond: infinity, NaN or the largest value
  int nan;       // code of NaN; kNoNan when there is none
  int sign;      // sign bit
  bool signed_zero;
};

// REQUIRES: IsSmallFloat(type), and not f8e8m0fnu, whose code c means 2^(c-127), 255 NaN: no sign, no mantissa, no zero.
SmallFloatFormat SmallFloatFormatOf(ElementType type);

// f8e*, f4e2m1fn.
bool IsSmallFloat(ElementType type);

// REQUIRES: IsSmallFloat(type).
double SmallFloatToDouble(ElementType type, uint8_t bits);
uint8_t DoubleToSmallFloat(ElementType type, double value);

// Width of the mantissa in which a float type (of any size) can tell NaNs apart; 0 for types with one NaN or none. For c64 and
// c128, that of a part.
int NanMantissaBits(ElementType type);

}  // namespace stead::ir
