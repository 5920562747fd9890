//===- AdamOps.cpp - Adam and its counter of steps ------------------------===//
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
