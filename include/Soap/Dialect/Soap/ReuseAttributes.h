//===- ReuseAttributes.h - What is kept for the backward pass ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that say what the backward pass keeps, and what it recomputes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_REUSEATTRIBUTES_H
#define SOAP_DIALECT_SOAP_REUSEATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::soap {

/// On an op: in which form its results are kept for the backward pass, where
/// the forward pass reads them split otherwise than they are written: "both",
/// "before" its re-shard or "after" it (Model/Reuse.h). On an argument of a
/// function, "both" or "before": of the copies that ops read.
inline constexpr llvm::StringLiteral kKeep = "soap.keep";

/// On an op of the backward pass: the name of the op of the forward pass that
/// it computes a second time (activation recomputation), so that its results
/// need not be kept. The op is of the same kind and has the same types.
inline constexpr llvm::StringLiteral kRecomputeOf = "soap.recompute_of";

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_REUSEATTRIBUTES_H
