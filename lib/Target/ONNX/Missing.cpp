//===- Missing.cpp - ONNX import in a build without ONNX --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are linked instead of the importer where its libraries were
// not found.
//
//===----------------------------------------------------------------------===//

#include "Soap/Target/ONNX.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

static LogicalResult complain(StringRef path, MLIRContext *context) {
  return emitError(FileLineColLoc::get(context, path, 0, 0))
         << "this build has no ONNX import: install the ONNX and protobuf "
            "development packages and configure again";
}

OwningOpRef<ModuleOp> mlir::soap::importONNX(StringRef path,
                                             MLIRContext *context,
                                             const ONNXImportOptions &) {
  return (void)complain(path, context), nullptr;
}

LogicalResult mlir::soap::updateONNXWeights(StringRef path, StringRef,
                                            llvm::raw_ostream &,
                                            MLIRContext *context,
                                            ONNXImportOptions) {
  return complain(path, context);
}
