//===- ConvolutionOps.cpp - Convolutions of ONNX ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conv and ConvTranspose on images of one to three dims, as 2-D convolutions.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// y + bias along the channels, if the node has a bias.
Value addBias(NodeContext &node, Value y) {
  if (!y || !node.hasInput(2))
    return y;
  Value bias = node.tensor(2, Role::Bias);
  return bias ? node.create<BiasAddOp>("bias_add", shapeOf(y), y, bias, 1)
              : Value();
}

bool checkBias(NodeContext &node, int64_t channels) {
  if (!node.hasInput(2) || node.shape(2) == Shape{channels})
    return true;
  (void)node.error("expected a bias of shape " + Twine(channels) + ", got " +
                   shapeString(node.shape(2)));
  return false;
}

/// The sum over the depth of the window of 2-D convolutions, whose samples are
/// the depths of the result.
Value createConv3D(NodeContext &node, Value x, Value w, const Window &window,
                   int64_t groups) {
  Shape weights = shapeOf(w), low(5, 0), high(5, 0);
  if (weights[2] > kLargestDepth)
    return (void)node.error("a window of depth " + Twine(weights[2]) +
                            " is not supported, only up to " +
                            Twine(kLargestDepth)),
           Value();
  low[2] = window.padding[0];
  high[2] = window.padding[3];
  x = node.createPad("depth_pad", x, low, high);
  Window image = imageWindow(window);
  Value sum;
  for (int64_t k = 0; x && k < weights[2]; ++k) {
    Value images = createImages(node, createDepthSlice(node, x, window, k));
    Shape offsets{0, 0, k, 0, 0}, sizes = weights;
    sizes[2] = 1;
    Value filter = node.createReshape(
        "filter", node.createSlice("filter_depth", w, offsets, sizes),
        {weights[0], weights[1], weights[3], weights[4]});
    if (!images || !filter)
      return Value();
    Value part = node.create<Conv2DOp>(
        "part", resultShape(shapeOf(images), weights[0], image), images, filter,
        image.strides, image.padding, image.dilations, groups);
    sum = k == 0 ? part : node.createBinary<AddOp>("sum", sum, part);
  }
  if (!sum)
    return sum;
  sum = node.createReshape("depths", sum,
                           {shapeOf(x)[0], window.output[0], weights[0],
                            window.output[1], window.output[2]});
  return node.createTranspose("", sum, {0, 2, 1, 3, 4});
}

LogicalResult importConv(NodeContext &node) {
  if (!node.checkCounts(2, 3))
    return failure();
  const Shape &x = node.shape(0), &w = node.shape(1);
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size())
    return node.error("only 1-D, 2-D and 3-D convolutions are supported: "
                      "expected operands of one rank from 3 to 5, got " +
                      shapeString(x) + " and " + shapeString(w));
  auto window = readWindow(node, x, Shape(w.begin() + 2, w.end()),
                           /*hasDilations=*/true, /*ceilMode=*/false);
  int64_t groups = node.intAttribute("group", 1);
  if (!window || node.failed())
    return failure();
  if (groups < 1 || w[0] % groups != 0 || x[1] % groups != 0 ||
      x[1] / groups != w[1])
    return node.error("weights " + shapeString(w) + " with " + Twine(groups) +
                      " groups do not fit the operand " + shapeString(x));
  if (!checkBias(node, w[0]))
    return failure();
  Value input = node.tensor(0), weight = node.tensor(1, Role::Weight);
  if (!input || !weight)
    return failure();
  if (x.size() == 5)
    return node.setResult(
        0, addBias(node, createConv3D(node, input, weight, *window, groups)));
  Window image = imageWindow(*window);
  input = createImages(node, input);
  weight = w.size() == 3
               ? node.createReshape("filter", weight, {w[0], w[1], 1, w[2]})
               : weight;
  Value y = node.create<Conv2DOp>(
      x.size() == 3 ? "conv" : "", resultShape(shapeOf(input), w[0], image),
      input, weight, image.strides, image.padding, image.dilations, groups);
  y = node.createReshape("", y, resultShape(x, w[0], *window));
  return node.setResult(0, addBias(node, y));
}

//===----------------------------------------------------------------------===//
// ConvTranspose
//===----------------------------------------------------------------------===//

/// Per image dim of a transposed convolution.
struct TransposedWindow {
  Shape strides, dilations, low, high, output;
};

std::optional<TransposedWindow> readTransposed(NodeContext &node) {
  const Shape &x = node.shape(0), &w = node.shape(1);
  size_t spatial = x.size() - 2;
  auto list = [&](const char *name, size_t count, int64_t low,
                  int64_t otherwise) {
    Shape values = node.intsAttribute(name).value_or(Shape(count, otherwise));
    if (!node.failed() &&
        (values.size() != count ||
         llvm::any_of(values, [&](int64_t value) { return value < low; })))
      (void)node.error("attribute " + quote(name) + ": expected " +
                       Twine(count) + " values of at least " + Twine(low));
    values.resize(count, otherwise);
    return values;
  };
  TransposedWindow result;
  result.strides = list("strides", spatial, 1, 1);
  result.dilations = list("dilations", spatial, 1, 1);
  Shape kernel = list("kernel_shape", spatial, 1, 1),
        pads = list("pads", 2 * spatial, 0, 0),
        more = list("output_padding", spatial, 0, 0),
        target = list("output_shape", spatial, 1, 1);
  bool hasTarget = node.hasAttribute("output_shape");
  std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!node.failed() && node.hasAttribute("kernel_shape") &&
      kernel != Shape(w.begin() + 2, w.end()))
    (void)node.error("attribute 'kernel_shape' is " + shapeString(kernel) +
                     ", the weight is " + shapeString(w));
  if (!node.failed() && !isSame && autoPad != "NOTSET" && autoPad != "VALID")
    (void)node.error("attribute 'auto_pad': " + quote(autoPad) +
                     " is not supported");
  if (node.failed())
    return std::nullopt;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t reach = (w[2 + i] - 1) * result.dilations[i] + 1;
    int64_t all = result.strides[i] * (x[2 + i] - 1) + more[i] + reach;
    int64_t low = autoPad == "NOTSET" ? pads[i] : 0,
            high = autoPad == "NOTSET" ? pads[spatial + i] : 0;
    if (hasTarget || isSame) {
      int64_t extent = hasTarget ? target[i] : x[2 + i] * result.strides[i];
      int64_t total = std::max<int64_t>(all - extent, 0);
      bool isUpper = autoPad == "SAME_UPPER";
      low = isUpper ? total / 2 : total - total / 2;
      high = total - low;
      // Beyond what the windows reach are zeros.
      more[i] += std::max<int64_t>(extent - all, 0);
      all = std::max(all, extent);
      if (!isSame && total % 2 != 0) {
        (void)node.error("attribute 'output_shape' leaves an odd padding of " +
                         Twine(total) + " along dim " + Twine(2 + i) +
                         ", which implementations divide differently");
        return std::nullopt;
      }
    }
    int64_t output = all - low - high;
    if (output < 1) {
      (void)node.error("pads " + Twine(low) + " and " + Twine(high) +
                       " leave nothing of " + Twine(all) + " elements");
      return std::nullopt;
    }
    // Padding of the spread image for the convolution.
    result.low.push_back(reach - 1 - low);
    result.high.push_back(reach - 1 - high + more[i]);
    result.output.push_back(output);
  }
  return result;
}

/// [in, out / groups, kernel..] as weights of a convolution from in to out,
/// [out, in / groups, kernel..], turned around along all dims of the kernel.
Value createTurned(NodeContext &node, Value w, int64_t groups) {
  Shape shape = shapeOf(w);
  int64_t in = shape[0] / groups, out = shape[1], window = 1;
  for (size_t i = 2; i < shape.size(); ++i)
    window *= shape[i];
  SmallVector<int32_t> falling;
  for (int64_t at = window; at-- > 0;)
    falling.push_back(static_cast<int32_t>(at));
  w = node.createReshape("filter_groups", w, {groups, in, out, window});
  w = node.createPick("filter_turned", w, 3, falling);
  w = node.createTranspose("filter_order", w, {0, 2, 1, 3});
  Shape result{groups * out, in};
  result.insert(result.end(), shape.begin() + 2, shape.end());
  return node.createReshape("filter", w, result);
}

/// A convolution of the image with zeros between its elements.
LogicalResult importConvTranspose(NodeContext &node) {
  if (!node.checkCounts(2, 3))
    return failure();
  const Shape x = node.shape(0), w = node.shape(1);
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size())
    return node.error("only 1-D, 2-D and 3-D convolutions are supported: "
                      "expected operands of one rank from 3 to 5, got " +
                      shapeString(x) + " and " + shapeString(w));
  int64_t groups = node.intAttribute("group", 1);
  if (groups < 1 || x[1] != w[0] || x[1] % groups != 0)
    return node.error("weights " + shapeString(w) + " with " + Twine(groups) +
                      " groups do not fit the operand " + shapeString(x));
  auto window = readTransposed(node);
  if (!window || !checkBias(node, w[1] * groups))
    return failure();
  Value input = node.tensor(0),
        weight =
            createTurned(node, node.tensor(1, Role::InputMajorWeight), groups);
  if (!input || !weight)
    return failure();
  Shape spread = x, low(x.size(), 0), interior(x.size(), 0);
  for (size_t i = 2; i < x.size(); ++i) {
    low[i] = window->low[i - 2];
    interior[i] = window->strides[i - 2] - 1;
    spread[i] =
        (x[i] - 1) * window->strides[i - 2] + 1 + low[i] + window->high[i - 2];
  }
  if (spread != x)
    input = node.create<PadOp>("spread", spread, input, ArrayRef<int64_t>(low),
                               ArrayRef<int64_t>(interior), APFloat(0.0));
  size_t spatial = x.size() - 2;
  Window plain{
      Shape(w.begin() + 2, w.end()), Shape(spatial, 1),     window->dilations,
      Shape(2 * spatial, 0),         Shape(2 * spatial, 0), window->output};
  int64_t channels = w[1] * groups;
  if (!input)
    return failure();
  if (spatial == 3)
    return node.setResult(
        0, addBias(node, createConv3D(node, input, weight, plain, groups)));
  Window image = imageWindow(plain);
  input = createImages(node, input);
  if (spatial == 1)
    weight = node.createReshape("filter_row", weight,
                                {channels, x[1] / groups, 1, w[2]});
  if (!input || !weight)
    return failure();
  Value y = node.create<Conv2DOp>(
      spatial == 1 ? "conv" : "", resultShape(shapeOf(input), channels, image),
      input, weight, image.strides, image.padding, image.dilations, groups);
  y = node.createReshape("", y, resultShape(x, channels, plain));
  return node.setResult(0, addBias(node, y));
}

} // namespace

void mlir::soap::onnx::addConvolutionOps(OpTable &table) {
  table["Conv"] = {7, kLastOpset, importConv, nullptr};
  table["ConvTranspose"] = {7, kLastOpset, importConvTranspose, nullptr};
}
