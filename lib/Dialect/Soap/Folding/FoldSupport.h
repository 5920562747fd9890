//===- FoldSupport.h - What canonicalization may replace --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every folder and canonicalization pattern of the dialect asks `mayReplace`
// before it removes or replaces an op. A rewrite keeps every bit of a result,
// the sign of a zero included; only the payload of a NaN may change.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_FOLDING_FOLDSUPPORT_H
#define SOAP_LIB_DIALECT_SOAP_FOLDING_FOLDSUPPORT_H

#include "../OpSupport.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::soap {

/// Whether `op` has no discardable attribute but a name, and no gradient or
/// update op refers to that name. A config, a slot or an origin ties an op to a
/// strategy or to a task, and a program would mean something else without it.
bool mayReplace(Operation *op);

/// Replaces `op` by `other`, which takes its name over.
void replaceNamed(PatternRewriter &rewriter, Operation *op, Operation *other);

/// The elements of a `soap.constant` that are in the IR; null for other values
/// and for resources.
DenseElementsAttr constantElements(Value value);

/// Whether `value` is a `soap.constant` of floats which all are `number`. Zeros
/// of different signs are different numbers.
bool isConstantOf(Value value, double number);

/// How many elements a rewrite may write out, so that IR does not grow.
constexpr int64_t maxFoldedElements = 65536;

/// Adds the pattern that makes a constant of an op, named `op`, which moves the
/// elements of a constant: reshape, transpose, slice, broadcast.
void addMovePattern(RewritePatternSet &patterns, StringRef op);

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_FOLDING_FOLDSUPPORT_H
