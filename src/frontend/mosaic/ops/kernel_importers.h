// The functions that import one kind of kernel operation each; kernel_ops.def says which operation goes to which.
#pragma once

#include "frontend/mosaic/kernel_op.h"

namespace stead::frontend {

// arithmetic.cpp
Status ImportKernelConstant(KernelOp& op);
Status ImportElementwiseKernelOp(KernelOp& op);
Status ImportUnsignedKernelOp(KernelOp& op);
Status ImportKernelSelect(KernelOp& op);
Status ImportIntegerCompare(KernelOp& op);
Status ImportFloatCompare(KernelOp& op);
Status ImportIsWeird(KernelOp& op);
Status ImportPowerOfTwo(KernelOp& op);
Status ImportReciprocal(KernelOp& op);
// conversions.cpp
Status ImportConversion(KernelOp& op);
Status ImportUnsignedConversion(KernelOp& op);
Status ImportConversionToUnsigned(KernelOp& op);
Status ImportKernelBitcast(KernelOp& op);
// vectors.cpp
Status ImportVectorBroadcast(KernelOp& op);
Status ImportShapeCast(KernelOp& op);
Status ImportVectorTranspose(KernelOp& op);
Status ImportVectorExtract(KernelOp& op);
Status ImportVectorSlice(KernelOp& op);
Status ImportVectorConcatenate(KernelOp& op);
Status ImportVectorRepeat(KernelOp& op);
Status ImportVectorRotate(KernelOp& op);
Status ImportVectorIota(KernelOp& op);
Status ImportDynamicGather(KernelOp& op);
Status ImportSameValue(KernelOp& op);
// products.cpp
Status ImportVectorReduction(KernelOp& op);
Status ImportReduceIndex(KernelOp& op);
Status ImportVectorProduct(KernelOp& op);
// memory.cpp
Status ImportVectorLoad(KernelOp& op);
Status ImportStridedLoad(KernelOp& op);
Status ImportScalarLoad(KernelOp& op);
Status ImportVectorStore(KernelOp& op);
Status ImportGroupedStore(KernelOp& op);
Status ImportStridedStore(KernelOp& op);
Status ImportScalarStore(KernelOp& op);
Status ImportKernelAllocation(KernelOp& op);
Status ImportMemorySlice(KernelOp& op);
Status ImportMemorySqueeze(KernelOp& op);
Status ImportTransfer(KernelOp& op);
Status ImportNothing(KernelOp& op);
Status ImportSemaphore(KernelOp& op);
// branches.cpp
Status ImportKernelBranches(KernelOp& op);
Status ImportKernelFor(KernelOp& op);
Status ImportKernelWhile(KernelOp& op);
Status ImportKernelRegion(KernelOp& op);

}  // namespace stead::frontend
