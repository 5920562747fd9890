//===- PoolingOps.cpp - Windows and pools of ONNX ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MaxPool and AveragePool in all their padding modes.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

/// A list attribute with one value of at least `low` per image dim, or for pads
/// two.
static std::optional<Shape> readList(NodeContext &node, const char *name,
                                     size_t count, int64_t low,
                                     int64_t defaultValue) {
  Shape values = node.intsAttribute(name).value_or(Shape(count, defaultValue));
  bool inRange =
      llvm::all_of(values, [&](int64_t value) { return value >= low; });
  if (node.failed())
    return std::nullopt;
  if (values.size() == count && inRange)
    return values;
  (void)node.error("attribute " + quote(name) + ": expected " + Twine(count) +
                   " values of at least " + Twine(low) + ", got [" +
                   llvm::join(llvm::map_range(values,
                                              [](int64_t value) {
                                                return std::to_string(value);
                                              }),
                              ", ") +
                   "]");
  return std::nullopt;
}

std::optional<Window>
mlir::soap::onnx::readWindow(NodeContext &node, const Shape &image,
                             Shape kernel, bool hasDilations, bool ceilMode) {
  if (image.size() != 4)
    return (void)node.error(
               "only 2-D images of rank 4 are supported, the operand is " +
               shapeString(image)),
           std::nullopt;
  if (kernel.empty() && !node.hasAttribute("kernel_shape"))
    return (void)node.error("attribute 'kernel_shape' is missing"),
           std::nullopt;
  Window window;
  auto given =
      readList(node, "kernel_shape", 2, 1, kernel.empty() ? 1 : kernel[0]);
  if (!given)
    return std::nullopt;
  if (!kernel.empty() && node.hasAttribute("kernel_shape") && *given != kernel)
    return (void)node.error("attribute 'kernel_shape' is " +
                            shapeString(*given) + ", the weight's is " +
                            shapeString(kernel)),
           std::nullopt;
  window.kernel = kernel.empty() ? *given : kernel;
  auto strides = readList(node, "strides", 2, 1, 1);
  auto dilations =
      hasDilations ? readList(node, "dilations", 2, 1, 1) : Shape{1, 1};
  auto pads = readList(node, "pads", 4, 0, 0);
  std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
  if (!strides || !dilations || !pads || node.failed())
    return std::nullopt;
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!same && autoPad != "NOTSET" && autoPad != "VALID")
    return (void)node.error("attribute 'auto_pad': " + quote(autoPad) +
                            " is not supported"),
           std::nullopt;
  if (autoPad != "NOTSET" && *pads != Shape(4, 0))
    return (void)node.error(
               "attributes 'auto_pad' and 'pads' exclude each other"),
           std::nullopt;
  window.strides = *strides;
  window.dilations = *dilations;
  window.padding = *pads;

  for (size_t i = 0; i < 2; ++i) {
    int64_t extent = image[2 + i], stride = window.strides[i];
    if (window.kernel[i] > INT32_MAX || extent > INT32_MAX)
      return (void)node.error("windows of " + shapeString(window.kernel) +
                              " over " + shapeString(image) + " are too large"),
             std::nullopt;
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t &low = window.padding[i], &high = window.padding[2 + i];
    if (same) {
      int64_t total = std::max<int64_t>(
          ((extent + stride - 1) / stride - 1) * stride + reach - extent, 0);
      low = autoPad == "SAME_UPPER" ? total / 2 : total - total / 2;
      high = total - low;
    }
    int64_t rest = extent + low + high - reach;
    if (rest < 0)
      return (void)node.error("a window that reaches over " + Twine(reach) +
                              " elements does not fit into " + Twine(extent) +
                              " with padding " + Twine(low) + " and " +
                              Twine(high)),
             std::nullopt;
    int64_t output = rest / stride + 1;
    // A window of ceil mode may stick out at the end, but begins inside of the
    // image or its low padding.
    if (ceilMode && rest % stride != 0 && output * stride < extent + low)
      ++output;
    window.output.push_back(output);
  }
  window.lastPadding = window.padding;
  for (size_t i = 0; i < 2; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t needed = (window.output[i] - 1) * window.strides[i] + reach -
                     image[2 + i] - window.padding[i];
    window.lastPadding[2 + i] = std::max(window.padding[2 + i], needed);
  }
  return window;
}

namespace {

bool isIdentity(const Window &window) {
  return window.kernel == Shape{1, 1} && window.strides == Shape{1, 1} &&
         window.lastPadding == Shape(4, 0);
}

LogicalResult importMaxPool(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  // The order of indices, which are not supported.
  node.ignoreAttribute("storage_order");
  bool ceilMode = node.opset() >= 10 && node.intAttribute("ceil_mode", 0) != 0;
  auto window = readWindow(node, node.shape(0), {},
                           /*hasDilations=*/node.opset() >= 10, ceilMode);
  if (!window)
    return failure();
  if (isIdentity(*window))
    return node.setOperand(0, node.operand(0));
  const Shape &x = node.shape(0);
  return node.setResult(
      0, node.create<MaxPool2DOp>(
             "", {x[0], x[1], window->output[0], window->output[1]},
             node.tensor(0), window->kernel, window->strides,
             window->lastPadding, window->dilations));
}

LogicalResult importAveragePool(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  bool ceilMode = node.opset() >= 10 && node.intAttribute("ceil_mode", 0) != 0;
  bool includePad = node.intAttribute("count_include_pad", 0) != 0;
  auto window = readWindow(node, node.shape(0), {},
                           /*hasDilations=*/node.opset() >= 19, ceilMode);
  if (!window)
    return failure();
  if (isIdentity(*window))
    return node.setOperand(0, node.operand(0));
  const Shape &x = node.shape(0);
  const Shape &pads = window->padding;
  // The padding that ceil mode adds never counts.
  DenseI64ArrayAttr low, size;
  if (includePad && window->lastPadding != pads) {
    low = arrayAttr(node, {-pads[0], -pads[1]});
    size =
        arrayAttr(node, {x[2] + pads[0] + pads[2], x[3] + pads[1] + pads[3]});
  }
  return node.setResult(
      0, node.create<AvgPool2DOp>(
             "", {x[0], x[1], window->output[0], window->output[1]},
             node.tensor(0), window->kernel, window->strides,
             window->lastPadding, window->dilations, includePad, low, size));
}

} // namespace

void mlir::soap::onnx::addPoolingOps(OpTable &table) {
  table["MaxPool"] = {7, kLastOpset, importMaxPool, nullptr};
  table["AveragePool"] = {7, kLastOpset, importAveragePool, nullptr};
}
