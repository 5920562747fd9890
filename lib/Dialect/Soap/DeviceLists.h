//===- DeviceLists.h - Syntax of lists of devices ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `[0 to 1023]`, `[0 to 56 step 8, 1, 5]`. Private to the dialect's library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_DIALECT_SOAP_DEVICELISTS_H
#define SOAP_LIB_DIALECT_SOAP_DEVICELISTS_H

#include "mlir/IR/OpImplementation.h"

namespace mlir::soap {

/// A list with ranges stands for at most this many devices.
constexpr int64_t maxListedDevices = int64_t(1) << 20;
/// A range is printed for at least this many devices.
constexpr size_t minPrintedRange = 6;

/// Devices and ranges in brackets, appended to `devices`. A range has its first
/// and last device, and a step that leads from one to the other.
ParseResult parseDevices(AsmParser &parser, SmallVectorImpl<int64_t> &devices);
/// Prints devices that ascend by the same step as a range.
void printDevices(AsmPrinter &printer, ArrayRef<int64_t> devices);

} // namespace mlir::soap

#endif // SOAP_LIB_DIALECT_SOAP_DEVICELISTS_H
