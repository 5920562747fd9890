//===- Models.h - Networks by name ------------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generators of the networks that papers search strategies for, as modules with
// `func.func @forward` in the soap dialect, ready for
// --soap-build-training-step. See docs/Models.md.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TARGET_MODELS_H
#define SOAP_TARGET_MODELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mlir::soap {

/// A size of a network that can be chosen.
struct ModelOption {
  std::string name;
  int64_t value = 0; ///< default
  int64_t smallest = 1, largest = 1 << 24;
  std::string description;
  /// The option, if any, whose value is the largest one, too. A larger default
  /// is taken for that value.
  std::string limit = {};
};

/// Published sizes of a network under a name, as `70b` of LLaMA.
struct ModelPreset {
  std::string name;
  std::map<std::string, int64_t> values; ///< of options; others keep defaults
};

struct ModelDescription {
  std::string name;
  std::string summary; ///< with the paper that has it
  int64_t batch = 0;   ///< default number of samples
  std::vector<ModelOption> options;
  std::vector<ModelPreset> presets = {};
};

/// All networks, in the order of help texts.
const std::vector<ModelDescription> &modelDescriptions();

/// The network of this name with `batch` samples (0: its default), the sizes of
/// a preset (empty: the defaults) and above them options by name. A name
/// `MODEL-PRESET` chooses both. Null after a diagnostic at an unknown location.
OwningOpRef<ModuleOp>
generateModel(StringRef name, int64_t batch,
              const std::map<std::string, int64_t> &options,
              MLIRContext *context, StringRef preset = "");

} // namespace mlir::soap

#endif // SOAP_TARGET_MODELS_H
