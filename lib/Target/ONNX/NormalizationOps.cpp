//===- NormalizationOps.cpp - Normalization and softmax of ONNX -*- C++ -*-===//
//
// BatchNormalization in inference, Dropout (none in inference), and a Softmax
// at the end.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

LogicalResult importBatchNormalization(NodeContext &node) {
  float epsilon = node.floatAttribute("epsilon", 1e-5f);
  // Only training uses it.
  node.ignoreAttribute("momentum");
  if (node.opset() < 9 && node.intAttribute("spatial", 1) != 1)
    return node.error("attribute 'spatial': only 1 is supported");
  if (node.opset() >= 14 && node.intAttribute("training_mode", 0) != 0)
    return node.error("attribute 'training_mode': only 0 is supported, export "
                      "the model in evaluation mode");
  if (node.failed() || !node.checkCounts(5, 5))
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
  Value input = node.tensor(0), gamma = node.tensor(1, Role::Scale),
        beta = node.tensor(2, Role::Bias), mean = node.tensor(3, Role::Mean),
        variance = node.tensor(4, Role::Variance);
  if (!input || !gamma || !beta || !mean || !variance)
    return failure();
  return node.setResult(0, node.create<BatchNormOp>("", x, input, gamma, beta,
                                                    mean, variance,
                                                    APFloat(double(epsilon))));
}

LogicalResult importDropout(NodeContext &node) {
  if (!node.checkCounts(1, 3))
    return failure();
  node.ignoreAttribute("ratio");
  node.ignoreAttribute("seed");
  if (node.hasInput(2)) {
    auto training = node.constantInts(2);
    if (!training)
      return failure();
    if (*training != Shape{0})
      return node.error(
          "only inference is supported, export the model in evaluation mode");
  }
  return node.setOperand(0, node.operand(0));
}

LogicalResult importSoftmax(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  int64_t rank = node.shape(0).size(),
          axis = node.intAttribute("axis", node.opset() < 13 ? 1 : -1);
  if (node.failed())
    return failure();
  if (!node.isFinal())
    return node.error("this op is only supported at the very end of a model");
  if (axis != -1 && axis != rank - 1)
    return node.error("attribute 'axis': only the last axis is supported");
  if (!node.importer.options.dropFinalSoftmax)
    return node.error("a softmax at the end is part of the loss of training; "
                      "leave it out with --drop-final-softmax");
  return node.setOperand(0, node.operand(0));
}

} // namespace

void mlir::soap::onnx::addNormalizationOps(OpTable &table) {
  table["BatchNormalization"] = {7, kLastOpset, importBatchNormalization,
                                 nullptr};
  table["Dropout"] = {7, kLastOpset, importDropout, importDropout};
  table["Softmax"] = {7, kLastOpset, importSoftmax, nullptr};
  table["LogSoftmax"] = {7, kLastOpset, importSoftmax, nullptr};
}
