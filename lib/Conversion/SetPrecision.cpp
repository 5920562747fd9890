//===- SetPrecision.cpp - The precision of products -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: one precision on the module, for prices and for programs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPSETPRECISION
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct SetPrecisionPass
    : public mlir::soap::impl::SoapSetPrecisionBase<SetPrecisionPass> {
  using SoapSetPrecisionBase::SoapSetPrecisionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto resolved = resolvePrecision(module, precision);
    if (!resolved)
      return signalPassFailure();
    // Programs were priced in f32 where the module says nothing.
    bool isF32 = *resolved == ::soap::ProductPrecision::F32;
    if (!isF32 && !module->hasAttr(kPrecision) &&
        module->hasAttr(SoapDialect::kPrograms)) {
      module.emitError("option 'precision=")
          << precision
          << "': the module was partitioned without a precision, so its "
             "strategy was priced in f32, expected f32, or "
             "'--soap-set-precision=precision="
          << precision << "' before the strategy";
      return signalPassFailure();
    }
    if (!isF32)
      module->setAttr(kPrecision, PrecisionAttr::get(
                                      module.getContext(),
                                      *symbolizePrecision(
                                          ::soap::precisionName(*resolved))));
  }
};

} // namespace
