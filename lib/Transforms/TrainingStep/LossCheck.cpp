//===- LossCheck.cpp - Does the loss fit the model's result? --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at what computes the result, behind ops that only move or clamp its
// elements.
//
//===----------------------------------------------------------------------===//

#include "LossCheck.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

bool isConstant(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

/// Behind ops that give every element another place, or clamp it.
Value skipMoves(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ReshapeOp, TransposeOp, SliceOp, CastOp, BroadcastOp>(op))
      value = op->getOperand(0);
    else if (isa<MaximumOp, MinimumOp>(op) && isConstant(op->getOperand(1)))
      value = op->getOperand(0);
    else if (isa<MaximumOp, MinimumOp>(op) && isConstant(op->getOperand(0)))
      value = op->getOperand(1);
    else if (isa<WhereOp>(op)) // of a mask, or of a threshold: x or softplus(x)
      value = op->getOperand(isConstant(op->getOperand(2)) ? 1 : 2);
    else
      break;
  }
  return value;
}

/// A choice between `x` and a constant that it is compared with: a clamp.
struct Clamp {
  Value x, bound;
  bool isBelow = false; ///< the bound is the lower one
};
std::optional<Clamp> asClamp(Operation *op) {
  auto where = dyn_cast<WhereOp>(op);
  Operation *test = where ? where.getCondition().getDefiningOp() : nullptr;
  if (!test || !isa<GreaterOp, GreaterEqualOp>(test) ||
      !isConstant(where.getX()))
    return std::nullopt;
  Value left = test->getOperand(0), right = test->getOperand(1);
  Value x = where.getY(), bound = where.getX();
  if (left == x && right == bound)
    return Clamp{x, bound, /*isBelow=*/false};
  if (left == bound && right == x)
    return Clamp{x, bound, /*isBelow=*/true};
  return std::nullopt;
}

bool isZero(Value constant) {
  while (auto broadcast = constant.getDefiningOp<BroadcastOp>())
    constant = broadcast.getX();
  auto op = constant.getDefiningOp<ConstantOp>();
  return op && matchPattern(op.getResult(), m_AnyZeroFloat());
}

/// min(relu(..), constant): a clamp at 0, what a hard sigmoid is made of.
bool isClampedAtZero(Value value) {
  bool hasUpperBound = false;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<ReluOp>(op))
      return hasUpperBound;
    if (isa<MinimumOp>(op) &&
        (isConstant(op->getOperand(0)) || isConstant(op->getOperand(1)))) {
      hasUpperBound = true;
      value = op->getOperand(isConstant(op->getOperand(0)) ? 1 : 0);
    } else if (auto clamp = asClamp(op)) {
      if (clamp->isBelow)
        return hasUpperBound && isZero(clamp->bound);
      hasUpperBound = true;
      value = clamp->x;
    } else if (isa<ReshapeOp, TransposeOp, SliceOp>(op)) {
      value = op->getOperand(0);
    } else {
      break;
    }
  }
  return false;
}

/// Whether `sum` is the sum of `power`, spread to its shape.
bool isSumOf(Value sum, Value power) {
  while (Operation *op = sum.getDefiningOp()) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return reduce.getKind() == ReduceKind::Sum && reduce.getX() == power;
    if (!isa<ReshapeOp, BroadcastOp>(op))
      break;
    sum = op->getOperand(0);
  }
  return false;
}

/// Whether `length` is the length of `x` along some dims, spread to its shape
/// and perhaps bounded below.
bool isLengthOf(Value length, Value x) {
  auto root = skipMoves(length).getDefiningOp<SqrtOp>();
  auto sum =
      root ? skipMoves(root.getX()).getDefiningOp<ReduceOp>() : ReduceOp();
  auto square = sum && sum.getKind() == ReduceKind::Sum
                    ? sum.getX().getDefiningOp<MulOp>()
                    : MulOp();
  return square && square.getX() == x && square.getY() == x;
}

/// -softplus(-x).
bool isLogSigmoid(Operation *op) {
  auto negated = dyn_cast<NegOp>(op);
  auto softplus =
      negated ? negated.getX().getDefiningOp<SoftplusOp>() : SoftplusOp();
  return softplus && softplus.getX().getDefiningOp<NegOp>();
}

/// The kind of a result that is no logits, as "a sigmoid"; empty if it may be
/// logits.
struct Activation {
  StringRef what;
  Operation *op = nullptr;
};

Activation findActivation(Value result) {
  if (isClampedAtZero(result))
    return {"a clamp to an interval", result.getDefiningOp()};
  Value value = skipMoves(result);
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  // A scaled sigmoid is one, too. A scaled tanh is not: some models bound
  // their logits by it.
  if (isa<TanhOp>(op))
    return {"a tanh", op};
  while (op && isa<ScaleOp>(op))
    op = skipMoves(op->getOperand(0)).getDefiningOp();
  if (!op)
    return {};
  if (isa<SigmoidOp>(op))
    return {"a sigmoid", op};
  if (isa<SoftmaxOp>(op))
    return {"a softmax", op};
  if (auto div = dyn_cast<DivOp>(op); div && isSumOf(div.getY(), div.getX()) &&
                                      div.getX().getDefiningOp<ExpOp>())
    return {"a softmax", op};
  if (auto div = dyn_cast<DivOp>(op); div && isLengthOf(div.getY(), div.getX()))
    return {"a division by the length of its vectors", op};
  if (isa<ExpOp>(op))
    return {"an exponential", op};
  if (isa<SoftplusOp>(op))
    return {"a softplus", op};
  if (isLogSigmoid(op))
    return {"the logarithm of a sigmoid", op};
  if (auto log = dyn_cast<LogOp>(op))
    if (skipMoves(log.getX()).getDefiningOp<SigmoidOp>())
      return {"the logarithm of a sigmoid", op};
  return {};
}

/// The dim along which the ops behind `result` are a log-softmax: x - log(sum
/// of e^x), or the logarithm of a softmax. The softmax of one is the same
/// softmax again, so it may stand in front of the loss along the dim of the
/// classes.
std::optional<int64_t> logSoftmaxDim(Value result) {
  if (auto log = result.getDefiningOp<LogOp>()) {
    if (auto softmax = log.getX().getDefiningOp<SoftmaxOp>())
      return softmax.getAxis();
    return std::nullopt;
  }
  auto sub = result.getDefiningOp<SubOp>();
  if (!sub)
    return std::nullopt;
  Value sum = sub.getY();
  while (sum.getDefiningOp<BroadcastOp>() || sum.getDefiningOp<ReshapeOp>())
    sum = sum.getDefiningOp()->getOperand(0);
  auto log = sum.getDefiningOp<LogOp>();
  auto reduce = log ? log.getX().getDefiningOp<ReduceOp>() : ReduceOp();
  auto power = reduce && reduce.getKind() == ReduceKind::Sum
                   ? reduce.getX().getDefiningOp<ExpOp>()
                   : ExpOp();
  if (!power || power.getX() != sub.getX() || reduce.getAxes().size() != 1)
    return std::nullopt;
  return reduce.getAxes()[0];
}

/// A data argument of floats with samples that has the type of the result.
std::optional<unsigned> dataLikeResult(func::FuncOp forward, unsigned result) {
  for (unsigned i = 0; i < forward.getNumArguments(); ++i)
    if (forward.getArgAttr(i, SoapDialect::kSampleDim) &&
        forward.getArgumentTypes()[i] == forward.getResultTypes()[result])
      return i;
  return std::nullopt;
}

constexpr StringLiteral kExplicit = "'loss=softmax-cross-entropy'";

/// "expected logits; HOW, or say .. to train on them all the same".
class Doubt {
public:
  Doubt(func::FuncOp forward, unsigned result, LossChoice choice)
      : forward(forward), result(result), choice(choice) {}

  /// `is`: "is computed by a sigmoid (op 'x')"; `advice`: what to do instead.
  LogicalResult report(const Twine &is, const Twine &advice) {
    Type type = forward.getResultTypes()[result];
    if (choice == LossChoice::Assumed)
      return forward.emitError()
             << "result of '@forward', " << type << ", " << is
             << ": expected logits of softmax cross-entropy; " << advice
             << ", or give " << kExplicit << " to use this loss all the same";
    forward.emitWarning() << "result of '@forward', " << type << ", " << is
                          << ", and is taken for logits: the loss is softmax "
                             "cross-entropy of these values";
    return success();
  }

private:
  func::FuncOp forward;
  unsigned result;
  LossChoice choice;
};

/// "is computed by a sigmoid (op 'x')".
std::string describe(const Activation &activation) {
  auto name = activation.op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return ("is computed by " + activation.what + " (op '" +
          (name ? name.getValue() : activation.op->getName().getStringRef()) +
          "')")
      .str();
}

} // namespace

void mlir::soap::warnOfActivation(func::FuncOp forward, unsigned result) {
  Value value = forward.front().getTerminator()->getOperand(result);
  if (Activation activation = findActivation(value); activation.op)
    forward.emitWarning() << "result of '@forward', " << value.getType() << ", "
                          << describe(activation)
                          << ", and is taken for logits: the loss is binary "
                             "cross-entropy of the sigmoid of these values";
}

LogicalResult mlir::soap::checkSoftmaxCrossEntropy(func::FuncOp forward,
                                                   unsigned index,
                                                   LossChoice choice) {
  auto type = cast<RankedTensorType>(forward.getResultTypes()[index]);
  Value result = forward.front().getTerminator()->getOperand(index);
  Doubt doubt(forward, index, choice);
  int64_t classes = type.getShape().back(), last = type.getRank() - 1;
  if (classes == 1)
    return forward.emitError()
           << "result of '@forward' is " << type
           << ", one class: its softmax cross-entropy is 0 whatever the "
              "weights are; expected a logit for each of two or more classes "
              "in the last dim, or 'loss=bce-with-logits' for one logit, or "
              "'loss=mse' for a number";
  if (Activation activation = findActivation(result); activation.op) {
    bool isSoftmax = activation.what == "a softmax";
    return doubt.report(
        describe(activation),
        isSoftmax ? "the loss has a softmax of its own: export the model "
                    "without this one, or import with --drop-final-softmax"
                  : "export the model without it");
  }
  if (auto dim = logSoftmaxDim(result); dim && *dim != last)
    return doubt.report("is a log-softmax along dim " + Twine(*dim),
                        "the classes of this loss are dim " + Twine(last));
  if (type.getRank() > 3)
    return doubt.report(
        "has a label for each element but of the last dim, " + Twine(classes) +
            " classes",
        "the classes of this loss are the last dim, where images have their "
        "columns: transpose the result to [samples, .., classes]");
  if (auto argument = dataLikeResult(forward, index);
      argument && type.getRank() > 2) {
    auto name =
        forward.getArgAttrOfType<StringAttr>(*argument, SoapDialect::kName);
    return doubt.report("has the type of data '" +
                            (name ? name.getValue() : StringRef("?")) +
                            "', which a loss between the two would compare",
                        "'loss=mse' compares it with labels of its shape");
  }
  return success();
}
