//===- ExpandRecurrences.h - LSTMs as library products ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of a recurrent op are most of its work: they become matmuls,
// which the library computes, and what remains of a step is pointwise.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_EXPANDRECURRENCES_H
#define SOAP_LIB_CONVERSION_OUTLINE_EXPANDRECURRENCES_H

#include "mlir/IR/Block.h"

namespace mlir::soap {

/// Replaces `lstm`, `lstm_grad` and their steps, of a program's body, by
/// matmuls, reshapes and cells. The new ops belong to the task of the old one.
void expandRecurrences(Block &block);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_EXPANDRECURRENCES_H
