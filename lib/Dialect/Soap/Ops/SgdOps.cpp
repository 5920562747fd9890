//===- SgdOps.cpp - Stochastic gradient descent ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers are elementwise over the dims of the weight.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult SgdOp::verify() {
  Type type = getWeight().getType();
  if (static_cast<bool>(getVelocity()) != static_cast<bool>(getNewVelocity()))
    return emitOpError() << "takes and gives a velocity, or neither";
  if (!getVelocity() && !getMomentum().isZero())
    return emitOpError() << "needs a velocity, as 'momentum' is not 0";
  for (Type other : getOperation()->getOperandTypes())
    if (other != type)
      return emitOpError() << "expected all operands to be " << type << ", got "
                           << other;
  for (Type other : getOperation()->getResultTypes())
    if (other != type)
      return emitOpError() << "expected all results to be " << type << ", got "
                           << other;
  return success();
}

IterationSpace SgdOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getWeight()));
  space.flopsPerPoint = 6;
  return space;
}
