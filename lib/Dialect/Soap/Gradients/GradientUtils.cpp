//===- GradientUtils.cpp - Helpers of gradient builders -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks, loop correspondences and the small op sequences that several gradients
// need.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::soap;

using ::soap::AccessMap;
using ::soap::DimMap;
using ::soap::IterationSpace;
using ::soap::Term;

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

void mlir::soap::setGradientOf(
    Operation *gradient, Operation *forward,
    ArrayRef<std::pair<StringRef, StringRef>> loopMap) {
  if (Attribute name = forward->getAttr(SoapDialect::kName))
    gradient->setAttr(SoapDialect::kGradOf, name);
  SmallVector<NamedAttribute> entries;
  for (auto [own, forwards] : loopMap)
    if (own != forwards)
      entries.emplace_back(StringAttr::get(gradient->getContext(), own),
                           StringAttr::get(gradient->getContext(), forwards));
  if (!entries.empty())
    gradient->setAttr(SoapDialect::kLoopMap,
                      DictionaryAttr::get(gradient->getContext(), entries));
}

void GradientBuilder::mark(Operation *op, StringRef suffix,
                           ArrayRef<std::pair<StringRef, StringRef>> loopMap) {
  setGradientOf(op, forward, loopMap);
  if (auto name = forward->getAttrOfType<StringAttr>(SoapDialect::kName))
    op->setAttr(SoapDialect::kName,
                builder.getStringAttr(name.getValue() + "." + suffix));
}

//===----------------------------------------------------------------------===//
// Loop correspondence
//===----------------------------------------------------------------------===//

static const AccessMap &accessOf(const IterationSpace &space, unsigned tensor) {
  return tensor < space.operands.size()
             ? space.operands[tensor].map
             : space.results[tensor - space.operands.size()].map;
}

/// The factor of a dim that splitting the dim splits first: largest coefficient
/// among those that can be split.
static const Term &outermost(const DimMap &map, const IterationSpace &space) {
  const Term *best = &map.terms.front();
  for (const Term &term : map.terms) {
    bool cuttable = space.loops[term.loop].extent > 1;
    bool bestCuttable = space.loops[best->loop].extent > 1;
    if (cuttable && (!bestCuttable ||
                     std::abs(term.coefficient) > std::abs(best->coefficient)))
      best = &term;
  }
  return *best;
}

SmallVector<std::pair<std::string, std::string>>
mlir::soap::correspondingLoops(Operation *own, unsigned ownTensor,
                               Operation *forward, unsigned forwardTensor) {
  SmallVector<std::pair<std::string, std::string>> pairs;
  auto ownInterface = dyn_cast<IterationSpaceOpInterface>(own);
  auto forwardInterface = dyn_cast<IterationSpaceOpInterface>(forward);
  if (!ownInterface || !forwardInterface)
    return pairs;
  IterationSpace ownSpace = ownInterface.getIterationSpace();
  IterationSpace forwardSpace = forwardInterface.getIterationSpace();
  const AccessMap &ownMap = accessOf(ownSpace, ownTensor);
  const AccessMap &forwardMap = accessOf(forwardSpace, forwardTensor);
  if (ownMap.size() != forwardMap.size())
    return pairs;
  llvm::SmallSet<int, 8> paired;
  auto pair = [&](const Term &ownTerm, const Term &forwardTerm) {
    if (paired.insert(ownTerm.loop).second)
      pairs.emplace_back(ownSpace.loops[ownTerm.loop].name,
                         forwardSpace.loops[forwardTerm.loop].name);
  };
  auto equal = [&](const Term &ownTerm, const Term &forwardTerm) {
    return ownTerm.coefficient == forwardTerm.coefficient &&
           ownSpace.loops[ownTerm.loop].extent ==
               forwardSpace.loops[forwardTerm.loop].extent;
  };
  for (auto [ownDim, forwardDim] : llvm::zip_equal(ownMap, forwardMap)) {
    if (ownDim.terms.empty() || forwardDim.terms.empty())
      continue;
    // Equal factors of a dim are the same loop; where one side has a factor
    // that the other side splits, splitting it splits the outermost of those.
    bool matched = false;
    for (const Term &ownTerm : ownDim.terms)
      for (const Term &forwardTerm : forwardDim.terms)
        if (equal(ownTerm, forwardTerm)) {
          pair(ownTerm, forwardTerm);
          matched = true;
          break;
        }
    if (!matched)
      pair(outermost(ownDim, ownSpace), outermost(forwardDim, forwardSpace));
  }
  return pairs;
}

void GradientBuilder::matchLoops(Operation *op, unsigned ownTensor,
                                 unsigned forwardTensor) {
  auto pairs = correspondingLoops(op, ownTensor, forward, forwardTensor);
  SmallVector<std::pair<StringRef, StringRef>> views(pairs.begin(),
                                                     pairs.end());
  setGradientOf(op, forward, views);
}

void GradientBuilder::matchLoops(Operation *op, unsigned ownTensor,
                                 ArrayRef<std::string> forwardLoops) {
  IterationSpace space =
      cast<IterationSpaceOpInterface>(op).getIterationSpace();
  SmallVector<std::pair<StringRef, StringRef>> pairs;
  for (auto [dim, loop] :
       llvm::zip_equal(accessOf(space, ownTensor), forwardLoops))
    if (!dim.terms.empty())
      pairs.emplace_back(space.loops[outermost(dim, space).loop].name, loop);
  setGradientOf(op, forward, pairs);
}

//===----------------------------------------------------------------------===//
// Op sequences
//===----------------------------------------------------------------------===//

Value GradientBuilder::reshape(Value value, ArrayRef<int64_t> shape,
                               StringRef suffix) {
  if (shapeOf(value) == shape)
    return value;
  return create<ReshapeOp>(suffix, tensorType(value).clone(shape), value);
}

Value GradientBuilder::likeOperands(Value gradient, Value operand,
                                    unsigned result) {
  Type element = tensorType(operand).getElementType();
  if (tensorType(gradient).getElementType() == element)
    return gradient;
  auto rounded = create<CastOp>("result_grad",
                                tensorType(gradient).clone(element), gradient);
  matchLoops(rounded, 1, result);
  return rounded;
}

Value GradientBuilder::transpose(Value value, ArrayRef<int64_t> permutation,
                                 StringRef suffix) {
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(shapeOf(value)[dim]);
  return create<TransposeOp>(suffix, tensorType(value).clone(shape), value,
                             builder.getDenseI64ArrayAttr(permutation));
}

Value GradientBuilder::splat(double value, RankedTensorType type,
                             StringRef suffix) {
  TypedAttr scalar = builder.getFloatAttr(type.getElementType(), value);
  return create<ConstantOp>(suffix, type,
                            DenseElementsAttr::get(type, Attribute(scalar)));
}

Value GradientBuilder::unbroadcast(Value gradient, ArrayRef<int64_t> shape,
                                   unsigned forwardOperand, StringRef suffix) {
  ArrayRef<int64_t> full = shapeOf(gradient);
  if (full == shape)
    return gradient;
  SmallVector<int64_t> axes, kept;
  int64_t lead = full.size() - shape.size();
  for (auto [dim, extent] : llvm::enumerate(full)) {
    bool repeated =
        int64_t(dim) < lead || (shape[dim - lead] == 1 && extent != 1);
    if (repeated)
      axes.push_back(dim);
    else
      kept.push_back(extent);
  }
  // Leading dims of extent 1 are dropped by the same reduction.
  Value sum = create<ReduceOp>(
      (suffix + "_sum").str(), tensorType(gradient).clone(kept), gradient,
      ReduceKind::Sum, builder.getDenseI64ArrayAttr(axes));
  if (ArrayRef<int64_t>(kept) == shape)
    return sum;
  Value result = reshape(sum, shape, suffix);
  matchLoops(result.getDefiningOp(), 1, forwardOperand);
  return result;
}

Value GradientBuilder::sumAllBut(Value value, int64_t axis, StringRef suffix) {
  SmallVector<int64_t> axes;
  for (int64_t dim = 0, rank = shapeOf(value).size(); dim < rank; ++dim)
    if (dim != axis)
      axes.push_back(dim);
  if (axes.empty())
    return value;
  return create<ReduceOp>(
      suffix, tensorType(value).clone({shapeOf(value)[axis]}), value,
      ReduceKind::Sum, builder.getDenseI64ArrayAttr(axes));
}
