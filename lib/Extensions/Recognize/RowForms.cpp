//===- RowForms.cpp - Normal forms of the values of a function ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RowForms.h.
//
//===----------------------------------------------------------------------===//

#include "RowForms.h"

#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::recognize;

ArrayRef<int64_t> mlir::soap::recognize::shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

Labels mlir::soap::recognize::ownLabels(Value value) {
  Labels labels;
  for (auto [d, extent] : llvm::enumerate(shapeOf(value)))
    labels.push_back(extent > 1 ? static_cast<int>(d) : -1);
  return labels;
}

std::optional<double> mlir::soap::recognize::splatOf(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill->getOperand(0);
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto elements = dyn_cast<DenseFPElementsAttr>(attribute))
    return elements.isSplat()
               ? std::optional(
                     elements.getSplatValue<APFloat>().convertToDouble())
               : std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  return std::nullopt;
}

bool mlir::soap::recognize::isCopy(Operation *op) {
  if (isa_and_nonnull<TransposeOp>(op))
    return true;
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return generic && !generic->hasAttr(kFixed) && generic.getNumResults() == 1 &&
         generic.getNumReductionLoops() == 0 &&
         generic.getNumDpsInputs() == 1 &&
         generic.getBlock()->getTerminator()->getOperand(0) ==
             generic.getBlock()->getArgument(0);
}

/// A generic op with one result of floats and static shapes. One with a fixed
/// config stays where it is.
static linalg::GenericOp asGeneric(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  if (!generic || generic.getNumResults() != 1 || generic->hasAttr(kFixed))
    return nullptr;
  for (Type type : generic->getOperandTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return nullptr;
  return generic;
}

RowForms::RowForms(Value reference, int axis)
    : reference(reference), axis(axis),
      algebra(axis < 0 ? 1 : shapeOf(reference)[axis],
              // Products of a few rounded constants.
              getElementTypeOrSelf(reference.getType()).isF64() ? 1e-14
                                                                : 5e-7) {
  cuts.insert(reference);
}

void RowForms::cut(Value value) {
  cuts.insert(value);
  known.clear();
}

bool RowForms::isFull(const Labels &labels) const {
  for (auto [d, extent] : llvm::enumerate(shapeOf(reference)))
    if (extent > 1 && !llvm::is_contained(labels, static_cast<int>(d)))
      return false;
  return true;
}

/// Labels of the loops of an op whose result has these labels.
std::optional<SmallVector<int>>
RowForms::loopLabels(linalg::GenericOp op, const Labels &labels) const {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  constexpr int unknown = -2;
  SmallVector<int> loops(extents.size(), unknown);
  AffineMap map = op.getIndexingMapsArray().back();
  for (auto [expr, label] : llvm::zip_equal(map.getResults(), labels)) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || loops[loop.getPosition()] != unknown)
      return std::nullopt;
    loops[loop.getPosition()] = label;
  }
  bool hasAxis = false;
  for (auto [loop, extent, kind] :
       llvm::zip_equal(loops, extents, op.getIteratorTypesArray())) {
    if (loop != unknown)
      continue;
    if (kind != utils::IteratorType::reduction)
      return std::nullopt;
    loop = -1;
    if (extent == 1)
      continue;
    // One loop is the axis, which the result does not have.
    if (hasAxis || axis < 0 || extent != shapeOf(reference)[axis] ||
        llvm::is_contained(labels, axis))
      return std::nullopt;
    hasAxis = true;
    loop = axis;
  }
  return loops;
}

std::optional<Labels> RowForms::operandLabels(linalg::GenericOp op,
                                              unsigned operand,
                                              ArrayRef<int> loops) const {
  Labels labels;
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(operand));
  for (auto [expr, extent] : llvm::zip_equal(
           op.getIndexingMapsArray()[operand].getResults(), shape)) {
    if (extent == 1) {
      labels.push_back(-1);
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || loops[loop.getPosition()] < 0 ||
        llvm::is_contained(labels, loops[loop.getPosition()]))
      return std::nullopt;
    labels.push_back(loops[loop.getPosition()]);
  }
  return labels;
}

std::optional<SmallVector<std::pair<Value, Labels>>>
RowForms::operands(Operation *op, const Labels &labels) const {
  SmallVector<std::pair<Value, Labels>> result;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    Labels own(labels.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      own[from] = labels[to];
    result.emplace_back(transpose->getOperand(0), own);
    return result;
  }
  linalg::GenericOp generic = asGeneric(op);
  if (!generic)
    return std::nullopt;
  std::optional<SmallVector<int>> loops = loopLabels(generic, labels);
  if (!loops)
    return std::nullopt;
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    std::optional<Labels> own =
        operandLabels(generic, operand->getOperandNumber(), *loops);
    if (!own)
      return std::nullopt;
    result.emplace_back(operand->get(), *own);
  }
  return result;
}

/// A scalar of the body of an op, from the elements of its operands.
std::optional<Polynomial>
RowForms::body(linalg::GenericOp op, Value scalar,
               ArrayRef<std::optional<Polynomial>> arguments) {
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (argument.getOwner() != op.getBlock() ||
        argument.getArgNumber() >= arguments.size())
      return std::nullopt;
    return arguments[argument.getArgNumber()];
  }
  if (std::optional<double> number = splatOf(scalar))
    return std::isfinite(*number) ? std::optional(algebra.constant(*number))
                                  : std::nullopt;
  Operation *inner = scalar.getDefiningOp();
  if (inner->getBlock() != op.getBlock())
    return std::nullopt;
  SmallVector<Polynomial> x;
  for (Value operand : inner->getOperands()) {
    std::optional<Polynomial> own = body(op, operand, arguments);
    if (!own)
      return std::nullopt;
    x.push_back(std::move(*own));
  }
  constexpr int half = 1, one = 2;
  if (isa<arith::AddFOp>(inner))
    return algebra.add(x[0], x[1]);
  if (isa<arith::SubFOp>(inner))
    return algebra.add(x[0], x[1], -1);
  if (isa<arith::MulFOp>(inner))
    return algebra.multiply(x[0], x[1]);
  if (isa<arith::NegFOp>(inner))
    return algebra.add({}, x[0], -1);
  if (isa<arith::DivFOp>(inner)) {
    if (x[1].size() == 1 && x[1].begin()->first.empty())
      return algebra.multiply(x[0], algebra.constant(1 / x[1].begin()->second));
    std::optional<Polynomial> inverse = algebra.power(x[1], -one);
    return inverse ? algebra.multiply(x[0], *inverse) : std::nullopt;
  }
  if (isa<math::SqrtOp>(inner))
    return algebra.power(x[0], half);
  if (isa<math::RsqrtOp>(inner))
    return algebra.power(x[0], -half);
  if (isa<math::ExpOp>(inner))
    return algebra.apply(AtomKind::Exp, x[0]);
  if (isa<math::TanhOp>(inner))
    return algebra.apply(AtomKind::Tanh, x[0]);
  bool isComplement = isa<math::ErfcOp>(inner);
  if (isComplement || isa<math::ErfOp>(inner)) {
    std::optional<Polynomial> erf = algebra.apply(AtomKind::Erf, x[0]);
    return erf && isComplement ? algebra.add(algebra.constant(1), *erf, -1)
                               : erf;
  }
  return std::nullopt;
}

std::optional<Polynomial> RowForms::expand(Value value, const Labels &labels) {
  if (std::optional<double> number = splatOf(value))
    return std::isfinite(*number) ? std::optional(algebra.constant(*number))
                                  : std::nullopt;
  Operation *op = value.getDefiningOp();
  constexpr int deepest = 48;
  if (!op || !region.contains(op) || depth >= deepest)
    return std::nullopt;
  auto read = operands(op, labels);
  if (!read)
    return std::nullopt;
  ++depth;
  SmallVector<std::optional<Polynomial>> inputs;
  for (auto &[operand, own] : *read)
    inputs.push_back(form(operand, own));
  --depth;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic) // a transpose
    return inputs[0];
  Block *block = generic.getBlock();
  Value yielded = block->getTerminator()->getOperand(0);
  if (generic.getNumReductionLoops() == 0)
    return body(generic, yielded, inputs);
  // A fold of one value with the value so far.
  Operation *fold = yielded.getDefiningOp();
  Value soFar = block->getArguments().back();
  if (!fold || fold->getBlock() != block || fold->getNumOperands() != 2)
    return std::nullopt;
  unsigned place = fold->getOperand(0) == soFar ? 0 : 1;
  std::optional<double> init = splatOf(generic.getDpsInits()[0]);
  if (fold->getOperand(place) != soFar || !init)
    return std::nullopt;
  std::optional<Polynomial> folded =
      body(generic, fold->getOperand(1 - place), inputs);
  if (!folded)
    return std::nullopt;
  bool isAlongAxis = false;
  auto loops = loopLabels(generic, labels);
  for (auto [loop, kind] :
       llvm::zip_equal(*loops, generic.getIteratorTypesArray()))
    isAlongAxis |= kind == utils::IteratorType::reduction && loop >= 0;
  if (isa<arith::AddFOp>(fold) && *init == 0)
    return isAlongAxis ? algebra.sum(*folded) : folded;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(fold) && std::isinf(*init) &&
      *init < 0)
    return isAlongAxis ? algebra.apply(AtomKind::Max, *folded) : folded;
  return std::nullopt;
}

Polynomial RowForms::form(Value value, const Labels &labels) {
  std::pair<void *, std::vector<int>> key{
      value.getAsOpaquePointer(),
      std::vector<int>(labels.begin(), labels.end())};
  auto it = known.find(key);
  if (it != known.end())
    return it->second;
  std::optional<Polynomial> result;
  if (!cuts.contains(value))
    result = expand(value, labels);
  if (!result)
    result = algebra.tensor(value, labels,
                            axis >= 0 && llvm::is_contained(labels, axis));
  known[key] = *result;
  return *result;
}

/// The labels of a result, by those operands whose labels are known.
static std::optional<Labels> resultLabels(const RowForms &forms, Operation *op,
                                          const LabelledValues &known) {
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    const auto *it = known.find(transpose->getOperand(0));
    if (it == known.end())
      return std::nullopt;
    Labels labels;
    for (int64_t from : transpose.getPermutation())
      labels.push_back(it->second[from]);
    return labels;
  }
  linalg::GenericOp generic = asGeneric(op);
  if (!generic)
    return std::nullopt;
  SmallVector<int64_t> extents = generic.getStaticLoopRanges();
  constexpr int unknown = -2;
  SmallVector<int> loops(extents.size(), unknown);
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    const auto *it = known.find(operand->get());
    if (it == known.end())
      continue;
    for (auto [expr, label] : llvm::zip_equal(
             maps[operand->getOperandNumber()].getResults(), it->second)) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (label < 0 || !loop)
        continue;
      if (loops[loop.getPosition()] != unknown &&
          loops[loop.getPosition()] != label)
        return std::nullopt;
      loops[loop.getPosition()] = label;
    }
  }
  // One loop without a name may be the only dim that has none.
  SmallVector<int> missing;
  for (auto [d, extent] : llvm::enumerate(shapeOf(forms.reference)))
    if (extent > 1 && !llvm::is_contained(loops, static_cast<int>(d)))
      missing.push_back(static_cast<int>(d));
  for (auto [loop, extent] : llvm::zip_equal(loops, extents)) {
    if (loop != unknown)
      continue;
    if (extent == 1) {
      loop = -1;
      continue;
    }
    auto *match = llvm::find_if(missing, [&, e = extent](int d) {
      return shapeOf(forms.reference)[d] == e;
    });
    if (match == missing.end())
      return std::nullopt;
    loop = *match;
    missing.erase(match);
  }
  Labels labels;
  for (AffineExpr expr : maps.back().getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || (loops[loop.getPosition()] >= 0 &&
                  llvm::is_contained(labels, loops[loop.getPosition()])))
      return std::nullopt;
    labels.push_back(loops[loop.getPosition()]);
  }
  return labels;
}

LabelledValues RowForms::downstream(Value from, const Labels &labels,
                                    unsigned depth) const {
  LabelledValues result;
  result.insert({from, labels});
  SmallVector<Value> front{from};
  Block *block = from.getParentBlock();
  constexpr size_t most = 600;
  for (unsigned step = 0; step < depth && result.size() < most; ++step) {
    llvm::SetVector<Operation *> users;
    for (Value value : front)
      for (Operation *user : value.getUsers())
        if (user->getBlock() == block && user->getNumResults() == 1 &&
            !result.contains(user->getResult(0)))
          users.insert(user);
    front.clear();
    for (Operation *user : users)
      if (std::optional<Labels> own = resultLabels(*this, user, result)) {
        result.insert({user->getResult(0), *own});
        front.push_back(user->getResult(0));
      }
  }
  SmallVector<std::pair<Value, Labels>> sorted(result.begin(), result.end());
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    Operation *x = a.first.getDefiningOp(), *y = b.first.getDefiningOp();
    if (!x || !y)
      return !x && y;
    return x != y && x->isBeforeInBlock(y);
  });
  LabelledValues ordered;
  for (auto &[value, own] : sorted)
    ordered.insert({value, own});
  return ordered;
}
