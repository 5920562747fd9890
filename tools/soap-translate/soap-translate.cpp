//===- soap-translate.cpp - From and to other formats -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of translations, each chosen by its flag.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/LlvmOptions.h"
#include "CommandLine/WrittenOutput.h"
#include "Soap/Support/Version.h"
#include "Translation.h"

#include "Soap/Extensions/AllExtensions.h"
#include "Soap/Support/InputFile.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace mlir::soap;
namespace cl = llvm::cl;

cl::OptionCategory &mlir::soap::translateCategory() {
  static cl::OptionCategory category("Translations and files");
  return category;
}

static cl::opt<std::string> input(cl::Positional, cl::desc("FILE"),
                                  cl::cat(translateCategory()));
static cl::opt<std::string>
    outputPath("o", cl::init("-"), cl::value_desc("OUT"),
               cl::cat(translateCategory()),
               cl::desc("Output file (default: standard output)"));

static cl::opt<std::string> inputLimit(
    "input-limit", cl::value_desc("BYTES"), cl::cat(translateCategory()),
    cl::desc("The most that a pipe or standard input may give, such as 512MB "
             "(default: 256MB)"));

static cl::list<std::string> dialectPlugins(
    "load-dialect-plugin", cl::value_desc("FILE"), cl::cat(translateCategory()),
    cl::desc("Shared object with a dialect that the input uses; may be "
             "repeated"));

/// Dialects of other projects that a translation may find in its input.
static bool registerForeignDialects(DialectRegistry &registry) {
  registerAllExtensions(registry);
  for (const std::string &path : dialectPlugins) {
    llvm::Expected<DialectPlugin> plugin = DialectPlugin::load(path);
    if (!plugin) {
      llvm::errs() << "soap-translate: --load-dialect-plugin: "
                   << llvm::toString(plugin.takeError()) << "\n";
      return false;
    }
    plugin->registerDialectRegistryCallbacks(registry);
  }
  return true;
}

/// `FILE: error: message`; lines and columns mean nothing in binary files.
static LogicalResult printDiagnostic(Diagnostic &diagnostic) {
  Location loc = diagnostic.getLocation();
  std::string place;
  while (auto name = dyn_cast<NameLoc>(loc)) {
    place += ": '" + name.getName().str() + "'";
    loc = name.getChildLoc();
  }
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    llvm::errs() << file.getFilename().getValue() << place << ": ";
  const char *kinds[] = {"note", "warning", "error", "remark"};
  llvm::errs() << kinds[static_cast<int>(diagnostic.getSeverity())] << ": "
               << diagnostic.str() << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    (void)printDiagnostic(note);
  return success();
}

/// `categories`: the tool's own first, then the translations'.
static ::soap::manual::Manual
makeManual(ArrayRef<const cl::OptionCategory *> categories) {
  ::soap::manual::Manual manual;
  manual.tool = "soap-translate";
  manual.purpose =
      "other formats to the soap dialect, and lowered modules to artifacts";
  manual.usage = {{"soap-translate TRANSLATION [FILE] [flags]", ""}};
  manual.examples = {
      "soap-translate --import-onnx model.onnx -o model.mlir",
      "soap-translate --import-stablehlo step.mlir -o model.mlir",
      "soap-translate --update-onnx model.onnx --weights w.safetensors -o "
      "trained.onnx",
      "soap-translate --emit-artifact lowered.mlir -o model.soapx",
      "soap-translate --generate=nmt --batch=256 -o nmt.mlir",
      "soap-translate --describe-topology=p100-4x4",
      "soap-translate --strategy-to-svg searched.mlir -o strategy.svg"};
  for (const cl::OptionCategory *category : categories) {
    // Two translations may share a category.
    bool known = llvm::any_of(manual.groups, [&](const auto &group) {
      return group.title == category->getName();
    });
    if (!known)
      manual.groups.push_back(
          {category->getName().str(),
           ::soap::manual::optionsOf(
               const_cast<cl::OptionCategory *>(category))});
  }
  manual.groups.front().options.push_back(
      {{"--help", "-h"}, "", "this text", {}, {}});
  manual.groups.front().options.push_back(
      {{"--version"}, "", "the version of Soap, and of LLVM", {}, {}});
  manual.notes = {"exit status: 0 success, 1 bad input, 2 bad flags"};
  return manual;
}

int main(int argc, char **argv) {
  ::soap::watchStandardOutput("soap-translate");
  llvm::InitLLVM init(argc, argv);
  const Translation translations[] = {
      importONNXTranslation(),    importStableHLOTranslation(),
      exportShardyTranslation(),  updateONNXTranslation(),
      emitArtifactTranslation(),  generateModelTranslation(),
      listModelsTranslation(),    describeTopologyTranslation(),
      strategyToSvgTranslation(), strategyToJsonTranslation()};

  // Options of LLVM's own libraries are no part of this tool.
  SmallVector<const cl::OptionCategory *> categories = {&translateCategory()};
  for (const Translation &translation : translations)
    categories.push_back(&translation.category);
  cl::HideUnrelatedOptions(categories);
  cl::SetVersionPrinter(
      [](raw_ostream &os) { os << ::soap::versionLine() << "\n"; });
  ::soap::manual::Manual manual = makeManual(categories);
  if (::soap::manual::printForBuild(argc, argv, manual))
    return 0;
  if (::soap::manual::asksForHelp(argc, argv)) {
    llvm::outs() << ::soap::manual::printHelp(manual);
    return 0;
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (!cl::ParseCommandLineOptions(argc, argv, "", &stream)) {
    llvm::errs() << messages;
    return 2;
  }
  const Translation *chosen = nullptr;
  for (const Translation &translation : translations) {
    if (translation.flag.getNumOccurrences() == 0)
      continue;
    if (chosen) {
      llvm::errs() << "soap-translate: --" << chosen->flag.ArgStr << " and --"
                   << translation.flag.ArgStr << " exclude each other\n";
      return 2;
    }
    chosen = &translation;
  }
  if (!chosen || input.empty() == chosen->readsFile) {
    llvm::errs() << "soap-translate: expected "
                 << (!chosen ? "a translation, for example --import-onnx"
                     : chosen->readsFile ? "an input file"
                                         : "no input file")
                 << "; see soap-translate --help\n";
    return 2;
  }
  if (!chosen->checkOptions())
    return 2;
  if (!inputLimit.empty())
    if (auto error = ::soap::setInputLimit(inputLimit)) {
      llvm::errs() << "soap-translate: --input-limit: " << error->message
                   << "\n";
      return 2;
    }

  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // may be a whole model
  DialectRegistry registry;
  if (!registerForeignDialects(registry))
    return 1;
  context.appendDialectRegistry(registry);
  context.getDiagEngine().registerHandler(printDiagnostic);
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputPath, &error);
  if (!output) {
    llvm::errs() << "soap-translate: " << error << "\n";
    return 1;
  }
  if (failed(chosen->run(input, output->os(), context)))
    return 1;
  return ::soap::keepIfWritten(*output, outputPath, "soap-translate") ? 0 : 1;
}
