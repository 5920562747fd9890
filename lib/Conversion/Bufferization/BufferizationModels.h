//===- BufferizationModels.h - Bufferization of our ops ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// External models of the bufferization interface.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_BUFFERIZATION_BUFFERIZATIONMODELS_H
#define SOAP_LIB_CONVERSION_BUFFERIZATION_BUFFERIZATIONMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::soap {

/// Registers what one-shot bufferization of outlined programs needs: models of
/// our ops and of the arith, tensor and func ops among them.
void registerBufferizationModels(DialectRegistry &registry);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_BUFFERIZATION_BUFFERIZATIONMODELS_H
