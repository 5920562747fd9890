//===- NormalizationOps.cpp - Normalization and softmax of ONNX -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BatchNormalization in inference, Dropout, LayerNormalization, Softmax.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

#include "Soap/Dialect/Soap/BatchNormAttributes.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// Results other than the first are running statistics, which the training step
/// updates by itself: nothing may read them.
LogicalResult checkStatisticsUnused(NodeContext &node) {
  for (size_t i = 1; i < node.node.outputs.size(); ++i)
    if (node.isUsed(i))
      return node.error("result " + Twine(i) + " (" +
                        quote(node.node.outputs[i]) +
                        ") is used: running statistics are only supported as "
                        "states, which the training step updates");
  return success();
}

/// The attributes of a batch norm.
struct BatchNormOptions {
  float epsilon;
  /// The weight of a batch in the running statistics.
  double momentum;
  bool trains;
};

FailureOr<BatchNormOptions> batchNormOptions(NodeContext &node) {
  BatchNormOptions result;
  result.epsilon = node.floatAttribute("epsilon", 1e-5f);
  float kept = node.floatAttribute("momentum", 0.9f);
  if (node.opset() < 9 && node.intAttribute("spatial", 1) != 1)
    return node.error("attribute 'spatial': only 1 is supported");
  if (node.opset() >= 14)
    (void)node.intAttribute("training_mode", 0);
  result.trains = normalizesWithBatch(node.node, node.opset());
  if (node.failed() || (result.trains && failed(checkStatisticsUnused(node))) ||
      !node.checkCounts(5, 5, result.trains ? 5 : 1))
    return failure();
  if (!(kept >= 0 && kept <= 1))
    return node.error(
        "attribute 'momentum': expected a number in [0, 1], got " +
        std::to_string(kept));
  // ONNX says how much of the running statistics is kept, in a float of 7
  // digits.
  result.momentum = std::round((1 - double(kept)) * 1e7) / 1e7;
  return result;
}

LogicalResult importBatchNormalization(NodeContext &node) {
  auto options = batchNormOptions(node);
  if (failed(options))
    return failure();
  const Shape &x = node.shape(0);
  if (x.size() < 2)
    return node.error("expected an operand of rank 2 or more, got " +
                      shapeString(x));
  for (size_t i = 1; i < 5; ++i)
    if (node.shape(i) != Shape{x[1]})
      return node.error("expected operand " + quote(node.node.inputs[i]) +
                        " of shape " + Twine(x[1]) + ", got " +
                        shapeString(node.shape(i)));
  auto &builder = node.importer.builder;
  auto epsilon = builder.getF64FloatAttr(double(options->epsilon));
  Value input = node.tensor(0), gamma = node.tensor(1, Role::Scale),
        beta = node.tensor(2, Role::Bias);
  if (!input || !gamma || !beta)
    return failure();
  if (options->trains && (node.operand(3).value || node.operand(4).value)) {
    // A norm without running statistics: exporters write the batch's.
    auto op =
        BatchNormTrainOp::create(builder, node.loc, input, gamma, beta, epsilon,
                                 /*groups=*/builder.getI64IntegerAttr(1));
    node.nameOp(op, "");
    return node.setResult(0, op.getY());
  }
  bool isFrozen = node.importer.noteBatchNorm(node, options->trains);
  Value mean = isFrozen ? node.frozen(3) : node.tensor(3, Role::Mean),
        variance = isFrozen ? node.frozen(4) : node.tensor(4, Role::Variance);
  if (!mean || !variance)
    return failure();
  Value y = node.create<BatchNormOp>("", x, input, gamma, beta, mean, variance,
                                     epsilon);
  if (y && !isFrozen && options->momentum != 0.1)
    y.getDefiningOp()->setAttr(kBatchNormMomentum,
                               builder.getF64FloatAttr(options->momentum));
  if (!isFrozen && (options->momentum == 0 || options->momentum == 1))
    emitWarning(node.importer.loc)
        << "node " << quote(node.baseName()) << ": attribute 'momentum' is "
        << int(1 - options->momentum) << ", so running statistics "
        << (options->momentum == 0 ? "never change" : "equal the last batch's")
        << "; exporters write it for a cumulative average, which is not "
           "supported: 'batch-norm-momentum' of the training step sets the "
           "weight of a batch";
  return node.setResult(0, y);
}

/// Drops in training alone: the step that is built from the model counts,
/// whatever mode the file is in.
LogicalResult importDropout(NodeContext &node) {
  if (!node.checkCounts(1, 3, 2))
    return failure();
  std::optional<float> rate;
  if (node.opset() < 12)
    rate = node.floatAttribute("ratio", 0.5f);
  else
    rate = node.hasInput(1) ? node.constantScalar(1) : std::optional(0.5f);
  node.ignoreAttribute("seed");
  if (node.hasInput(2)) {
    auto training = node.constantInts(2);
    if (!training)
      return failure();
    if (training->size() != 1)
      return node.error("operand " + quote(node.node.inputs[2]) +
                        ": expected one bool, got " + Twine(training->size()));
    if (training->front() != 0 && rate != 0.0f &&
        node.importer.training.dropout.empty())
      node.importer.training.dropout = node.baseName();
  }
  if (node.failed())
    return failure();
  if (!rate || !(*rate >= 0 && *rate < 1))
    return node.error("expected a ratio in [0, 1) that is known at import");
  if (node.isUsed(1)) {
    // Nothing is dropped: all are kept.
    if (*rate != 0)
      return node.error("result 1 (" + quote(node.node.outputs[1]) +
                        ") is not supported, which elements are dropped");
    if (failed(node.setResult(1, node.createSplat("mask", node.shape(0), 1),
                              kBool)))
      return failure();
  }
  if (*rate == 0 || node.isConstant(0))
    return node.setOperand(0, node.operand(0));
  Value x = node.tensor(0);
  if (!x)
    return failure();
  // Every dropout of a model has a stream of its own.
  uint64_t seed = node.importer.nextSeed();
  return node.setResult(0,
                        node.create<DropoutOp>("", shapeOf(x), x, Value(),
                                               APFloat(double(*rate)), seed));
}

/// x - max - log(sum of e^(x - max)).
Value createLogSoftmax(NodeContext &node, Value x, int64_t axis) {
  Shape full = shapeOf(x), rows = full;
  rows.erase(rows.begin() + axis);
  auto reduce = [&](StringRef suffix, Value value, ReduceKind kind) {
    Value result = value ? node.create<ReduceOp>(suffix, rows, value, kind,
                                                 ArrayRef<int64_t>{axis})
                         : Value();
    return result;
  };
  auto spread = [&](StringRef suffix, Value value) {
    return value ? node.create<BroadcastOp>(suffix, full, value,
                                            ArrayRef<int64_t>{axis})
                 : Value();
  };
  Value centred = node.createBinary<SubOp>(
      "centred", x, spread("max_spread", reduce("max", x, ReduceKind::Max)));
  Value power = centred ? node.create<ExpOp>("exp", full, centred) : Value();
  Value sum = reduce("sum", power, ReduceKind::Sum);
  Value log = sum ? node.create<LogOp>("log", rows, sum) : Value();
  return node.createBinary<SubOp>("", centred, spread("log_spread", log));
}

template <bool isLog>
LogicalResult importSoftmax(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  // Up to opset 12 all dims from the axis on are one.
  bool flattens = node.opset() < 13;
  int64_t rank = node.shape(0).size(),
          axis = node.intAttribute("axis", flattens ? 1 : -1);
  if (node.failed())
    return failure();
  const ONNXImportOptions &options = node.importer.options;
  if (node.isFinal() && options.dropFinalSoftmax)
    return node.setOperand(0, node.operand(0));
  if (node.isFinal() && !options.keepFinalSoftmax)
    return node.error("a softmax at the end is part of the loss of training; "
                      "leave it out with --drop-final-softmax, or keep it for "
                      "inference with --keep-final-softmax");
  auto where = flattens && axis == rank ? std::optional(rank)
                                        : normalizeAxis(node, axis, rank);
  Value x = where ? node.tensor(0) : Value();
  if (!x)
    return failure();
  Shape shape = shapeOf(x);
  bool reshapes = flattens && *where != rank - 1;
  if (reshapes) {
    Shape matrix{1, 1};
    for (int64_t d = 0; d < rank; ++d)
      matrix[d < *where ? 0 : 1] *= shape[d];
    x = node.createReshape("rows", x, matrix);
    where = 1;
  }
  Value y;
  if (x && isLog)
    y = createLogSoftmax(node, x, *where);
  else if (x)
    y = node.create<SoftmaxOp>(reshapes ? "softmax" : "", shapeOf(x), x,
                               static_cast<uint64_t>(*where));
  return node.setResult(0, reshapes ? node.createReshape("", y, shape) : y);
}

LogicalResult importLayerNormalization(NodeContext &node) {
  if (!node.checkCounts(2, 3, 3))
    return failure();
  float epsilon = node.floatAttribute("epsilon", 1e-5f);
  if (node.intAttribute("stash_type", 1) != 1)
    return node.error("attribute 'stash_type': only 1 is supported");
  const Shape x = node.shape(0);
  auto axis = normalizeAxis(node, node.intAttribute("axis", -1), x.size());
  if (!axis || node.failed())
    return failure();
  Shape rows(x.begin(), x.begin() + *axis),
      normalized(x.begin() + *axis, x.end());
  Value input = node.tensor(0), gamma = node.tensor(1, Role::Scale),
        beta = node.hasInput(2) ? node.tensor(2, Role::Bias)
                                : node.createSplat("beta", normalized, 0);
  for (Value *parameter : {&gamma, &beta}) {
    if (!*parameter)
      return failure();
    if (broadcastShapes(shapeOf(*parameter), normalized) != normalized)
      return node.error("a scale or bias of shape " +
                        shapeString(shapeOf(*parameter)) +
                        " does not broadcast to " + shapeString(normalized));
    *parameter = node.createBroadcast("parameter", *parameter, normalized);
  }
  if (!input || !gamma || !beta)
    return failure();
  auto &builder = node.importer.builder;
  auto op = LayerNormOp::create(builder, node.loc, input, gamma, beta,
                                builder.getI64IntegerAttr(*axis),
                                builder.getF64FloatAttr(double(epsilon)));
  node.nameOp(op, "");
  Shape kept = rows;
  kept.resize(x.size(), 1);
  if (failed(node.setResult(0, op.getY())))
    return failure();
  for (size_t i = 1; i < 3; ++i)
    if (node.wantsResult(i) &&
        failed(node.setResult(
            i, node.createReshape("statistics" + std::to_string(i),
                                  op->getResult(i), kept))))
      return failure();
  return success();
}

} // namespace

void mlir::soap::onnx::addNormalizationOps(OpTable &table) {
  table["BatchNormalization"] = {7, kLastOpset, importBatchNormalization,
                                 nullptr};
  table["Dropout"] = {7, kLastOpset, importDropout, importDropout};
  table["Softmax"] = {7, kLastOpset, importSoftmax<false>, nullptr};
  table["LogSoftmax"] = {7, kLastOpset, importSoftmax<true>, nullptr};
  table["LayerNormalization"] = {17, kLastOpset, importLayerNormalization,
                                 nullptr};
}
