//===- NarrowReads.h - Numbers of 16 bits are read as such ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch makes f32 of what a library has rounded to 16 bits, and launches
// read it: norms and their gradients, four times. They read the 16 bits, which
// are half the bytes and the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELS_NARROWREADS_H
#define SOAP_LIB_CONVERSION_GPU_KERNELS_NARROWREADS_H

#include "TouchedBuffers.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::soap {

class NarrowReads {
public:
  NarrowReads(SymbolTable &symbols, TouchedBuffers &buffers)
      : symbols(symbols), buffers(buffers) {}

  /// Launches of `block` that are gone, as others read what they read. Parts
  /// are added to the module.
  int64_t run(Block &block);

private:
  SymbolTable &symbols;
  TouchedBuffers &buffers;
  /// Parts that were made, by name, argument and type.
  llvm::StringMap<StringAttr> known;

  bool readNarrow(ParallelCallOp call);
  bool canReadNarrow(ParallelCallOp reader, ParallelCallOp call, Value root);
  StringAttr createNarrow(func::FuncOp reading, unsigned operand,
                          MemRefType type);
};

/// Of numbers that are rounded already no second rounding is left.
void foldRoundings(func::FuncOp function);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELS_NARROWREADS_H
