//===- TrainingOps.cpp - Update ops ---------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers are elementwise over the dims of the weight.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

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

//===----------------------------------------------------------------------===//
// Adam
//===----------------------------------------------------------------------===//

LogicalResult CounterOp::verify() {
  return checkShape([&] { return emitOpError(); }, "a step",
                    getStep().getType(), {});
}

IterationSpace CounterOp::getIterationSpace() {
  return elementwiseSpace(*this, {});
}

/// A decay of a moving average.
static LogicalResult checkBeta(EmitError emitError, StringRef name,
                               const APFloat &value) {
  double beta = value.convertToDouble();
  if (beta >= 0 && beta < 1)
    return success();
  return emitError() << "'" << name << "' is " << beta
                     << ", expected a number in [0, 1)";
}

LogicalResult BiasCorrectionOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  return failure(
      failed(checkBeta(emitError, "beta", getBeta())) ||
      failed(checkShape(emitError, "a step", getStep().getType(), {})) ||
      failed(checkShape(emitError, "a correction", getCorrection().getType(),
                        {})));
}

IterationSpace BiasCorrectionOp::getIterationSpace() {
  return elementwiseSpace(*this, {});
}

LogicalResult AdamOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkBeta(emitError, "beta1", getBeta1())) ||
      failed(checkBeta(emitError, "beta2", getBeta2())))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getWeight());
  for (Value like :
       {getGradient(), getM(), getV(), getNewWeight(), getNewM(), getNewV()})
    if (failed(checkShape(emitError, "a moment or gradient", like.getType(),
                          shape)))
      return failure();
  return failure(failed(checkShape(emitError, "a correction",
                                   getCorrection1().getType(), {})) ||
                 failed(checkShape(emitError, "a correction",
                                   getCorrection2().getType(), {})));
}

IterationSpace AdamOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getWeight()));
  space.operands[4].map.clear();
  space.operands[5].map.clear();
  space.flopsPerPoint = 20;
  return space;
}
