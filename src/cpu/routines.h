// What the routines of kernels/ are told about an op: its dimensions as sizes and strides.
#pragma once

#include <optional>
#include <vector>

#include "cpu/kernels/convolution.h"
#include "cpu/kernels/fft/fft.h"
#include "cpu/kernels/linear_algebra.h"
#include "cpu/kernels/matmul.h"
#include "cpu/kernels/random/random_bits.h"
#include "ir/module.h"

namespace stead::cpu {

// In elements, by the shape's layout.
std::vector<int64_t> StridesOf(const ir::Shape& shape);

// True for a dot that is done before a routine would have begun; a kernel is the better place for it.
bool IsSmallProduct(const ir::Module& module, const ir::Instruction& dot);

// RETURNS nothing for element types that the products do not know.
std::optional<MatMul> ToMatMul(const ir::Module& module, const ir::Instruction& dot);

// RETURNS nothing for element types that the products do not know, groups of the batch, and groups of so few output features that
// products do not pay.
std::optional<Convolution> ToConvolution(const ir::Module& module, const ir::Instruction& convolution);

Fft ToFft(const ir::Module& module, const ir::Instruction& instruction);

// RETURN nothing for matrices that do not lie row after row.
std::optional<Cholesky> ToCholesky(const ir::Module& module, const ir::Instruction& cholesky);
std::optional<TriangularSolve> ToTriangularSolve(const ir::Module& module, const ir::Instruction& solve);

// RETURNS nothing for states and elements that the generators do not have.
std::optional<RandomBits> ToRandomBits(const ir::Module& module, const ir::Instruction& generator);

}  // namespace stead::cpu
