//===- ExactForms.cpp - One op of the pieces of a logarithm -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's exporters have no op for log1p, expm1 and logsigmoid. As they write
// them, 1 + x loses a small x, and the sigmoid of a number far below 0 is 0,
// of which the logarithm is infinite.
//
//===----------------------------------------------------------------------===//

#include "ExactForms.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

bool isSplatOf(Value value, double number) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  return elements && elements.isSplat() &&
         elements.getSplatValue<APFloat>().convertToDouble() == number;
}

/// x of `value` = x + 1, null if it is not that.
Value lessOne(Value value) {
  auto sum = value.getDefiningOp<AddOp>();
  if (!sum)
    return Value();
  for (auto [x, one] :
       {std::pair(sum.getX(), sum.getY()), std::pair(sum.getY(), sum.getX())})
    if (x.getType() == value.getType() && isSplatOf(one, 1))
      return x;
  return Value();
}

/// x of `value` = 1 - x, null if it is not that.
Value oneMinus(Value value) {
  if (auto sub = value.getDefiningOp<SubOp>())
    return sub.getY().getType() == value.getType() && isSplatOf(sub.getX(), 1)
               ? sub.getY()
               : Value();
  Value x = lessOne(value);
  auto negated = x ? x.getDefiningOp<NegOp>() : NegOp();
  return negated ? negated.getX() : Value();
}

class ExactForms {
public:
  ExactForms(GraphImporter &importer, Operation *op)
      : importer(importer), op(op), builder(op) {}

  void rewrite() {
    if (auto log = dyn_cast<LogOp>(op))
      rewriteLog(log);
    else if (auto sub = dyn_cast<SubOp>(op))
      rewriteDifference(sub);
  }

private:
  /// In the place of `op`, and with its name.
  template <typename OpTy>
  void replace(Value x) {
    auto result = OpTy::create(builder, op->getLoc(), x.getType(), x);
    result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op->getResult(0).replaceAllUsesWith(result->getResult(0));
  }

  template <typename OpTy>
  Value before(StringRef suffix, Value x) {
    auto result = OpTy::create(builder, op->getLoc(), x.getType(), x);
    if (auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName))
      result->setAttr(SoapDialect::kName,
                      builder.getStringAttr(importer.uniqueName(
                          (name.getValue() + "." + suffix).str())));
    return result->getResult(0);
  }

  /// log(sigmoid(x)) = -softplus(-x), log(1 - sigmoid(x)) = -softplus(x) and
  /// log(e^x + 1) = softplus(x).
  void rewriteLog(LogOp log) {
    if (auto sigmoid = log.getX().getDefiningOp<SigmoidOp>())
      return replace<NegOp>(before<SoftplusOp>(
          "softplus", before<NegOp>("opposite", sigmoid.getX())));
    Value opposite = oneMinus(log.getX());
    if (auto sigmoid =
            opposite ? opposite.getDefiningOp<SigmoidOp>() : SigmoidOp())
      return replace<NegOp>(before<SoftplusOp>("softplus", sigmoid.getX()));
    Value x = lessOne(log.getX());
    if (!x)
      return;
    if (auto power = x.getDefiningOp<ExpOp>())
      return replace<SoftplusOp>(power.getX());
    replace<Log1pOp>(x);
  }

  /// e^x - 1.
  void rewriteDifference(SubOp sub) {
    auto power = sub.getX().getDefiningOp<ExpOp>();
    if (power && power.getY().getType() == sub.getType() &&
        isSplatOf(sub.getY(), 1))
      replace<Expm1Op>(power.getX());
  }

  GraphImporter &importer;
  Operation *op;
  OpBuilder builder;
};

} // namespace

void mlir::soap::onnx::recognizeExactForms(GraphImporter &importer,
                                           Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body))
    if (!op.use_empty())
      ExactForms(importer, &op).rewrite();
}
