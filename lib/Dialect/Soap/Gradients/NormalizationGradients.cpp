//===- NormalizationGradients.cpp - Norms, softmax, cross-entropy ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops with stages have gradient ops with stages; the inference form of batch
// norm is affine per channel and is differentiated into elementwise ops.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// Batch norm
//===----------------------------------------------------------------------===//

/// The names that the dims of x have as loops of the op.
static SmallVector<std::string> loopNames(Operation *op) {
  ::soap::IterationSpace space =
      cast<IterationSpaceOpInterface>(op).getIterationSpace();
  SmallVector<std::string> loops;
  for (const ::soap::DimMap &dim : space.operands[0].map)
    loops.push_back(space.loops[dim.terms.front().loop].name);
  return loops;
}

namespace {
/// The gradients of y = (x - mean) / deviation * gamma + beta with the
/// deviation sqrt(var + epsilon), per channel.
class AffineNormGradients {
public:
  AffineNormGradients(BatchNormOp op, OpBuilder &builder, Value dy)
      : gradients(builder, op), op(op), dy(dy), loops(loopNames(op)) {}

  /// dx = dy * gamma / deviation.
  Value ofInput() {
    Value factor = perChannel(gradients.create<DivOp>(
        "input_factor", op.getGamma().getType(), op.getGamma(), deviation()));
    SmallVector<int64_t> shape(shapeOf(dy).size(), 1);
    shape[1] = shapeOf(factor)[0];
    Value spread = gradients.reshape(factor, shape, "input_factor_spread");
    gradients.matchLoops(spread.getDefiningOp(), 0, ArrayRef(loops[1]));
    return perElement(
        gradients.create<MulOp>("input_grad", dy.getType(), dy, spread));
  }
  /// dgamma = sum of dy * (x - mean), divided by the deviation.
  Value ofGamma() {
    Value negated = perChannel(gradients.create<NegOp>(
        "mean_neg", op.getMean().getType(), op.getMean()));
    Value centred = perElement(gradients.create<BiasAddOp>(
        "centred", dy.getType(), op.getX(), negated, int64_t(1)));
    Value product = perElement(
        gradients.create<MulOp>("gamma_mul", dy.getType(), dy, centred));
    Value sum = sumOfChannel(product, "gamma_sum");
    return perChannel(
        gradients.create<DivOp>("gamma_grad", sum.getType(), sum, deviation()));
  }
  Value ofBeta() { return sumOfChannel(dy, "beta_grad"); }

private:
  Value deviation() {
    if (!deviationValue) {
      RankedTensorType type = tensorType(op.getVar());
      Value epsilon = perChannel(gradients.create<ConstantOp>(
          "epsilon", type,
          DenseElementsAttr::get(
              type,
              Attribute(FloatAttr::get(type.getElementType(),
                                       op.getEpsilon().convertToDouble())))));
      Value variance = perChannel(
          gradients.create<AddOp>("variance", type, op.getVar(), epsilon));
      deviationValue =
          perChannel(gradients.create<SqrtOp>("deviation", type, variance));
    }
    return deviationValue;
  }
  Value sumOfChannel(Value value, StringRef suffix) {
    Value sum = gradients.sumAllBut(value, 1, suffix);
    gradients.matchLoops(sum.getDefiningOp(), 0, loops);
    return sum;
  }
  Value perChannel(Operation *op) {
    gradients.matchLoops(op, 0, ArrayRef(loops[1]));
    return op->getResult(0);
  }
  Value perElement(Operation *op) {
    gradients.matchLoops(op, 0, loops);
    return op->getResult(0);
  }

  GradientBuilder gradients;
  BatchNormOp op;
  Value dy;
  SmallVector<std::string> loops;
  Value deviationValue;
};
} // namespace

LogicalResult BatchNormOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> resultGrads,
                                         ArrayRef<bool> wanted,
                                         SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(5, Value());
  if (!resultGrads[0])
    return success();
  if (wanted[3] || wanted[4])
    return emitOpError("has no gradient in its statistics, and '")
           << (wanted[3] ? "mean" : "var") << "' depends on a parameter";
  AffineNormGradients gradients(*this, builder, resultGrads[0]);
  if (wanted[0])
    operandGrads[0] = gradients.ofInput();
  if (wanted[1])
    operandGrads[1] = gradients.ofGamma();
  if (wanted[2])
    operandGrads[2] = gradients.ofBeta();
  return success();
}

LogicalResult
BatchNormTrainOp::buildGradient(OpBuilder &builder, ArrayRef<Value> resultGrads,
                                ArrayRef<bool> wanted,
                                SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(3, Value());
  if (resultGrads[1])
    return emitOpError("has no gradient of its statistics, and the loss "
                       "depends on them");
  Value dy = resultGrads[0];
  if (!dy)
    return success();
  GradientBuilder gradients(builder, *this);
  // A sum has the type of what is summed.
  bool isOfType =
      tensorType(dy).getElementType() == tensorType(getBeta()).getElementType();
  if (wanted[2] && !wanted[0] && !wanted[1] && isOfType) {
    operandGrads[2] = gradients.sumAllBut(dy, 1, "beta_grad");
    gradients.matchLoops(operandGrads[2].getDefiningOp(), 0, loopNames(*this));
    return success();
  }
  if (!llvm::is_contained(wanted, true))
    return success();
  auto groups = static_cast<int64_t>(getGroups());
  int64_t channels = shapeOf(getGamma())[0];
  // Of each group, group by group.
  RankedTensorType perGroup = RankedTensorType::get(
      {groups * channels}, tensorType(getGamma()).getElementType());
  auto sumOfGroups = [&](Value value, StringRef name) -> Value {
    if (groups == 1)
      return value;
    Value table =
        gradients.reshape(value, {groups, channels}, (name + "_groups").str());
    return gradients.sumAllBut(table, 1, name);
  };
  if (!wanted[0]) {
    auto grad = gradients.create<BatchNormGradReduceOp>(
        "grad", TypeRange{perGroup, perGroup}, dy, getX(), getStats(),
        getEpsilonAttr(), getGroupsAttr());
    if (wanted[1])
      operandGrads[1] = sumOfGroups(grad.getDgamma(), "gamma_grad");
    if (wanted[2])
      operandGrads[2] = sumOfGroups(grad.getDbeta(), "beta_grad");
    return success();
  }
  auto grad = gradients.create<BatchNormGradOp>(
      "grad", TypeRange{getX().getType(), perGroup, perGroup}, dy, getX(),
      getStats(), getGamma(), getEpsilonAttr(), getGroupsAttr());
  operandGrads[0] = grad.getDx();
  if (wanted[1])
    operandGrads[1] = sumOfGroups(grad.getDgamma(), "gamma_grad");
  if (wanted[2])
    operandGrads[2] = sumOfGroups(grad.getDbeta(), "beta_grad");
  return success();
}

//===----------------------------------------------------------------------===//
// Cross-entropy
//===----------------------------------------------------------------------===//

LogicalResult
CrossEntropyOp::buildGradient(OpBuilder &builder, ArrayRef<Value> resultGrads,
                              ArrayRef<bool> wanted,
                              SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(2, Value());
  if (resultGrads[2])
    return emitOpError("has no gradient of its statistics, and the loss "
                       "depends on them");
  // The number of correct rows is piecewise constant: its gradient is 0.
  if (wanted[0] && resultGrads[0])
    operandGrads[0] =
        GradientBuilder(builder, *this)
            .create<CrossEntropyGradOp>(
                "input_grad", getLogits().getType(), resultGrads[0],
                getLogits(), getLabels(), getStats(), getScaleAttr());
  return success();
}

//===----------------------------------------------------------------------===//
// Softmax, layer norm, RMS norm
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  operandGrads.assign(1, Value());
  if (wanted[0] && resultGrads[0])
    operandGrads[0] =
        GradientBuilder(builder, *this)
            .create<SoftmaxGradOp>("input_grad", getX().getType(),
                                   resultGrads[0], getY(), getAxisAttr());
  return success();
}

/// Layer norm and RMS norm: `build(gradients, dy)` is the op whose results are
/// the gradients of all operands. The rows' statistics are results for it
/// alone.
template <typename OpTy, typename Build>
static LogicalResult
rowNormGradient(OpTy op, OpBuilder &builder, ArrayRef<Value> resultGrads,
                ArrayRef<bool> wanted, SmallVectorImpl<Value> &operandGrads,
                Build build) {
  operandGrads.assign(op->getNumOperands(), Value());
  for (Value gradient : resultGrads.drop_front())
    if (gradient)
      return op.emitOpError("has no gradient of its statistics, and the loss "
                            "depends on them");
  if (!resultGrads[0] || !llvm::is_contained(wanted, true))
    return success();
  GradientBuilder gradients(builder, op);
  Operation *grad = build(gradients, resultGrads[0]);
  for (auto [i, value] : llvm::enumerate(grad->getResults()))
    if (wanted[i])
      operandGrads[i] = value;
  return success();
}

LogicalResult LayerNormOp::buildGradient(OpBuilder &builder,
                                         ArrayRef<Value> resultGrads,
                                         ArrayRef<bool> wanted,
                                         SmallVectorImpl<Value> &operandGrads) {
  return rowNormGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Operation * {
        return gradients.create<LayerNormGradOp>("grad", getOperandTypes(), dy,
                                                 getX(), getMean(), getRstd(),
                                                 getGamma(), getAxisAttr());
      });
}

LogicalResult RmsNormOp::buildGradient(OpBuilder &builder,
                                       ArrayRef<Value> resultGrads,
                                       ArrayRef<bool> wanted,
                                       SmallVectorImpl<Value> &operandGrads) {
  return rowNormGradient(
      *this, builder, resultGrads, wanted, operandGrads,
      [&](GradientBuilder &gradients, Value dy) -> Operation * {
        return gradients.create<RmsNormGradOp>("grad", getOperandTypes(), dy,
                                               getX(), getRstd(), getGamma(),
                                               getAxisAttr());
      });
}
