//===- ScatterOps.cpp - Elements at computed places of ONNX -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatters to places that are known at import are gathers from the operand and
// the updates; to computed ones, masks and products. GatherND is a gather by
// row-major positions.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>
#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// Elements of masks.
constexpr int64_t kLargestMask = int64_t(1) << 26;
/// Positions that are computed are float32.
constexpr int64_t kLargestPosition = int64_t(1) << 24;

enum class Update { None, Add, Mul, Max, Min };

std::optional<Update> readReduction(NodeContext &node) {
  std::string text = node.stringAttribute("reduction", "none");
  if (node.failed())
    return std::nullopt;
  if (text == "none")
    return Update::None;
  if (text == "add")
    return Update::Add;
  if (text == "mul")
    return Update::Mul;
  if (text == "max")
    return Update::Max;
  if (text == "min")
    return Update::Min;
  (void)node.error("attribute 'reduction': " + quote(text) +
                   " is not supported");
  return std::nullopt;
}

Value combine(NodeContext &node, Update update, StringRef suffix, Value x,
              Value y) {
  switch (update) {
  case Update::None:
    return y;
  case Update::Add:
    return node.createBinary<AddOp>(suffix, x, y);
  case Update::Mul:
    return node.createBinary<MulOp>(suffix, x, y);
  case Update::Max:
    return node.createBinary<MaximumOp>(suffix, x, y);
  case Update::Min:
    return node.createBinary<MinimumOp>(suffix, x, y);
  }
  return Value();
}

double combine(Update update, double x, double y) {
  switch (update) {
  case Update::None:
    return y;
  case Update::Add:
    return x + y;
  case Update::Mul:
    return x * y;
  case Update::Max:
    return std::max(x, y);
  case Update::Min:
    return std::min(x, y);
  }
  return y;
}

//===----------------------------------------------------------------------===//
// Known places
//===----------------------------------------------------------------------===//

/// Two updates of one place need a reduction: of others, programs keep any. As
/// constants they may be equal.
LogicalResult checkPlacesDiffer(NodeContext &node, ArrayRef<int64_t> places) {
  const Tensor *known = node.isConstant(2) ? node.constant(2) : nullptr;
  std::map<int64_t, size_t> first;
  for (auto [i, place] : llvm::enumerate(places)) {
    auto [found, isNew] = first.emplace(place, i);
    bool isEqual =
        isNew || (known && known->isDecoded() &&
                  known->number(int64_t(i)) == known->number(found->second));
    if (!isEqual)
      return node.error(
          "updates " + Twine(found->second) + " and " + Twine(i) +
          " go to one place, which without a 'reduction' is undefined; "
          "PyTorch's older exporter loses sums so (index_add, "
          "index_put(accumulate=True), scatter_reduce): export with "
          "dynamo=True");
  }
  return success();
}

/// Where each element of the updates goes: row-major positions in operand 0.
/// With constants, the result is one; else operand and updates, flat, are one
/// table, in rounds as one place may get several updates.
LogicalResult scatterTo(NodeContext &node, Update update,
                        ArrayRef<int64_t> places) {
  const Shape &shape = node.shape(0);
  int64_t count = countElements(shape);
  if (places.empty())
    return node.setOperand(0, node.operand(0));
  if (update == Update::None && failed(checkPlacesDiffer(node, places)))
    return failure();
  if (node.isConstant(0) && node.isConstant(2)) {
    const Tensor *x = node.constant(0), *y = node.constant(2);
    if (!x || !y)
      return failure();
    Tensor result = *x;
    for (auto [i, place] : llvm::enumerate(places)) {
      double value = combine(update,
                             x->isFloat() ? result.floats[place]
                                          : double(result.ints[place]),
                             y->number(int64_t(i)));
      if (x->isFloat())
        result.floats[place] = static_cast<float>(value);
      else if (update == Update::None)
        result.ints[place] = y->ints[i];
      else if (std::fabs(value) < 0x1p53)
        result.ints[place] = static_cast<int64_t>(value);
      else
        return node.error("the result is not an exact integer");
    }
    return node.setConstant(0, std::move(result));
  }
  if (count + int64_t(places.size()) > INT32_MAX)
    return node.error("a scatter of " + Twine(count) +
                      " elements is not supported");
  Value x = node.createReshape("flat", node.floats(0), {count});
  Value y = node.createReshape("flat_updates", node.floats(2),
                               {int64_t(places.size())});
  if (!x || !y)
    return failure();
  // The updates of each place, in order.
  SmallVector<SmallVector<int32_t, 1>> updates(count);
  size_t rounds = 0;
  for (auto [i, place] : llvm::enumerate(places)) {
    updates[place].push_back(static_cast<int32_t>(i));
    rounds = std::max(rounds, updates[place].size());
  }
  if (rounds > 64)
    return node.error("a place gets " + Twine(rounds) +
                      " updates, only up to 64 are supported");
  double neutral = update == Update::Add   ? 0
                   : update == Update::Mul ? 1
                   : update == Update::Max ? -INFINITY
                                           : INFINITY;
  // The table begins with what a place without an update gets: without a
  // reduction all elements of the operand, else the neutral one.
  bool isReplaced = update == Update::None;
  Value first = isReplaced ? x
                           : node.createConstant("neutral", {1},
                                                 {static_cast<float>(neutral)});
  int32_t begin = isReplaced ? static_cast<int32_t>(count) : 1;
  Value table = node.createConcat("table", {first, y}, 0);
  for (size_t round = 0; round < rounds; ++round) {
    SmallVector<int32_t> from;
    for (int64_t place = 0; place < count; ++place)
      from.push_back(round < updates[place].size()
                         ? begin + updates[place][round]
                     : isReplaced ? static_cast<int32_t>(place)
                                  : 0);
    Value which = node.createIndices("places", {count}, from);
    if (!table || !which)
      return failure();
    Value picked = node.create<GatherOp>("picked", Shape{count}, table, which,
                                         /*offset=*/0, /*wrap=*/0);
    x = combine(node, update, "updated", x, picked);
    if (!x)
      return failure();
  }
  return node.setResult(0, node.createReshape("", x, shape), node.typeOf(0));
}

/// The position along a dim of `extent`; an error if there is none.
std::optional<int64_t> wrapped(NodeContext &node, int64_t index,
                               int64_t extent) {
  if (index >= -extent && index < extent)
    return index < 0 ? index + extent : index;
  (void)node.error("index " + Twine(index) + " is out of range for extent " +
                   Twine(extent));
  return std::nullopt;
}

/// Computed indices along a dim of `extent`, those from the end as positions.
Value wrappedValues(NodeContext &node, StringRef suffix, Value index,
                    int64_t extent) {
  Value fromEnd = node.createBinary<AddOp>(
      (suffix + "_from_end").str(), index,
      node.createScalar((suffix + "_extent").str(), double(extent)));
  Value isPositive = node.createBinary<GreaterEqualOp>(
      (suffix + "_sign").str(), index,
      node.createScalar((suffix + "_zero").str(), 0));
  return node.createWhere(suffix, isPositive, index, fromEnd);
}

/// Whether indices along an axis are the places of the largest elements, which
/// differ.
bool arePlacesOfTopK(NodeContext &node, int64_t axis) {
  const Node *producer = &node.node;
  size_t operand = 1;
  do {
    const std::string &name = producer->inputs[operand];
    const std::vector<Node> &nodes = node.importer.model.nodes;
    auto found = llvm::find_if(nodes, [&](const Node &other) {
      return llvm::is_contained(other.outputs, name);
    });
    if (found == nodes.end())
      return false;
    producer = &*found;
    operand = 0;
  } while (producer->opType == "Cast" && !producer->inputs.empty());
  if (producer->opType != "TopK")
    return false;
  int64_t along = -1;
  for (const NodeAttribute &attribute : producer->attributes)
    if (attribute.name == "axis")
      along = attribute.i;
  return along == axis || along + int64_t(node.shape(1).size()) == axis;
}

/// Two updates of one computed place are added, which without a reduction is as
/// good as any other value; but older exporters mean a sum by it.
void warnOfPlaces(NodeContext &node) {
  emitWarning(node.importer.loc)
      << "node " << quote(node.baseName()) << " (" << quote(node.node.opType)
      << ") has computed places and no 'reduction': what two updates of one "
         "place give is undefined, here it is their sum; PyTorch's older "
         "exporter writes index_add, index_put(accumulate=True) and "
         "scatter_reduce so: export with dynamo=True";
}

//===----------------------------------------------------------------------===//
// ScatterElements
//===----------------------------------------------------------------------===//

LogicalResult scatterComputed(NodeContext &node, Update update, int64_t axis) {
  Shape x = node.shape(0), indices = node.shape(1);
  Shape expected = x;
  expected[axis] = indices[axis];
  if (indices != expected)
    return node.error("computed indices of shape " + shapeString(indices) +
                      " are only supported if they have the dims of the "
                      "operand, " +
                      shapeString(x) + ", apart from the axis");
  if (update == Update::Mul)
    return node.error("attribute 'reduction': 'mul' is only supported with "
                      "indices that are known at import");
  int64_t extent = x[axis];
  if (extent >= kLargestPosition ||
      countElements(indices) > kLargestMask / extent)
    return node.error("a mask of " + shapeString(indices) + " by " +
                      Twine(extent) + " elements is too large");
  // Dims of all: .., updates, places, ..
  Shape asUpdates = indices, asPlaces = x;
  asUpdates.insert(asUpdates.begin() + axis + 1, 1);
  asPlaces.insert(asPlaces.begin() + axis, 1);
  int64_t rank = int64_t(x.size());
  Value index = wrappedValues(node, "index", node.floats(1), extent);
  index = node.createReshape("index_dims", index, asUpdates);
  Value updates = node.createReshape("update_dims", node.floats(2), asUpdates);
  Value places = node.createPositions("positions", extent, axis + 1, rank + 1);
  Value mask = node.createBinary<EqualOp>("mask", index, places);
  bool isExtreme = update == Update::Max || update == Update::Min;
  double neutral = update == Update::Max   ? -INFINITY
                   : update == Update::Min ? INFINITY
                                           : 0;
  Value spread = node.createWhere("spread", mask, updates,
                                  node.createScalar("neutral", neutral));
  ReduceKind kind = !isExtreme              ? ReduceKind::Sum
                    : update == Update::Max ? ReduceKind::Max
                                            : ReduceKind::Min;
  Value reduced = node.createReduce("reduced", spread, kind, {axis});
  Value input = node.floats(0);
  if (update != Update::None)
    return node.setResult(0, combine(node, update, "", input, reduced),
                          node.typeOf(0));
  Value isHit = node.createReduce("is_hit", mask, ReduceKind::Max, {axis});
  return node.setResult(0, node.createWhere("", isHit, reduced, input),
                        node.typeOf(0));
}

LogicalResult importScatterElements(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  const Shape &x = node.shape(0), &indices = node.shape(1);
  auto axis = normalizeAxis(node, node.intAttribute("axis", 0), x.size());
  auto update = readReduction(node);
  if (!axis || !update)
    return failure();
  if (indices.size() != x.size() || node.shape(2) != indices)
    return node.error("indices of shape " + shapeString(indices) +
                      " and updates of shape " + shapeString(node.shape(2)) +
                      " do not fit an operand of shape " + shapeString(x));
  if (!node.isInteger(1))
    return node.error("expected integer indices");
  if (!node.isConstant(1)) {
    if (*update == Update::None && !arePlacesOfTopK(node, *axis))
      warnOfPlaces(node);
    return scatterComputed(node, *update, *axis);
  }
  const Tensor *known = node.constant(1);
  if (!known)
    return failure();
  Shape strides = stridesOf(x), from = stridesOf(indices);
  SmallVector<int64_t> places;
  for (auto [i, index] : llvm::enumerate(known->ints)) {
    int64_t place = 0;
    for (int64_t d = 0; d < int64_t(x.size()); ++d) {
      int64_t at = int64_t(i) / from[d] % indices[d];
      if (d == *axis) {
        auto position = wrapped(node, index, x[d]);
        if (!position)
          return failure();
        at = *position;
      } else if (at >= x[d]) {
        return node.error("indices of shape " + shapeString(indices) +
                          " do not fit an operand of shape " + shapeString(x));
      }
      place += at * strides[d];
    }
    places.push_back(place);
  }
  return scatterTo(node, *update, places);
}

//===----------------------------------------------------------------------===//
// ScatterND and GatherND
//===----------------------------------------------------------------------===//

/// The row-major position of a row of x, of its first dims from `first` on,
/// for tuples of indices in the last dim of `indices`, which is dropped.
Value computedRows(NodeContext &node, size_t operand, const Shape &x,
                   int64_t first) {
  Shape indices = node.shape(operand);
  int64_t length = indices.back();
  Value all = node.floats(operand), sum;
  Shape offsets(indices.size(), 0), sizes = indices, dropped = indices;
  sizes.back() = 1;
  dropped.pop_back();
  for (int64_t i = 0; i < length; ++i) {
    offsets.back() = i;
    std::string suffix = "index" + std::to_string(i);
    Value part = node.createReshape(
        suffix + "_dims",
        node.createSlice(suffix + "_slice", all, offsets, sizes), dropped);
    part = wrappedValues(node, suffix, part, x[first + i]);
    sum = i == 0 ? part
                 : node.createBinary<AddOp>(
                       "row" + std::to_string(i),
                       node.createScale("scaled" + std::to_string(i), sum,
                                        double(x[first + i])),
                       part);
  }
  return sum;
}

/// The same for indices that are known.
std::optional<SmallVector<int64_t>> knownRows(NodeContext &node, size_t operand,
                                              const Shape &x, int64_t first) {
  const Tensor *known = node.constant(operand);
  if (!known)
    return std::nullopt;
  int64_t length = known->dims.back();
  SmallVector<int64_t> rows;
  for (int64_t i = 0; i < known->size(); i += length) {
    int64_t row = 0;
    for (int64_t d = 0; d < length; ++d) {
      auto at = wrapped(node, known->ints[i + d], x[first + d]);
      if (!at)
        return std::nullopt;
      row = row * x[first + d] + *at;
    }
    rows.push_back(row);
  }
  return rows;
}

LogicalResult importScatterND(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  const Shape &x = node.shape(0), &indices = node.shape(1);
  auto update = readReduction(node);
  if (!update)
    return failure();
  if (indices.empty() || indices.back() < 1 ||
      indices.back() > int64_t(x.size()) || !node.isInteger(1))
    return node.error("integer indices of shape " + shapeString(indices) +
                      " do not fit an operand of shape " + shapeString(x));
  int64_t length = indices.back();
  Shape expected(indices.begin(), indices.end() - 1);
  expected.insert(expected.end(), x.begin() + length, x.end());
  if (node.shape(2) != expected)
    return node.error("expected updates of shape " + shapeString(expected) +
                      ", got " + shapeString(node.shape(2)));
  Shape front(x.begin(), x.begin() + length), back(x.begin() + length, x.end());
  int64_t rows = countElements(front), width = countElements(back);
  if (node.isConstant(1)) {
    auto known = knownRows(node, 1, x, 0);
    if (!known)
      return failure();
    SmallVector<int64_t> places;
    for (int64_t row : *known)
      for (int64_t i = 0; i < width; ++i)
        places.push_back(row * width + i);
    return scatterTo(node, *update, places);
  }
  if (*update != Update::None && *update != Update::Add)
    return node.error("attribute 'reduction': only 'none' and 'add' are "
                      "supported with computed indices");
  if (*update == Update::None)
    warnOfPlaces(node);
  int64_t count = countElements(Shape(indices.begin(), indices.end() - 1));
  if (rows >= kLargestPosition || count > kLargestMask / rows)
    return node.error("a mask of " + Twine(count) + " by " + Twine(rows) +
                      " elements is too large");
  // A matrix with a 1 where an update goes to a row.
  Value row =
      node.createReshape("rows", computedRows(node, 1, x, 0), {count, 1});
  Value places = node.createPositions("positions", rows, 1, 2);
  Value mask = node.createBinary<EqualOp>("mask", row, places);
  Value updates =
      node.createReshape("update_rows", node.floats(2), {count, width});
  Value sums = node.createMatmul("sums", mask, updates, /*transposeA=*/true);
  Value input = node.createReshape("input_rows", node.floats(0), {rows, width});
  Value result;
  if (*update == Update::Add) {
    result = node.createBinary<AddOp>("updated", input, sums);
  } else {
    Value isHit = node.createReduce("is_hit", mask, ReduceKind::Max, {0});
    isHit = node.createReshape("hit_rows", isHit, {rows, 1});
    result = node.createWhere("updated", isHit, sums, input);
  }
  return node.setResult(0, node.createReshape("", result, x), node.typeOf(0));
}

LogicalResult importGatherND(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  const Shape x = node.shape(0), indices = node.shape(1);
  int64_t batchDims =
      node.opset() >= 12 ? node.intAttribute("batch_dims", 0) : 0;
  if (node.failed())
    return failure();
  int64_t length = indices.empty() ? 0 : indices.back();
  if (!node.isInteger(1) || length < 1 || batchDims < 0 ||
      batchDims + length > int64_t(x.size()) ||
      batchDims >= int64_t(indices.size()) ||
      !std::equal(x.begin(), x.begin() + batchDims, indices.begin()))
    return node.error("integer indices of shape " + shapeString(indices) +
                      " do not fit an operand of shape " + shapeString(x) +
                      " with " + Twine(batchDims) + " batch dims");
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + batchDims + length, x.end());
  int64_t batches = countElements(Shape(x.begin(), x.begin() + batchDims));
  int64_t rows = countElements(
      Shape(x.begin() + batchDims, x.begin() + batchDims + length));
  int64_t width = countElements(Shape(x.begin() + batchDims + length, x.end()));
  int64_t count = countElements(Shape(indices.begin(), indices.end() - 1));
  if (node.isConstant(1)) {
    auto known = knownRows(node, 1, x, batchDims);
    if (!known)
      return failure();
    for (int64_t i = 0; i < count; ++i)
      (*known)[i] += i / (count / batches) * rows;
    if (node.isConstant(0)) {
      const Tensor *tensor = node.constant(0);
      Shape strides = stridesOf(shape);
      auto result =
          !tensor ? std::nullopt
                  : pickElements(node, *tensor, shape, [&](const Shape &at) {
                      int64_t flat = std::inner_product(
                          at.begin(), at.end(), strides.begin(), int64_t(0));
                      return (*known)[flat / width] * width + flat % width;
                    });
      return result ? node.setConstant(0, std::move(*result)) : failure();
    }
    if (batches * rows > INT32_MAX)
      return node.error("a table of " + Twine(batches * rows) +
                        " rows is too large");
    SmallVector<int32_t> which(known->begin(), known->end());
    Value table = node.createReshape("table", node.floats(0, Role::RowWeight),
                                     {batches * rows, width});
    Value index = node.createIndices("rows", {count}, which);
    if (!table || !index)
      return failure();
    Value picked = node.create<GatherOp>("picked", Shape{count, width}, table,
                                         index, /*offset=*/0, /*wrap=*/0);
    return node.setResult(0, node.createReshape("", picked, shape),
                          node.typeOf(0));
  }
  if (batches * rows >= kLargestPosition)
    return node.error("a table of " + Twine(batches * rows) +
                      " rows is too large for computed indices");
  Value row =
      node.createReshape("flat_rows", computedRows(node, 1, x, batchDims),
                         {batches, count / batches});
  if (batches > 1)
    row = node.createBinary<AddOp>(
        "batch_rows", row,
        node.createScale("batch_offsets",
                         node.createPositions("batches", batches, 0, 2),
                         double(rows)));
  Value index =
      node.createCast("rows", node.createReshape("row_numbers", row, {count}));
  Value table = node.createReshape(
      "table",
      node.floats(0, node.operand(0).parameter ? Role::RowWeight : Role::Other),
      {batches * rows, width});
  if (!table || !index)
    return failure();
  Value picked = node.create<GatherOp>("picked", Shape{count, width}, table,
                                       index, /*offset=*/0, /*wrap=*/0);
  return node.setResult(0, node.createReshape("", picked, shape),
                        node.typeOf(0));
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

LogicalResult importOneHot(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  const Shape &indices = node.shape(0);
  auto depth = node.constantNumber(1);
  int64_t rank = int64_t(indices.size());
  auto axis = normalizeAxis(node, node.intAttribute("axis", -1), rank + 1);
  if (!axis || node.failed())
    return failure();
  if (!depth || !(*depth >= 1 && *depth < kLargestPosition))
    return node.error("operand " + quote(node.node.inputs[1]) +
                      ": expected a depth from 1 to 2^24 - 1 that is known at "
                      "import");
  if (node.shape(2) != Shape{2})
    return node.error("expected two values, got a tensor of shape " +
                      shapeString(node.shape(2)));
  auto extent = static_cast<int64_t>(*depth);
  Shape dims = indices;
  dims.insert(dims.begin() + *axis, 1);
  Value index = wrappedValues(node, "index", node.floats(0), extent);
  index = node.createReshape("index_dims", index, dims);
  Value mask = node.createBinary<EqualOp>(
      "mask", index,
      node.createPositions("positions", extent, *axis, rank + 1));
  Value values = node.floats(2);
  Value off = node.createReshape(
            "off", node.createSlice("off_slice", values, {0}, {1}), {}),
        on = node.createReshape(
            "on", node.createSlice("on_slice", values, {1}, {1}), {});
  return node.setResult(0, node.createWhere("", mask, on, off), node.typeOf(2));
}

} // namespace

void mlir::soap::onnx::addScatterOps(OpTable &table) {
  table["ScatterElements"] = {11, kLastOpset, importScatterElements,
                              importScatterElements};
  table["Scatter"] = {9, 10, importScatterElements, importScatterElements};
  table["ScatterND"] = {11, kLastOpset, importScatterND, importScatterND};
  table["GatherND"] = {11, kLastOpset, importGatherND, importGatherND};
  table["OneHot"] = {9, kLastOpset, importOneHot, nullptr};
}
