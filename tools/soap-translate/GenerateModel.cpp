//===- GenerateModel.cpp - soap-translate --generate ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Networks by name, and the list of them.
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Soap/Target/Models.h"

using namespace mlir;
using namespace mlir::soap;
namespace cl = llvm::cl;

static cl::OptionCategory generateCategory("Options of --generate");

static cl::opt<std::string> generate(
    "generate", cl::value_desc("MODEL"),
    cl::desc("Write a network by name, as --list-models shows them, as "
             "func.func @forward"),
    cl::cat(translateCategory()));
static cl::opt<bool> listModels("list-models",
                                cl::desc("Print the networks of --generate "
                                         "and their options"),
                                cl::cat(translateCategory()));
static cl::list<std::string>
    optionTexts("option", cl::CommaSeparated, cl::value_desc("NAME=VALUE"),
                cl::cat(generateCategory),
                cl::desc("A size of the network, or preset=NAME for published "
                         "sizes (--list-models has names and defaults)"));

static std::map<std::string, int64_t> chosenOptions;
static std::string chosenPreset;

static bool checkOptions() {
  if (!checkBatch())
    return false;
  for (const std::string &text : optionTexts) {
    auto [name, value] = StringRef(text).split('=');
    if (name == "preset" && !value.empty()) {
      if (!chosenPreset.empty()) {
        llvm::errs() << "soap-translate: --option: 'preset' is given twice\n";
        return false;
      }
      chosenPreset = value.str();
      continue;
    }
    int64_t number;
    if (name.empty() || value.getAsInteger(10, number)) {
      llvm::errs() << "soap-translate: --option: expected NAME=NUMBER or "
                      "preset=NAME, got '"
                   << text << "'\n";
      return false;
    }
    if (!chosenOptions.emplace(name.str(), number).second) {
      llvm::errs() << "soap-translate: --option: '" << name
                   << "' is given twice\n";
      return false;
    }
  }
  return true;
}

static LogicalResult runGenerate(StringRef, llvm::raw_ostream &output,
                                 MLIRContext &context) {
  OwningOpRef<ModuleOp> module = generateModel(
      generate, batchOption(), chosenOptions, &context, chosenPreset);
  if (!module || failed(module->verify()))
    return failure();
  output << *module << "\n";
  return success();
}

static LogicalResult runList(StringRef, llvm::raw_ostream &output,
                             MLIRContext &) {
  for (const ModelDescription &model : modelDescriptions()) {
    output << model.name << ": " << model.summary
           << "\n  --batch=" << model.batch << "\n";
    for (const ModelOption &option : model.options)
      output << "  --option=" << option.name << "=" << option.value << "  "
             << option.description << "\n";
    if (model.presets.empty())
      continue;
    output << "  --option=preset=NAME  sizes of ";
    llvm::interleaveComma(
        model.presets, output,
        [&](const ModelPreset &preset) { output << preset.name; });
    output << "; --generate=" << model.name << "-NAME is the same\n";
  }
  return success();
}

Translation mlir::soap::generateModelTranslation() {
  return {generate, generateCategory, checkOptions, runGenerate,
          /*readsFile=*/false};
}

Translation mlir::soap::listModelsTranslation() {
  return {listModels, generateCategory, [] { return true; }, runList,
          /*readsFile=*/false};
}
