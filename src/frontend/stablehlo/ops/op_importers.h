// The functions that import one kind of operation each; import_ops.def says which operation each is for.
//   Each RETURNS an error for attributes that break StableHLO's rules or that the IR cannot represent. Shapes are not
//   checked against each other here: ir/verify.h does that for every module, wherever it comes from.
#pragma once

#include "base/result.h"
#include "frontend/stablehlo/op_import.h"

namespace stead::frontend {

// elementwise.cpp
Status ImportPlain(OpImport& op);  // operands and result say everything
Status ImportClamp(OpImport& op);
Status ImportCompare(OpImport& op);
Status ImportConstant(OpImport& op);
Status ImportReducePrecision(OpImport& op);
Status ImportSelect(OpImport& op);

// shape_ops.cpp
Status ImportBroadcast(OpImport& op);
Status ImportBroadcastInDim(OpImport& op);
Status ImportConcatenate(OpImport& op);
Status ImportIota(OpImport& op);
Status ImportPad(OpImport& op);
Status ImportReverse(OpImport& op);
Status ImportSlice(OpImport& op);
Status ImportTranspose(OpImport& op);

// indexing.cpp
Status ImportDynamicSlice(OpImport& op);
Status ImportGather(OpImport& op);
Status ImportScatter(OpImport& op);

// reduction.cpp
Status ImportMap(OpImport& op);
Status ImportReduce(OpImport& op);
Status ImportReduceWindow(OpImport& op);
Status ImportSelectAndScatter(OpImport& op);
Status ImportSort(OpImport& op);

// linear_algebra.cpp
Status ImportBatchNorm(OpImport& op);
Status ImportCholesky(OpImport& op);
Status ImportConvolution(OpImport& op);
Status ImportDot(OpImport& op);
Status ImportDotGeneral(OpImport& op);
Status ImportFft(OpImport& op);
Status ImportTriangularSolve(OpImport& op);

// random.cpp
Status ImportRng(OpImport& op);
Status ImportRngBitGenerator(OpImport& op);

// control.cpp
Status ImportCall(OpImport& op);
Status ImportComposite(OpImport& op);
Status ImportConditional(OpImport& op);
Status ImportGetTupleElement(OpImport& op);
Status ImportOptimizationBarrier(OpImport& op);
Status ImportWhile(OpImport& op);

// custom_call.cpp
Status ImportCustomCall(OpImport& op);

// devices/manual_computation.cpp
Status ImportManualComputation(OpImport& op);
Status ImportNamedComputation(OpImport& op);

// devices/one_device.cpp
Status ImportPartitionId(OpImport& op);
Status ImportCollectivePermute(OpImport& op);
Status ImportGroupsOfOne(OpImport& op);
Status ImportIdentity(OpImport& op);
// What only says where values lie (devices/propagation.h listens) computes nothing.
Status ImportNothing(OpImport& op);

}  // namespace stead::frontend
