// The floats of 8 and 4 bits: conversion to and from double, by bits. Each occupies one byte in a Literal. And where a float
// keeps the payload of a NaN.
//   Rounds to nearest, ties to even (f8e8m0fnu: up). Beyond the largest value: infinity where the type has one, else NaN, else the largest value.
#pragma once

#include <cstdint>

#include "ir/number/element_type.h"

namespace stead::ir {

// f8e*, f4e2m1fn.
bool IsSmallFloat(ElementType type);

// REQUIRES: IsSmallFloat(type).
double SmallFloatToDouble(ElementType type, uint8_t bits);
uint8_t DoubleToSmallFloat(ElementType type, double value);

// Width of the mantissa in which a float type (of any size) can tell NaNs apart; 0 for types with one NaN or none. For c64 and
// c128, that of a part.
int NanMantissaBits(ElementType type);

}  // namespace stead::ir
