//===- ImportStableHLO.cpp - soap-translate --import-stablehlo --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of StableHLO import.
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Target/StableHLO.h"
#include "Soap/Transforms/SourceFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::soap;
namespace cl = llvm::cl;

static cl::OptionCategory
    stablehloCategory("Options of --import-stablehlo and --export-shardy");

static cl::opt<bool> importFlag(
    "import-stablehlo",
    cl::desc("Import a StableHLO program in MLIR's generic form, as JAX prints "
             "it, as a function of soap and linalg ops"),
    cl::cat(translateCategory()));
static cl::opt<std::string>
    function("import-function", cl::value_desc("NAME"),
             cl::cat(stablehloCategory),
             cl::desc("Function to import (default: main, else the only public "
                      "one)"));
static cl::opt<std::string>
    data("data", cl::value_desc("LIST"), cl::cat(stablehloCategory),
         cl::desc("Arguments that are data: numbers and ranges such as 0,2-4"));
static cl::opt<std::string> labels("labels", cl::value_desc("LIST"),
                                   cl::cat(stablehloCategory),
                                   cl::desc("Arguments that are labels"));
static cl::opt<std::string>
    parameterList("parameter-arguments", cl::value_desc("LIST"),
                  cl::cat(stablehloCategory),
                  cl::desc("Arguments that are parameters (default: floats "
                           "that a result updates)"));
static cl::opt<std::string>
    states("states", cl::value_desc("LIST"), cl::cat(stablehloCategory),
           cl::desc("Arguments that are states (default: integers that a "
                    "result updates)"));
static cl::opt<std::string> updates(
    "updates", cl::value_desc("PAIRS|auto|none"), cl::cat(stablehloCategory),
    cl::desc("Results that are new values of arguments, as RESULT:ARGUMENT "
             "pairs and ranges such as 1-5:0-4; auto finds them by their types "
             "(default: what donate_argnums of JAX says)"));
static cl::opt<int64_t>
    sampleDim("data-sample-dim", cl::value_desc("N"), cl::init(0),
              cl::cat(stablehloCategory),
              cl::desc("Dim of data and labels that counts samples (default: "
                       "0; -1: none)"));
static cl::opt<bool> trainStep(
    "train-step", cl::cat(stablehloCategory),
    cl::desc("The program is a training step: call it train_step, as soap-run "
             "expects it, and its only scalar that updates nothing the loss"));
static cl::opt<bool> noFusion("no-fusion", cl::cat(stablehloCategory),
                              cl::desc("Leave elementwise ops apart"));
static cl::opt<bool>
    noRecognition("no-recognition", cl::cat(stablehloCategory),
                  cl::desc("Leave the ops of softmax, norms and gelu apart"));

static cl::opt<bool> keepShardings(
    "keep-shardings", cl::cat(stablehloCategory),
    cl::desc("Arguments, results and constrained tensors lie where the "
             "program's shardings say (Shardy's or GSPMD's)"));
static cl::opt<bool> exportFlag(
    "export-shardy",
    cl::desc("Write the program of --stablehlo again, with the mesh and the "
             "shardings of FILE, which --soap-export-shard wrote of its import "
             "with a strategy"),
    cl::cat(translateCategory()));
static cl::opt<std::string>
    programPath("stablehlo", cl::value_desc("PROGRAM"),
                cl::cat(stablehloCategory),
                cl::desc("Program that --export-shardy writes again; options "
                         "of its import are given, too"));

/// `FILE:LINE:COLUMN: error: message`, with the names of JAX's ops if the
/// module has them.
static LogicalResult printDiagnostic(Diagnostic &diagnostic) {
  SmallVector<std::string> names;
  std::optional<FileLineColLoc> place;
  diagnostic.getLocation()->walk([&](Location loc) {
    if (auto name = dyn_cast<NameLoc>(loc))
      names.push_back(name.getName().str());
    if (auto file = dyn_cast<FileLineColLoc>(loc); file && !place)
      place = file;
    return WalkResult::advance();
  });
  if (place) {
    llvm::errs() << place->getFilename().getValue() << ":";
    if (place->getLine())
      llvm::errs() << place->getLine() << ":" << place->getColumn() << ":";
    llvm::errs() << " ";
  }
  for (const std::string &name : names)
    llvm::errs() << "'" << name << "': ";
  const char *kinds[] = {"note", "warning", "error", "remark"};
  llvm::errs() << kinds[static_cast<int>(diagnostic.getSeverity())] << ": "
               << diagnostic.str() << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    (void)printDiagnostic(note);
  return success();
}

static std::unique_ptr<llvm::MemoryBuffer> open(StringRef path,
                                                MLIRContext &context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> text = openSourceFile(path, error);
  if (!text)
    emitError(UnknownLoc::get(&context)) << error;
  return text;
}

static StableHLOImportOptions readOptions() {
  StableHLOImportOptions options;
  options.function = function;
  options.data = data;
  options.labels = labels;
  options.parameters = parameterList;
  options.states = states;
  options.updates = updates;
  options.sampleDim = sampleDim;
  options.trainStep = trainStep;
  options.fuse = !noFusion;
  options.recognize = !noRecognition;
  options.keepShardings = keepShardings;
  return options;
}

static LogicalResult run(StringRef input, llvm::raw_ostream &output,
                         MLIRContext &context) {
  ScopedDiagnosticHandler handler(&context, printDiagnostic);
  std::unique_ptr<llvm::MemoryBuffer> text = open(input, context);
  if (!text)
    return failure();
  OwningOpRef<ModuleOp> module =
      importStableHLO(std::move(text), &context, readOptions());
  if (!module)
    return failure();
  output << *module << "\n";
  return success();
}

static LogicalResult runExport(StringRef input, llvm::raw_ostream &output,
                               MLIRContext &context) {
  ScopedDiagnosticHandler handler(&context, printDiagnostic);
  DialectRegistry registry;
  registry.insert<shard::ShardDialect, func::FuncDialect, SoapDialect>();
  context.appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> sharded = parseModuleFile(input, &context);
  std::unique_ptr<llvm::MemoryBuffer> text;
  if (!sharded || !(text = open(programPath, context)))
    return failure();
  return exportShardy(std::move(text), *sharded, /*planned=*/ModuleOp(),
                      readOptions(), output);
}

static bool checkExport() {
  if (!programPath.empty())
    return true;
  llvm::errs() << "soap-translate: --export-shardy needs --stablehlo=PROGRAM, "
                  "the program that FILE was imported from\n";
  return false;
}

Translation mlir::soap::exportShardyTranslation() {
  return {exportFlag, stablehloCategory, checkExport, runExport};
}

Translation mlir::soap::importStableHLOTranslation() {
  return {importFlag, stablehloCategory, [] { return true; }, run};
}
