//===- Functions.h - Functions of an ONNX file ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file may define functions, which nodes call like ops. Calls are replaced by
// the nodes of the function before anything else looks at the file.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_FUNCTIONS_H
#define SOAP_LIB_TARGET_ONNX_FUNCTIONS_H

#include "Soap/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <cstdint>

namespace mlir::soap::onnx {

/// Replaces all calls, also those in functions and in graphs of attributes, and
/// removes the functions. An error for recursion, for too many nodes, and for
/// calls that do not fit.
::soap::MaybeError inlineFunctions(::onnx::ModelProto &model);

/// The opset of the function that a node comes from; 0: the model's.
int64_t opsetOf(const ::onnx::NodeProto &node);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_FUNCTIONS_H
