//===- TransposedIterations.h - Iterations in tiles -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part that reads along one dim and writes along another has neighbours side
// by side in one of the buffers only. In tiles the threads of a warp are
// neighbours in both: eight of them along the one, four along the other, and
// each does four iterations along the other.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELS_TRANSPOSEDITERATIONS_H
#define SOAP_LIB_CONVERSION_GPU_KERNELS_TRANSPOSEDITERATIONS_H

#include "ElementwiseIterations.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::soap {

/// Whether `kWideLanes` iterations of a transpose can be one.
bool canBeTransposed(const Iterations &iterations);

/// Writes what they do; `number` counts the fours of the launch from 0.
/// `shared` has what `iterations.block` sees of the outside.
void transposeIterations(OpBuilder &builder, const Iterations &iterations,
                         Value number, const IRMapping &shared);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELS_TRANSPOSEDITERATIONS_H
