//===- SoapInterfaces.h - Interfaces of soap ops ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IterationSpaceOpInterface and DifferentiableOpInterface, with the helpers
// that their methods share.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SOAPINTERFACES_H
#define SOAP_DIALECT_SOAP_SOAPINTERFACES_H

#include "Soap/Model/IterationSpace.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::soap {

/// Default of `IterationSpaceOpInterface::localize`: the same op with the same
/// inherent attributes on packed tiles.
Operation *localizeDefault(Operation *op, OpBuilder &builder,
                           ArrayRef<::soap::Region> resultRegions,
                           ValueRange operands);
/// Verifier of every op with an iteration space: static shapes without zero
/// dims, maps that fit ranks, a config that `checkConfig` accepts.
LogicalResult verifyIterationSpaceOp(Operation *op);
/// Packed tile type of a region of a tensor.
RankedTensorType tileType(Type tensor, const ::soap::Region &region);
/// Marks `gradient` as an op of the backward pass of `forward`; `loopMap` pairs
/// (own loop, forward loop) where names differ.
void setGradientOf(Operation *gradient, Operation *forward,
                   ArrayRef<std::pair<StringRef, StringRef>> loopMap = {});

} // namespace mlir::soap

#include "Soap/Dialect/Soap/SoapInterfaces.h.inc"

#endif // SOAP_DIALECT_SOAP_SOAPINTERFACES_H
