//===- GroupNormOps.cpp - Norms of groups and channels of ONNX --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms of groups are layer norms of another shape. Norms by p-norms and local
// windows are compositions.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// Whether operand `index` is a constant of `value` alone.
bool isSplatOf(NodeContext &node, size_t index, float value) {
  const Tensor *tensor = node.operand(index).constant.get();
  return tensor && tensor->isFloat() &&
         llvm::all_of(tensor->floats, [&](float x) { return x == value; });
}

/// Each of `groups` numbers for all channels of its group.
Value perChannel(NodeContext &node, StringRef suffix, Value x, int64_t groups,
                 int64_t channels) {
  if (!x || shapeOf(x)[0] == channels)
    return x;
  x = node.createReshape((suffix + "_column").str(), x, {groups, 1});
  x = node.createBroadcast((suffix + "_spread").str(), x,
                           {groups, channels / groups});
  return node.createReshape(suffix, x, {channels});
}

/// Each group of channels of a sample gets mean 0 and variance 1; then a scale
/// and a bias for each channel, which operands 1 and 2 have.
LogicalResult normalizeGroups(NodeContext &node, int64_t groups,
                              float epsilon) {
  const Shape x = node.shape(0);
  int64_t channels = x[1], inner = channels / groups;
  for (size_t i = 2; i < x.size(); ++i)
    inner *= x[i];
  Value input =
      node.createReshape("groups", node.tensor(0), {x[0], groups, inner});
  Value gamma = node.createSplat("ones", {inner}, 1),
        beta = node.createSplat("zeros", {inner}, 0);
  if (!input || !gamma || !beta)
    return failure();
  auto &builder = node.importer.builder;
  auto op = LayerNormOp::create(builder, node.loc, input, gamma, beta,
                                builder.getI64IntegerAttr(2),
                                builder.getF64FloatAttr(double(epsilon)));
  node.nameOp(op, "normalized");
  Value y = node.createReshape("channels", op.getY(), x);
  if (!isSplatOf(node, 1, 1)) {
    Shape alongChannels(x.size() - 1, 1);
    alongChannels[0] = channels;
    Value scale = perChannel(node, "scale", node.tensor(1, Role::Scale), groups,
                             channels);
    y = node.createBinary<MulOp>(
        "scaled", y, node.createReshape("scale_dims", scale, alongChannels));
  }
  if (!isSplatOf(node, 2, 0)) {
    Value bias =
        perChannel(node, "bias", node.tensor(2, Role::Bias), groups, channels);
    y = y && bias ? node.create<BiasAddOp>("", x, y, bias, 1) : Value();
  }
  return node.setResult(0, y);
}

LogicalResult checkChannels(NodeContext &node, int64_t groups,
                            int64_t parameters) {
  const Shape &x = node.shape(0);
  if (x.size() < 2)
    return node.error("expected an operand of rank 2 or more, got " +
                      shapeString(x));
  if (groups < 1 || x[1] % groups != 0)
    return node.error(Twine(x[1]) + " channels can not be divided into " +
                      Twine(groups) + " groups");
  for (size_t i = 1; i < 3; ++i)
    if (node.shape(i) != Shape{parameters})
      return node.error("expected operand " + quote(node.node.inputs[i]) +
                        " of shape " + Twine(parameters) + ", got " +
                        shapeString(node.shape(i)));
  return success();
}

LogicalResult importInstanceNormalization(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  float epsilon = node.floatAttribute("epsilon", 1e-5f);
  int64_t channels = node.shape(0).size() < 2 ? 0 : node.shape(0)[1];
  if (node.failed() ||
      failed(checkChannels(node, std::max<int64_t>(channels, 1), channels)))
    return failure();
  return normalizeGroups(node, channels, epsilon);
}

LogicalResult importGroupNormalization(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  float epsilon = node.floatAttribute("epsilon", 1e-5f);
  int64_t groups = node.intAttribute("num_groups", 0);
  if (node.opset() >= 21 && node.intAttribute("stash_type", 1) != 1)
    return node.error("attribute 'stash_type': only 1 is supported");
  int64_t channels = node.shape(0).size() < 2 ? 0 : node.shape(0)[1];
  if (node.failed() ||
      failed(
          checkChannels(node, groups, node.opset() >= 21 ? channels : groups)))
    return failure();
  return normalizeGroups(node, groups, epsilon);
}

LogicalResult importRmsNormalization(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  float epsilon = node.floatAttribute("epsilon", 1e-5f);
  if (node.intAttribute("stash_type", 1) != 1)
    return node.error("attribute 'stash_type': only 1 is supported");
  const Shape x = node.shape(0);
  auto axis = normalizeAxis(node, node.intAttribute("axis", -1), x.size());
  if (!axis || node.failed())
    return failure();
  Shape normalized(x.begin() + *axis, x.end());
  Value input = node.tensor(0), gamma = node.tensor(1, Role::Scale);
  if (!input || !gamma)
    return failure();
  if (broadcastShapes(shapeOf(gamma), normalized) != normalized)
    return node.error("a scale of shape " + shapeString(shapeOf(gamma)) +
                      " does not broadcast to " + shapeString(normalized));
  gamma = node.createBroadcast("scale", gamma, normalized);
  if (!gamma)
    return failure();
  auto &builder = node.importer.builder;
  auto op = RmsNormOp::create(builder, node.loc, input, gamma,
                              builder.getI64IntegerAttr(*axis),
                              builder.getF64FloatAttr(double(epsilon)));
  node.nameOp(op, "");
  return node.setResult(0, op.getY());
}

//===----------------------------------------------------------------------===//
// p-norms
//===----------------------------------------------------------------------===//

/// |x|^p.
Value createPower(NodeContext &node, Value x, int64_t p) {
  if (p == 2)
    return node.createBinary<MulOp>("square", x, x);
  Value size = node.createUnary<AbsOp>("size", x);
  return p == 1 ? size
                : node.createBinary<PowOp>("power", size,
                                           node.createScalar("p", double(p)));
}

/// x^(1 / p), of sums of powers.
Value createRoot(NodeContext &node, StringRef suffix, Value x, int64_t p) {
  if (p == 1)
    return x;
  return p == 2
             ? node.createUnary<SqrtOp>(suffix, x)
             : node.createBinary<PowOp>(
                   suffix, x, node.createScalar("inverse_p", 1.0 / double(p)));
}

bool checkOrder(NodeContext &node, int64_t p) {
  if (node.failed())
    return false;
  if (p >= 1 && p <= 64)
    return true;
  (void)node.error("attribute 'p': expected 1 to 64, got " + Twine(p));
  return false;
}

LogicalResult importLpNormalization(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  int64_t p = node.intAttribute("p", 2);
  auto axis =
      normalizeAxis(node, node.intAttribute("axis", -1), node.shape(0).size());
  if (!axis || !checkOrder(node, p))
    return failure();
  Value x = node.tensor(0);
  Value norm = createRoot(node, "norm",
                          node.createReduce("sum", createPower(node, x, p),
                                            ReduceKind::Sum, {*axis}, true),
                          p);
  // A row of zeros stays.
  Value isZero =
      node.createBinary<EqualOp>("is_zero", norm, node.createScalar("zero", 0));
  norm = node.createWhere("divisor", isZero, node.createScalar("one", 1), norm);
  return node.setResult(0, node.createBinary<DivOp>("", x, norm));
}

LogicalResult importGlobalLpPool(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  int64_t p = node.intAttribute("p", 2);
  if (!checkOrder(node, p))
    return failure();
  Shape axes;
  for (size_t i = 2; i < node.shape(0).size(); ++i)
    axes.push_back(int64_t(i));
  if (axes.empty())
    return node.error("expected an operand of rank 3 or more, got " +
                      shapeString(node.shape(0)));
  Value sum = node.createReduce("sum", createPower(node, node.tensor(0), p),
                                ReduceKind::Sum, axes, true);
  return node.setResult(0, createRoot(node, "", sum, p));
}

/// The mean of powers over windows, times their number of elements.
LogicalResult importLpPool(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  int64_t p = node.intAttribute("p", 2);
  if (!checkOrder(node, p))
    return failure();
  const Shape x = node.shape(0);
  if (x.size() > 4)
    return node.error("3-D images are not supported");
  bool ceilMode = node.opset() >= 18 && node.intAttribute("ceil_mode", 0) != 0;
  auto window =
      readWindow(node, x, {}, /*hasDilations=*/node.opset() >= 18, ceilMode);
  if (!window)
    return failure();
  Window image = imageWindow(*window);
  Value powers = createImages(node, createPower(node, node.tensor(0), p));
  if (!powers)
    return failure();
  Value mean = node.create<AvgPool2DOp>(
      "mean", resultShape(shapeOf(powers), x[1], image), powers, image.kernel,
      image.strides, image.lastPadding, image.dilations,
      /*count_include_pad=*/true, DenseI64ArrayAttr(), DenseI64ArrayAttr());
  Value sum =
      node.createScale("sum", mean, double(image.kernel[0] * image.kernel[1]));
  sum = node.createReshape("windows", sum, resultShape(x, x[1], *window));
  return node.setResult(0, createRoot(node, "", sum, p));
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

/// x / (bias + alpha / size * sum of squares of `size` channels around)^beta.
LogicalResult importLrn(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  float alpha = node.floatAttribute("alpha", 1e-4f),
        beta = node.floatAttribute("beta", 0.75f),
        bias = node.floatAttribute("bias", 1);
  int64_t size = node.intAttribute("size", 0);
  const Shape x = node.shape(0);
  if (node.failed())
    return failure();
  if (size < 1 || size > 256 || x.size() < 3)
    return node.error("expected an image and a size from 1 to 256");
  Value input = node.tensor(0);
  Shape low(x.size(), 0), high(x.size(), 0), offsets(x.size(), 0);
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  Value squares = node.createPad(
      "padded", node.createBinary<MulOp>("square", input, input), low, high);
  Value sum;
  for (int64_t i = 0; i < size; ++i) {
    offsets[1] = i;
    Value part =
        node.createSlice("part" + std::to_string(i), squares, offsets, x);
    sum = i == 0
              ? part
              : node.createBinary<AddOp>("sum" + std::to_string(i), sum, part);
  }
  Value divisor = node.createBinary<PowOp>(
      "divisor",
      node.createBinary<AddOp>(
          "biased", node.createScale("mean", sum, double(alpha) / double(size)),
          node.createScalar("bias", bias)),
      node.createScalar("beta", beta));
  return node.setResult(0, node.createBinary<DivOp>("", input, divisor));
}

/// (x - mean) / (deviation + 1e-9) over `axes`.
LogicalResult importMeanVariance(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Shape x = node.shape(0);
  auto axes = normalizeAxes(
      node, node.intsAttribute("axes").value_or(Shape{0, 2, 3}), x.size());
  if (!axes || node.failed())
    return failure();
  int64_t count = 1;
  for (int64_t axis : *axes)
    count *= x[axis];
  Value input = node.tensor(0);
  auto mean = [&](const std::string &name, Value value) {
    return node.createScale(
        name,
        node.createReduce(name + "_sum", value, ReduceKind::Sum, *axes, true),
        1.0 / double(count));
  };
  Value centred =
      node.createBinary<SubOp>("centred", input, mean("mean", input));
  Value variance =
      mean("variance", node.createBinary<MulOp>("square", centred, centred));
  Value divisor = node.createBinary<AddOp>(
      "divisor", node.createUnary<SqrtOp>("deviation", variance),
      node.createScalar("epsilon", 1e-9));
  return node.setResult(0, node.createBinary<DivOp>("", centred, divisor));
}

} // namespace

void mlir::soap::onnx::addGroupNormOps(OpTable &table) {
  table["InstanceNormalization"] = {7, kLastOpset, importInstanceNormalization,
                                    nullptr};
  table["GroupNormalization"] = {18, kLastOpset, importGroupNormalization,
                                 nullptr};
  table["RMSNormalization"] = {23, kLastOpset, importRmsNormalization, nullptr};
  table["LpNormalization"] = {7, kLastOpset, importLpNormalization, nullptr};
  table["LpPool"] = {7, kLastOpset, importLpPool, nullptr};
  table["GlobalLpPool"] = {7, kLastOpset, importGlobalLpPool, nullptr};
  table["LRN"] = {7, kLastOpset, importLrn, nullptr};
  table["MeanVarianceNormalization"] = {9, kLastOpset, importMeanVariance,
                                        nullptr};
}
