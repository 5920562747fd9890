//===- JoinedIterations.h - Four neighbours as one iteration ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations that differ in the last digit of their number alone - channels of
// a position, with loops and branches that only the position decides, or a
// bound of the channels that is a multiple of four - become one: positions and
// bounds are computed once, and of each buffer four neighbours are loaded and
// stored.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELS_JOINEDITERATIONS_H
#define SOAP_LIB_CONVERSION_GPU_KERNELS_JOINEDITERATIONS_H

#include "ElementwiseIterations.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::soap {

/// Whether `kWideLanes` iterations can be joined; `own` are then their loads
/// and stores of neighbours.
bool canBeJoined(const Iterations &iterations,
                 llvm::DenseSet<Operation *> &own);

/// Writes what `kWideLanes` joined iterations do; `number` counts the
/// fours of the launch from 0. `shared` has what `iterations.block` sees of the
/// outside.
void joinIterations(OpBuilder &builder, const Iterations &iterations,
                    Value number, const IRMapping &shared);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELS_JOINEDITERATIONS_H
