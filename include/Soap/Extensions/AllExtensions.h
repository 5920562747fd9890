//===- AllExtensions.h - Soap's interfaces on other dialects ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All extensions at once, for tools and plugins.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_EXTENSIONS_ALLEXTENSIONS_H
#define SOAP_EXTENSIONS_ALLEXTENSIONS_H

#include "Soap/Extensions/Linalg.h"

namespace mlir::soap {

/// Attaches Soap's interfaces to the ops of other dialects that it has models
/// of. Needs the library SoapExtensions.
inline void registerAllExtensions(DialectRegistry &registry) {
  registerLinalgExtension(registry);
}

} // namespace mlir::soap

#endif // SOAP_EXTENSIONS_ALLEXTENSIONS_H
