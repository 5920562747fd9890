//===- AccessMaps.cpp - Affine maps as access maps ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AccessMaps.h.
//
//===----------------------------------------------------------------------===//

#include "AccessMaps.h"

#include "mlir/IR/AffineExpr.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;
using ::soap::AccessMap;
using ::soap::DimMap;

int64_t LinearExpr::atLow(const ::soap::LoopBox &box) const {
  assert(box.size() == coefficients.size() && "an interval a loop");
  int64_t value = constant;
  for (size_t d = 0; d < coefficients.size(); ++d)
    value += coefficients[d] * box[d].lo;
  return value;
}

std::optional<LinearExpr> mlir::soap::linearOf(AffineExpr expr, unsigned dims) {
  LinearExpr result;
  result.coefficients.resize(dims);
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    result.coefficients[dim.getPosition()] = 1;
    return result;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result.constant = constant.getValue();
    return result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::Add &&
                  expr.getKind() != AffineExprKind::Mul))
    return std::nullopt;
  std::optional<LinearExpr> a = linearOf(binary.getLHS(), dims),
                            b = linearOf(binary.getRHS(), dims);
  if (!a || !b)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    for (unsigned d = 0; d < dims; ++d)
      a->coefficients[d] += b->coefficients[d];
    a->constant += b->constant;
    return a;
  }
  auto isConstant = [](const LinearExpr &linear) {
    return llvm::all_of(linear.coefficients, [](int64_t c) { return c == 0; });
  };
  if (!isConstant(*b))
    std::swap(a, b);
  if (!isConstant(*b))
    return std::nullopt;
  for (int64_t &coefficient : a->coefficients)
    coefficient *= b->constant;
  a->constant *= b->constant;
  return a;
}

static DimMap dimMapOf(const LinearExpr &linear) {
  std::vector<::soap::Term> terms;
  for (auto [d, coefficient] : llvm::enumerate(linear.coefficients))
    if (coefficient)
      terms.push_back({static_cast<int>(d), coefficient});
  if (terms.empty())
    return DimMap::constant(linear.constant);
  if (terms.size() == 1 && terms[0].coefficient == 1 && linear.constant == 0)
    return DimMap::loop(terms[0].loop);
  return DimMap::window(std::move(terms), linear.constant);
}

static void markDims(AffineExpr expr, SmallVectorImpl<bool> &uncut) {
  for (unsigned d = 0; d < uncut.size(); ++d)
    uncut[d] = uncut[d] || expr.isFunctionOfDim(d);
}

AccessMap mlir::soap::operandAccess(AffineMap map,
                                    SmallVectorImpl<bool> &uncut) {
  AccessMap access;
  for (AffineExpr expr : map.getResults()) {
    if (std::optional<LinearExpr> linear = linearOf(expr, map.getNumDims())) {
      access.push_back(dimMapOf(*linear));
      continue;
    }
    access.push_back(DimMap::whole());
    markDims(expr, uncut);
  }
  return access;
}

AccessMap mlir::soap::resultAccess(AffineMap map, ArrayRef<int64_t> shape,
                                   SmallVectorImpl<bool> &uncut) {
  AccessMap access;
  assert(uncut.size() == map.getNumDims() && "a mark a loop");
  SmallVector<bool> seen(map.getNumDims());
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), shape)) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && !seen[dim.getPosition()]) {
      seen[dim.getPosition()] = true;
      access.push_back(DimMap::loop(static_cast<int>(dim.getPosition())));
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0 && extent == 1) {
      access.push_back(DimMap::constant(0));
      continue;
    }
    llvm::fill(uncut, true);
    return AccessMap(shape.size(), DimMap::whole());
  }
  return access;
}

AffineMap mlir::soap::tileMap(AffineMap map, const ::soap::LoopBox &box,
                              const ::soap::Region &region) {
  assert(region.rank() == map.getNumResults() && "the region of an operand");
  SmallVector<AffineExpr> exprs;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    std::optional<LinearExpr> linear = linearOf(expr, map.getNumDims());
    if (!linear) {
      exprs.push_back(expr);
      continue;
    }
    int64_t shift = linear->atLow(box) - region[i].lo() - linear->constant;
    exprs.push_back(shift ? expr + shift : expr);
  }
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                        map.getContext());
}
