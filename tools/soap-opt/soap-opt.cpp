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

#include "LongLines.h"
#include "Upstream.h"

#include "CommandLine/LlvmOptions.h"
#include "CommandLine/WrittenOutput.h"
#include "Soap/InitAll.h"
#include "Soap/Support/InputFile.h"
#include "Soap/Support/Version.h"
#include "Soap/Transforms/SourceFile.h"

#include "mlir/Debug/Counter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/abi-breaking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

static bool isSoapPass(llvm::StringRef name) {
  return name.starts_with("soap-");
}
/// Whether the pass is a step of lowering, which a pipeline runs for its user.
static bool isStep(llvm::StringRef name) {
  static const llvm::StringSet<> names = {
      "soap-assign-layouts",      "soap-bufferize-programs",
      "soap-call-attention",      "soap-call-image-ops",
      "soap-call-products",       "soap-embed-image",
      "soap-emit-manifest",       "soap-expand-attention",
      "soap-finish-kernels",      "soap-gpu-binary",
      "soap-hoist-sends",         "soap-inline-kernels",
      "soap-kernels-to-gpu",      "soap-lower-gpu-kernels",
      "soap-merge-updates",       "soap-narrow-products",
      "soap-order-streams",       "soap-outline-kernels",
      "soap-parallelize-kernels", "soap-plan-memory",
      "soap-prepare-gpu-kernels", "soap-programs-to-llvm",
      "soap-programs-to-mpi",     "soap-single-programs",
      "soap-split-sums",          "soap-verify-streams",
      "soap-widen-kernels"};
  return names.contains(name);
}
static bool isMainPass(llvm::StringRef name) {
  return isSoapPass(name) && !isStep(name);
}
static bool isOtherPass(llvm::StringRef name) { return !isSoapPass(name); }

/// The options of most commands; the others are MLIR's own.
static bool isCommon(const soap::manual::Option &option) {
  static const llvm::StringSet<> names = {"-o",
                                          "--input-limit",
                                          "--pass-pipeline",
                                          "--load-dialect-plugin",
                                          "--load-pass-plugin",
                                          "--emit-bytecode",
                                          "--verify-each",
                                          "--split-input-file"};
  return names.contains(option.names.front());
}

/// Once all passes and options are registered.
static soap::manual::Manual makeManual() {
  soap::manual::Manual manual;
  manual.tool = "soap-opt";
  manual.purpose = "parallelizes and lowers deep neural networks";
  manual.usage = {{"soap-opt [FILE] [passes and options]", ""}};
  manual.paragraphs = {
      "Reads IR from FILE or standard input, runs the passes in the order in "
      "which they are given, and prints IR. Options of a pass stand in quotes "
      "behind it, with blanks between them: "
      "--soap-auto-parallel='topology=cpu-4 time-limit=5'. docs/Passes.md "
      "describes the passes of Soap; the others come with MLIR."};
  manual.examples = {
      "soap-opt model.mlir --soap-build-training-step='learning-rate=0.05' "
      "-o step.mlir",
      "soap-opt step.mlir --soap-auto-parallel='topology=cpu-4 time-limit=5' "
      "-o searched.mlir",
      "soap-opt searched.mlir --soap-simulate='report=report.json' -o "
      "/dev/null",
      "soap-opt searched.mlir --soap-explain='op=conv1' -o /dev/null",
      "soap-opt searched.mlir --soap-partition --soap-lower-to-cpu -o "
      "lowered.mlir"};
  soap::manual::Group common{"files and pipelines", {}}, rest{"MLIR", {}};
  for (soap::manual::Option &option : soap::manual::optionsOf())
    if (isCommon(option))
      common.options.push_back(std::move(option));
    else if (!llvm::StringRef(option.names.front()).starts_with("--help") &&
             option.names.front() != "--version")
      rest.options.push_back(std::move(option));
  auto add = [&](std::vector<std::string> names, const char *text) {
    common.options.push_back({std::move(names), "", text, {}, {}});
  };
  add({"--help", "-h"}, "this text");
  add({"--help-passes"}, "the passes of MLIR, with their options");
  add({"--help-hidden"},
      "all options of LLVM's libraries, as LLVM prints them");
  add({"--version"}, "the version of Soap, and of LLVM");
  manual.groups = {
      {"passes and pipelines of Soap", soap::manual::readPasses(isMainPass)},
      std::move(common),
      {"steps of --soap-lower-to-cpu and --soap-lower-to-cuda",
       soap::manual::readPasses(isStep)},
      std::move(rest)};
  manual.notes = {"exit status: 0 success, 1 bad input, 2 bad flags"};
  return manual;
}

/// Prints the table if `--help`, `--help-passes` or the build asks for it.
/// Whether one does.
static bool printManual(int argc, char **argv) {
  if (soap::manual::asksForHelp(argc, argv)) {
    llvm::outs() << soap::manual::printHelp(makeManual());
    return true;
  }
  if (llvm::any_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef argument) {
        return argument == "--help-passes";
      })) {
    soap::manual::Manual passes;
    passes.tool = "soap-opt";
    passes.purpose = "passes and pipelines of MLIR";
    passes.groups = {{"passes", soap::manual::readPasses(isOtherPass)}};
    llvm::outs() << soap::manual::printHelp(passes);
    return true;
  }
  // No other command pays for the table.
  return argc > 1 && llvm::StringRef(argv[argc - 1]).starts_with("--print-") &&
         soap::manual::printForBuild(argc, argv, makeManual());
}

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

/// Whether the command line has the option of LLVM or MLIR.
static bool isGiven(llvm::StringRef name) {
  const llvm::cl::Option *option =
      llvm::cl::getRegisteredOptions().lookup(name);
  return option && option->getNumOccurrences() > 0;
}

/// An LLVM without statistics, as Debian's, prints an empty table.
static void explainStatistics() {
#if !LLVM_FORCE_ENABLE_STATS && !LLVM_ENABLE_ABI_BREAKING_CHECKS
  if (isGiven("mlir-pass-statistics"))
    llvm::errs()
        << "soap-opt: note: --mlir-pass-statistics: this LLVM is built without "
           "statistics, the table is empty; searches write their counts to "
           "report=FILE and to remarks "
           "(--remarks-filter=soap-auto-parallel "
           "--remark-format=emitRemark)\n";
#endif
}

/// Does the work of mlir::MlirOptMain, but opens the input with Soap's checks.
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
  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  // Expected diagnostics are MLIR's to compare; parts of a file have other
  // lines.
  if (!isGiven("verify-diagnostics") && !isGiven("split-input-file"))
    soap::shortenLongLines(registry, *buffer);
  std::string note =
      mlir::soap::noteOnForeignText(buffer->getBuffer(), registry);
  if (failed(
          mlir::MlirOptMain(file->os(), std::move(buffer), registry, config))) {
    if (!note.empty())
      llvm::errs() << "soap-opt: note: " << note << "\n";
    return mlir::failure();
  }
  return mlir::success(soap::keepIfWritten(*file, output, "soap-opt"));
}

int main(int argc, char **argv) {
  soap::watchStandardOutput("soap-opt");
  // Thousands of flags of LLVM's own libraries are registered before main. They
  // work, and --help-hidden shows them.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);

  mlir::DialectRegistry registry;
  soap::registerUpstream(registry);
  mlir::soap::registerAllPasses();
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
      llvm::cl::desc(
          "The most that a pipe or standard input may give, such as 512MB "
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
  if (printManual(argc, argv))
    return 0;
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, "", &llvm::errs()))
    return 2;
  if (failed(checkPipeline()))
    return 2;
  explainStatistics();
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
