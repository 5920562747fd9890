//===- Site.cpp - A group of ops that may be one op -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Site.h.
//
//===----------------------------------------------------------------------===//

#include "Site.h"

#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::soap::recognize;

bool mlir::soap::recognize::isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() > 0 &&
         (type.getElementType().isF32() || type.getElementType().isF64());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// Users of a value read `by`.
static void replaceUses(Value value, Value by) { value.replaceAllUsesWith(by); }

/// A point-by-point op on values with labels; its result has the given labels
/// and shape.
static Value pointByPoint(
    OpBuilder &builder, Location loc, ArrayRef<LabelledValue> inputs,
    const Labels &labels, ArrayRef<int64_t> shape,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (const auto &[value, own] : inputs) {
    SmallVector<AffineExpr> exprs;
    for (int label : own) {
      const int *it = label < 0 ? labels.end() : llvm::find(labels, label);
      exprs.push_back(it == labels.end()
                          ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(it - labels.begin(), context));
    }
    maps.push_back(AffineMap::get(shape.size(), 0, exprs, context));
    operands.push_back(value);
  }
  maps.push_back(builder.getMultiDimIdentityMap(shape.size()));
  Value init =
      tensor::EmptyOp::create(builder, loc, shape, elementOf(operands[0]));
  SmallVector<utils::IteratorType> iterators(shape.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), operands, init, maps, iterators,
             [&](OpBuilder &inner, Location place, ValueRange arguments) {
               linalg::YieldOp::create(inner, place,
                                       body(inner, place, arguments));
             })
      .getResult(0);
}

static Value viewAs(OpBuilder &builder, Location loc,
                    const LabelledValue &value, const Labels &labels,
                    ArrayRef<int64_t> shape) {
  if (value.second == labels && shapeOf(value.first) == shape)
    return value.first;
  return pointByPoint(builder, loc, value, labels, shape,
                      [](OpBuilder &, Location, ValueRange x) { return x[0]; });
}

/// Within the location of a value, for an op that does not compute the value as
/// it is.
static Location within(Value value) {
  return NameLoc::get(StringAttr::get(value.getContext(), "part"),
                      value.getLoc());
}

Value Site::asX(OpBuilder &builder, const LabelledValue &value) const {
  return viewAs(builder, within(value.first), value, ownLabels(x), shapeOf(x));
}

Value Site::asAxis(OpBuilder &builder, const LabelledValue &value) const {
  return viewAs(builder, within(value.first), value, {axis}, shapeOf(x)[axis]);
}

Location Site::locationOf(const LabelledValue &value) const {
  bool isSame =
      value.second == ownLabels(x) && shapeOf(value.first) == shapeOf(x);
  return isSame ? value.first.getLoc() : within(value.first);
}

Location Site::locationOf(const InputGradient &gradient) const {
  return gradient.rest.first ? within(gradient.value.first)
                             : locationOf(gradient.value);
}

//===----------------------------------------------------------------------===//
// Replacement
//===----------------------------------------------------------------------===//

bool Site::isDead(Operation *op) const {
  llvm::DenseSet<Value> replaced;
  for (const std::vector<LabelledValue> *list : {&results, &dgamma, &dbeta})
    for (const LabelledValue &value : *list)
      replaced.insert(value.first);
  for (const InputGradient &gradient : dx)
    replaced.insert(gradient.value.first);
  llvm::DenseMap<Operation *, bool> known;
  auto visit = [&](auto &self, Operation *own) -> bool {
    auto [it, isNew] = known.try_emplace(own, false);
    if (!isNew)
      return it->second;
    bool dead =
        isa<linalg::GenericOp, TransposeOp>(own) && !own->hasAttr(kFixed);
    for (Value result : own->getResults())
      if (dead && !replaced.contains(result))
        for (Operation *user : result.getUsers())
          dead = dead && self(self, user);
    return known[own] = dead;
  };
  return visit(visit, op);
}

void Site::setAfter(OpBuilder &builder, ValueRange values) {
  Operation *last = nullptr;
  for (Value value : values)
    if (Operation *op = value ? value.getDefiningOp() : nullptr;
        op && (!last || last->isBeforeInBlock(op)))
      last = op;
  if (last)
    builder.setInsertionPointAfter(last);
}

void Site::replaceResults(Value y) const {
  OpBuilder builder(y.getContext());
  builder.setInsertionPointAfterValue(y);
  for (const auto &[value, labels] : results)
    replaceUses(value, viewAs(builder, value.getLoc(), {y, ownLabels(x)},
                              labels, shapeOf(value)));
}

void Site::replaceInputGradients(Value gradient) const {
  OpBuilder builder(gradient.getContext());
  for (const InputGradient &own : dx) {
    const auto &[value, labels] = own.value;
    if (!own.rest.first) {
      builder.setInsertionPointAfterValue(gradient);
      replaceUses(value,
                  viewAs(builder, value.getLoc(), {gradient, ownLabels(x)},
                         labels, shapeOf(value)));
      continue;
    }
    builder.setInsertionPoint(value.getDefiningOp());
    Value sum = pointByPoint(
        builder, value.getLoc(), {own.rest, {gradient, ownLabels(x)}}, labels,
        shapeOf(value), [](OpBuilder &inner, Location loc, ValueRange v) {
          return arith::AddFOp::create(inner, loc, v[0], v[1]).getResult();
        });
    replaceUses(value, sum);
  }
}

void Site::replaceAlongAxis(ArrayRef<LabelledValue> values, Value by) const {
  OpBuilder builder(by.getContext());
  builder.setInsertionPointAfterValue(by);
  for (const auto &[value, labels] : values)
    replaceUses(value, viewAs(builder, value.getLoc(), {by, Labels{axis}},
                              labels, shapeOf(value)));
}

//===----------------------------------------------------------------------===//
// Candidates for gradients
//===----------------------------------------------------------------------===//

std::vector<LabelledValue>
mlir::soap::recognize::outerOperands(const RowForms &forms,
                                     const LabelledValues &inside) {
  std::vector<LabelledValue> result;
  llvm::DenseSet<Value> seen;
  constexpr size_t most = 24;
  for (const auto &[value, labels] : inside) {
    Operation *op = value.getDefiningOp();
    if (!op)
      continue;
    auto read = forms.operands(op, labels);
    if (!read)
      continue;
    for (auto &[operand, own] : *read)
      if (operand != forms.reference && !inside.contains(operand) &&
          forms.isFull(own) && seen.insert(operand).second &&
          result.size() < most)
        result.emplace_back(operand, own);
  }
  return result;
}

void mlir::soap::recognize::addRegion(RowForms &forms,
                                      const LabelledValues &values) {
  for (const auto &[value, labels] : values)
    if (Operation *op = value.getDefiningOp())
      forms.region.insert(op);
  forms.forget();
}

std::optional<LabelledValue>
mlir::soap::recognize::scaledOperand(const RowForms &forms,
                                     const LabelledValue &value) {
  auto op = value.first.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() != 0)
    return std::nullopt;
  auto read = forms.operands(op, value.second);
  if (!read || read->size() != 2)
    return std::nullopt;
  for (int i : {0, 1})
    if (forms.isFull((*read)[i].second) && !forms.isFull((*read)[1 - i].second))
      return (*read)[i];
  return std::nullopt;
}

std::optional<LabelledValue>
mlir::soap::recognize::remainderOf(RowForms &forms, const Polynomial &a,
                                   const Polynomial &b) {
  std::optional<Polynomial> rest = forms.algebra.add(a, b, -1);
  if (!rest)
    return std::nullopt;
  if (rest->empty())
    return LabelledValue{};
  const auto &[monomial, coefficient] = *rest->begin();
  if (rest->size() != 1 || monomial.size() != 1 || coefficient != 1 ||
      monomial[0].second != 2)
    return std::nullopt;
  const Atom &atom = forms.algebra.atom(monomial[0].first);
  if (atom.kind != AtomKind::Tensor || !forms.isFull(atom.labels))
    return std::nullopt;
  return LabelledValue{atom.value, atom.labels};
}

std::vector<InputGradient> mlir::soap::recognize::findInputGradients(
    RowForms &forms, const LabelledValues &fromDy, Value dy,
    const Polynomial &gradient) {
  std::vector<InputGradient> found;
  for (const auto &[value, labels] : fromDy) {
    if (!forms.isFull(labels) || value == dy || isCopy(value.getDefiningOp()))
      continue;
    if (auto rest = remainderOf(forms, forms.form(value, labels), gradient);
        rest && (!rest->first || found.empty()))
      found.push_back({{value, labels}, *rest});
  }
  return found;
}
