//===- ONNX.h - Import of ONNX models ---------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

/// Where a file holds the values of a parameter.
struct ONNXWeightPlace {
  /// Of an initializer, a graph input, or the result of a Constant or Identity
  /// node, which an initializer replaces.
  std::string name;
  /// The values there are the parameter's, transposed.
  bool isTransposed = false;
  /// Operands of nodes (number of the node, of the operand) that have to read
  /// an initializer `name` of their own: in the file they share another one.
  std::vector<std::pair<size_t, size_t>> operands;
};

struct ONNXImportOptions {
  /// Graph inputs that are data; the others become parameters. Empty: graph
  /// inputs without initializer, and where weights are among them, only the
  /// first one and all of integer type.
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
  /// Batch norms in evaluation mode keep their running statistics, also where
  /// no norm of the file is in training mode.
  bool freezeNorms = false;
  /// Names and glob patterns of tensors that are parameters, or constants,
  /// whatever use and name make probable.
  std::vector<std::string> parameters, constants;
  /// A file with the names of all parameters, one a line, with or without their
  /// shapes; empty: none. Every name has to be that of one tensor.
  std::string parametersFrom;
  /// Doubtful tensors are taken for what use, name and values make probable; of
  /// a list of parameters, names that no tensor has are looked for by the
  /// modules of nodes. Without it the function gets `soap.uncertain_roles`
  /// (Soap/Dialect/Soap/RoleAttributes.h), and no training step is built of it.
  bool assumeRoles = false;
  /// The batch is replaced also where a constant may hold the file's.
  bool assumeBatch = false;
  /// Names and glob patterns of weights that are tied to equal ones, or not,
  /// whatever import does by default.
  std::vector<std::string> tieWeights, untieWeights;
  /// Values of initializers go into this safetensors file instead of
  /// `soap.init`; empty: into the module.
  std::string weightsOut;
  /// If not null: from the name of every parameter to its places in the file.
  std::map<std::string, std::vector<ONNXWeightPlace>> *weightPlaces = nullptr;
};

/// Imports the model at `path`; null after a diagnostic. Nothing that a file
/// can hold crashes it.
OwningOpRef<ModuleOp> importONNX(StringRef path, MLIRContext *context,
                                 const ONNXImportOptions &options);

/// Writes the model at `path` with the weights of a safetensors file, by the
/// names that import gives them, in place of its own. `options` are the ones of
/// the import. Failure after a diagnostic.
LogicalResult updateONNXWeights(StringRef path, StringRef weightsPath,
                                llvm::raw_ostream &output, MLIRContext *context,
                                ONNXImportOptions options);

} // namespace mlir::soap

#endif // SOAP_TARGET_ONNX_H
