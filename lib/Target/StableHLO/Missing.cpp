//===- Missing.cpp - StableHLO of the quick build -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are linked instead of the importer in the quick build of
// scripts/demo.sh, which has no use for it.
//
//===----------------------------------------------------------------------===//

#include "Soap/Target/StableHLO.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

static LogicalResult complain(const llvm::MemoryBuffer &file,
                              MLIRContext *context) {
  return emitError(
             FileLineColLoc::get(context, file.getBufferIdentifier(), 0, 0))
         << "the quick build of scripts/demo.sh has no StableHLO import: "
            "scripts/build.sh makes the complete tools";
}

OwningOpRef<ModuleOp>
mlir::soap::importStableHLO(std::unique_ptr<llvm::MemoryBuffer> text,
                            MLIRContext *context,
                            const StableHLOImportOptions &) {
  return (void)complain(*text, context), nullptr;
}

LogicalResult
mlir::soap::exportShardy(std::unique_ptr<llvm::MemoryBuffer> program,
                         ModuleOp sharded, const StableHLOImportOptions &,
                         llvm::raw_ostream &) {
  return complain(*program, sharded.getContext());
}
