//===- FuzzONNX.cpp - Fuzz target: ONNX import ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An imported module verifies.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Target/ONNX.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // One context for all inputs: making one takes longer than most imports.
  static auto *context = [] {
    auto *made = new MLIRContext(MLIRContext::Threading::DISABLED);
    made->getDiagEngine().registerHandler(
        [](Diagnostic &) { return success(); });
    return made;
  }();
  ::soap::fuzz::MemoryFile file(data, size);
  OwningOpRef<ModuleOp> module =
      mlir::soap::importONNX(file.path(), context, {});
  if (module)
    ::soap::fuzz::require(succeeded(verify(*module)),
                          "the imported module does not verify");
  return 0;
}
