//===- ResizeOps.cpp - Resize of ONNX ---------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolation is separable: along each dim it is a product with a matrix that
// is known at import, or, for the nearest element, a pick of positions.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

struct ResizeOptions {
  std::string mode, coordinates, nearest;
  float cubic = -0.75f;
  bool excludeOutside = false, antialias = false;
};

/// One dim.
struct Axis {
  int64_t input, output;
  float scale;
};

/// The place in the operand of element `i` of the result.
float placeOf(const ResizeOptions &options, const Axis &axis, int64_t i) {
  float at = static_cast<float>(i);
  if (options.coordinates == "asymmetric")
    return at / axis.scale;
  if (options.coordinates == "align_corners")
    return axis.output == 1 ? 0
                            : at * static_cast<float>(axis.input - 1) /
                                  static_cast<float>(axis.output - 1);
  if (options.coordinates == "pytorch_half_pixel" && axis.output == 1)
    return 0;
  float half = (at + 0.5f) / axis.scale - 0.5f;
  if (options.coordinates != "half_pixel_symmetric")
    return half;
  // Around the middle, where the extent was rounded.
  float adjustment = static_cast<float>(axis.output) /
                     (axis.scale * static_cast<float>(axis.input));
  return static_cast<float>(axis.input) / 2 * (1 - adjustment) + half;
}

int64_t nearestOf(const ResizeOptions &options, const Axis &axis, int64_t i) {
  float place = placeOf(options, axis, i), low = std::floor(place);
  float at = low;
  if (options.nearest == "ceil")
    at = std::ceil(place);
  else if (options.nearest == "round_prefer_floor")
    at = place == low + 0.5f ? low : std::round(place);
  else if (options.nearest == "round_prefer_ceil")
    at = place == low + 0.5f ? low + 1 : std::round(place);
  return std::clamp<int64_t>(static_cast<int64_t>(at), 0, axis.input - 1);
}

/// The weight of an element at distance x from the place.
double weightAt(const ResizeOptions &options, double x) {
  x = std::fabs(x);
  if (options.mode == "linear")
    return std::max(0.0, 1 - x);
  double a = options.cubic;
  if (x < 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// [input, output], row-major.
SmallVector<float> matrixOf(const ResizeOptions &options, const Axis &axis) {
  SmallVector<double> matrix(axis.input * axis.output, 0);
  int64_t reach = options.mode == "linear" ? 1 : 2;
  double shrink = options.antialias ? std::min(1.0, double(axis.scale)) : 1;
  int64_t wide = static_cast<int64_t>(std::ceil(double(reach) / shrink)) + 1;
  for (int64_t o = 0; o < axis.output; ++o) {
    double place = placeOf(options, axis, o), total = 0;
    int64_t middle = static_cast<int64_t>(std::floor(place));
    bool keepsAll = !options.excludeOutside;
    for (int64_t i = middle - wide; i <= middle + wide; ++i) {
      double weight = weightAt(options, (double(i) - place) * shrink);
      bool isInside = i >= 0 && i < axis.input;
      if (weight == 0 || (!isInside && !keepsAll))
        continue;
      int64_t at = std::clamp<int64_t>(i, 0, axis.input - 1);
      matrix[at * axis.output + o] += weight;
      total += weight;
    }
    for (int64_t i = 0; i < axis.input && total != 0; ++i)
      matrix[i * axis.output + o] /= total;
  }
  return SmallVector<float>(matrix.begin(), matrix.end());
}

/// Each element several times in a row: nothing is gathered.
Value repeat(NodeContext &node, StringRef suffix, Value x, int64_t dim,
             int64_t times) {
  Shape shape = shapeOf(x), split = shape, result = shape;
  split.insert(split.begin() + dim + 1, 1);
  Shape wide = split;
  wide[dim + 1] = times;
  result[dim] *= times;
  x = node.createReshape((suffix + "_split").str(), x, split);
  x = node.createBroadcast((suffix + "_repeat").str(), x, wide);
  return node.createReshape(suffix, x, result);
}

Value resizeAxis(NodeContext &node, const ResizeOptions &options, Value x,
                 int64_t dim, const Axis &axis) {
  std::string suffix = "dim" + std::to_string(dim);
  if (axis.output > INT32_MAX || axis.input * axis.output > (1 << 26))
    return (void)node.error("dims of " + Twine(axis.input) + " and " +
                            Twine(axis.output) +
                            " elements are too large to resize"),
           Value();
  if (options.mode == "nearest") {
    SmallVector<int32_t> positions;
    int64_t times = axis.output / axis.input;
    bool repeats = times > 1 && axis.output % axis.input == 0;
    for (int64_t o = 0; o < axis.output; ++o) {
      positions.push_back(static_cast<int32_t>(nearestOf(options, axis, o)));
      repeats &= positions.back() == o / std::max<int64_t>(times, 1);
    }
    return repeats ? repeat(node, suffix, x, dim, times)
                   : node.createPick(suffix, x, dim, positions);
  }
  Shape order = swappedDims(int64_t(shapeOf(x).size()), dim,
                            int64_t(shapeOf(x).size()) - 1);
  Value matrix = node.createConstant(
      suffix + "_weights", {axis.input, axis.output}, matrixOf(options, axis));
  x = node.createTranspose(suffix + "_last", x, order);
  x = node.createMatmul(suffix + "_product", x, matrix);
  return node.createTranspose(suffix, x, order);
}

std::optional<std::vector<float>> readScales(NodeContext &node, size_t index) {
  const Tensor *tensor = node.constant(index);
  if (!tensor)
    return std::nullopt;
  if (!tensor->isFloat() || llvm::any_of(tensor->floats, [](float scale) {
        return !(scale > 0 && scale < 1e6f);
      })) {
    (void)node.error("expected positive scales");
    return std::nullopt;
  }
  return tensor->floats;
}

LogicalResult resize(NodeContext &node, const ResizeOptions &options,
                     ArrayRef<Axis> axes) {
  Value x = node.tensor(0);
  bool changes = false;
  for (auto [dim, axis] : llvm::enumerate(axes)) {
    if (axis.output < 1)
      return node.error("dim " + Twine(dim) + " gets no elements");
    // Other places than the elements' own are possible at equal extents.
    if (axis.output == axis.input && axis.scale == 1)
      continue;
    changes = true;
    if (!x || !(x = resizeAxis(node, options, x, int64_t(dim), axis)))
      return failure();
  }
  return changes ? node.setResult(0, x) : node.setOperand(0, node.operand(0));
}

/// The extents of the result: as large as `policy` allows at one scale.
void keepAspect(StringRef policy, SmallVectorImpl<Axis> &axes,
                ArrayRef<int64_t> dims) {
  float scale = 0;
  for (int64_t dim : dims) {
    float own = static_cast<float>(axes[dim].output) /
                static_cast<float>(axes[dim].input);
    scale = scale == 0               ? own
            : policy == "not_larger" ? std::min(scale, own)
                                     : std::max(scale, own);
  }
  for (int64_t dim : dims) {
    axes[dim].output = static_cast<int64_t>(
        std::floor(scale * static_cast<float>(axes[dim].input) + 0.5f));
    axes[dim].scale = scale;
  }
}

LogicalResult importResize(NodeContext &node) {
  bool isOld = node.opset() < 11;
  if (!node.checkCounts(isOld ? 2 : 1, isOld ? 2 : 4))
    return failure();
  ResizeOptions options;
  options.mode = node.stringAttribute("mode", "nearest");
  options.coordinates =
      isOld ? "asymmetric"
            : node.stringAttribute("coordinate_transformation_mode",
                                   "half_pixel");
  options.nearest =
      isOld ? "floor"
            : node.stringAttribute("nearest_mode", "round_prefer_floor");
  options.cubic = node.floatAttribute("cubic_coeff_a", -0.75f);
  options.excludeOutside = node.intAttribute("exclude_outside", 0) != 0;
  options.antialias = node.intAttribute("antialias", 0) != 0;
  std::string policy =
      node.stringAttribute("keep_aspect_ratio_policy", "stretch");
  node.ignoreAttribute("extrapolation_value"); // of tf_crop_and_resize
  auto given = node.intsAttribute("axes");
  auto oneOf = [&](const char *name, const std::string &value,
                   std::initializer_list<StringRef> known) {
    if (node.failed() || llvm::is_contained(known, StringRef(value)))
      return;
    (void)node.error("attribute " + quote(name) + ": " + quote(value) +
                     " is not supported");
  };
  oneOf("mode", options.mode, {"nearest", "linear", "cubic"});
  oneOf("coordinate_transformation_mode", options.coordinates,
        {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
         "align_corners", "asymmetric"});
  oneOf("nearest_mode", options.nearest,
        {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  oneOf("keep_aspect_ratio_policy", policy,
        {"stretch", "not_larger", "not_smaller"});
  if (node.failed())
    return failure();
  const Shape &x = node.shape(0);
  Shape dims(x.size());
  std::iota(dims.begin(), dims.end(), 0);
  if (given) {
    if (!normalizeAxes(node, *given, x.size()))
      return failure();
    dims.clear();
    for (int64_t dim : *given)
      dims.push_back(dim < 0 ? dim + int64_t(x.size()) : dim);
  }
  SmallVector<Axis> axes;
  for (int64_t extent : x)
    axes.push_back({extent, extent, 1.0f});
  size_t scaleInput = isOld ? 1 : 2;
  bool hasScales =
      node.hasInput(scaleInput) && node.shape(scaleInput) != Shape{0};
  if (hasScales == (!isOld && node.hasInput(3)))
    return node.error("expected either scales or sizes");
  if (hasScales) {
    auto scales = readScales(node, scaleInput);
    if (!scales || scales->size() != dims.size())
      return node.failed()
                 ? failure()
                 : node.error("expected " + Twine(dims.size()) +
                              " scales, got " + Twine(scales->size()));
    for (auto [dim, scale] : llvm::zip(dims, *scales)) {
      float exact = static_cast<float>(axes[dim].input) * scale;
      if (options.coordinates == "align_corners" && exact != std::floor(exact))
        return node.error("scale " + Twine(std::to_string(scale)) + " of " +
                          Twine(axes[dim].input) +
                          " elements with 'align_corners' leaves a part of an "
                          "element, which implementations round differently");
      axes[dim].scale = scale;
      axes[dim].output = static_cast<int64_t>(
          std::floor(static_cast<float>(axes[dim].input) * scale));
    }
    return resize(node, options, axes);
  }
  auto sizes = node.constantInts(3);
  if (!sizes)
    return failure();
  if (sizes->size() != dims.size() ||
      llvm::any_of(*sizes, [](int64_t size) { return size < 1; }))
    return node.error("expected " + Twine(dims.size()) +
                      " positive sizes, got " + shapeString(*sizes));
  // A file whose batch is replaced has the old one.
  if (node.importer.oldBatch > 0 && dims.size() == x.size() &&
      sizes->front() == node.importer.oldBatch && x[0] == node.importer.batch)
    sizes->front() = x[0];
  for (auto [dim, size] : llvm::zip(dims, *sizes)) {
    axes[dim].output = size;
    axes[dim].scale =
        static_cast<float>(size) / static_cast<float>(axes[dim].input);
  }
  if (policy != "stretch")
    keepAspect(policy, axes, dims);
  return resize(node, options, axes);
}

LogicalResult importUpsample(NodeContext &node) {
  bool isAttribute = node.opset() < 9;
  if (!node.checkCounts(isAttribute ? 1 : 2, isAttribute ? 1 : 2))
    return failure();
  ResizeOptions options;
  options.mode = node.stringAttribute("mode", "nearest");
  options.coordinates = "asymmetric";
  options.nearest = "floor";
  if (!node.failed() && options.mode != "nearest" && options.mode != "linear")
    return node.error("attribute 'mode': " + quote(options.mode) +
                      " is not supported");
  std::optional<std::vector<float>> scales;
  if (!isAttribute)
    scales = readScales(node, 1);
  else if (const NodeAttribute *given = node.rawAttribute("scales"))
    scales = given->floats;
  const Shape &x = node.shape(0);
  if (!scales || scales->size() != x.size() ||
      llvm::any_of(*scales,
                   [](float scale) { return !(scale > 0 && scale < 1e6f); }))
    return node.failed()
               ? failure()
               : node.error("expected " + Twine(x.size()) + " positive scales");
  SmallVector<Axis> axes;
  for (auto [extent, scale] : llvm::zip(x, *scales))
    axes.push_back(
        {extent,
         static_cast<int64_t>(std::floor(static_cast<float>(extent) * scale)),
         scale});
  return resize(node, options, axes);
}

} // namespace

void mlir::soap::onnx::addResizeOps(OpTable &table) {
  table["Resize"] = {10, kLastOpset, importResize, nullptr};
  table["Upsample"] = {7, 9, importUpsample, nullptr};
}
