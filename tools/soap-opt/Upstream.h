//===- Upstream.h - What soap-opt has of MLIR -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dialects and passes of MLIR in soap-opt. There are two definitions, one for
// each way of linking: Upstream.cpp has all of MLIR, which the shared libMLIR
// brings anyway; the wheel links what Soap uses (python/wheel/Upstream.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_UPSTREAM_H
#define SOAP_TOOLS_UPSTREAM_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace soap {

/// Registers passes, and adds dialects with their extensions to `registry`.
void registerUpstream(mlir::DialectRegistry &registry);

} // namespace soap

#endif // SOAP_TOOLS_UPSTREAM_H
