// Products of complex matrices, as one product of real ones.
#pragma once

#include "cpu/kernels/matmul.h"

namespace stead::cpu {

// REQUIRES: matmul.is_complex, all three types are the same float.
MatMulFunction PrepareComplexMatMul(const MatMul& matmul);

}  // namespace stead::cpu
