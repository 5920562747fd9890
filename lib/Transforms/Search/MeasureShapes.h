//===- MeasureShapes.h - Measurements on demand -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the shapes of a module that a profile of this machine lacks. The
// measuring program is soap-run, a process of its own, so that no search
// depends on the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SEARCH_MEASURESHAPES_H
#define SOAP_LIB_TRANSFORMS_SEARCH_MEASURESHAPES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::soap {

/// Has `soap-run calibrate` add the shapes of the module's training step that
/// `NAME.profile.json` lacks. It is the program that the environment variable
/// SOAP_RUN names, else soap-run beside this executable, else on the path.
LogicalResult measureShapes(ModuleOp module, StringRef name);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SEARCH_MEASURESHAPES_H
