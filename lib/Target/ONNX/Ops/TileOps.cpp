//===- TileOps.cpp - Repeated and rearranged tensors of ONNX ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile, SpaceToDepth, DepthToSpace, ReverseSequence, CenterCropPad; matrices
// and windows that are known.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

LogicalResult importTile(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  auto repeats = node.constantInts(1);
  if (!repeats)
    return failure();
  const Shape x = node.shape(0);
  if (repeats->size() != x.size() || llvm::any_of(*repeats, [](int64_t times) {
        return times < 0 || times > (int64_t(1) << 30);
      }))
    return node.error("expected " + Twine(x.size()) +
                      " numbers of repetitions, got " + shapeString(*repeats));
  Shape shape = x, split, wide;
  for (size_t i = 0; i < x.size(); ++i) {
    shape[i] *= (*repeats)[i];
    split.insert(split.end(), {1, x[i]});
    wide.insert(wide.end(), {(*repeats)[i], x[i]});
  }
  if (shape == x)
    return node.setOperand(0, node.operand(0));
  if (node.isConstant(0)) {
    const Tensor *tensor = node.constant(0);
    Shape strides = stridesOf(x);
    auto result =
        !tensor ? std::nullopt
                : pickElements(node, *tensor, shape, [&](const Shape &index) {
                    int64_t position = 0;
                    for (size_t i = 0; i < index.size(); ++i)
                      position += index[i] % x[i] * strides[i];
                    return position;
                  });
    return result ? node.setConstant(0, std::move(*result)) : failure();
  }
  if (!node.checkShape(shape))
    return failure();
  Value value = node.createReshape("split", node.floats(0), split);
  value = node.createBroadcast("repeat", value, wide);
  return node.setResult(0, node.createReshape("", value, shape),
                        node.typeOf(0));
}

/// The block size; an error unless x is [N, C, H, W].
std::optional<int64_t> readBlock(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return std::nullopt;
  int64_t block = node.intAttribute("blocksize", 0);
  if (!node.failed() && node.shape(0).size() == 4 && block >= 1 &&
      block <= (1 << 20))
    return block;
  if (!node.failed())
    (void)node.error("expected a positive 'blocksize' and an operand of rank "
                     "4, got " +
                     shapeString(node.shape(0)));
  return std::nullopt;
}

LogicalResult importSpaceToDepth(NodeContext &node) {
  auto block = readBlock(node);
  if (!block)
    return failure();
  std::string mode = node.stringAttribute("mode", "DCR");
  if (!node.failed() && mode != "DCR" && mode != "CRD")
    return node.error("attribute 'mode': " + quote(mode) + " is not supported");
  int64_t b = *block;
  Shape x = node.shape(0);
  if (x[2] % b != 0 || x[3] % b != 0)
    return node.error("an image of " + shapeString(x) +
                      " can not be divided into blocks of " + Twine(b));
  Value value = node.createReshape("blocks", node.floats(0),
                                   {x[0], x[1], x[2] / b, b, x[3] / b, b});
  value = node.createTranspose("order", value,
                               mode == "DCR" ? Shape{0, 3, 5, 1, 2, 4}
                                             : Shape{0, 1, 3, 5, 2, 4});
  return node.setResult(
      0,
      node.createReshape("", value, {x[0], x[1] * b * b, x[2] / b, x[3] / b}),
      node.typeOf(0));
}

LogicalResult importDepthToSpace(NodeContext &node) {
  auto block = readBlock(node);
  std::string mode = node.stringAttribute("mode", "DCR");
  if (!block || node.failed())
    return failure();
  int64_t b = *block;
  Shape x = node.shape(0);
  if ((mode != "DCR" && mode != "CRD") || x[1] % (b * b) != 0)
    return node.error(Twine(x[1]) +
                      " channels can not be divided into blocks "
                      "of " +
                      Twine(b) + " in mode " + quote(mode));
  int64_t channels = x[1] / (b * b);
  bool isDepthFirst = mode == "DCR";
  Value value = node.createReshape(
      "blocks", node.floats(0),
      isDepthFirst ? Shape{x[0], b, b, channels, x[2], x[3]}
                   : Shape{x[0], channels, b, b, x[2], x[3]});
  value = node.createTranspose("order", value,
                               isDepthFirst ? Shape{0, 3, 4, 1, 5, 2}
                                            : Shape{0, 1, 4, 2, 5, 3});
  return node.setResult(
      0, node.createReshape("", value, {x[0], channels, x[2] * b, x[3] * b}),
      node.typeOf(0));
}

/// The first elements of each sequence turned around, for known lengths: one
/// gather of all steps of all sequences.
LogicalResult importReverseSequence(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  auto lengths = node.constantInts(1);
  int64_t timeAxis = node.intAttribute("time_axis", 0),
          batchAxis = node.intAttribute("batch_axis", 1);
  if (!lengths || node.failed())
    return failure();
  const Shape x = node.shape(0);
  if (x.size() < 2 || timeAxis + batchAxis != 1 || timeAxis * batchAxis != 0)
    return node.error("expected the time and the samples as the first two "
                      "dims");
  int64_t steps = x[timeAxis], samples = x[batchAxis];
  if (int64_t(lengths->size()) != samples || steps * samples > INT32_MAX ||
      llvm::any_of(*lengths, [&](int64_t length) {
        return length < 1 || length > steps;
      }))
    return node.error("expected " + Twine(samples) + " lengths from 1 to " +
                      Twine(steps));
  SmallVector<int32_t> from;
  for (int64_t i = 0; i < x[0]; ++i)
    for (int64_t j = 0; j < x[1]; ++j) {
      int64_t t = timeAxis == 0 ? i : j, n = timeAxis == 0 ? j : i;
      int64_t length = (*lengths)[n];
      int64_t source = t < length ? length - 1 - t : t;
      from.push_back(static_cast<int32_t>(timeAxis == 0 ? source * samples + n
                                                        : n * steps + source));
    }
  Shape rows{x[0] * x[1]};
  rows.insert(rows.end(), x.begin() + 2, x.end());
  Value value = node.createReshape("rows", node.floats(0), rows);
  value = node.createPick("picked", value, 0, from);
  return node.setResult(0, node.createReshape("", value, x), node.typeOf(0));
}

/// Cropped or padded by zeros around the middle.
LogicalResult importCenterCropPad(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  auto target = node.constantInts(1);
  auto axes = node.intsAttribute("axes");
  if (!target || node.failed())
    return failure();
  const Shape x = node.shape(0);
  if (!axes) {
    axes = Shape(x.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (axes->size() != target->size() || !normalizeAxes(node, *axes, x.size()))
    return node.failed() ? failure()
                         : node.error("expected " + Twine(axes->size()) +
                                      " extents, got " + shapeString(*target));
  Shape low(x.size(), 0), high(x.size(), 0);
  for (auto [axis, extent] : llvm::zip(*axes, *target)) {
    int64_t d = axis < 0 ? axis + int64_t(x.size()) : axis;
    int64_t more = extent - x[d];
    // The first half of a crop or pad is the smaller one.
    low[d] = more >= 0 ? more / 2 : -(-more / 2);
    high[d] = more - low[d];
  }
  return node.setResult(0, node.createPad("", node.floats(0), low, high),
                        node.typeOf(0));
}

LogicalResult foldEyeLike(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Shape &x = node.shape(0);
  int64_t diagonal = node.intAttribute("k", 0),
          type = node.intAttribute("dtype", node.typeOf(0));
  if (node.failed())
    return failure();
  if (x.size() != 2 || countElements(x) > (1 << 22))
    return node.error("expected a matrix, got " + shapeString(x));
  Tensor result;
  result.dataType = static_cast<int32_t>(type);
  if (isOtherFloat(result.dataType))
    result.dataType = kFloat;
  if (!result.isDecoded())
    return node.error("attribute 'dtype': " + dataTypeName(result.dataType) +
                      " is not supported");
  result.dims = x;
  for (int64_t row = 0; row < x[0]; ++row)
    for (int64_t column = 0; column < x[1]; ++column) {
      bool isOne = column - row == diagonal;
      if (result.isFloat())
        result.floats.push_back(isOne);
      else
        result.ints.push_back(isOne);
    }
  return node.setConstant(0, std::move(result));
}

/// Windows of signals: a0 - a1 * cos(x) + a2 * cos(2 * x).
enum class SignalWindow { Hann, Hamming, Blackman };

template <SignalWindow window>
LogicalResult foldWindow(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  auto size = node.constantNumber(0);
  bool isPeriodic = node.intAttribute("periodic", 1) != 0;
  if (node.intAttribute("output_datatype", kFloat) != kFloat)
    return node.error("attribute 'output_datatype': only float32 is supported");
  if (node.failed())
    return failure();
  if (!size || !(*size >= 1 && *size <= (1 << 22)))
    return node.error("expected a size that is known at import");
  double a[3] = {0.5, 0.5, 0};
  if (window == SignalWindow::Hamming) {
    a[0] = 25.0 / 46;
    a[1] = 1 - a[0];
  } else if (window == SignalWindow::Blackman) {
    a[0] = 0.42;
    a[2] = 0.08;
  }
  auto count = static_cast<int64_t>(*size);
  double period = isPeriodic ? double(count) : double(count - 1);
  Tensor result;
  result.dataType = kFloat;
  result.dims = {count};
  for (int64_t i = 0; i < count; ++i) {
    double x = period == 0 ? 0 : 2 * M_PI * double(i) / period;
    result.floats.push_back(
        static_cast<float>(a[0] - a[1] * std::cos(x) + a[2] * std::cos(2 * x)));
  }
  return node.setConstant(0, std::move(result));
}

} // namespace

void mlir::soap::onnx::addTileOps(OpTable &table) {
  table["Tile"] = {7, kLastOpset, importTile, importTile};
  table["SpaceToDepth"] = {7, kLastOpset, importSpaceToDepth, nullptr};
  table["DepthToSpace"] = {7, kLastOpset, importDepthToSpace, nullptr};
  table["ReverseSequence"] = {10, kLastOpset, importReverseSequence, nullptr};
  table["CenterCropPad"] = {18, kLastOpset, importCenterCropPad, nullptr};
  table["EyeLike"] = {9, kLastOpset, foldEyeLike, foldEyeLike};
  table["HannWindow"] = {17, kLastOpset, nullptr,
                         foldWindow<SignalWindow::Hann>};
  table["HammingWindow"] = {17, kLastOpset, nullptr,
                            foldWindow<SignalWindow::Hamming>};
  table["BlackmanWindow"] = {17, kLastOpset, nullptr,
                             foldWindow<SignalWindow::Blackman>};
}
