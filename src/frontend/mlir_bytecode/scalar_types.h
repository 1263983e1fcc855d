// The types of array elements, by their names and by VHLO's numbers for them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "frontend/mlir_bytecode/attribute.h"

namespace stead::frontend::mlir {

struct ScalarType {
  uint64_t code;  // in VHLO
  std::string_view name;
  int bit_width;
};

inline constexpr std::array<ScalarType, 30> kScalarTypes = {
    {{0, "bool", 1},           {2, "bf16", 16},     {3, "f16", 16},      {4, "f32", 32},        {5, "f64", 64},
     {6, "f8E4M3FN", 8},       {7, "f8E5M2", 8},    {9, "index", 64},    {10, "i4", 4},         {11, "i8", 8},
     {12, "i16", 16},          {13, "i32", 32},     {14, "i64", 64},     {15, "ui4", 4},        {16, "ui8", 8},
     {17, "ui16", 16},         {18, "ui32", 32},    {19, "ui64", 64},    {27, "f8E4M3FNUZ", 8}, {28, "f8E5M2FNUZ", 8},
     {29, "f8E4M3B11FNUZ", 8}, {31, "i2", 2},       {32, "ui2", 2},      {34, "tf32", 19},      {35, "f8E4M3", 8},
     {36, "f8E3M4", 8},        {37, "f4E2M1FN", 4}, {38, "f6E2M3FN", 6}, {39, "f6E3M2FN", 6},   {40, "f8E8M0FNU", 8}}};

inline Type AsType(const ScalarType& scalar) {
  return {.kind = TypeKind::kScalar, .name = scalar.name, .bit_width = scalar.bit_width};
}

}  // namespace stead::frontend::mlir
