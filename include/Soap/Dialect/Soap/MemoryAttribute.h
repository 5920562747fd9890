//===- MemoryAttribute.h - In which memory a tensor lives -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header of its own: few files ask where a tensor lives.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_MEMORYATTRIBUTE_H
#define SOAP_DIALECT_SOAP_MEMORYATTRIBUTE_H

#include "llvm/ADT/StringRef.h"

namespace mlir::soap {

/// On an argument that is a state of the optimizer: "host", its tiles are in
/// the memory of the host of their devices (docs/HostMemory.md). Absent: in
/// that of the devices.
inline constexpr llvm::StringLiteral kMemory = "soap.memory";
inline constexpr llvm::StringLiteral kHost = "host";

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_MEMORYATTRIBUTE_H
