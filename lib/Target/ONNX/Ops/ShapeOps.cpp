//===- ShapeOps.cpp - Ops of ONNX that move elements ------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes of all kinds, transpose, concat, slices, pad, expand. Each on
// tensors of the model and, by index maps, on constants.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// The result of every op that only changes the shape.
LogicalResult setReshaped(NodeContext &node, const Shape &shape) {
  if (node.isConstant(0)) {
    const Tensor *x = node.constant(0);
    return x ? node.setConstant(0, withShape(*x, shape)) : failure();
  }
  if (node.shape(0) == shape)
    return node.setOperand(0, node.operand(0));
  // Integers may stay what they are.
  const Operand &x = node.operand(0);
  return node.setResult(
      0, node.createReshape("", x.value ? x.value : node.tensor(0), shape),
      node.typeOf(0));
}

/// The target of Reshape for an operand of shape `x`: 0 copies a dim, -1 is
/// what remains.
std::optional<Shape> resolveTarget(const Shape &x, const Shape &target,
                                   bool allowZero) {
  Shape result = target;
  int64_t open = -1;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == 0 && !allowZero) {
      if (i >= x.size())
        return std::nullopt;
      result[i] = x[i];
    }
    if (result[i] == -1) {
      if (open >= 0)
        return std::nullopt;
      open = i;
      result[i] = 1;
    }
  }
  int64_t count = countElements(x), known = countElements(result);
  if (open >= 0) {
    if (known <= 0 || count % known != 0)
      return std::nullopt;
    result[open] = count / known;
  } else if (known != count) {
    return std::nullopt;
  }
  return result;
}

/// The result's shape where the batch was replaced and the target still holds
/// the old one: resolved for the old batch in dim `i` of the operand, then
/// replaced in the dim of the result that has it. Nothing if that dim of the
/// operand does not look like samples.
std::optional<Shape> resolveForBatch(const Shape &x, size_t i,
                                     const Shape &target, bool allowZero,
                                     int64_t oldBatch, int64_t batch,
                                     bool timeFirst) {
  if (i >= x.size() || x[i] % batch != 0)
    return std::nullopt;
  Shape oldX = x;
  oldX[i] = x[i] / batch * oldBatch;
  auto old = resolveTarget(oldX, target, allowZero);
  if (!old)
    return std::nullopt;
  auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t(1), std::multiplies<>());
  };
  int64_t begin = product(oldX.begin(), oldX.begin() + i),
          end = begin * oldX[i];
  // The dim of the result that is dim i, else one that it was merged into, else
  // one that it was split into: samples are in front of time, or behind it.
  std::optional<size_t> same, merged, split;
  for (size_t j = 0; j < old->size(); ++j) {
    int64_t low = product(old->begin(), old->begin() + j),
            high = low * (*old)[j];
    if ((*old)[j] % oldBatch != 0)
      continue;
    if (!same && low == begin && high == end)
      same = j;
    if (!merged && low <= begin && high >= end)
      merged = j;
    if ((!split || timeFirst) && low >= begin && high <= end)
      split = j;
  }
  std::optional<size_t> found = same ? same : merged ? merged : split;
  if (!found)
    return std::nullopt;
  (*old)[*found] = (*old)[*found] / oldBatch * batch;
  if (countElements(*old) != countElements(x))
    return std::nullopt;
  return old;
}

LogicalResult importReshape(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  bool allowZero = node.opset() >= 14 && node.intAttribute("allowzero", 0) != 0;
  auto target = node.constantInts(1);
  if (!target || node.failed())
    return failure();
  if (target->size() > 64)
    return node.error("rank " + Twine(target->size()) + " is too large");
  const Shape &x = node.shape(0);
  int64_t oldBatch = node.importer.oldBatch,
          batch = node.operand(0).value ? node.importer.batch : 0;
  auto shape = resolveTarget(x, *target, allowZero);
  // A file whose batch is replaced has the old one in its targets.
  auto sampleDim = static_cast<size_t>(node.importer.options.sampleDim);
  if (oldBatch > 0 && batch > 0) {
    // Where samples are: as in the inputs, or wherever they were moved.
    std::vector<size_t> dims = {sampleDim, 0};
    for (size_t dim = 0; dim < x.size(); ++dim)
      if (x[dim] == batch)
        dims.push_back(dim);
    for (size_t dim : dims)
      if (auto replaced = resolveForBatch(x, dim, *target, allowZero, oldBatch,
                                          batch, sampleDim > 0)) {
        shape = replaced;
        break;
      }
  }
  if (!shape)
    return node.error("an operand of shape " + shapeString(x) +
                      " can not be reshaped to " + shapeString(*target) +
                      (oldBatch > 0 ? " (the batch was replaced)" : ""));
  return setReshaped(node, *shape);
}

LogicalResult importFlatten(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Shape &x = node.shape(0);
  int64_t rank = x.size(), axis = node.intAttribute("axis", 1);
  if (node.failed())
    return failure();
  if (axis < -rank || axis > rank)
    return node.error("axis " + Twine(axis) + " is out of range for rank " +
                      Twine(rank));
  auto middle = x.begin() + (axis < 0 ? axis + rank : axis);
  auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t(1), std::multiplies<>());
  };
  return setReshaped(node,
                     {product(x.begin(), middle), product(middle, x.end())});
}

/// The axes of Squeeze and Unsqueeze: an attribute before opset 13, then an
/// operand.
std::optional<Shape> readAxes(NodeContext &node) {
  if (node.opset() < 13)
    return node.intsAttribute("axes");
  return node.hasInput(1) ? node.constantInts(1) : std::nullopt;
}

LogicalResult importSqueeze(NodeContext &node) {
  if (!node.checkCounts(1, node.opset() < 13 ? 1 : 2))
    return failure();
  auto axes = readAxes(node);
  if (node.failed())
    return failure();
  const Shape &x = node.shape(0);
  if (!axes) {
    axes = Shape();
    for (size_t i = 0; i < x.size(); ++i)
      if (x[i] == 1)
        axes->push_back(i);
  }
  axes = normalizeAxes(node, *axes, x.size());
  if (!axes)
    return failure();
  Shape shape;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!llvm::is_contained(*axes, static_cast<int64_t>(i)))
      shape.push_back(x[i]);
    else if (x[i] != 1)
      return node.error("dim " + Twine(i) + " of extent " + Twine(x[i]) +
                        " can not be dropped");
  }
  return setReshaped(node, shape);
}

LogicalResult importUnsqueeze(NodeContext &node) {
  if (!node.checkCounts(node.opset() < 13 ? 1 : 2, node.opset() < 13 ? 1 : 2))
    return failure();
  auto axes = readAxes(node);
  if (!axes)
    return node.failed() ? failure()
                         : node.error("attribute 'axes' is missing");
  const Shape &x = node.shape(0);
  axes = normalizeAxes(node, *axes, x.size() + axes->size());
  if (!axes)
    return failure();
  Shape shape = x;
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  return setReshaped(node, shape);
}

LogicalResult importTranspose(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Shape &x = node.shape(0);
  auto permutation = node.intsAttribute("perm");
  if (node.failed())
    return failure();
  if (!permutation) {
    permutation = Shape(x.size());
    std::iota(permutation->rbegin(), permutation->rend(), 0);
  }
  auto sorted = normalizeAxes(node, *permutation, x.size());
  if (!sorted)
    return failure();
  if (sorted->size() != x.size() ||
      llvm::any_of(*permutation, [](int64_t axis) { return axis < 0; }))
    return node.error("attribute 'perm': expected a permutation of " +
                      Twine(x.size()) + " dims");
  Shape shape;
  for (int64_t axis : *permutation)
    shape.push_back(x[axis]);
  if (node.isConstant(0)) {
    const Tensor *tensor = node.constant(0);
    Shape strides = stridesOf(x);
    auto result =
        !tensor ? std::nullopt
                : pickElements(node, *tensor, shape, [&](const Shape &index) {
                    int64_t position = 0;
                    for (size_t i = 0; i < index.size(); ++i)
                      position += index[i] * strides[(*permutation)[i]];
                    return position;
                  });
    return result ? node.setConstant(0, std::move(*result)) : failure();
  }
  if (llvm::is_sorted(*permutation))
    return node.setOperand(0, node.operand(0));
  Value value = node.floats(0);
  return value ? node.setResult(
                     0,
                     node.create<TransposeOp>("", shape, value,
                                              ArrayRef<int64_t>(*permutation)),
                     node.typeOf(0))
               : failure();
}

/// Checks the operands of Concat and returns the shape of the result; empty
/// after an error.
std::optional<Shape> concatShape(NodeContext &node, int64_t &axis) {
  if (!node.checkCounts(1, SIZE_MAX))
    return std::nullopt;
  if (!node.hasAttribute("axis")) {
    (void)node.error("attribute 'axis' is missing");
    return std::nullopt;
  }
  Shape shape = node.shape(0);
  auto wrapped =
      normalizeAxis(node, node.intAttribute("axis", 0), shape.size());
  if (!wrapped || node.failed())
    return std::nullopt;
  axis = *wrapped;
  for (size_t i = 1; i < node.numInputs(); ++i) {
    if (!node.hasInput(i)) {
      (void)node.error("operand " + Twine(i) + " is missing");
      return std::nullopt;
    }
    Shape other = node.shape(i);
    int64_t extent = static_cast<size_t>(axis) < other.size() ? other[axis] : 0;
    if (other.size() == shape.size())
      other[axis] = shape[axis];
    if (other != shape) {
      (void)node.error("operands " + shapeString(node.shape(0)) + " and " +
                       shapeString(node.shape(i)) +
                       " can not be concatenated along dim " + Twine(axis));
      return std::nullopt;
    }
    shape[axis] += extent;
  }
  return shape;
}

LogicalResult importConcat(NodeContext &node) {
  int64_t axis = 0;
  auto shape = concatShape(node, axis);
  if (!shape)
    return failure();
  SmallVector<Value> values;
  for (size_t i = 0; i < node.numInputs(); ++i) {
    if (node.shape(i)[axis] == 0)
      continue;
    if (node.typeOf(i) != node.typeOf(0))
      return node.error("operands of types " + dataTypeName(node.typeOf(0)) +
                        " and " + dataTypeName(node.typeOf(i)));
    values.push_back(node.floats(i));
    if (!values.back())
      return failure();
  }
  if (values.size() == 1)
    return node.setResult(0, values[0], node.typeOf(0));
  return node.setResult(
      0, node.create<ConcatOp>("", *shape, ValueRange(values), axis),
      node.typeOf(0));
}

LogicalResult foldConcat(NodeContext &node) {
  int64_t axis = 0;
  auto shape = concatShape(node, axis);
  if (!shape)
    return failure();
  // All operands one after the other are the source; the index map knows where
  // each begins.
  Tensor all;
  std::vector<int64_t> begins;
  for (size_t i = 0; i < node.numInputs(); ++i) {
    const Tensor *part = node.constant(i);
    if (!part)
      return failure();
    if (i > 0 && part->dataType != all.dataType)
      return node.error("operands of types " + dataTypeName(all.dataType) +
                        " and " + dataTypeName(part->dataType));
    all.dataType = part->dataType;
    begins.push_back(all.floats.size() + all.ints.size());
    all.floats.insert(all.floats.end(), part->floats.begin(),
                      part->floats.end());
    all.ints.insert(all.ints.end(), part->ints.begin(), part->ints.end());
  }
  auto result = pickElements(node, all, *shape, [&](const Shape &index) {
    Shape local = index;
    size_t part = 0;
    for (; local[axis] >= node.shape(part)[axis]; ++part)
      local[axis] -= node.shape(part)[axis];
    Shape strides = stridesOf(node.shape(part));
    return std::inner_product(local.begin(), local.end(), strides.begin(),
                              begins[part]);
  });
  return result ? node.setConstant(0, std::move(*result)) : failure();
}

/// Sets result `index` to a strided box of operand 0.
LogicalResult setSlice(NodeContext &node, size_t index, StringRef suffix,
                       const Shape &offsets, const Shape &sizes,
                       const Shape &steps) {
  const Shape &x = node.shape(0);
  if (node.isConstant(0)) {
    const Tensor *tensor = node.constant(0);
    Shape strides = stridesOf(x);
    auto result =
        !tensor
            ? std::nullopt
            : pickElements(node, *tensor, sizes, [&](const Shape &element) {
                int64_t position = 0;
                for (size_t i = 0; i < element.size(); ++i)
                  position += (offsets[i] + element[i] * steps[i]) * strides[i];
                return position;
              });
    return result ? node.setConstant(index, std::move(*result)) : failure();
  }
  if (sizes == x && llvm::all_of(steps, [](int64_t step) { return step > 0; }))
    return node.setOperand(index, node.operand(0));
  Value value = node.floats(0);
  // Dims that go backwards are picked by falling positions, last of all.
  Shape rising = steps, begins = offsets;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > 0)
      continue;
    rising[i] = -steps[i];
    begins[i] = offsets[i] + (sizes[i] - 1) * steps[i];
  }
  bool turns = rising != steps;
  if (value && (sizes != x || rising != Shape(x.size(), 1)))
    value = node.create<SliceOp>(
        turns ? "slice" : suffix, sizes, value, ArrayRef<int64_t>(begins),
        ArrayRef<int64_t>(sizes), ArrayRef<int64_t>(rising));
  for (size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > 0)
      continue;
    SmallVector<int32_t> falling;
    for (int64_t at = sizes[i]; at-- > 0;)
      falling.push_back(static_cast<int32_t>(at));
    value = node.createPick(suffix, value, static_cast<int64_t>(i), falling);
  }
  return node.setResult(index, value, node.typeOf(0));
}

LogicalResult importSlice(NodeContext &node) {
  bool isAttribute = node.opset() < 10;
  if (!node.checkCounts(isAttribute ? 1 : 3, isAttribute ? 1 : 5))
    return failure();
  std::optional<Shape> starts, ends, axes, steps;
  if (isAttribute) {
    // INT64_MAX means the end here: no range check as for other lists.
    auto list = [&](const char *name) -> std::optional<Shape> {
      const NodeAttribute *attribute = node.rawAttribute(name);
      return attribute && attribute->kind == NodeAttribute::Kind::Ints
                 ? std::optional(attribute->ints)
                 : std::nullopt;
    };
    starts = list("starts");
    ends = list("ends");
    axes = list("axes");
    if (!starts || !ends)
      return node.error(
          "attributes 'starts' and 'ends': expected lists of integers");
  } else {
    starts = node.constantInts(1);
    ends = node.constantInts(2);
    axes = node.hasInput(3) ? node.constantInts(3) : std::nullopt;
    steps = node.hasInput(4) ? node.constantInts(4) : std::nullopt;
  }
  if (node.failed())
    return failure();
  const Shape &x = node.shape(0);
  size_t count = starts->size();
  if (!axes) {
    axes = Shape(count);
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (!steps)
    steps = Shape(count, 1);
  if (ends->size() != count || axes->size() != count || steps->size() != count)
    return node.error("starts, ends, axes and steps differ in length");
  if (!normalizeAxes(node, *axes, x.size()))
    return failure();
  Shape offsets(x.size(), 0), sizes = x, strides(x.size(), 1);
  for (size_t i = 0; i < count; ++i) {
    int64_t axis = *normalizeAxis(node, (*axes)[i], x.size()), extent = x[axis],
            step = (*steps)[i];
    if (step == 0)
      return node.error("step 0");
    if (step < 0) {
      // From the last position that exists, down to the one before the first.
      auto wrap = [&](int64_t position, int64_t low) {
        return std::clamp<int64_t>(
            position < 0 && position >= -extent ? position + extent : position,
            low, extent - 1);
      };
      int64_t begin = wrap((*starts)[i], 0);
      int64_t end = (*ends)[i] < -extent ? -1 : wrap((*ends)[i], /*low=*/-1);
      step = std::max(step, -std::max<int64_t>(extent, 1));
      sizes[axis] = begin <= end ? 0 : (begin - end - 1) / -step + 1;
      offsets[axis] = begin;
      strides[axis] = sizes[axis] == 1 ? 1 : step;
      continue;
    }
    auto clamp = [&](int64_t position) {
      return std::clamp<int64_t>(
          position < 0 && position >= -extent ? position + extent : position, 0,
          extent);
    };
    int64_t begin = clamp((*starts)[i]), end = clamp((*ends)[i]);
    offsets[axis] = begin;
    strides[axis] = std::min(step, std::max<int64_t>(extent, 1));
    sizes[axis] = end <= begin ? 0 : (end - begin - 1) / strides[axis] + 1;
    // A step that leaves one element is none.
    if (sizes[axis] == 1)
      strides[axis] = 1;
  }
  return setSlice(node, 0, "", offsets, sizes, strides);
}

LogicalResult importSplit(NodeContext &node) {
  size_t results = node.node.outputs.size();
  if (!node.checkCounts(1, node.opset() < 13 ? 1 : 2, results))
    return failure();
  const Shape &x = node.shape(0);
  auto axis = normalizeAxis(node, node.intAttribute("axis", 0), x.size());
  std::optional<Shape> parts;
  if (node.opset() < 13)
    parts = node.intsAttribute("split");
  else if (node.hasInput(1))
    parts = node.constantInts(1);
  if (node.opset() >= 18)
    node.ignoreAttribute("num_outputs"); // as many as there are results
  if (!axis || node.failed())
    return failure();
  int64_t extent = x[*axis], begin = 0;
  if (!parts) {
    int64_t size = (extent + results - 1) / results;
    parts = Shape(results, size);
    parts->back() = extent - size * static_cast<int64_t>(results - 1);
  }
  int64_t rest = extent;
  for (int64_t part : *parts)
    rest = part < 0 || rest < part ? -1 : rest - part;
  if (parts->size() != results || rest != 0)
    return node.error("dim " + Twine(*axis) + " of extent " + Twine(extent) +
                      " can not be split like this into " + Twine(results) +
                      " parts");
  for (size_t i = 0; i < results; ++i) {
    Shape offsets(x.size(), 0), sizes = x;
    offsets[*axis] = begin;
    sizes[*axis] = (*parts)[i];
    begin += (*parts)[i];
    if (node.wantsResult(i) &&
        failed(setSlice(node, i, "part" + std::to_string(i), offsets, sizes,
                        Shape(x.size(), 1))))
      return failure();
  }
  return success();
}

/// The position of x that padding in `mode` repeats at `at`, of `extent`.
int64_t mirrored(int64_t at, int64_t extent, StringRef mode) {
  if (mode == "edge")
    return std::clamp<int64_t>(at, 0, extent - 1);
  if (mode == "wrap")
    return (at % extent + extent) % extent;
  int64_t period = std::max<int64_t>(2 * extent - 2, 1);
  at = (at % period + period) % period;
  return at < extent ? at : period - at;
}

/// Padding by elements of x.
LogicalResult importMirror(NodeContext &node, StringRef mode, const Shape &low,
                           const Shape &shape) {
  Shape x = node.shape(0);
  if (!node.checkShape(shape))
    return failure();
  if (node.isConstant(0)) {
    const Tensor *tensor = node.constant(0);
    Shape strides = stridesOf(x);
    auto result =
        !tensor ? std::nullopt
                : pickElements(node, *tensor, shape, [&](const Shape &index) {
                    int64_t position = 0;
                    for (size_t i = 0; i < index.size(); ++i)
                      position +=
                          mirrored(index[i] - low[i], x[i], mode) * strides[i];
                    return position;
                  });
    return result ? node.setConstant(0, std::move(*result)) : failure();
  }
  Value value = node.floats(0);
  for (size_t d = 0; d < x.size(); ++d) {
    if (shape[d] == x[d] && low[d] == 0)
      continue;
    SmallVector<int32_t> positions;
    for (int64_t at = 0; at < shape[d]; ++at)
      positions.push_back(
          static_cast<int32_t>(mirrored(at - low[d], x[d], mode)));
    value = node.createPick("dim" + std::to_string(d), value,
                            static_cast<int64_t>(d), positions);
  }
  return node.setResult(0, value, node.typeOf(0));
}

LogicalResult importPad(NodeContext &node) {
  bool isAttribute = node.opset() < 11;
  if (!node.checkCounts(isAttribute ? 1 : 2, isAttribute         ? 1
                                             : node.opset() < 18 ? 3
                                                                 : 4))
    return failure();
  std::string mode = node.stringAttribute("mode", "constant");
  if (!node.failed() && mode != "constant" && mode != "reflect" &&
      mode != "edge" && mode != "wrap")
    return node.error("attribute 'mode': " + quote(mode) +
                      " is not supported, only 'constant', 'reflect', 'edge' "
                      "and 'wrap'");
  auto pads = isAttribute ? node.intsAttribute("pads") : node.constantInts(1);
  std::optional<float> value =
      isAttribute ? node.floatAttribute("value", 0) : 0.0f;
  if (node.hasInput(2)) {
    auto number = node.constantNumber(2);
    value.reset();
    if (number)
      value = static_cast<float>(*number);
  }
  std::optional<Shape> axes =
      node.hasInput(3) ? node.constantInts(3) : std::nullopt;
  if (node.failed())
    return failure();
  if (!pads)
    return node.error("attribute 'pads' is missing");
  if (!value)
    return node.error("operand " + quote(node.node.inputs[2]) +
                      ": expected a float scalar that is known at import");
  const Shape &x = node.shape(0);
  if (!axes) {
    axes = Shape(x.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (pads->size() != 2 * axes->size() || !normalizeAxes(node, *axes, x.size()))
    return node.failed() ? failure()
                         : node.error("expected " + Twine(2 * axes->size()) +
                                      " pads, got " + Twine(pads->size()));
  Shape low(x.size(), 0), shape = x;
  for (size_t i = 0; i < axes->size(); ++i) {
    int64_t axis = *normalizeAxis(node, (*axes)[i], x.size()),
            begin = (*pads)[i], end = (*pads)[axes->size() + i];
    if (std::abs(double(begin)) > kMaxElements ||
        std::abs(double(end)) > kMaxElements)
      return node.error("pads " + Twine(begin) + " and " + Twine(end) +
                        " are out of range");
    low[axis] = begin;
    shape[axis] += begin + end;
  }
  if (low == Shape(x.size(), 0) && shape == x)
    return node.setOperand(0, node.operand(0));
  if (mode != "constant")
    return importMirror(node, mode, low, shape);
  if (node.isConstant(0)) {
    const Tensor *tensor = node.constant(0);
    if (!tensor)
      return failure();
    // The value is one more element, behind the others.
    Tensor source = *tensor;
    if (source.isFloat())
      source.floats.push_back(*value);
    else
      source.ints.push_back(static_cast<int64_t>(*value));
    Shape strides = stridesOf(x);
    auto result = pickElements(node, source, shape, [&](const Shape &index) {
      int64_t position = 0;
      for (size_t i = 0; i < index.size(); ++i) {
        int64_t at = index[i] - low[i];
        if (at < 0 || at >= x[i])
          return tensor->size();
        position += at * strides[i];
      }
      return position;
    });
    return result ? node.setConstant(0, std::move(*result)) : failure();
  }
  Value input = node.floats(0);
  return input ? node.setResult(0,
                                node.create<PadOp>(
                                    "", shape, input, ArrayRef<int64_t>(low),
                                    ArrayRef<int64_t>(Shape(x.size(), 0)),
                                    APFloat(double(*value))),
                                node.typeOf(0))
               : failure();
}

LogicalResult importExpand(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  auto target = node.constantInts(1);
  if (!target)
    return failure();
  auto shape = broadcastShapes(node.shape(0), *target);
  // A constant of one value that was made for the batch of the file.
  if (!shape && target->size() == node.shape(0).size() && node.isConstant(0) &&
      node.importer.oldBatch > 0) {
    const Tensor *tensor = node.constant(0);
    Shape from = node.shape(0);
    std::replace(from.begin(), from.end(), node.importer.oldBatch, int64_t(1));
    shape = broadcastShapes(from, *target);
    bool isSplat = tensor && tensor->size() > 0;
    for (int64_t i = 1; isSplat && i < tensor->size(); ++i)
      isSplat = tensor->number(i) == tensor->number(0);
    if (shape && isSplat) {
      auto result = pickElements(node, *tensor, *shape,
                                 [](const Shape &) { return int64_t(0); });
      return result ? node.setConstant(0, std::move(*result)) : failure();
    }
    shape.reset();
  }
  if (!shape || target->size() > 64)
    return node.error("an operand of shape " + shapeString(node.shape(0)) +
                      " can not be expanded to " + shapeString(*target));
  if (node.isConstant(0)) {
    const Tensor *tensor = node.constant(0);
    auto result = tensor ? pickElements(node, *tensor, *shape,
                                        broadcastIndex(tensor->dims, *shape))
                         : std::nullopt;
    return result ? node.setConstant(0, std::move(*result)) : failure();
  }
  if (*shape == node.shape(0))
    return node.setOperand(0, node.operand(0));
  if (!node.checkShape(*shape))
    return failure();
  return node.setResult(0, node.createBroadcast("", node.floats(0), *shape),
                        node.typeOf(0));
}

} // namespace

void mlir::soap::onnx::addShapeOps(OpTable &table) {
  table["Reshape"] = {7, kLastOpset, importReshape, importReshape};
  table["Flatten"] = {7, kLastOpset, importFlatten, importFlatten};
  table["Squeeze"] = {7, kLastOpset, importSqueeze, importSqueeze};
  table["Unsqueeze"] = {7, kLastOpset, importUnsqueeze, importUnsqueeze};
  table["Transpose"] = {7, kLastOpset, importTranspose, importTranspose};
  table["Concat"] = {7, kLastOpset, importConcat, foldConcat};
  table["Slice"] = {7, kLastOpset, importSlice, importSlice};
  table["Split"] = {7, kLastOpset, importSplit, importSplit};
  table["Pad"] = {7, kLastOpset, importPad, importPad};
  table["Expand"] = {8, kLastOpset, importExpand, importExpand};
}
