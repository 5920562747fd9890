//===- PrecisionAttribute.cpp - The precision of a module -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PrecisionAttribute.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/PrecisionAttribute.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

using namespace mlir;
using namespace mlir::soap;

::soap::ProductPrecision mlir::soap::productPrecision(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto value = enumValue<PrecisionAttr>(module ? module->getAttr(kPrecision)
                                               : Attribute());
  if (value)
    if (auto precision = ::soap::findPrecision(stringifyPrecision(*value)))
      return *precision;
  return ::soap::ProductPrecision::F32;
}

std::optional<::soap::ProductPrecision>
mlir::soap::resolvePrecision(ModuleOp module, StringRef option) {
  ::soap::ProductPrecision own = productPrecision(module);
  if (option.empty())
    return own;
  auto asked = ::soap::findPrecision(option);
  if (!asked) {
    module.emitError("unknown precision '")
        << option << "': expected f32, tf32 or bf16";
    return std::nullopt;
  }
  if (module->hasAttr(kPrecision) && *asked != own) {
    module.emitError("option 'precision=")
        << option << "': expected the module's '" << kPrecision << "', "
        << ::soap::precisionName(own);
    return std::nullopt;
  }
  return asked;
}
