//===- LossOps.cpp - Losses of ONNX -----------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses that a graph computes itself: masks of the labels.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// x - max - log(sum of e^(x - max)) along dim 1.
Value createLogProbabilities(NodeContext &node, Value x) {
  Value max = node.createReduce("max", x, ReduceKind::Max, {1}, true);
  Value centred = node.createBinary<SubOp>("centred", x, max);
  Value sum = node.createReduce("sum", node.createUnary<ExpOp>("exp", centred),
                                ReduceKind::Sum, {1}, true);
  return node.createBinary<SubOp>("log_probabilities", centred,
                                  node.createUnary<LogOp>("log", sum));
}

/// Operands are scores [N, C, ..], labels [N, ..] and, if there are any,
/// weights [C].
template <bool takesScores>
LogicalResult importLoss(NodeContext &node) {
  if (!node.checkCounts(2, 3, takesScores ? 2 : 1))
    return failure();
  std::string reduction = node.stringAttribute("reduction", "mean");
  std::optional<int64_t> ignored;
  if (node.hasAttribute("ignore_index"))
    ignored = node.intAttribute("ignore_index", 0);
  if (node.failed())
    return failure();
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return node.error("attribute 'reduction': " + quote(reduction) +
                      " is not supported");
  const Shape x = node.shape(0);
  Shape labels = x;
  if (x.size() >= 2)
    labels.erase(labels.begin() + 1);
  if (x.size() < 2 || node.shape(1) != labels || !node.isInteger(1))
    return node.error("integer labels of shape " + shapeString(node.shape(1)) +
                      " do not fit scores of shape " + shapeString(x));
  int64_t classes = x[1], rank = int64_t(x.size());
  if (node.hasInput(2) && node.shape(2) != Shape{classes})
    return node.error("expected weights of shape " + Twine(classes) + ", got " +
                      shapeString(node.shape(2)));
  Value scores = node.tensor(0), index = node.floats(1);
  Value log =
      takesScores && scores ? createLogProbabilities(node, scores) : scores;
  if (!log || !index)
    return failure();
  if (node.wantsResult(1) && failed(node.setResult(1, log)))
    return failure();
  Shape withClass = labels;
  withClass.insert(withClass.begin() + 1, 1);
  Value mask = node.createBinary<EqualOp>(
      "mask", node.createReshape("label_dims", index, withClass),
      node.createPositions("classes", classes, 1, rank));
  Value zero = node.createScalar("zero", 0);
  // A label that is no class gives 0.
  auto pick = [&](const std::string &name, Value values) {
    return node.createReduce(
        name, node.createWhere(name + "_mask", mask, values, zero),
        ReduceKind::Sum, {1});
  };
  Value loss = node.createUnary<NegOp>("loss", pick("picked", log));
  Value weights;
  if (node.hasInput(2)) {
    Shape alongClasses(rank, 1);
    alongClasses[1] = classes;
    weights = pick("weights", node.createReshape("weight_dims", node.tensor(2),
                                                 alongClasses));
  }
  if (ignored) {
    Value isIgnored = node.createBinary<EqualOp>(
        "is_ignored", index, node.createScalar("ignored", double(*ignored)));
    weights = node.createWhere("kept", isIgnored, zero,
                               weights ? weights : node.createScalar("one", 1));
  }
  if (weights)
    loss = node.createBinary<MulOp>("weighted", loss, weights);
  if (!loss)
    return failure();
  Shape axes(labels.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (reduction == "none")
    return node.setResult(0, loss);
  Value total = node.createReduce(reduction == "sum" ? "" : "total", loss,
                                  ReduceKind::Sum, axes);
  if (reduction == "sum")
    return node.setResult(0, total);
  if (!weights)
    return node.setResult(
        0, node.createScale("", total, 1.0 / double(countElements(labels))));
  return node.setResult(
      0, node.createBinary<DivOp>("", total,
                                  node.createReduce("total_weight", weights,
                                                    ReduceKind::Sum, axes)));
}

} // namespace

void mlir::soap::onnx::addLossOps(OpTable &table) {
  table["SoftmaxCrossEntropyLoss"] = {12, kLastOpset, importLoss<true>,
                                      nullptr};
  table["NegativeLogLikelihoodLoss"] = {12, kLastOpset, importLoss<false>,
                                        nullptr};
}
