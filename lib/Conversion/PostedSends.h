//===- PostedSends.h - Sends that copy nothing ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message that lies in memory until the program ends need not be copied when
// it is sent: the receiver copies it from there. The memory plan keeps such
// buffers to the end; the copies of messages would take as much memory.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_POSTEDSENDS_H
#define SOAP_LIB_CONVERSION_POSTEDSENDS_H

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::soap {

/// Bytes of a static buffer.
int64_t sizeInBytes(MemRefType type);

/// The allocation or argument that a buffer is a view of; in a planned program,
/// the part of the arena that was the allocation.
Value allocationOf(Value buffer);

/// `send`, in a program on buffers, is large and no message of a microbatch,
/// and no op writes to what it sends after it.
bool isPosted(SendBufferOp send);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_POSTEDSENDS_H
