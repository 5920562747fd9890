//===- TouchedBuffers.h - Which buffers launches touch ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For passes that move launches in programs whose memory is not planned yet:
// buffers are arguments and allocations, each in places of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELS_TOUCHEDBUFFERS_H
#define SOAP_LIB_CONVERSION_GPU_KERNELS_TOUCHEDBUFFERS_H

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace mlir::soap {

/// Buffers that an op reads and writes, by what they show.
struct Touched {
  llvm::DenseSet<Value> read, written;

  void add(const Touched &other);
  bool conflictsWith(const Touched &other) const;
};

class TouchedBuffers {
public:
  explicit TouchedBuffers(SymbolTable &symbols) : symbols(symbols) {}

  /// The function that a launch runs; null if the module has none.
  func::FuncOp partOf(ParallelCallOp call) const {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }
  /// Of launches, what their parts store to is written; of library calls, their
  /// outputs; of other ops all.
  Touched touchedBy(Operation *op);
  /// Whether `part` stores to its argument.
  bool isWritten(func::FuncOp part, size_t argument);

private:
  SymbolTable &symbols;
  /// Arguments that a part stores to.
  llvm::DenseMap<Operation *, llvm::DenseSet<unsigned>> stores;
};

/// Bytes of an argument or allocation that a buffer shows.
struct ShownBytes {
  Value root;
  int64_t begin = 0, end = 0;

  bool isWhole() const;
  bool overlaps(const ShownBytes &other) const;
  bool operator==(const ShownBytes &) const = default;
};
/// None if their place is not known.
std::optional<ShownBytes> shownBytes(Value buffer);

/// Ops that use `root` or views of it, without the views.
SmallVector<Operation *> usersOf(Value root);

/// Whether the allocation and the views that make a buffer can stand anywhere.
bool canMoveUp(Value buffer);
/// Moves them in front of `place`, where they are not yet.
void moveUp(Value buffer, Operation *place);

/// `launch` does the work of `calls`, in the name of `place`, one of them.
void setSlots(Operation *launch, Operation *place, ArrayRef<Operation *> calls);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELS_TOUCHEDBUFFERS_H
