//===- Masks.cpp - Which keys constant masks show to queries --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Masks.h.
//
//===----------------------------------------------------------------------===//

#include "Masks.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace mlir::soap;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

VisibleKeys VisibleKeys::meet(const VisibleKeys &other) const {
  VisibleKeys both = *this;
  if (other.low)
    both.low = low ? std::max(*low, *other.low) : *other.low;
  if (other.high)
    both.high = high ? std::min(*high, *other.high) : *other.high;
  return both;
}

bool VisibleKeys::showsEveryQuery(int64_t queries, int64_t keys) const {
  // First and last query, as the bounds move with the queries.
  for (int64_t i : {int64_t(0), queries - 1}) {
    int64_t first = std::max<int64_t>(0, low ? i + *low : 0);
    int64_t last = std::min(keys - 1, high ? i + *high : keys - 1);
    if (first > last)
      return false;
  }
  return true;
}

std::optional<DenseElementsAttr> mlir::soap::constantOf(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant ||
      !isa<FloatType>(
          cast<RankedTensorType>(constant.getType()).getElementType()))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
    return elements;
  // Importers keep elements out of the IR.
  auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
  if (!resource || resource.getData().empty())
    return std::nullopt;
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                           resource.getData(), isSplat))
    return std::nullopt;
  return DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                             resource.getData());
}

std::optional<double> mlir::soap::splatOf(Value value) {
  std::optional<DenseElementsAttr> elements = constantOf(value);
  if (!elements || !elements->isSplat())
    return std::nullopt;
  return elements->getSplatValue<APFloat>().convertToDouble();
}

bool mlir::soap::hides(double number) { return number <= -1e4; }

/// The keys for which `isVisible(i, j)`, if they are a band.
template <typename Visible>
static std::optional<VisibleKeys> bandOf(int64_t queries, int64_t keys,
                                         Visible isVisible) {
  constexpr int64_t none = std::numeric_limits<int64_t>::max();
  int64_t low = none, high = -none;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j)
      if (isVisible(i, j)) {
        low = std::min(low, j - i);
        high = std::max(high, j - i);
      }
  if (low == none)
    return std::nullopt;
  for (int64_t i = 0; i < queries; ++i)
    for (int64_t j = 0; j < keys; ++j)
      if ((j - i >= low && j - i <= high) != isVisible(i, j))
        return std::nullopt;
  VisibleKeys band;
  if (low > -(queries - 1))
    band.low = low;
  if (high < keys - 1)
    band.high = high;
  return band;
}

/// One matrix [.., queries, keys] of a constant.
static std::optional<std::vector<double>> matrixOf(Value value, int64_t queries,
                                                   int64_t keys) {
  std::optional<DenseElementsAttr> elements = constantOf(value);
  if (!elements || elements->getNumElements() != queries * keys)
    return std::nullopt;
  ArrayRef<int64_t> shape = elements->getType().getShape();
  if (shape.size() < 2 || shape.end()[-1] != keys || shape.end()[-2] != queries)
    return std::nullopt;
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(queries * keys));
  for (const APFloat &element : elements->getValues<APFloat>())
    numbers.push_back(element.convertToDouble());
  return numbers;
}

/// The first of consecutive integers, as positions are.
static std::optional<int64_t> firstPosition(Value value, int64_t count) {
  std::optional<DenseElementsAttr> elements = constantOf(value);
  if (!elements || elements->getNumElements() != count)
    return std::nullopt;
  std::optional<int64_t> first;
  int64_t next = 0;
  for (const APFloat &element : elements->getValues<APFloat>()) {
    double number = element.convertToDouble();
    constexpr double most = 0x1p40;
    if (!(number >= -most && number <= most) ||
        number != static_cast<double>(static_cast<int64_t>(number)))
      return std::nullopt;
    auto position = static_cast<int64_t>(number);
    if (!first)
      first = next = position;
    if (position != next++)
      return std::nullopt;
  }
  return first;
}

/// Whether the elements of `value` go along `dim`, counted from the last one.
static bool goesAlong(Value value, size_t dim, int64_t extent) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return shape.size() > dim &&
         shape.end()[-1 - static_cast<ptrdiff_t>(dim)] == extent;
}

/// x - y >= least, for positions of queries and keys in either order.
static std::optional<VisibleKeys> keysOfComparison(Value x, Value y,
                                                   int64_t least,
                                                   int64_t queries,
                                                   int64_t keys) {
  std::optional<int64_t> first, other;
  VisibleKeys visible;
  if (goesAlong(x, 1, queries) && goesAlong(y, 0, keys) &&
      (first = firstPosition(x, queries)) && (other = firstPosition(y, keys))) {
    visible.high = *first - *other - least;
    return visible;
  }
  if (goesAlong(y, 1, queries) && goesAlong(x, 0, keys) &&
      (first = firstPosition(y, queries)) && (other = firstPosition(x, keys))) {
    visible.low = *first - *other + least;
    return visible;
  }
  return std::nullopt;
}

std::optional<VisibleKeys>
mlir::soap::keysOfCondition(Value condition, int64_t queries, int64_t keys) {
  while (auto cast = condition.getDefiningOp<CastOp>())
    condition = cast.getX();
  if (auto compared = condition.getDefiningOp<GreaterEqualOp>())
    return keysOfComparison(compared.getX(), compared.getY(), 0, queries, keys);
  if (auto compared = condition.getDefiningOp<GreaterOp>())
    return keysOfComparison(compared.getX(), compared.getY(), 1, queries, keys);
  // Both conditions.
  if (auto product = condition.getDefiningOp<MulOp>()) {
    auto x = keysOfCondition(product.getX(), queries, keys),
         y = keysOfCondition(product.getY(), queries, keys);
    if (!x || !y)
      return std::nullopt;
    return x->meet(*y);
  }
  std::optional<std::vector<double>> numbers =
      matrixOf(condition, queries, keys);
  if (!numbers)
    return std::nullopt;
  return bandOf(queries, keys, [&](int64_t i, int64_t j) {
    return (*numbers)[static_cast<size_t>(i * keys + j)] != 0;
  });
}

std::optional<VisibleKeys> mlir::soap::keysOfMask(Value mask, int64_t queries,
                                                  int64_t keys) {
  if (auto where = mask.getDefiningOp<WhereOp>()) {
    std::optional<double> shown = splatOf(where.getX()),
                          hidden = splatOf(where.getY());
    if (shown == 0.0 && hidden && hides(*hidden))
      return keysOfCondition(where.getCondition(), queries, keys);
    return std::nullopt;
  }
  std::optional<std::vector<double>> numbers = matrixOf(mask, queries, keys);
  if (!numbers || !llvm::all_of(*numbers, [](double number) {
        return number == 0 || hides(number);
      }))
    return std::nullopt;
  return bandOf(queries, keys, [&](int64_t i, int64_t j) {
    return (*numbers)[static_cast<size_t>(i * keys + j)] == 0;
  });
}
