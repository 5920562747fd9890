//===- StrategyToSvg.cpp - Strategies as drawings and files -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategy of a module as a drawing, or as a strategy file.
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/ModuleDrawing.h"
#include "Soap/Transforms/SourceFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::soap;
namespace cl = llvm::cl;

static cl::OptionCategory
    strategyCategory("Options of --strategy-to-svg and --strategy-to-json");

static cl::opt<bool> drawFlag(
    "strategy-to-svg",
    cl::desc("Draw the strategy of a module whose ops have configs (SVG): a "
             "grid of shards per op, coloured by device"),
    cl::cat(translateCategory()));
static cl::opt<bool> printFlag(
    "strategy-to-json",
    cl::desc("Print the strategy of a module whose ops have configs as a "
             "strategy file (docs/Strategy.md)"),
    cl::cat(translateCategory()));
static cl::opt<std::string>
    function("function", cl::value_desc("NAME"), cl::cat(strategyCategory),
             cl::desc("Function to read (default: train_step, evaluate or "
                      "forward)"));
static cl::opt<std::string>
    topology("topology", cl::value_desc("NAME"), cl::cat(strategyCategory),
             cl::desc("Built-in topology or topology file (default: the "
                      "module's soap.topology)"));
static cl::opt<std::string> profile(
    "profile", cl::value_desc("NAME"), cl::cat(strategyCategory),
    cl::desc("Built-in profile or profile file (default: what the topology "
             "names)"));

using Print = decltype(&drawModuleStrategy);

static LogicalResult run(StringRef input, llvm::raw_ostream &output,
                         MLIRContext &context, Print print) {
  DialectRegistry registry;
  registry.insert<SoapDialect, func::FuncDialect>();
  context.appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module = parseModuleFile(input, &context);
  if (!module)
    return failure();
  FailureOr<std::string> text = print(*module, topology, profile, function);
  if (failed(text))
    return failure();
  output << *text;
  return success();
}

static bool checkNothing() { return true; }

Translation mlir::soap::strategyToSvgTranslation() {
  return {drawFlag, strategyCategory, checkNothing,
          [](StringRef input, llvm::raw_ostream &output, MLIRContext &context) {
            return run(input, output, context, drawModuleStrategy);
          }};
}

Translation mlir::soap::strategyToJsonTranslation() {
  return {printFlag, strategyCategory, checkNothing,
          [](StringRef input, llvm::raw_ostream &output, MLIRContext &context) {
            return run(input, output, context, printModuleStrategy);
          }};
}
