//===- StageAttributes.h - The stages of a pipeline -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soap.stages` on a module with `soap.pipeline`: the stages in their order,
// as a list of {first = "conv1", devices = array<i32: 0, 1>}. A stage begins
// with the op `first`, in program order; gradients and updates belong to the
// stage of their op. Several stages may be on the same devices: 1F1B is
// interleaved then. Without it, every device is a stage.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_STAGEATTRIBUTES_H
#define SOAP_DIALECT_STAGEATTRIBUTES_H

#include "Soap/Support/Error.h"

#include "mlir/IR/Attributes.h"

#include <vector>

namespace mlir::soap {

inline constexpr StringLiteral kStages = "soap.stages";

struct StageEntry {
  std::string first;
  std::vector<int> devices;
};

/// The value of `soap.stages`; none if there is no attribute. An error says
/// which stage is not as expected.
::soap::Expected<std::vector<StageEntry>> readStages(Attribute attribute);
Attribute makeStagesAttr(MLIRContext *context,
                         const std::vector<StageEntry> &stages);

} // namespace mlir::soap

#endif // SOAP_DIALECT_STAGEATTRIBUTES_H
