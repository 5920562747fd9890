//===- soap-opt.cpp - The optimizer driver --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with the soap dialect and passes: reads IR, runs the passes named on
// the command line, prints IR. The upstream dialects and passes are registered
// too, so that every stage of the pipeline can be printed, read back and
// continued. The command line is parsed here, not by MLIR's driver, for the
// exit status: 2 on bad flags, 1 on bad input.
//
//===----------------------------------------------------------------------===//

#include "Soap/InitAll.h"
#include "Soap/Support/InputFile.h"
#include "Soap/Support/Version.h"
#include "Soap/Transforms/SourceFile.h"

#include "mlir/Debug/Counter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

static constexpr const char *kOverview = R"(
soap-opt: parallelize and lower deep neural networks

  soap-opt model.mlir --soap-build-training-step='learning-rate=0.05' -o step.mlir
  soap-opt step.mlir --soap-auto-parallel='topology=cpu-4 time-limit=5' -o searched.mlir
  soap-opt searched.mlir --soap-simulate='report=report.json' -o /dev/null
  soap-opt searched.mlir --soap-explain='op=conv1' -o /dev/null
  soap-opt searched.mlir --soap-partition --soap-lower-to-cpu -o lowered.mlir

An option in quotes after a pass is for that pass. docs/Passes.md describes the
passes named soap-*; the others come with MLIR.
)";

/// Options of passes are parsed when the pipeline is built, which the driver
/// does after it has read the input: build it once before, to tell bad flags
/// from bad input.
static mlir::LogicalResult checkPipeline() {
  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldUseExplicitModule()) // the anchor is not known before
    return mlir::success();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName(),
                            mlir::PassManager::Nesting::Implicit);
  return config.setupPassPipeline(manager);
}

/// What mlir::MlirOptMain does of the same arguments, but for how it opens the
/// input.
static mlir::LogicalResult runOnInput(int argc, char **argv,
                                      llvm::StringRef input,
                                      llvm::StringRef output,
                                      mlir::DialectRegistry &registry) {
  llvm::InitLLVM init(argc, argv);
  if (input == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string error;
  auto fail = [&] {
    llvm::errs() << "soap-opt: " << error << "\n";
    return mlir::failure();
  };
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      mlir::soap::openSourceFile(input, error);
  if (!buffer)
    return fail();
  std::unique_ptr<llvm::ToolOutputFile> file =
      mlir::openOutputFile(output, &error);
  if (!file)
    return fail();
  if (failed(mlir::MlirOptMain(file->os(), std::move(buffer), registry,
                               mlir::MlirOptMainConfig::createFromCLOptions())))
    return mlir::failure();
  file->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  // What is registered before main are the flags of LLVM's own libraries, by
  // the thousand: they work, and --help-hidden shows them.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);

  mlir::registerAllPasses();
  mlir::soap::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::soap::registerAllDialects(registry);
  mlir::soap::registerAllExtensions(registry);

  llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                   llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output(
      "o", llvm::cl::desc("Output file (default: standard output)"),
      llvm::cl::value_desc("file"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> inputLimit(
      "input-limit", llvm::cl::value_desc("bytes"),
      llvm::cl::desc("What a pipe or standard input may give, such as 512MB "
                     "(default: 256MB)"));
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  // By default MLIR repeats the offending op behind a message. Where that is
  // the module, the message is lost in front of a whole model.
  if (llvm::cl::Option *printOp = llvm::cl::getRegisteredOptions().lookup(
          "mlir-print-op-on-diagnostic"))
    static_cast<llvm::cl::opt<bool> *>(printOp)->setInitialValue(false);
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  mlir::tracing::DebugCounter::registerCLOptions();
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << ::soap::versionLine() << "\n"; });
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, kOverview, &llvm::errs()))
    return 2;
  if (failed(checkPipeline()))
    return 2;
  if (!inputLimit.empty())
    if (auto error = soap::setInputLimit(inputLimit)) {
      llvm::errs() << "soap-opt: --input-limit: " << error->message << "\n";
      return 2;
    }
  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  bool reads = !config.shouldShowDialects() && !config.shouldListPasses();
  if (reads)
    return mlir::asMainReturnCode(
        runOnInput(argc, argv, input, output, registry));
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
