//===- KernelTable.h - Kernels of a module, each once -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes kernel functions and finds them again: ops of the same name, attributes
// and types share one. A file of its own because it knows functions and
// symbols, and nothing of what is replaced by calls.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_KERNELTABLE_H
#define SOAP_LIB_CONVERSION_OUTLINE_KERNELTABLE_H

#include "../Reference/Kernels.h"
#include "Layouts.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::soap {

/// Which results of an update op are new values of which operands: (result,
/// operand).
SmallVector<std::pair<unsigned, unsigned>> updatedOperands(Operation *op);

class KernelTable {
public:
  /// `fast` and `forThreads` as in `KernelBuilder`.
  KernelTable(ModuleOp module, bool fast, bool forThreads)
      : module(module), symbols(module), fast(fast), forThreads(forThreads) {}

  /// How the program whose ops come next holds its images; kept by reference.
  void setLayouts(const Layouts &programLayouts) { layouts = &programLayouts; }

  /// Kernel of one op. `tied[i]`, if not null, is the operand that result i is
  /// written over: it is no argument of its own. Arguments are the other
  /// operands, then the results.
  FailureOr<FlatSymbolRefAttr> kernelOf(Operation *op, ArrayRef<Value> tied);
  /// Kernel of elementwise ops that feed each other; arguments are `inputs`,
  /// then the results of the last op, `tied` as above.
  FailureOr<FlatSymbolRefAttr> kernelOf(ArrayRef<Operation *> ops,
                                        ArrayRef<Value> inputs,
                                        ArrayRef<Value> tied);
  /// Kernel of an op of another dialect, which writes it itself; arguments as
  /// of `kernelOf(op, tied)`, of those operands that are read.
  FailureOr<FlatSymbolRefAttr> foreignKernelOf(KernelOpInterface op,
                                               ArrayRef<Value> tied);
  /// Kernel that packs a region of a tile, which may be an image of any layout.
  FailureOr<FlatSymbolRefAttr> packKernel(Location loc, RankedTensorType tile,
                                          const ::soap::Region &region,
                                          ImageLayout layout);
  /// Kernel of an op that folds `pieces` tiles of its result's type, which are
  /// one row.
  FailureOr<FlatSymbolRefAttr>
  rowCombineKernel(CombineOp op, RankedTensorType row, int64_t pieces);
  /// Kernel that copies an image of shape `type` to another layout.
  FailureOr<FlatSymbolRefAttr> layoutKernel(Location loc, RankedTensorType type,
                                            ImageLayout from, ImageLayout to);

  /// Kernel that makes [3, C] of count, mean and M2 (sum of squared deviations)
  /// from the mean and 1 / sqrt(M2 / count + epsilon) of each channel.
  FailureOr<FlatSymbolRefAttr> momentsKernel(Location loc,
                                             RankedTensorType stats,
                                             int64_t count, double epsilon);

  /// Kernel of a `running_stats_update` in place, from the same two: arguments
  /// are mean and 1 / sqrt(M2 / count + epsilon), then the averages of mean and
  /// variance.
  FailureOr<FlatSymbolRefAttr> runningStatsKernel(Location loc,
                                                  RankedTensorType row,
                                                  int64_t count, double epsilon,
                                                  double momentum);

private:
  ModuleOp module;
  SymbolTable symbols;
  bool fast, forThreads;
  const Layouts *layouts = nullptr;
  llvm::StringMap<FlatSymbolRefAttr> known;
  unsigned next = 0;

  /// An argument of a kernel: a tensor as the model has it, and its layout.
  struct Argument {
    Type type;
    ImageLayout layout = ImageLayout::ChannelsFirst;
  };
  Argument argumentOf(OpOperand &operand) const;
  Argument argumentOf(OpResult result) const;

  /// The kernel known by `key` and the layouts of `tensors`, or a new function
  /// with arguments of their shapes, whose body `emit` writes. Buffers of an
  /// `elementwise` kernel may be one; of others, they are different.
  FailureOr<FlatSymbolRefAttr>
  findOrCreate(Location loc, std::string key, StringRef name,
               ArrayRef<Argument> tensors, bool elementwise,
               function_ref<LogicalResult(OpBuilder &, ArrayRef<Value>)> emit);
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_KERNELTABLE_H
