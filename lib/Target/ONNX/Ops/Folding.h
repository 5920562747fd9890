//===- Folding.h - Computing with constants at import -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape arithmetic of exporters is done while importing. All folds that move
// elements are one function with an index map.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_OPS_FOLDING_H
#define SOAP_LIB_TARGET_ONNX_OPS_FOLDING_H

#include "Target/ONNX/Importer.h"

#include <functional>
#include <utility>

namespace mlir::soap::onnx {

/// From a multi-index of the result to the row-major position of the element in
/// the source.
using IndexMap = std::function<int64_t(const Shape &)>;

/// A tensor of `shape` whose elements are picked from `source`; an error if it
/// is too large to be a constant.
std::optional<Tensor> pickElements(NodeContext &node, const Tensor &source,
                                   const Shape &shape, const IndexMap &map);
/// The same elements in another shape, which has as many.
Tensor withShape(const Tensor &source, const Shape &shape);
/// Map of a broadcast from `from` to `to`.
IndexMap broadcastIndex(const Shape &from, const Shape &to);
/// The two constant operands of a binary op, broadcast to the shape of its
/// result; nothing after an error.
std::optional<std::pair<Tensor, Tensor>> broadcastOperands(NodeContext &node);
/// Row-major strides of a shape.
Shape stridesOf(const Shape &shape);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_OPS_FOLDING_H
