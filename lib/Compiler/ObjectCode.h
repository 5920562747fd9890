//===- ObjectCode.h - Machine code of lowered modules -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module in the LLVM dialect to a relocatable object: the step that the
// JIT, its cache on disk and artifacts share.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COMPILER_OBJECTCODE_H
#define SOAP_LIB_COMPILER_OBJECTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace mlir::soap {

/// The processor that code is made for.
struct CodeTarget {
  std::string triple;
  /// LLVM's name of the processor, and its features as "+avx2,-sse4a".
  std::string cpu, features;
  /// Whose timings decide where only speed differs; empty: `cpu`.
  std::string tuneCpu;
};

/// This machine, with all that it can do.
FailureOr<CodeTarget> hostTarget(ModuleOp module);
/// The host's architecture with these features only, tuned for the host.
FailureOr<CodeTarget>
restrictedTarget(ModuleOp module, const std::vector<std::string> &features);

/// Position-independent code. `optLevel` is 0..3, of LLVM's optimizer and code
/// generator. Failures emit diagnostics at the module, which is not changed.
FailureOr<SmallVector<char, 0>>
compileToObject(ModuleOp loweredModule, const CodeTarget &target, int optLevel);

/// The manifest of a lowered module; an error if it is none.
FailureOr<std::string> manifestOf(ModuleOp loweredModule);

} // namespace mlir::soap

#endif // SOAP_LIB_COMPILER_OBJECTCODE_H
