//===- SoapCollectives.h - Ops of several devices ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op classes generated from SoapCollectiveOps.td. SoapOps.h lacks them, as
// few files use them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SOAPCOLLECTIVES_H
#define SOAP_DIALECT_SOAP_SOAPCOLLECTIVES_H

#include "Soap/Dialect/Soap/SoapOps.h"

#define GET_OP_CLASSES
#include "Soap/Dialect/Soap/SoapCollectives.h.inc"

namespace mlir::soap {

/// Whether an op of a program on tensors is a collective.
inline bool isCollective(Operation *op) {
  return isa<AllReduceOp, ReduceToRootOp, ReduceScatterOp, AllGatherOp,
             AllToAllOp, GatherToRootOp, BroadcastFromRootOp>(op);
}

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_SOAPCOLLECTIVES_H
