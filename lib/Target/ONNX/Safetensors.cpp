//===- Safetensors.cpp - Writing weights to a file --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's writer, on tensors of the importer.
//
//===----------------------------------------------------------------------===//

#include "Safetensors.h"

#include "Soap/Runtime/Data/TensorFiles.h"

namespace runtime = ::soap::runtime;

::soap::MaybeError mlir::soap::onnx::writeSafetensors(
    const std::string &path,
    const std::vector<std::pair<std::string, std::shared_ptr<Tensor>>>
        &tensors) {
  std::vector<std::pair<std::string, runtime::TensorView>> views;
  for (const auto &[name, tensor] : tensors)
    views.emplace_back(
        name, runtime::TensorView{
                  runtime::ElementType::F32, tensor->dims,
                  reinterpret_cast<const char *>(tensor->floats.data())});
  return runtime::writeSafetensors(path, views);
}
