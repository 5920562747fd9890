//===- Passes.h - Passes on soap IR -----------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations and registration of the passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TRANSFORMS_PASSES_H
#define SOAP_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace mlir::soap {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Soap/Transforms/Passes.h.inc"

} // namespace mlir::soap

#endif // SOAP_TRANSFORMS_PASSES_H
