//===- Gelu.cpp - Gelu and its gradient -----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both forms of x * P(X <= x), found from the hyperbolic tangent or the error
// function.
//
//===----------------------------------------------------------------------===//

#include "Site.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::recognize;

namespace {

class GeluSite : public Site {
public:
  GeluSite(Value operand, Operation *inner, bool approximate)
      : inner(inner), approximate(approximate) {
    x = operand;
  }

  bool find();
  void replace(RecognizedOps &found) const;

private:
  Operation *inner;
  bool approximate;
  LabelledValues fromX, fromInner;

  /// The result, and its derivative.
  std::optional<std::pair<Polynomial, Polynomial>>
  formulas(RowForms &forms) const;
  bool findGradient(const LabelledValue &candidate);
};

std::optional<std::pair<Polynomial, Polynomial>>
GeluSite::formulas(RowForms &forms) const {
  Algebra &algebra = forms.algebra;
  Polynomial point = forms.form(x, ownLabels(x));
  auto scaled = [&](const Polynomial &a, double factor) {
    return *algebra.multiply(a, algebra.constant(factor));
  };
  Polynomial square = *algebra.multiply(point, point);
  Polynomial one = algebra.constant(1);
  std::optional<Polynomial> function;
  Polynomial slope; // derivative of the function, by what multiplies it
  constexpr double pi = llvm::numbers::pi;
  if (approximate) {
    // tanh(k * (x + c * x^3))
    double k = std::sqrt(2 / pi), c = 0.044715;
    Polynomial argument =
        *algebra.add(scaled(point, k), *algebra.multiply(point, square), k * c);
    function = algebra.apply(AtomKind::Tanh, argument);
    Polynomial rest =
        *algebra.add(one, *algebra.multiply(*function, *function), -1);
    slope = *algebra.multiply(
        rest, *algebra.add(algebra.constant(k), square, 3 * k * c));
  } else {
    function = algebra.apply(AtomKind::Erf, scaled(point, std::sqrt(0.5)));
    slope = scaled(*algebra.apply(AtomKind::Exp, scaled(square, -0.5)),
                   std::sqrt(2 / pi));
  }
  // (1 + function) / 2 is what x is multiplied with.
  Polynomial share = scaled(*algebra.add(one, *function), 0.5);
  std::optional<Polynomial> y = algebra.multiply(point, share);
  std::optional<Polynomial> derivative =
      algebra.add(share, *algebra.multiply(point, slope), 0.5);
  if (!y || !derivative)
    return std::nullopt;
  return std::pair(*y, *derivative);
}

bool GeluSite::findGradient(const LabelledValue &candidate) {
  RowForms forms(x, axis);
  forms.cut(candidate.first);
  addRegion(forms, fromX);
  addRegion(forms, fromInner);
  LabelledValues fromDy =
      forms.downstream(candidate.first, candidate.second, reach);
  addRegion(forms, fromDy);
  auto own = formulas(forms);
  std::optional<Polynomial> gradient =
      own ? forms.algebra.multiply(
                own->second, forms.form(candidate.first, candidate.second))
          : std::nullopt;
  if (!gradient)
    return false;
  dx = findInputGradients(forms, fromDy, candidate.first, *gradient);
  dy = candidate;
  return !dx.empty();
}

bool GeluSite::find() {
  RowForms forms(x, axis);
  fromX = forms.downstream(x, ownLabels(x), reach);
  Value value = inner->getResult(0);
  if (!fromX.contains(value))
    return false;
  addRegion(forms, fromX);
  auto own = formulas(forms);
  fromInner = forms.downstream(value, fromX.lookup(value), reach);
  addRegion(forms, fromInner);
  if (!own)
    return false;
  for (const auto &[result, labels] : fromInner)
    if (forms.isFull(labels) && !isCopy(result.getDefiningOp()) &&
        forms.algebra.isEqual(forms.form(result, labels), own->first))
      results.emplace_back(result, labels);
  if (results.empty())
    return false;
  for (const LabelledValue &candidate : outerOperands(forms, fromInner))
    if (findGradient(candidate))
      break;
  return isDead(inner);
}

void GeluSite::replace(RecognizedOps &found) const {
  OpBuilder builder(x.getContext());
  setAfter(builder, inner->getResult(0));
  auto gelu = GeluOp::create(builder, locationOf(results.front()), x.getType(),
                             x, approximate);
  replaceResults(gelu.getY());
  ++found.gelus;
  if (!hasGradient())
    return;
  setAfter(builder, {gelu.getY(), dy.first});
  auto gradient =
      GeluGradOp::create(builder, locationOf(dx.front()), x.getType(),
                         asX(builder, dy), x, approximate);
  replaceInputGradients(gradient.getDx());
  ++found.geluGrads;
}

} // namespace

bool mlir::soap::recognize::recognizeGelu(linalg::GenericOp inner,
                                          bool approximate,
                                          RecognizedOps &found) {
  // Values that the function is computed from, the nearest first.
  llvm::SetVector<Value> candidates;
  for (OpOperand *operand : inner.getDpsInputOperands())
    candidates.insert(operand->get());
  constexpr size_t most = 12;
  for (size_t i = 0; i < candidates.size() && candidates.size() < most; ++i)
    if (auto op = candidates[i].getDefiningOp<linalg::GenericOp>())
      for (OpOperand *operand : op.getDpsInputOperands())
        candidates.insert(operand->get());
  for (Value x : candidates) {
    if (!isFloatTensor(x))
      continue;
    GeluSite site(x, inner, approximate);
    if (!site.find())
      continue;
    site.replace(found);
    return true;
  }
  return false;
}
