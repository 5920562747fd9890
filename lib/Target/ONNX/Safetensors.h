//===- Safetensors.h - Writing weights to a file ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights of a model in the runtime's file format.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_SAFETENSORS_H
#define SOAP_LIB_TARGET_ONNX_SAFETENSORS_H

#include "Model.h"

#include <memory>
#include <utility>

namespace mlir::soap::onnx {

/// Writes float tensors under the given names, with checksums, atomically.
::soap::MaybeError writeSafetensors(
    const std::string &path,
    const std::vector<std::pair<std::string, std::shared_ptr<Tensor>>>
        &tensors);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_SAFETENSORS_H
