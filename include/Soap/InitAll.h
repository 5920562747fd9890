//===- InitAll.h - Register everything that Soap has ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that a tool, a plugin or another project calls to get the dialect
// and all passes. A file of its own because it pulls in every part of the
// project: include it where tools are assembled, never from a library.
//
//   mlir::DialectRegistry registry;
//   mlir::soap::registerAllDialects(registry);
//   mlir::soap::registerAllExtensions(registry); // models of linalg, ...
//   mlir::soap::registerAllPasses();
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_INITALL_H
#define SOAP_INITALL_H

#include "Soap/Dialect/Soap/SoapDialect.h"
#if __has_include("Soap/Transforms/Passes.h")
#include "Soap/Transforms/Passes.h"
#define SOAP_HAS_TRANSFORMS
#endif
#if __has_include("Soap/Conversion/Passes.h")
#include "Soap/Conversion/Passes.h"
#define SOAP_HAS_CONVERSION
#endif

#if __has_include("Soap/Extensions/AllExtensions.h")
#include "Soap/Extensions/AllExtensions.h"
#include "Soap/Extensions/Passes.h"
#define SOAP_HAS_EXTENSIONS
#endif

#include "mlir/IR/DialectRegistry.h"

namespace mlir::soap {

/// The soap dialect. The dialects that passes produce (linalg, memref, LLVM,
/// ...) are declared by the passes.
inline void registerAllDialects(DialectRegistry &registry) {
  registry.insert<SoapDialect>();
}

/// Every pass and pass pipeline of the project, under the names that soap-opt
/// shows.
inline void registerAllPasses() {
#ifdef SOAP_HAS_TRANSFORMS
  registerSoapTransformsPasses();
#endif
#ifdef SOAP_HAS_EXTENSIONS
  registerSoapExtensionsPasses();
#endif
#ifdef SOAP_HAS_CONVERSION
  registerSoapConversionPasses();
#endif
}

} // namespace mlir::soap

#endif // SOAP_INITALL_H
