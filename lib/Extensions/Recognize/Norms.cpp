//===- Norms.cpp - Layer norm, RMS norm and their gradients ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Norms along the last dim, found from the root of the variance.
//
//===----------------------------------------------------------------------===//

#include "Site.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::recognize;

namespace {

class NormSite : public Site {
public:
  /// `centers` for layer norm. `root` is the op of the root.
  NormSite(Value operand, bool centers, Operation *root)
      : centers(centers), root(root) {
    x = operand;
    axis = static_cast<int>(shapeOf(x).size()) - 1;
  }

  bool find();
  void replace(RecognizedOps &found) const;

private:
  bool centers;
  Operation *root;
  double epsilon = 0;
  LabelledValues fromX, fromRoot;
  LabelledValue gamma, beta;

  /// Mean, 1 / root of the variance, and the normalized x.
  struct Parts {
    Polynomial mean, rstd, xhat;
  };
  /// None if the root is not that of a variance. Afterwards powers of the
  /// variance merge.
  std::optional<Parts> parts(RowForms &forms);
  bool findResults(RowForms &forms, const Parts &own);
  bool findGradient(const LabelledValue &candidate);
  bool isDeadWithout() const;
  /// Sums over all rows of the values of an op.
  void findRowSums(RowForms &forms, const LabelledValues &values,
                   const Polynomial &expected,
                   std::vector<LabelledValue> &sums) const;
};

std::optional<NormSite::Parts> NormSite::parts(RowForms &forms) {
  Algebra &algebra = forms.algebra;
  Labels labels = fromX.lookup(root->getResult(0));
  Polynomial form = forms.form(root->getResult(0), labels);
  if (form.size() != 1 || form.begin()->first.size() != 1 ||
      form.begin()->second != 1)
    return std::nullopt;
  Atom atom = algebra.atom(form.begin()->first[0].first);
  if (atom.kind != AtomKind::Power && atom.kind != AtomKind::Base)
    return std::nullopt;
  // Of variance + epsilon.
  double n = static_cast<double>(shapeOf(x)[axis]);
  Polynomial point = forms.form(x, ownLabels(x));
  Parts own;
  if (centers)
    own.mean = *algebra.multiply(*algebra.sum(point), algebra.constant(1 / n));
  Polynomial square = *algebra.multiply(point, point);
  Polynomial meanSquare =
      *algebra.multiply(*algebra.sum(square), algebra.constant(1 / n));
  Polynomial variance =
      *algebra.add(meanSquare, *algebra.multiply(own.mean, own.mean), -1);
  std::optional<Polynomial> rest = algebra.add(atom.argument, variance, -1);
  if (!rest || rest->size() != 1 || !rest->begin()->first.empty() ||
      rest->begin()->second <= 0 || atom.argument.size() != variance.size() + 1)
    return std::nullopt;
  epsilon = rest->begin()->second;
  algebra.assumePositive(atom.argument);
  forms.forget();
  own.rstd = *algebra.power(atom.argument, -1);
  own.xhat = *algebra.multiply(*algebra.add(point, own.mean, -1), own.rstd);
  return own;
}

bool NormSite::findResults(RowForms &forms, const Parts &own) {
  Algebra &algebra = forms.algebra;
  // The result with a factor, and with an offset, takes the others' place.
  int best = -1;
  for (const auto &[value, labels] : fromRoot) {
    if (!forms.isFull(labels) || isCopy(value.getDefiningOp()))
      continue;
    Polynomial form = forms.form(value, labels);
    std::vector<LabelledValue> factors{{}};
    for (const auto &[monomial, coefficient] : form)
      for (auto [number, exponent] : monomial) {
        const Atom &atom = algebra.atom(number);
        LabelledValue tensor{atom.value, atom.labels};
        if (atom.kind == AtomKind::Tensor && isFloatTensor(atom.value) &&
            llvm::is_contained(atom.labels, axis) &&
            llvm::all_of(atom.labels,
                         [&](int l) { return l == axis || l == -1; }) &&
            !llvm::is_contained(factors, tensor))
          factors.push_back(tensor);
      }
    for (const LabelledValue &factor : factors) {
      std::optional<Polynomial> scaled =
          factor.first ? algebra.multiply(
                             own.xhat, forms.form(factor.first, factor.second))
                       : std::optional(own.xhat);
      for (const LabelledValue &offset : factors) {
        if (offset.first && !centers)
          continue;
        std::optional<Polynomial> y =
            scaled && offset.first
                ? algebra.add(*scaled, forms.form(offset.first, offset.second))
                : scaled;
        int rank = (factor.first ? 1 : 0) + (offset.first ? 2 : 0);
        if (!y || rank < best || !algebra.isEqual(*y, form))
          continue;
        if (rank > best) {
          results.clear();
          gamma = factor;
          beta = offset;
          best = rank;
        }
        if (factor == gamma && offset == beta)
          results.emplace_back(value, labels);
      }
    }
  }
  return best >= 0;
}

void NormSite::findRowSums(RowForms &forms, const LabelledValues &values,
                           const Polynomial &expected,
                           std::vector<LabelledValue> &sums) const {
  for (const auto &[value, labels] : values) {
    if (!forms.isFull(labels) ||
        !forms.algebra.isEqual(forms.form(value, labels), expected))
      continue;
    for (Operation *user : value.getUsers()) {
      auto sum = dyn_cast<linalg::GenericOp>(user);
      if (!sum || sum.getNumDpsInputs() != 1 || sum.getNumResults() != 1 ||
          !isFloatTensor(sum->getResult(0)) ||
          splatOf(sum.getDpsInits()[0]) != 0.0)
        continue;
      Operation *fold =
          sum.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
      Block *block = sum.getBlock();
      if (!isa_and_nonnull<arith::AddFOp>(fold) ||
          !llvm::is_contained(fold->getOperands(), block->getArgument(0)) ||
          !llvm::is_contained(fold->getOperands(), block->getArgument(1)))
        continue;
      // The loop of the axis is kept, all others are summed.
      SmallVector<AffineMap> maps = sum.getIndexingMapsArray();
      SmallVector<utils::IteratorType> kinds = sum.getIteratorTypesArray();
      SmallVector<int64_t> extents = sum.getStaticLoopRanges();
      bool fits = maps[0].isProjectedPermutation();
      std::optional<unsigned> kept;
      for (auto [expr, label] : llvm::zip_equal(maps[0].getResults(), labels)) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (label < 0)
          continue;
        fits = fits && loop;
        if (fits && label == axis)
          kept = loop.getPosition();
        if (fits)
          fits = (kinds[loop.getPosition()] == utils::IteratorType::parallel) ==
                 (label == axis);
      }
      Labels own;
      for (AffineExpr expr : maps[1].getResults()) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        fits = fits && loop;
        own.push_back(fits && kept == loop.getPosition() ? axis : -1);
        fits = fits && (own.back() == axis || extents[loop.getPosition()] == 1);
      }
      if (fits && kept && llvm::is_contained(own, axis))
        sums.emplace_back(sum->getResult(0), own);
    }
  }
}

bool NormSite::findGradient(const LabelledValue &candidate) {
  RowForms forms(x, axis);
  forms.cut(candidate.first);
  if (gamma.first)
    forms.cut(gamma.first);
  addRegion(forms, fromX);
  addRegion(forms, fromRoot);
  LabelledValues fromDy =
      forms.downstream(candidate.first, candidate.second, reach);
  addRegion(forms, fromDy);
  std::optional<Parts> own = parts(forms);
  if (!own)
    return false;
  Algebra &algebra = forms.algebra;
  Polynomial inverse =
      algebra.constant(1 / static_cast<double>(shapeOf(x)[axis]));
  Polynomial d = forms.form(candidate.first, candidate.second);
  std::optional<Polynomial> g =
      gamma.first ? algebra.multiply(d, forms.form(gamma.first, gamma.second))
                  : d;
  auto mean = [&](const std::optional<Polynomial> &a) {
    std::optional<Polynomial> sum = a ? algebra.sum(*a) : std::nullopt;
    return sum ? algebra.multiply(*sum, inverse) : std::nullopt;
  };
  // rstd * (g - mean of g - xhat * mean of g * xhat)
  std::optional<Polynomial> product =
      mean(g ? algebra.multiply(*g, own->xhat) : std::nullopt);
  std::optional<Polynomial> inner =
      product ? algebra.multiply(own->xhat, *product) : std::nullopt;
  if (inner)
    inner = algebra.add(*g, *inner, -1);
  if (inner && centers) {
    std::optional<Polynomial> middle = mean(g);
    inner = middle ? algebra.add(*inner, *middle, -1) : std::nullopt;
  }
  std::optional<Polynomial> gradient =
      inner ? algebra.multiply(own->rstd, *inner) : std::nullopt;
  if (!gradient)
    return false;
  dgamma.clear();
  dbeta.clear();
  dx = findInputGradients(forms, fromDy, candidate.first, *gradient);
  if (dx.empty())
    return false;
  dy = candidate;
  if (gamma.first)
    findRowSums(forms, fromDy, *algebra.multiply(d, own->xhat), dgamma);
  if (beta.first)
    findRowSums(forms, fromDy, d, dbeta);
  return true;
}

/// Nothing needs the root, nor what it is the root of.
bool NormSite::isDeadWithout() const {
  Operation *variance = root->getOperand(0).getDefiningOp();
  return isDead(root) && variance && isDead(variance);
}

bool NormSite::find() {
  RowForms forms(x, axis);
  fromX = forms.downstream(x, ownLabels(x), reach);
  if (!fromX.contains(root->getResult(0)))
    return false;
  addRegion(forms, fromX);
  std::optional<Parts> own = parts(forms);
  if (!own)
    return false;
  Value value = root->getResult(0);
  fromRoot = forms.downstream(value, fromX.lookup(value), reach);
  addRegion(forms, fromRoot);
  if (!findResults(forms, *own))
    return false;
  if (isDeadWithout())
    return true;
  std::vector<LabelledValue> candidates = outerOperands(forms, fromRoot);
  // A gradient that is scaled before anything else: what it is scaled from.
  for (size_t i = 0, count = candidates.size(); i < count; ++i)
    if (auto scaled = scaledOperand(forms, candidates[i]))
      candidates.push_back(*scaled);
  for (const LabelledValue &candidate : candidates)
    if (findGradient(candidate) && isDeadWithout())
      return true;
  return false;
}

void NormSite::replace(RecognizedOps &found) const {
  OpBuilder builder(x.getContext());
  setAfter(builder, {root->getResult(0), gamma.first, beta.first});
  Location loc = locationOf(results.front());
  auto type = cast<RankedTensorType>(x.getType());
  auto rowType =
      RankedTensorType::get(type.getShape().take_back(), type.getElementType());
  auto parameter = [&](const LabelledValue &value, double missing) -> Value {
    if (value.first)
      return asAxis(builder, value);
    auto element = builder.getFloatAttr(type.getElementType(), missing);
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(rowType, element));
  };
  Value factor = parameter(gamma, 1), y, mean, rstd;
  IntegerAttr dim = builder.getI64IntegerAttr(axis);
  FloatAttr added = builder.getF64FloatAttr(epsilon);
  if (centers) {
    Value offset = parameter(beta, 0);
    auto norm =
        LayerNormOp::create(builder, loc, x, factor, offset, dim, added);
    y = norm.getY();
    mean = norm.getMean();
    rstd = norm.getRstd();
    ++found.layerNorms;
  } else {
    auto norm = RmsNormOp::create(builder, loc, x, factor, dim, added);
    y = norm.getY();
    rstd = norm.getRstd();
    ++found.rmsNorms;
  }
  replaceResults(y);
  if (!hasGradient())
    return;
  setAfter(builder, {y, dy.first});
  Value dOut = asX(builder, dy);
  Location gradientLoc = locationOf(dx.front());
  if (centers) {
    auto gradient =
        LayerNormGradOp::create(builder, gradientLoc, type, rowType, rowType,
                                dOut, x, mean, rstd, factor, dim);
    replaceInputGradients(gradient.getDx());
    replaceAlongAxis(dgamma, gradient.getDgamma());
    replaceAlongAxis(dbeta, gradient.getDbeta());
    ++found.layerNormGrads;
    return;
  }
  auto gradient = RmsNormGradOp::create(builder, gradientLoc, type, rowType,
                                        dOut, x, rstd, factor, dim);
  replaceInputGradients(gradient.getDx());
  replaceAlongAxis(dgamma, gradient.getDgamma());
  ++found.rmsNormGrads;
}

} // namespace

bool mlir::soap::recognize::recognizeNorm(linalg::GenericOp root,
                                          RecognizedOps &found) {
  // Values that the root is computed from, the nearest first.
  llvm::SetVector<Value> candidates;
  candidates.insert(root->getResult(0));
  constexpr size_t most = 24;
  for (size_t i = 0; i < candidates.size() && candidates.size() < most; ++i)
    if (auto op = candidates[i].getDefiningOp<linalg::GenericOp>())
      for (OpOperand *operand : op.getDpsInputOperands())
        candidates.insert(operand->get());
  for (bool centers : {true, false})
    for (Value x : candidates) {
      if (!isFloatTensor(x) || shapeOf(x).back() < 2 ||
          x.getType() == root->getResult(0).getType())
        continue;
      NormSite site(x, centers, root);
      if (!site.find())
        continue;
      site.replace(found);
      return true;
    }
  return false;
}
