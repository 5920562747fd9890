//===- ProductTypes.h - What products of a program read ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph knows the bytes of an element, and for all of its products together
// whether two bytes are bf16 or f16.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_ANALYSIS_PRODUCTTYPES_H
#define SOAP_LIB_ANALYSIS_PRODUCTTYPES_H

#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap {

/// Collected over the functions of a program.
class ProductTypes {
public:
  void add(func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (!isa<MatmulOp, Conv2DOp, Conv2DInputGradOp, Conv2DWeightGradOp,
               LstmOp, LstmStepOp, LstmGradOp, LstmStepGradOp>(op))
        return;
      Type element = getElementTypeOrSelf(op->getOperand(0).getType());
      hasBF16 |= element.isBF16();
      hasF32 |= element.isF32();
    });
  }

  /// That of the module, or bf16 where its products read tensors of that type
  /// and none reads f32.
  ::soap::ProductPrecision resolve(Operation *module) const {
    ::soap::ProductPrecision known = productPrecision(module);
    bool isTyped = known == ::soap::ProductPrecision::F32 && hasBF16 && !hasF32;
    return isTyped ? ::soap::ProductPrecision::BF16 : known;
  }

private:
  bool hasBF16 = false, hasF32 = false;
};

} // namespace mlir::soap

#endif // SOAP_LIB_ANALYSIS_PRODUCTTYPES_H
