//===- ReductionOps.cpp - Reductions of ONNX --------------------*- C++ -*-===//
//
// ReduceSum, ReduceMean, ReduceMax, ReduceMin and global pooling: soap.reduce,
// a scale for means, a reshape for kept dims.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// Reduces over sorted, unique axes. The last op of the chain gets the node's
/// name.
LogicalResult reduceOver(NodeContext &node, const Shape &axes, ReduceKind kind,
                         bool isMean, bool keepDims) {
  const Shape x = node.shape(0);
  Value value = node.tensor(0);
  if (!value)
    return failure();
  Shape dropped, kept;
  int64_t count = 1;
  for (size_t i = 0; i < x.size(); ++i) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(i));
    if (isReduced)
      count *= x[i];
    else
      dropped.push_back(x[i]);
    kept.push_back(isReduced ? 1 : x[i]);
  }
  bool reshapes = keepDims && kept != dropped;
  value = node.create<ReduceOp>(isMean || reshapes ? "sum" : "", dropped, value,
                                kind, ArrayRef<int64_t>(axes));
  if (isMean)
    value = node.createScale(reshapes ? "mean" : "", value, 1.0 / count);
  return node.setResult(0,
                        reshapes ? node.createReshape("", value, kept) : value);
}

/// `inputOpset`: where the axes became an operand.
template <ReduceKind kind, bool isMean, int64_t inputOpset>
LogicalResult importReduce(NodeContext &node) {
  bool axesAreInput = node.opset() >= inputOpset;
  if (!node.checkCounts(1, axesAreInput ? 2 : 1))
    return failure();
  bool keepDims = node.intAttribute("keepdims", 1) != 0;
  bool noopIfEmpty =
      axesAreInput && node.intAttribute("noop_with_empty_axes", 0) != 0;
  std::optional<Shape> axes;
  if (!axesAreInput)
    axes = node.intsAttribute("axes");
  else if (node.hasInput(1))
    axes = node.constantInts(1);
  if (node.failed())
    return failure();
  int64_t rank = node.shape(0).size();
  if (!axes || axes->empty()) {
    if (noopIfEmpty)
      return node.setOperand(0, node.operand(0));
    axes = Shape();
    for (int64_t i = 0; i < rank; ++i)
      axes->push_back(i);
  }
  axes = normalizeAxes(node, *axes, rank);
  if (!axes)
    return failure();
  if (axes->empty())
    return node.setOperand(0, node.operand(0));
  return reduceOver(node, *axes, kind, isMean, keepDims);
}

template <ReduceKind kind, bool isMean>
LogicalResult importGlobalPool(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  if (node.shape(0).size() < 3)
    return node.error("expected an operand of rank 3 or more, got " +
                      shapeString(node.shape(0)));
  Shape axes;
  for (size_t i = 2; i < node.shape(0).size(); ++i)
    axes.push_back(i);
  return reduceOver(node, axes, kind, isMean, /*keepDims=*/true);
}

} // namespace

void mlir::soap::onnx::addReductionOps(OpTable &table) {
  table["ReduceSum"] = {7, kLastOpset, importReduce<ReduceKind::Sum, false, 13>,
                        nullptr};
  table["ReduceMean"] = {7, kLastOpset, importReduce<ReduceKind::Sum, true, 18>,
                         nullptr};
  table["ReduceMax"] = {7, kLastOpset, importReduce<ReduceKind::Max, false, 18>,
                        nullptr};
  table["ReduceMin"] = {7, kLastOpset, importReduce<ReduceKind::Min, false, 18>,
                        nullptr};
  table["GlobalAveragePool"] = {
      7, kLastOpset, importGlobalPool<ReduceKind::Sum, true>, nullptr};
  table["GlobalMaxPool"] = {7, kLastOpset,
                            importGlobalPool<ReduceKind::Max, false>, nullptr};
}
