//===- FoldSupport.cpp - What canonicalization may replace ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that a strategy, a gradient or a task refers to stay as they are.
//
//===----------------------------------------------------------------------===//

#include "FoldSupport.h"

#include "Soap/Dialect/Soap/ReuseAttributes.h"

using namespace mlir;
using namespace mlir::soap;

/// Whether an op of the same function is a gradient or an update of the op
/// `name`.
static bool hasReference(Operation *op, StringAttr name) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  if (!function)
    return false;
  auto refers = [&](Operation *other) {
    return other->getAttr(SoapDialect::kGradOf) == name ||
           other->getAttr(kRecomputeOf) == name ||
           other->getAttr(SoapDialect::kUpdateOf) == name;
  };
  return function
      .walk([&](Operation *other) {
        return refers(other) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mlir::soap::mayReplace(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (attribute.getName() != SoapDialect::kName)
      return false;
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return !name || !hasReference(op, name);
}

void mlir::soap::replaceNamed(PatternRewriter &rewriter, Operation *op,
                              Operation *other) {
  if (Attribute name = op->getAttr(SoapDialect::kName))
    other->setAttr(SoapDialect::kName, name);
  rewriter.replaceOp(op, other->getResults());
}

DenseElementsAttr mlir::soap::constantElements(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                  : DenseElementsAttr();
}

bool mlir::soap::isConstantOf(Value value, double number) {
  DenseElementsAttr elements = constantElements(value);
  if (!elements || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return false;
  auto found = elements.getSplatValue<APFloat>();
  APFloat expected(number);
  bool isInexact = false;
  expected.convert(found.getSemantics(), APFloat::rmNearestTiesToEven,
                   &isInexact);
  return !isInexact && found.bitwiseIsEqual(expected);
}
