//===- ModuleDrawing.h - The strategy of a module as SVG --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the strategy of a module as SVG: soap-translate --strategy-to-svg
// (docs/Looking.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TRANSFORMS_MODULEDRAWING_H
#define SOAP_TRANSFORMS_MODULEDRAWING_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::soap {

/// Draws the configs of a function, with its simulated time. `topology`,
/// `profile` and `function` as for `--soap-simulate`; empty: the module's own.
/// Errors as there, for example where an op has no config.
FailureOr<std::string> drawModuleStrategy(ModuleOp module, StringRef topology,
                                          StringRef profile,
                                          StringRef function);

/// The strategy file (docs/Strategy.md) of a function; arguments and errors as
/// above.
FailureOr<std::string> printModuleStrategy(ModuleOp module, StringRef topology,
                                           StringRef profile,
                                           StringRef function);

} // namespace mlir::soap

#endif // SOAP_TRANSFORMS_MODULEDRAWING_H
