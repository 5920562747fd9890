//===- ONNX.h - Import of ONNX models ---------------------------*- C++ -*-===//
//
// From an ONNX file to a module with `func.func @forward` in the soap dialect.
// See docs/ONNX.md for what is supported.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TARGET_ONNX_H
#define SOAP_TARGET_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlir::soap {

struct ONNXImportOptions {
  /// Graph inputs that are data; the others become parameters. Empty: graph
  /// inputs without initializer, and where weights are among them, only the
  /// first one and those of integer type.
  std::vector<std::string> dataInputs;
  /// Replaces the sample dim of every data input; 0 keeps what the file says.
  int64_t batch = 0;
  /// The dim of data inputs that counts samples: 1 for models with time first.
  int64_t sampleDim = 0;
  /// Replaces the whole shape of a data input, by name.
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// A Softmax or LogSoftmax that computes the model's result is left out: the
  /// loss of the training step contains it.
  bool dropFinalSoftmax = false;
  /// It is imported as any other: for inference.
  bool keepFinalSoftmax = false;
  /// Identity of a weight makes a weight of its own with the same first values
  /// instead of sharing it.
  bool untieWeights = false;
  /// Values of initializers go into this safetensors file instead of
  /// `soap.init`; empty: into the module.
  std::string weightsOut;
  /// If not null: from the name of every parameter to its name in the file, ""
  /// if it has none of its own.
  std::map<std::string, std::string> *parameterSources = nullptr;
};

/// Imports the model at `path`; null after a diagnostic. Nothing that a file
/// can hold crashes it.
OwningOpRef<ModuleOp> importONNX(StringRef path, MLIRContext *context,
                                 const ONNXImportOptions &options);

/// Writes the model at `path` with the weights of a safetensors file, by the
/// names that import gives them, in place of its own. `options` are those of
/// the import. Failure after a diagnostic.
LogicalResult updateONNXWeights(StringRef path, StringRef weightsPath,
                                llvm::raw_ostream &output, MLIRContext *context,
                                ONNXImportOptions options);

} // namespace mlir::soap

#endif // SOAP_TARGET_ONNX_H
