//===- Safetensors.h - Writing weights to a file ----------------*- C++ -*-===//
//
// The safetensors container: a length, a JSON header, packed values. Here and
// not the runtime's, so that import needs no runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_SAFETENSORS_H
#define SOAP_LIB_TARGET_ONNX_SAFETENSORS_H

#include "Model.h"

#include <memory>
#include <utility>

namespace mlir::soap::onnx {

/// Writes float tensors under the given names, which need no escaping.
::soap::MaybeError writeSafetensors(
    const std::string &path,
    const std::vector<std::pair<std::string, std::shared_ptr<Tensor>>>
        &tensors);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_SAFETENSORS_H
