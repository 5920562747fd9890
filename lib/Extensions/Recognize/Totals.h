//===- Totals.h - Sums of sums over samples ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a weight that the steps of a scan share is a chain of
// additions, one a step, of products that sum over samples. An elementwise op
// that holds the chain and an update reads complete sums, so each step's is
// reduced over the devices. soap.accumulate is linear: devices add up their
// contributions, and one sum is reduced (docs/Plan.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_RECOGNIZE_TOTALS_H
#define SOAP_LIB_EXTENSIONS_RECOGNIZE_TOTALS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap::recognize {

/// Replaces additions of at least two sums over samples, or of linear functions
/// of these, by `soap.accumulate`, in the order of the additions. Sums of
/// 16-bit floats stay f32 up to the end of the additions, where they are
/// rounded once. Returns how many there are.
int accumulateTotals(func::FuncOp function);

} // namespace mlir::soap::recognize

#endif // SOAP_LIB_EXTENSIONS_RECOGNIZE_TOTALS_H
