//===- SequenceOps.cpp - Lists of tensors of ONNX ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists exist at import only: what is put in and taken out is known.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

FailureOr<Operand> mlir::soap::onnx::joinOperands(NodeContext &node,
                                                  StringRef suffix,
                                                  ArrayRef<Operand> parts,
                                                  int64_t axis, bool addsDim) {
  if (parts.empty())
    return node.error("a concatenation of no tensors is not supported");
  int64_t rank = int64_t(parts[0].shape.size()) + addsDim;
  auto where = normalizeAxis(node, axis, rank);
  if (!where)
    return failure();
  SmallVector<Shape> shapes;
  bool isKnown = true;
  for (const Operand &part : parts) {
    Shape shape = part.shape, first = parts[0].shape;
    if (!addsDim && shape.size() == first.size())
      first[*where] = shape[*where];
    if (part.sequence || shape != first || part.type() != parts[0].type())
      return node.error("tensors of shapes " + shapeString(parts[0].shape) +
                        " and " + shapeString(part.shape) +
                        " can not be joined");
    if (addsDim)
      shape.insert(shape.begin() + *where, 1);
    shapes.push_back(shape);
    isKnown &= part.constant != nullptr;
  }
  Operand result;
  if (isKnown) {
    Tensor all;
    all.dataType = parts[0].constant->dataType;
    SmallVector<int64_t> begins;
    Shape shape = shapes[0];
    shape[*where] = 0;
    for (auto [part, own] : llvm::zip(parts, shapes)) {
      begins.push_back(int64_t(all.floats.size() + all.ints.size()));
      llvm::append_range(all.floats, part.constant->floats);
      llvm::append_range(all.ints, part.constant->ints);
      shape[*where] += own[*where];
    }
    auto joined = pickElements(node, all, shape, [&](const Shape &index) {
      Shape local = index;
      size_t part = 0;
      for (; local[*where] >= shapes[part][*where]; ++part)
        local[*where] -= shapes[part][*where];
      Shape strides = stridesOf(shapes[part]);
      return std::inner_product(local.begin(), local.end(), strides.begin(),
                                begins[part]);
    });
    if (!joined)
      return failure();
    result.shape = joined->dims;
    result.constant = std::make_shared<Tensor>(std::move(*joined));
    return result;
  }
  SmallVector<Value> values;
  for (auto [part, shape] : llvm::zip(parts, shapes))
    values.push_back(node.createReshape((suffix + "_row").str(),
                                        node.floatsOf(part), shape));
  result.value = node.createConcat(suffix, values, *where);
  if (!result.value)
    return failure();
  result.shape = shapeOf(result.value);
  result.dataType = parts[0].type();
  return result;
}

namespace {

Operand sequenceOf(std::vector<Operand> parts) {
  Operand result;
  result.sequence = std::make_shared<std::vector<Operand>>(std::move(parts));
  return result;
}

const std::vector<Operand> *readSequence(NodeContext &node, size_t index) {
  if (node.operand(index).sequence)
    return node.operand(index).sequence.get();
  (void)node.error("operand " + quote(node.node.inputs[index]) +
                   ": expected a sequence");
  return nullptr;
}

/// A position in a list of `count`, or at its end.
std::optional<int64_t> readPosition(NodeContext &node, size_t index,
                                    int64_t count) {
  auto position = node.constantNumber(index);
  if (position && *position >= double(-count) && *position < double(count)) {
    auto at = static_cast<int64_t>(*position);
    return at < 0 ? at + count : at;
  }
  if (!node.failed())
    (void)node.error("operand " + quote(node.node.inputs[index]) +
                     ": expected a position that is known at import in a list "
                     "of " +
                     Twine(count));
  return std::nullopt;
}

LogicalResult importEmpty(NodeContext &node) {
  node.ignoreAttribute("dtype");
  return node.checkCounts(0, 0) ? node.setOperand(0, sequenceOf({}))
                                : failure();
}

LogicalResult importConstruct(NodeContext &node) {
  if (!node.checkCounts(1, SIZE_MAX))
    return failure();
  std::vector<Operand> parts;
  for (size_t i = 0; i < node.numInputs(); ++i)
    parts.push_back(node.operand(i));
  return node.setOperand(0, sequenceOf(std::move(parts)));
}

LogicalResult importInsert(NodeContext &node) {
  if (!node.checkCounts(2, 3))
    return failure();
  const auto *sequence = readSequence(node, 0);
  if (!sequence)
    return failure();
  std::vector<Operand> parts = *sequence;
  int64_t at = int64_t(parts.size());
  if (node.hasInput(2)) {
    auto position = node.constantNumber(2);
    if (!position || *position != at) {
      auto found = readPosition(node, 2, int64_t(parts.size()));
      if (!found)
        return failure();
      at = *found;
    }
  }
  parts.insert(parts.begin() + at, node.operand(1));
  return node.setOperand(0, sequenceOf(std::move(parts)));
}

LogicalResult importErase(NodeContext &node) {
  if (!node.checkCounts(1, 2))
    return failure();
  const auto *sequence = readSequence(node, 0);
  if (!sequence)
    return failure();
  std::vector<Operand> parts = *sequence;
  auto at = node.hasInput(1) ? readPosition(node, 1, int64_t(parts.size()))
                             : std::optional(int64_t(parts.size()) - 1);
  if (!at)
    return failure();
  if (*at < 0)
    return node.error("the sequence is empty");
  parts.erase(parts.begin() + *at);
  return node.setOperand(0, sequenceOf(std::move(parts)));
}

LogicalResult importAt(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  const auto *sequence = readSequence(node, 0);
  auto at = sequence ? readPosition(node, 1, int64_t(sequence->size()))
                     : std::nullopt;
  return at ? node.setOperand(0, Operand((*sequence)[*at])) : failure();
}

LogicalResult importLength(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const auto *sequence = readSequence(node, 0);
  if (!sequence)
    return failure();
  Tensor count;
  count.dataType = kInt64;
  count.ints = {int64_t(sequence->size())};
  return node.setConstant(0, std::move(count));
}

LogicalResult importConcatFromSequence(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const auto *sequence = readSequence(node, 0);
  if (!sequence)
    return failure();
  if (!node.hasAttribute("axis"))
    return node.error("attribute 'axis' is missing");
  int64_t axis = node.intAttribute("axis", 0);
  bool addsDim = node.intAttribute("new_axis", 0) != 0;
  if (node.failed())
    return failure();
  auto result = joinOperands(node, "", *sequence, axis, addsDim);
  return succeeded(result) ? node.setOperand(0, *result) : failure();
}

LogicalResult importSplitToSequence(NodeContext &node) {
  if (!node.checkCounts(1, 2))
    return failure();
  const Shape x = node.shape(0);
  auto axis = normalizeAxis(node, node.intAttribute("axis", 0), x.size());
  bool keepDims = node.intAttribute("keepdims", 1) != 0;
  if (!axis || node.failed())
    return failure();
  int64_t extent = x[*axis];
  Shape sizes;
  if (!node.hasInput(1)) {
    sizes = Shape(extent, 1);
  } else {
    auto given = node.constantInts(1);
    if (!given)
      return failure();
    keepDims = true;
    sizes = *given;
    if (node.shape(1).empty()) {
      int64_t size = given->front();
      sizes.clear();
      for (int64_t rest = extent; size > 0 && rest > 0; rest -= size)
        sizes.push_back(std::min(size, rest));
    }
  }
  int64_t sum = 0;
  for (int64_t size : sizes)
    sum += size > 0 && size <= extent ? size : extent + 1;
  if (sum != extent)
    return node.error("dim " + Twine(*axis) + " of extent " + Twine(extent) +
                      " can not be split like this");
  Value value = node.floats(0);
  std::vector<Operand> parts;
  Shape offsets(x.size(), 0);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    Shape shape = x;
    shape[*axis] = size;
    std::string suffix = "part" + std::to_string(i);
    Value part = node.createSlice(suffix, value, offsets, shape);
    offsets[*axis] += size;
    if (!keepDims) {
      shape.erase(shape.begin() + *axis);
      part = node.createReshape(suffix + "_dropped", part, shape);
    }
    if (!part)
      return failure();
    Operand operand;
    operand.value = part;
    operand.shape = shape;
    operand.dataType = node.typeOf(0);
    parts.push_back(operand);
  }
  return node.setOperand(0, sequenceOf(std::move(parts)));
}

} // namespace

void mlir::soap::onnx::addSequenceOps(OpTable &table) {
  auto add = [&](const char *name, Handler handler) {
    table[name] = {11, kLastOpset, handler, nullptr};
  };
  add("SequenceEmpty", importEmpty);
  add("SequenceConstruct", importConstruct);
  add("SequenceInsert", importInsert);
  add("SequenceErase", importErase);
  add("SequenceAt", importAt);
  add("SequenceLength", importLength);
  add("ConcatFromSequence", importConcatFromSequence);
  add("SplitToSequence", importSplitToSequence);
}
