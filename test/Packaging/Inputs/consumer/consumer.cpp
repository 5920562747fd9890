// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// consumer FILE 'builtin.module(...)': registers the dialect, parses the file,
// runs the pipeline, which is written as for mlir-opt, prints the module.
#include "Soap/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  // The other parsePassPipeline, which takes a pass manager, would nest
  // `builtin.module(...)` in the module, where it finds nothing to do.
  mlir::soap::registerAllPasses();
  auto pipeline = mlir::parsePassPipeline(argv[2]);
  if (failed(pipeline))
    return 1;
  if (pipeline->getOpAnchorName() != mlir::ModuleOp::getOperationName()) {
    llvm::errs() << "expected a pipeline 'builtin.module(...)', got '"
                 << argv[2] << "'\n";
    return 1;
  }
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect>();
  mlir::soap::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  mlir::PassManager pm(&context);
  static_cast<mlir::OpPassManager &>(pm) = std::move(*pipeline);
  if (!module || failed(pm.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
