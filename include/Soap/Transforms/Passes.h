//===- Passes.h - Passes on soap IR -----------------------------*- C++ -*-===//
//
// Declarations and registration of the passes of Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TRANSFORMS_PASSES_H
#define SOAP_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace mlir::soap {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Soap/Transforms/Passes.h.inc"

} // namespace mlir::soap

#endif // SOAP_TRANSFORMS_PASSES_H
