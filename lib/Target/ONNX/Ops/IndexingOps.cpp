//===- IndexingOps.cpp - Gather and Einsum of ONNX --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table by index, and sums of products written by dims.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "llvm/ADT/StringExtras.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Dims [0, n) with `from` moved to `to`.
Shape movedDim(int64_t rank, int64_t from, int64_t to) {
  Shape permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  return permutation;
}

/// An index, which may count from the end, as a position; nothing after an
/// error.
std::optional<int64_t> positionAlong(NodeContext &node, int64_t index,
                                     int64_t extent) {
  if (index >= -extent && index < extent)
    return index < 0 ? index + extent : index;
  (void)node.error("index " + Twine(index) + " is out of range for extent " +
                   Twine(extent));
  return std::nullopt;
}

/// Indices (operand 1) that are known at import are in range.
LogicalResult checkPositions(NodeContext &node, int64_t extent) {
  if (!node.isConstant(1))
    return success();
  const Tensor *indices = node.constant(1);
  if (!indices)
    return failure();
  for (int64_t index : indices->ints)
    if (!positionAlong(node, index, extent))
      return failure();
  return success();
}

/// An index that is known at import: a slice without its dim.
LogicalResult gatherOne(NodeContext &node, Value x, int64_t axis,
                        int64_t index) {
  Shape shape = shapeOf(x), offsets(shape.size(), 0), sizes = shape;
  auto position = positionAlong(node, index, shape[axis]);
  if (!position)
    return failure();
  offsets[axis] = *position;
  sizes[axis] = 1;
  Shape dropped = shape;
  dropped.erase(dropped.begin() + axis);
  return node.setResult(
      0,
      node.createReshape("", node.createSlice("slice", x, offsets, sizes),
                         dropped),
      node.typeOf(0));
}

LogicalResult importGather(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  const Shape x = node.shape(0), indices = node.shape(1);
  auto axis = normalizeAxis(node, node.intAttribute("axis", 0), x.size());
  if (!axis || node.failed())
    return failure();
  Value table =
      node.floats(0, node.operand(0).parameter ? Role::RowWeight : Role::Other);
  if (!table)
    return failure();
  if (node.isConstant(1) && indices.empty() &&
      !node.operand(1).constant->isFloat() && node.constant(1))
    return gatherOne(node, table, *axis, node.operand(1).constant->ints[0]);
  if (failed(checkPositions(node, x[*axis])))
    return failure();
  Value which = node.integers(1);
  if (!which)
    return failure();
  // The table's rows are dim 0.
  int64_t rank = x.size(), width = indices.size();
  table = node.createTranspose("rows", table, movedDim(rank, *axis, 0));
  Shape shape = indices;
  for (int64_t d = 0; d < rank; ++d)
    if (d != *axis)
      shape.push_back(x[d]);
  Value rows = node.create<GatherOp>(*axis == 0 ? "" : "gather", shape, table,
                                     which, /*offset=*/0, /*wrap=*/x[*axis]);
  // The dims in front of the axis go in front of the dims of the indices.
  Shape permutation;
  for (int64_t d = 0; d < *axis; ++d)
    permutation.push_back(width + d);
  for (int64_t d = 0; d < width; ++d)
    permutation.push_back(d);
  for (int64_t d = *axis; d + 1 < rank; ++d)
    permutation.push_back(width + d);
  return node.setResult(0, node.createTranspose("", rows, permutation),
                        node.typeOf(0));
}

/// out[.., k, ..] = x[.., indices[.., k, ..], ..], as the sum over v of
/// x[.., v, ..] where v is the index: a masked gather, which any dim can be cut
/// of, and whose gradient is ordinary ops.
LogicalResult importGatherElements(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  Shape x = node.shape(0), indices = node.shape(1);
  int64_t rank = x.size();
  auto axis = normalizeAxis(node, node.intAttribute("axis", 0), rank);
  if (!axis || node.failed())
    return failure();
  bool fits = indices.size() == x.size();
  for (int64_t d = 0; fits && d < rank; ++d)
    fits = d == *axis || indices[d] <= x[d];
  if (!fits)
    return node.error("indices of shape " + shapeString(indices) +
                      " do not fit an operand of shape " + shapeString(x));
  if (!node.isInteger(1))
    return node.error("expected integer indices");
  // Indices are compared as floats, exactly.
  int64_t extent = x[*axis];
  if (failed(checkPositions(node, extent)))
    return failure();
  // No op of the module chooses rows by them any more.
  if (Value indices = node.operand(1).value)
    node.importer.boundElements(indices, -extent);
  if (extent > (int64_t(1) << 22))
    return node.error("an axis of " + Twine(extent) +
                      " elements is not supported, expected at most 2^22");
  Value table =
      node.floats(0, node.operand(0).parameter ? Role::RowWeight : Role::Other);
  Value index = node.floats(1);
  if (!table || !index)
    return failure();
  Shape sizes = indices;
  sizes[*axis] = extent;
  table = node.createSlice("slice", table, Shape(rank, 0), sizes);

  // Dims of all: .., axis of the indices, axis of the table, ..
  Shape asIndices = indices, asTable = sizes, all = indices;
  asIndices.insert(asIndices.begin() + *axis + 1, 1);
  asTable.insert(asTable.begin() + *axis, 1);
  all.insert(all.begin() + *axis + 1, extent);
  Shape asPositions(rank - *axis, 1);
  asPositions[0] = extent;
  SmallVector<float> numbers(extent);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  Value positions = node.create<ConstantOp>(
      "positions", asPositions,
      DenseElementsAttr::get(node.importer.tensorType(asPositions),
                             ArrayRef(numbers)));
  // Negative indices count from the end.
  Value zero = node.createScalar("zero", 0),
        size = node.createScalar("size", extent);
  Value fromEnd = node.createBinary<AddOp>("from_end", index, size);
  Value isPositive = node.createBinary<GreaterEqualOp>("sign", index, zero);
  if (!fromEnd || !isPositive)
    return failure();
  index = node.create<WhereOp>("index", indices, isPositive, index, fromEnd);
  index = node.createReshape("index_dims", index, asIndices);
  table = node.createReshape("table_dims", table, asTable);
  Value isHere = node.createBinary<EqualOp>("mask", index, positions);
  if (!isHere || !table)
    return failure();
  Value picked = node.create<WhereOp>("picked", all, isHere, table, zero);
  if (!picked)
    return failure();
  return node.setResult(0,
                        node.create<ReduceOp>("", indices, picked,
                                              ReduceKind::Sum,
                                              ArrayRef<int64_t>{*axis + 1}),
                        node.typeOf(0));
}

/// The first op of a gather from constants; `indices` are positions along the
/// axis, row-major, each in its range.
struct GatherOperands {
  const Tensor *x;
  size_t axis;
  Shape indices, indexShape;
};
std::optional<GatherOperands> gatherOperands(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return std::nullopt;
  const Tensor *x = node.constant(0), *indices = node.constant(1);
  if (!x || !indices)
    return std::nullopt;
  auto axis = normalizeAxis(node, node.intAttribute("axis", 0), x->dims.size());
  if (!axis || node.failed())
    return std::nullopt;
  if (indices->isFloat()) {
    (void)node.error("expected integer indices");
    return std::nullopt;
  }
  GatherOperands result{x, size_t(*axis), {}, indices->dims};
  for (int64_t index : indices->ints) {
    auto position = positionAlong(node, index, x->dims[*axis]);
    if (!position)
      return std::nullopt;
    result.indices.push_back(*position);
  }
  return result;
}

LogicalResult foldGather(NodeContext &node) {
  auto operands = gatherOperands(node);
  if (!operands)
    return failure();
  auto &[x, axis, indices, indexShape] = *operands;
  Shape shape(x->dims.begin(), x->dims.begin() + axis);
  shape.insert(shape.end(), indexShape.begin(), indexShape.end());
  shape.insert(shape.end(), x->dims.begin() + axis + 1, x->dims.end());
  Shape strides = stridesOf(x->dims), indexStrides = stridesOf(indexShape);
  size_t inner = indexShape.size();
  auto result = pickElements(node, *x, shape, [&](const Shape &element) {
    int64_t position = 0, which = 0;
    for (size_t i = 0; i < inner; ++i)
      which += element[axis + i] * indexStrides[i];
    for (size_t i = 0; i < x->dims.size(); ++i) {
      int64_t at = i < axis   ? element[i]
                   : i > axis ? element[i + inner - 1]
                              : indices[which];
      position += at * strides[i];
    }
    return position;
  });
  return result ? node.setConstant(0, std::move(*result)) : failure();
}

LogicalResult foldGatherElements(NodeContext &node) {
  auto operands = gatherOperands(node);
  if (!operands)
    return failure();
  auto &[x, axis, indices, indexShape] = *operands;
  bool fits = indexShape.size() == x->dims.size();
  for (size_t d = 0; fits && d < x->dims.size(); ++d)
    fits = d == axis || indexShape[d] <= x->dims[d];
  if (!fits)
    return node.error("indices of shape " + shapeString(indexShape) +
                      " do not fit an operand of shape " +
                      shapeString(x->dims));
  Shape strides = stridesOf(x->dims), indexStrides = stridesOf(indexShape);
  auto result = pickElements(node, *x, indexShape, [&](const Shape &element) {
    int64_t which = std::inner_product(element.begin(), element.end(),
                                       indexStrides.begin(), int64_t(0));
    int64_t position = 0;
    for (size_t d = 0; d < element.size(); ++d)
      position += (d == axis ? indices[which] : element[d]) * strides[d];
    return position;
  });
  return result ? node.setConstant(0, std::move(*result)) : failure();
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// The dims of one operand or of the result, a letter each.
using Letters = std::string;

/// Brings `x`, whose dims are `from`, into the order of `to`.
Value permuted(NodeContext &node, StringRef suffix, Value x,
               const Letters &from, const Letters &to) {
  Shape permutation;
  for (char letter : to)
    permutation.push_back(static_cast<int64_t>(from.find(letter)));
  return node.createTranspose(suffix, x, permutation);
}

struct Equation {
  Letters operands[2], result;
  size_t count = 0;
};

/// Reads "ab,bc->ac": letters once per operand, no ellipsis.
std::optional<Equation> parseEquation(NodeContext &node) {
  std::string text = node.stringAttribute("equation", "");
  auto unsupported = [&](const char *why) {
    (void)node.error("attribute 'equation': " + quote(text) +
                     " is not supported: " + why);
    return std::nullopt;
  };
  llvm::erase(text, ' ');
  auto [left, result] = StringRef(text).split("->");
  if (StringRef(text).count("->") != 1)
    return unsupported("expected one '->'");
  SmallVector<StringRef> operands;
  left.split(operands, ',');
  Equation equation;
  equation.count = operands.size();
  if (operands.size() != node.numInputs() || operands.size() > 2)
    return unsupported("expected one or two operands");
  equation.result = result.str();
  for (size_t i = 0; i < operands.size(); ++i) {
    equation.operands[i] = operands[i].str();
    if (operands[i].size() != node.shape(i).size())
      return unsupported("an operand has another rank");
  }
  for (const Letters &letters :
       {equation.operands[0], equation.operands[1], equation.result})
    for (size_t i = 0; i < letters.size(); ++i)
      if (!llvm::isAlpha(letters[i]) ||
          letters.find(letters[i], i + 1) != std::string::npos)
        return unsupported("a dim that is no letter, or a letter twice");
  for (char letter : equation.result)
    if (equation.operands[0].find(letter) == std::string::npos &&
        equation.operands[1].find(letter) == std::string::npos)
      return unsupported("a dim of the result is in no operand");
  return equation;
}

/// Dims that only this operand has and that the result lacks are summed first.
Value summed(NodeContext &node, StringRef suffix, Value x, Letters &letters,
             const Letters &needed) {
  Shape axes, shape;
  Letters kept;
  for (auto [d, letter] : llvm::enumerate(letters)) {
    if (needed.find(letter) == std::string::npos) {
      axes.push_back(static_cast<int64_t>(d));
      continue;
    }
    kept += letter;
    shape.push_back(shapeOf(x)[d]);
  }
  if (axes.empty())
    return x;
  letters = kept;
  return node.create<ReduceOp>(suffix, shape, x, ReduceKind::Sum,
                               ArrayRef<int64_t>(axes));
}

LogicalResult importEinsum(NodeContext &node) {
  if (!node.checkCounts(1, 2))
    return failure();
  auto equation = parseEquation(node);
  Value a = equation ? node.tensor(0) : Value();
  if (!a)
    return failure();
  Letters &left = equation->operands[0], &right = equation->operands[1],
          &result = equation->result;
  a = summed(node, "left_sum", a, left, right + result);
  if (!a)
    return failure();
  if (equation->count == 1)
    return node.setResult(0, permuted(node, "", a, left, result));
  Value b = node.tensor(1, node.operand(1).value ? Role::Other
                                                 : Role::InputMajorWeight);
  b = b ? summed(node, "right_sum", b, right, left + result) : b;
  if (!b)
    return failure();
  // [batch, rows, depth] * [batch, depth, columns].
  Letters batch, rows, depth, columns;
  auto has = [](const Letters &letters, char letter) {
    return letters.find(letter) != std::string::npos;
  };
  for (char letter : left)
    (has(right, letter) ? has(result, letter) ? batch : depth : rows) += letter;
  for (char letter : right)
    if (!has(left, letter))
      columns += letter;
  std::map<char, int64_t> extents;
  for (auto [letters, value] : {std::pair(left, a), std::pair(right, b)})
    for (auto [letter, extent] : llvm::zip(letters, shapeOf(value))) {
      auto [known, isNew] = extents.try_emplace(letter, extent);
      if (!isNew && known->second != extent)
        return node.error("dim '" + Twine(letter) + "' has extents " +
                          Twine(known->second) + " and " + Twine(extent));
    }
  auto product = [&](const Letters &letters) {
    int64_t count = 1;
    for (char letter : letters)
      count *= extents[letter];
    return count;
  };
  auto extentsOf = [&](const Letters &letters) {
    Shape shape;
    for (char letter : letters)
      shape.push_back(extents[letter]);
    return shape;
  };
  auto matrix = [&](StringRef suffix, Value x, const Letters &from,
                    const Letters &first, const Letters &second) {
    Value ordered = permuted(node, (suffix + "_order").str(), x, from,
                             batch + first + second);
    Shape shape = extentsOf(batch);
    shape.push_back(product(first));
    shape.push_back(product(second));
    return node.createReshape((suffix + "_matrix").str(), ordered, shape);
  };
  Value x = matrix("left", a, left, rows, depth),
        y = matrix("right", b, right, depth, columns);
  if (!x || !y)
    return failure();
  Shape shape = extentsOf(batch);
  shape.push_back(product(rows));
  shape.push_back(product(columns));
  Value z = node.create<MatmulOp>("product", shape, x, y, false, false,
                                  DenseI64ArrayAttr());
  Letters order = batch + rows + columns;
  z = node.createReshape("dims", z, extentsOf(order));
  return node.setResult(0, permuted(node, "", z, order, result));
}

} // namespace

void mlir::soap::onnx::addIndexingOps(OpTable &table) {
  table["Gather"] = {7, kLastOpset, importGather, foldGather};
  table["GatherElements"] = {11, kLastOpset, importGatherElements,
                             foldGatherElements};
  table["Einsum"] = {12, kLastOpset, importEinsum, nullptr};
}
