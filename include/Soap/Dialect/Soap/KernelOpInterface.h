//===- KernelOpInterface.h - Lowering of other dialects ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An op of another dialect implements this besides an iteration space, to be
// lowered and run: it writes its kernel on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_KERNELOPINTERFACE_H
#define SOAP_DIALECT_SOAP_KERNELOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>

#include "Soap/Dialect/Soap/KernelOpInterface.h.inc"

#endif // SOAP_DIALECT_SOAP_KERNELOPINTERFACE_H
