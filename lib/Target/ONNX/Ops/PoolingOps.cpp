//===- PoolingOps.cpp - Windows and pools of ONNX ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MaxPool and AveragePool in all their padding modes.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include <cmath>

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
  if (image.size() < 3 || image.size() > 5)
    return (void)node.error("only 1-D, 2-D and 3-D images of rank 3 to 5 are "
                            "supported, the operand is " +
                            shapeString(image)),
           std::nullopt;
  const size_t spatial = image.size() - 2;
  if (kernel.empty() && !node.hasAttribute("kernel_shape"))
    return (void)node.error("attribute 'kernel_shape' is missing"),
           std::nullopt;
  Window window;
  auto given = readList(node, "kernel_shape", spatial, 1,
                        kernel.empty() ? 1 : kernel[0]);
  if (!given)
    return std::nullopt;
  if (!kernel.empty() && node.hasAttribute("kernel_shape") && *given != kernel)
    return (void)node.error("attribute 'kernel_shape' is " +
                            shapeString(*given) + ", the weight's is " +
                            shapeString(kernel)),
           std::nullopt;
  window.kernel = kernel.empty() ? *given : kernel;
  auto strides = readList(node, "strides", spatial, 1, 1);
  auto dilations = hasDilations ? readList(node, "dilations", spatial, 1, 1)
                                : std::optional(Shape(spatial, 1));
  auto pads = readList(node, "pads", 2 * spatial, 0, 0);
  std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
  if (!strides || !dilations || !pads || node.failed())
    return std::nullopt;
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!same && autoPad != "NOTSET" && autoPad != "VALID")
    return (void)node.error("attribute 'auto_pad': " + quote(autoPad) +
                            " is not supported"),
           std::nullopt;
  if (autoPad != "NOTSET" && *pads != Shape(2 * spatial, 0))
    return (void)node.error(
               "attributes 'auto_pad' and 'pads' exclude each other"),
           std::nullopt;
  window.strides = *strides;
  window.dilations = *dilations;
  window.padding = *pads;

  for (size_t i = 0; i < spatial; ++i) {
    int64_t extent = image[2 + i], stride = window.strides[i];
    if (window.kernel[i] > INT32_MAX || extent > INT32_MAX)
      return (void)node.error("windows of " + shapeString(window.kernel) +
                              " over " + shapeString(image) + " are too large"),
             std::nullopt;
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t &low = window.padding[i], &high = window.padding[spatial + i];
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
  for (size_t i = 0; i < spatial; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t needed = (window.output[i] - 1) * window.strides[i] + reach -
                     image[2 + i] - window.padding[i];
    window.lastPadding[spatial + i] =
        std::max(window.padding[spatial + i], needed);
  }
  return window;
}

Window mlir::soap::onnx::imageWindow(const Window &window) {
  size_t spatial = window.kernel.size();
  auto last = [&](const Shape &values, int64_t missing) {
    return spatial == 1 ? Shape{missing, values[0]}
                        : Shape(values.end() - 2, values.end());
  };
  auto pads = [&](const Shape &values) {
    return spatial == 1
               ? Shape{0, values[0], 0, values[1]}
               : Shape{values[spatial - 2], values[spatial - 1],
                       values[2 * spatial - 2], values[2 * spatial - 1]};
  };
  return {last(window.kernel, 1),    last(window.strides, 1),
          last(window.dilations, 1), pads(window.padding),
          pads(window.lastPadding),  last(window.output, 1)};
}

Shape mlir::soap::onnx::resultShape(const Shape &x, int64_t channels,
                                    const Window &window) {
  Shape shape = {x[0], channels};
  shape.insert(shape.end(), window.output.begin(), window.output.end());
  return shape;
}

Value mlir::soap::onnx::createImages(NodeContext &node, Value x) {
  if (!x || shapeOf(x).size() == 4)
    return x;
  Shape shape = shapeOf(x);
  if (shape.size() == 3)
    return node.createReshape("image", x, {shape[0], shape[1], 1, shape[2]});
  x = node.createTranspose("depth_first", x, {0, 2, 1, 3, 4});
  return node.createReshape(
      "images", x, {shape[0] * shape[2], shape[1], shape[3], shape[4]});
}

Value mlir::soap::onnx::createDepthSlice(NodeContext &node, Value x,
                                         const Window &window, int64_t k) {
  if (!x)
    return x;
  Shape shape = shapeOf(x), offsets(5, 0), sizes = shape, steps(5, 1);
  offsets[2] = k * window.dilations[0];
  sizes[2] = window.output[0];
  steps[2] = sizes[2] > 1 ? window.strides[0] : 1;
  return node.create<SliceOp>(
      "depth" + std::to_string(k), sizes, x, ArrayRef<int64_t>(offsets),
      ArrayRef<int64_t>(sizes), ArrayRef<int64_t>(steps));
}

namespace {

/// A pool over the last two image dims, or the only one; depth stays.
template <typename Create>
Value poolImages(NodeContext &node, Value x, const Window &window,
                 Create create) {
  if (!x)
    return x;
  Shape shape = shapeOf(x);
  Window image = imageWindow(window);
  bool isIdentity = image.kernel == Shape{1, 1} &&
                    image.strides == Shape{1, 1} &&
                    image.lastPadding == Shape(4, 0);
  if (isIdentity)
    return x;
  bool isImage = shape.size() == 4;
  Value y = create(isImage ? "" : "pool", createImages(node, x), image);
  if (isImage || !y)
    return y;
  if (shape.size() == 3)
    return node.createReshape("", y, {shape[0], shape[1], image.output[1]});
  y = node.createReshape(
      "depths", y,
      {shape[0], shape[2], shape[1], image.output[0], image.output[1]});
  return node.createTranspose("channels", y, {0, 2, 1, 3, 4});
}

/// The larger one; of equal ones the first, which then has the whole gradient,
/// as within a window of `soap.max_pool2d`. NaN wins.
Value createLarger(NodeContext &node, StringRef suffix, Value x, Value y) {
  Value isNumber = node.createBinary<EqualOp>("is_number", y, y);
  return node.createWhere(suffix,
                          node.createBinary<GreaterOp>("is_larger", y, x), y,
                          node.createWhere("other", isNumber, x, y));
}

/// Combines what the windows along the depth of x see.
Value poolDepth(NodeContext &node, StringRef suffix, Value x,
                const Window &window, double fill,
                function_ref<Value(StringRef, Value, Value)> combine) {
  if (!x || shapeOf(x).size() != 5)
    return x;
  if (window.kernel[0] > kLargestDepth)
    return (void)node.error("a window of depth " + Twine(window.kernel[0]) +
                            " is not supported, only up to " +
                            Twine(kLargestDepth)),
           Value();
  Shape low(5, 0), high(5, 0);
  low[2] = window.lastPadding[0];
  high[2] = window.lastPadding[3];
  x = node.createPad("depth_pad", x, low, high, fill);
  Value result;
  for (int64_t k = 0; k < window.kernel[0]; ++k) {
    Value part = createDepthSlice(node, x, window, k);
    bool isLast = k + 1 == window.kernel[0];
    result = k == 0 ? part : combine(isLast ? suffix : "depths", result, part);
  }
  return result;
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
  Value x = node.floats(0);
  Value y =
      poolImages(node, x, *window,
                 [&](StringRef suffix, Value images, const Window &image) {
                   return images ? node.create<MaxPool2DOp>(
                                       suffix,
                                       resultShape(shapeOf(images),
                                                   shapeOf(images)[1], image),
                                       images, image.kernel, image.strides,
                                       image.lastPadding, image.dilations)
                                 : Value();
                 });
  y = poolDepth(node, "", y, *window, -INFINITY,
                [&](StringRef suffix, Value a, Value b) {
                  return createLarger(node, suffix, a, b);
                });
  return node.setResult(0, y, node.typeOf(0));
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
  Value x = node.tensor(0);
  Value y =
      poolImages(node, x, *window,
                 [&](StringRef suffix, Value images, const Window &image) {
                   if (!images)
                     return Value();
                   Shape shape = shapeOf(images);
                   const Shape &pads = image.padding;
                   // The padding that ceil mode adds never counts.
                   DenseI64ArrayAttr low, size;
                   if (includePad && image.lastPadding != pads) {
                     low = arrayAttr(node, {-pads[0], -pads[1]});
                     size = arrayAttr(node, {shape[2] + pads[0] + pads[2],
                                             shape[3] + pads[1] + pads[3]});
                   }
                   return node.create<AvgPool2DOp>(
                       suffix, resultShape(shape, shape[1], image), images,
                       image.kernel, image.strides, image.lastPadding,
                       image.dilations, includePad, low, size);
                 });
  if (node.shape(0).size() != 5)
    return node.setResult(0, y);
  // Counts of each window along the depth.
  y = poolDepth(node, "depth_sum", y, *window, 0,
                [&](StringRef suffix, Value a, Value b) {
                  return node.createBinary<AddOp>(suffix, a, b);
                });
  int64_t extent = node.shape(0)[2],
          first = includePad ? -window->padding[0] : 0,
          end = includePad ? extent + window->padding[3] : extent;
  SmallVector<float> shares;
  for (int64_t o = 0; o < window->output[0]; ++o) {
    int64_t count = 0;
    for (int64_t k = 0; k < window->kernel[0]; ++k) {
      int64_t at = o * window->strides[0] + k * window->dilations[0] -
                   window->padding[0];
      count += at >= first && at < end;
    }
    if (count == 0)
      return node.error("a window along the depth has no elements");
    shares.push_back(1.0f / static_cast<float>(count));
  }
  Value factors =
      node.createConstant("shares", {window->output[0], 1, 1}, shares);
  return node.setResult(0, node.createBinary<MulOp>("", y, factors));
}

} // namespace

void mlir::soap::onnx::addPoolingOps(OpTable &table) {
  table["MaxPool"] = {7, kLastOpset, importMaxPool, nullptr};
  table["AveragePool"] = {7, kLastOpset, importAveragePool, nullptr};
}
