//===- SampleMixing.h - Do samples of a batch meet? -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network computes each sample of a batch by itself, unless an op sums over
// samples (a mean over the batch), or reads samples by their places (a graph
// whose edges are numbers of rows). The access maps of ops tell: the sample dim
// of each value follows from the loop that indexes it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ANALYSIS_SAMPLEMIXING_H
#define SOAP_ANALYSIS_SAMPLEMIXING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// The ops of a function, in their order, that let samples of its data meet.
/// Samples are counted by `soap.sample_dim` of its arguments.
struct SampleMixing {
  /// Results for one sample depend on others, whatever their order is.
  SmallVector<Operation *> sums;
  /// Ops among `sums` that add over all samples: what devices make of parts of
  /// the samples are contributions to the results.
  SmallVector<Operation *> totals;
  /// A table of samples, of which rows are picked by their numbers.
  SmallVector<Operation *> gathers;
  /// A part of the samples is taken, by place.
  SmallVector<Operation *> parts;
};

/// Ops without an iteration space are passed over.
SampleMixing findSampleMixing(func::FuncOp function);

} // namespace mlir::soap

#endif // SOAP_ANALYSIS_SAMPLEMIXING_H
