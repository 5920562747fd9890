//===- ImportONNX.cpp - soap-translate --import-onnx ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of ONNX import.
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Soap/Target/ONNX.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::soap;
namespace cl = llvm::cl;

static cl::OptionCategory
    onnxCategory("Options of --import-onnx and --update-onnx");

static cl::opt<bool> importFlag(
    "import-onnx",
    cl::desc("Import an ONNX model (opsets 7 to 23) as func.func @forward"),
    cl::cat(translateCategory()));
static cl::opt<bool>
    updateFlag("update-onnx",
               cl::desc("Write an ONNX model again, with the weights of "
                        "--weights in place of its own"),
               cl::cat(translateCategory()));
static cl::opt<std::string>
    weightsIn("weights", cl::value_desc("FILE.safetensors"),
              cl::cat(onnxCategory),
              cl::desc("Weights for --update-onnx, as soap-run saves them"));
static cl::list<std::string>
    dataInputs("data-inputs", cl::CommaSeparated, cl::value_desc("NAME,.."),
               cl::cat(onnxCategory),
               cl::desc("Graph inputs that are data, the others become "
                        "parameters (default: inputs "
                        "without initializer; where weights are among them, "
                        "the first and integer ones)"));
static cl::opt<int64_t>
    batch("batch", cl::value_desc("N"), cl::cat(onnxCategory),
          cl::desc("Batch size: replaces the sample dim of every data input; "
                   "of --generate, the number of samples"));
static cl::opt<int64_t>
    sampleDim("sample-dim", cl::value_desc("N"), cl::cat(onnxCategory),
              cl::desc("Dim of data inputs that counts samples (default: 0; 1 "
                       "for models with time first)"));
static cl::list<std::string>
    inputShapes("input-shape", cl::value_desc("NAME:2x3x4"),
                cl::cat(onnxCategory),
                cl::desc("Shape of a data input, where the file leaves dims "
                         "open; may be repeated"));
static cl::opt<bool>
    dropFinalSoftmax("drop-final-softmax", cl::cat(onnxCategory),
                     cl::desc("Leave out a Softmax or LogSoftmax at the end: "
                              "the loss of training contains it"));
static cl::opt<bool>
    keepFinalSoftmax("keep-final-softmax", cl::cat(onnxCategory),
                     cl::desc("Import a Softmax or LogSoftmax at the end, for "
                              "inference"));
static cl::opt<bool>
    freezeNorms("freeze-norms", cl::cat(onnxCategory),
                cl::desc("Keep the running statistics of batch norms in "
                         "evaluation mode; by default they train where no "
                         "norm is in training mode"));
static cl::list<std::string>
    parameters("parameters", cl::CommaSeparated, cl::value_desc("PATTERN,.."),
               cl::cat(onnxCategory),
               cl::desc("Tensors that are parameters, by names and glob "
                        "patterns (default: by their use and name)"));
static cl::list<std::string>
    constants("constants", cl::CommaSeparated, cl::value_desc("PATTERN,.."),
              cl::cat(onnxCategory),
              cl::desc("Tensors that are constants and not trained, by names "
                       "and glob patterns"));
static cl::opt<std::string> parametersFrom(
    "parameters-from", cl::value_desc("FILE"), cl::cat(onnxCategory),
    cl::desc("File with the names of all parameters, one a line, as "
             "named_parameters() of PyTorch gives them, with or without "
             "shapes (32x12); other tensors are constants"));
static cl::opt<bool>
    assumeRoles("assume-roles", cl::cat(onnxCategory),
                cl::desc("Train what use, name and values of tensors make "
                         "probable, where the file does not say which are "
                         "parameters"));
static cl::opt<bool>
    assumeBatch("assume-batch", cl::cat(onnxCategory),
                cl::desc("Replace the batch also where a constant may hold the "
                         "one of the file"));
static cl::list<std::string>
    tieWeights("tie-weights", cl::CommaSeparated, cl::value_desc("PATTERN,.."),
               cl::cat(onnxCategory),
               cl::desc("Weights that are tied to equal ones, by names and "
                        "glob patterns (default: those whose elements are not "
                        "all the same, except of copied layers)"));
static cl::list<std::string> untieWeights(
    "untie-weights", cl::CommaSeparated, cl::ValueOptional,
    cl::value_desc("PATTERN,.."), cl::cat(onnxCategory),
    cl::desc("Weights that are not tied to equal ones, by names and glob "
             "patterns; all without a value"));
static cl::opt<std::string> weightsOut(
    "weights-out", cl::value_desc("FILE.safetensors"), cl::cat(onnxCategory),
    cl::desc(
        "Write the values of weights into this file instead of the module"));

static ONNXImportOptions options;

static bool complain(const Twine &message) {
  llvm::errs() << "soap-translate: " << message << "\n";
  return false;
}

/// `NAME:2x3x4`; names may contain colons.
static bool parseShape(StringRef text) {
  auto [name, dims] = text.rsplit(':');
  std::vector<int64_t> shape;
  SmallVector<StringRef> parts;
  dims.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t extent = 0;
    if (part.getAsInteger(10, extent) || extent < 1)
      return complain("--input-shape: expected NAME:2x3x4, got '" + text + "'");
    shape.push_back(extent);
  }
  options.inputShapes[name.str()] = shape;
  return true;
}

int64_t mlir::soap::batchOption() { return batch; }

bool mlir::soap::checkBatch() {
  return batch.getNumOccurrences() == 0 || batch >= 1 ||
         complain("--batch: expected a positive number, got '" +
                  Twine(batch.getValue()) + "'");
}

static bool checkOptions() {
  if (!checkBatch())
    return false;
  for (const std::string &name : dataInputs)
    if (!name.empty())
      options.dataInputs.push_back(name);
  if (dataInputs.getNumOccurrences() && options.dataInputs.empty())
    return complain("--data-inputs: expected names of graph inputs");
  for (const std::string &text : inputShapes)
    if (!parseShape(text))
      return false;
  if (sampleDim < 0)
    return complain("--sample-dim: expected a number of at least 0, got '" +
                    Twine(sampleDim.getValue()) + "'");
  if (dropFinalSoftmax && keepFinalSoftmax)
    return complain("--drop-final-softmax and --keep-final-softmax exclude "
                    "each other");
  options.batch = batch;
  options.sampleDim = sampleDim;
  options.keepFinalSoftmax = keepFinalSoftmax;
  options.dropFinalSoftmax = dropFinalSoftmax;
  options.freezeNorms = freezeNorms;
  auto readPatterns = [](const cl::list<std::string> &from,
                         std::vector<std::string> &to) {
    for (const std::string &pattern : from)
      if (!pattern.empty())
        to.push_back(pattern);
    return from.getNumOccurrences() == 0 || !to.empty() ||
           complain("--" + from.ArgStr + ": expected names or patterns");
  };
  if (!readPatterns(parameters, options.parameters) ||
      !readPatterns(constants, options.constants) ||
      !readPatterns(tieWeights, options.tieWeights))
    return false;
  // Without a value, all.
  for (const std::string &pattern : untieWeights)
    options.untieWeights.push_back(pattern.empty() ? "*" : pattern);
  if (parametersFrom.getNumOccurrences() && parametersFrom.empty())
    return complain("--parameters-from: expected a file");
  options.parametersFrom = parametersFrom;
  options.assumeRoles = assumeRoles;
  options.assumeBatch = assumeBatch;
  options.weightsOut = weightsOut;
  return true;
}

static LogicalResult run(StringRef input, llvm::raw_ostream &output,
                         MLIRContext &context) {
  OwningOpRef<ModuleOp> module = importONNX(input, &context, options);
  if (!module)
    return failure();
  module->print(output);
  output << "\n";
  return success();
}

static bool checkUpdateOptions() {
  if (weightsIn.empty())
    return complain("--update-onnx: expected --weights=FILE.safetensors");
  return checkOptions();
}

static LogicalResult update(StringRef input, llvm::raw_ostream &output,
                            MLIRContext &context) {
  return updateONNXWeights(input, weightsIn, output, &context, options);
}

Translation mlir::soap::updateONNXTranslation() {
  return {updateFlag, onnxCategory, checkUpdateOptions, update};
}

Translation mlir::soap::importONNXTranslation() {
  return {importFlag, onnxCategory, checkOptions, run};
}
