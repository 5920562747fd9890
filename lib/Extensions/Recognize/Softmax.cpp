//===- Softmax.cpp - Softmax and its gradient -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp(x - max x) / sum of exp(x - max x), found from the exponential.
//
//===----------------------------------------------------------------------===//

#include "Site.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::recognize;

namespace {

class SoftmaxSite : public Site {
public:
  /// Whether `exponential` is exp(x - max x) along the axis, and its quotient
  /// by the sum is there.
  bool find(Value x, int axis, Value exponential);
  void replace(RecognizedOps &found) const;

private:
  Value source; ///< the exponential
  LabelledValues fromX, fromExponential;

  /// y as a polynomial.
  static std::optional<Polynomial> formula(RowForms &forms, Value exponential,
                                           const Labels &labels);
  bool findGradient(const LabelledValue &candidate, Value exponential);
};

std::optional<Polynomial>
SoftmaxSite::formula(RowForms &forms, Value exponential, const Labels &labels) {
  Algebra &algebra = forms.algebra;
  Polynomial point = forms.form(forms.reference, ownLabels(forms.reference));
  std::optional<Polynomial> maximum = algebra.apply(AtomKind::Max, point);
  std::optional<Polynomial> centered = algebra.add(point, *maximum, -1);
  std::optional<Polynomial> e = algebra.apply(AtomKind::Exp, *centered);
  if (!algebra.isEqual(*e, forms.form(exponential, labels)))
    return std::nullopt;
  std::optional<Polynomial> sum = algebra.sum(*e);
  std::optional<Polynomial> inverse = algebra.power(*sum, -2);
  return algebra.multiply(*e, *inverse);
}

bool SoftmaxSite::findGradient(const LabelledValue &candidate,
                               Value exponential) {
  RowForms forms(x, axis);
  forms.cut(candidate.first);
  addRegion(forms, fromX);
  addRegion(forms, fromExponential);
  LabelledValues fromDy =
      forms.downstream(candidate.first, candidate.second, reach);
  addRegion(forms, fromDy);
  Algebra &algebra = forms.algebra;
  std::optional<Polynomial> y =
      formula(forms, exponential, fromX.lookup(exponential));
  if (!y) // The exponential is computed from the candidate.
    return false;
  Polynomial d = forms.form(candidate.first, candidate.second);
  // y * (dy - sum of y * dy)
  std::optional<Polynomial> scaled = algebra.multiply(*y, d);
  std::optional<Polynomial> sum = algebra.sum(*scaled);
  std::optional<Polynomial> product =
      sum ? algebra.multiply(*y, *sum) : std::nullopt;
  std::optional<Polynomial> gradient =
      product ? algebra.add(*scaled, *product, -1) : std::nullopt;
  if (!gradient)
    return false;
  for (const auto &[value, labels] : fromDy) {
    if (!forms.isFull(labels) || value == candidate.first)
      continue;
    bool isView = isCopy(value.getDefiningOp()) &&
                  llvm::any_of(dx, [&, v = value](const InputGradient &own) {
                    return own.value.first == v.getDefiningOp()->getOperand(0);
                  });
    if (isView)
      continue;
    if (auto rest = remainderOf(forms, forms.form(value, labels), *gradient);
        rest && (!rest->first || dx.empty()))
      dx.push_back({{value, labels}, *rest});
  }
  dy = candidate;
  return !dx.empty();
}

bool SoftmaxSite::find(Value operand, int dim, Value exponential) {
  x = operand;
  axis = dim;
  RowForms forms(x, axis);
  fromX = forms.downstream(x, ownLabels(x), reach);
  if (!fromX.contains(exponential))
    return false;
  addRegion(forms, fromX);
  Labels labels = fromX.lookup(exponential);
  std::optional<Polynomial> y = formula(forms, exponential, labels);
  if (!y)
    return false;
  fromExponential = forms.downstream(exponential, labels, reach);
  addRegion(forms, fromExponential);
  for (const auto &[value, own] : fromExponential) {
    if (!forms.isFull(own) ||
        !forms.algebra.isEqual(forms.form(value, own), *y))
      continue;
    bool isView = isCopy(value.getDefiningOp()) &&
                  llvm::any_of(results, [&, v = value](const auto &result) {
                    return result.first == v.getDefiningOp()->getOperand(0);
                  });
    if (!isView)
      results.emplace_back(value, own);
  }
  if (results.empty())
    return false;
  source = exponential;
  for (const LabelledValue &candidate : outerOperands(forms, fromExponential))
    if (findGradient(candidate, exponential))
      break;
  return isDead(exponential.getDefiningOp());
}

void SoftmaxSite::replace(RecognizedOps &found) const {
  OpBuilder builder(x.getContext());
  setAfter(builder, source);
  auto softmax =
      SoftmaxOp::create(builder, locationOf(results.front()), x.getType(), x,
                        builder.getI64IntegerAttr(axis));
  replaceResults(softmax.getY());
  ++found.softmaxes;
  if (!hasGradient())
    return;
  setAfter(builder, {softmax.getY(), dy.first});
  auto gradient = SoftmaxGradOp::create(
      builder, locationOf(dx.front()), x.getType(), asX(builder, dy),
      softmax.getY(), builder.getI64IntegerAttr(axis));
  replaceInputGradients(gradient.getDx());
  ++found.softmaxGrads;
}

} // namespace

bool mlir::soap::recognize::recognizeSoftmax(linalg::GenericOp exponential,
                                             RecognizedOps &found) {
  Value e = exponential->getResult(0);
  // The tensor is an operand, or an operand of the difference.
  llvm::SetVector<Value> candidates;
  for (OpOperand *operand : exponential.getDpsInputOperands()) {
    candidates.insert(operand->get());
    if (auto before = operand->get().getDefiningOp<linalg::GenericOp>())
      for (OpOperand *own : before.getDpsInputOperands())
        candidates.insert(own->get());
  }
  for (Value x : candidates) {
    if (!isFloatTensor(x))
      continue;
    ArrayRef<int64_t> shape = shapeOf(x);
    for (int axis = static_cast<int>(shape.size()); axis-- > 0;) {
      if (shape[axis] < 2)
        continue;
      SoftmaxSite site;
      if (!site.find(x, axis, e))
        continue;
      site.replace(found);
      return true;
    }
  }
  return false;
}
