//===- LongLines.h - Messages at long lines ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR shows the whole line of the input below a message. The line of a
// function has all of its arguments: thousands of characters in a training
// step, before which the message is lost. Here a part of a long line is shown.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAP_OPT_LONGLINES_H
#define SOAP_TOOLS_SOAP_OPT_LONGLINES_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace soap {

/// Contexts of the registry show parts of long lines of `input`, once they have
/// loaded a dialect beside the builtin one. MLIR prints all other messages. The
/// text of `input` must outlive the contexts.
void shortenLongLines(mlir::DialectRegistry &registry,
                      llvm::MemoryBufferRef input);

} // namespace soap

#endif // SOAP_TOOLS_SOAP_OPT_LONGLINES_H
