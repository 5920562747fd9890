//===- CooperativeRows.h - Rows that a warp computes ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that reduces along rows and then computes every element again
// (norms, softmax, cross-entropy). One thread a row reads memory in steps of a
// row's length; one thread an element repeats the reductions. Here the lanes of
// a warp share a row: lane l takes elements l, l + 32, ..., so that neighbours
// read neighbours, and reductions end with one over the lanes.
//
// On the way to GPU kernels a row is 32 iterations of the part. In the host's
// form the first of them does the whole row and the others nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_PARALLELIZE_COOPERATIVEROWS_H
#define SOAP_LIB_CONVERSION_PARALLELIZE_COOPERATIVEROWS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::soap {

/// Lanes of a warp, on all of NVIDIA's chips.
inline constexpr int64_t kWarpLanes = 32;

/// The loops of `nest` whose iterations together are the rows, outermost first;
/// empty if a warp cannot share what an iteration does, or gains nothing. Then:
/// the innermost one has nothing in its body but loops along contiguous memory,
/// loads, stores and arithmetic; every buffer that is written is written by one
/// of these loops, each element in one iteration, or by stores beside the
/// loops; nothing reads it elsewhere. Loops with results fold numbers of 32
/// bits by sums, maxima or minima. Rows without such loops are for a warp each
/// where they are long and many, and a thread an element would repeat
/// arithmetic of the row.
SmallVector<scf::ForOp> findCooperativeRows(scf::ForOp nest);

/// Elements of a row that a lane has in its registers, if they stay there: at
/// most 128 of all buffers that several loops read. 0 if they do not.
int64_t numbersOfLane(scf::IfOp row);

/// Replaces an op that is marked with `soap.lanes` by what one lane does of it.
/// All lanes of a warp must get there together.
void distributeOverLanes(scf::IfOp row);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_PARALLELIZE_COOPERATIVEROWS_H
