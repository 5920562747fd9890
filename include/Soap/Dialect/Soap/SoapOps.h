//===- SoapOps.h - Ops of the soap dialect ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op classes generated from SoapOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SOAPOPS_H
#define SOAP_DIALECT_SOAP_SOAPOPS_H

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "Soap/Dialect/Soap/SoapOps.h.inc"

#endif // SOAP_DIALECT_SOAP_SOAPOPS_H
