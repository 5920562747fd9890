//===- GradientSums.h - Sums of 16-bit gradients in f32 ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a weight is a sum over the samples of a batch, over its
// microbatches, and over replicas. Sums of 16 bits lose what is small beside
// the sum so far. So the ops that sum over samples have results in f32
// (`soap.sum_type`, Dialect/Soap/SumAttribute.h), and so has what is made of
// these results up to the update: plans, programs, memory and prices follow
// from the types (docs/TrainingStep.md#precision).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_GRADIENTSUMS_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_GRADIENTSUMS_H

#include "OpMaker.h"

#include "mlir/IR/Block.h"

namespace mlir::soap {

/// Whether the elements are floats of fewer than 32 bits.
bool hasNarrowFloats(Value value);

/// Makes gradients of weights wide in a block that has been differentiated. An
/// op of the forward pass is *of weights* if it depends on no argument with
/// samples.
class GradientSums {
public:
  /// `hasSamples`: whether an argument of the block is data or a label.
  GradientSums(Block &block, llvm::function_ref<bool(BlockArgument)> hasSamples,
               OpMaker::Namer setName);

  /// Where the backward pass converts the 16-bit gradient of a value of weights
  /// to f32, has it summed in f32. By conversion, what stands for its result.
  llvm::DenseMap<Value, Value> widenConversions();
  /// `gradient` of `weight`, which has 16 bits, summed in f32 and rounded once;
  /// `gradient` itself if no op that sums is known.
  Value roundedOnce(Value gradient, Value weight);
  /// Erases conversions that nothing reads any more: once, at the end.
  void eraseUnused();

private:
  /// Forward values of which a gradient is one.
  using Origins = ValueRange;

  Value widen(Value gradient, Origins origins);
  Value widenOperand(OpOperand &operand, Origins origins);
  void roundOperands(Operation *op, Origins origins);
  Value setWide(Operation *op);
  Value converted(OpOperand &operand);
  /// Names a conversion after `op`, and marks it as an op of the same gradient.
  void mark(CastOp conversion, unsigned tensor, Operation *op,
            unsigned opTensor, StringRef suffix);
  Operation *forwardOf(Operation *op) const;
  bool isGradientOf(Operation *op, Origins origins) const;
  bool isOfWeights(Operation *forward) const;

  OpBuilder builder;
  Block &block;
  OpMaker::Namer setName;
  /// Forward ops by name, and those that depend on samples.
  llvm::DenseMap<Attribute, Operation *> forwardOps;
  llvm::DenseSet<Operation *> ofSamples;
  llvm::SmallVector<CastOp> conversions; ///< that may be unused
  llvm::DenseSet<Operation *> wanted;    ///< of them, by the caller
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_GRADIENTSUMS_H
