//===- ElementwiseIterations.h - Each touches its own element ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For passes that join elementwise parts or change how many elements an
// iteration does: which accesses of a part are to the element whose number is
// that of the iteration.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELS_ELEMENTWISEITERATIONS_H
#define SOAP_LIB_CONVERSION_GPU_KERNELS_ELEMENTWISEITERATIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <optional>

namespace mlir::soap {

/// Elements that an iteration of `--soap-widen-kernels` does.
inline constexpr int64_t kWideLanes = 4;

/// A sum of digits of an iteration's number, each times a number. A digit is
/// the number divided by the first, and of that the remainder by the second (0:
/// all of it).
using Digits = std::map<std::pair<int64_t, int64_t>, int64_t>;

/// `value` as a function of `iteration`; none if it is another function.
std::optional<Digits> digitsOf(Value value, Value iteration);

/// The place, in elements, of an access of a buffer of `type`, likewise.
std::optional<Digits> addressOf(MemRefType type, ValueRange indices,
                                Value iteration);

/// Whether an access of a buffer of `type` at `indices` is to the element with
/// the number of the iteration, and the buffer has `extent` elements: as many
/// as there are iterations.
bool isOwnElement(MemRefType type, ValueRange indices, Value iteration,
                  int64_t extent);

template <typename Access>
bool isOwnElement(Access access, Value iteration, int64_t extent) {
  return isOwnElement(access.getMemRefType(), access.getIndices(), iteration,
                      extent);
}

/// Whether a load touches every element of its buffer in a launch of `extent`
/// iterations: its place is the digits of the iteration's number and of the
/// loops around it, each at its place. Conditions around it are not looked at.
bool loadsAll(memref::LoadOp load, Value iteration, int64_t extent);

/// One of `extent` iterations: the code of a part, or of one of the
/// parts that a launch has taken over.
struct Iterations {
  Block *block = nullptr;
  Value iteration;               ///< counts from 0
  int64_t first = 0, extent = 0; ///< `first` is a number of the whole launch
};

/// The launches that a part of `extent` iterations has taken over, each with
/// its own; one if it has taken over none. Empty if the part is no loop over
/// the range.
SmallVector<Iterations> iterationsOf(func::FuncOp part, int64_t extent);

/// Code that by `number` does what one of several launches does, as
/// `iterationsOf` finds it again: launch i has the numbers from `firsts[i]` on.
/// `emit` writes the code of launch i. Comparisons halve the list.
void chooseLaunch(OpBuilder &builder, Value number, ArrayRef<int64_t> firsts,
                  function_ref<void(size_t)> emit);

/// Straight code that loads, computes, and stores own elements at the end.
/// `own` are the loads and stores of own elements.
bool isStraight(const Iterations &iterations, llvm::DenseSet<Operation *> &own);

/// Whether four iterations of a part can become one.
bool canBeWidened(func::FuncOp part, int64_t extent);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELS_ELEMENTWISEITERATIONS_H
