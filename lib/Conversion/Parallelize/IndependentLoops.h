//===- IndependentLoops.h - Loops whose iterations may run together -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop of a nest can be split into ranges that run at the same time.
// Every thread runs the whole nest, with this one loop restricted to its range;
// so the loop need not be the outermost.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_PARALLELIZE_INDEPENDENTLOOPS_H
#define SOAP_LIB_CONVERSION_PARALLELIZE_INDEPENDENTLOOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::soap {

/// Constant trip count of a loop from 0 in steps of 1; none for other loops.
std::optional<int64_t> tripCountOf(scf::ForOp loop);

/// The buffer that a view is part of.
Value rootBuffer(Value buffer);

/// The buffer that a store or an atomic op writes; null for other ops.
Value writtenBy(Operation *op);

/// The loop over the range that a part gets as its last two arguments, in steps
/// of 1, if that is all that the part does; else null.
scf::ForOp rangeLoopOf(func::FuncOp part);

/// A loop of `nest` (itself or inside of it) with independent iterations: in
/// every buffer that the nest writes, an element belongs to one iteration,
/// which alone reads and writes it. The outermost with at least 16 iterations,
/// else the one with most; not a short innermost one. Null if there is none.
///
/// Different arguments are taken as different buffers, or as the same one that
/// is accessed at the same positions (elementwise kernels in place).
scf::ForOp findIndependentLoop(scf::ForOp nest);

/// All loops of `nest` with independent iterations - as their positions show,
/// or `soap.independent` says -, each inside of the one before it: the
/// iterations of all of them together are independent, too. Empty if there is
/// none, or if the nest does something else than loads and stores.
SmallVector<scf::ForOp> findIndependentLoops(scf::ForOp nest);

/// Whether `nest` accesses `buffer`, a root, inside of `loop` only, and each
/// element in one iteration of it.
bool isOfOneIteration(Value buffer, scf::ForOp loop, scf::ForOp nest);

/// The op by which `loop` folds its iteration argument `index` - a sum, maximum
/// or minimum of floats, or a sum of integers -, which may be in loops inside
/// of it. Null if the argument is used in another way.
Operation *combinerOf(scf::ForOp loop, unsigned index);
/// The neutral element of such an op.
TypedAttr neutralOf(Operation *combiner);

/// Operations of all iterations of `nest`, about; loops of unknown length count
/// once.
int64_t countWork(scf::ForOp nest);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_PARALLELIZE_INDEPENDENTLOOPS_H
