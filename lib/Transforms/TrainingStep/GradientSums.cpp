//===- GradientSums.cpp - Sums of 16-bit gradients in f32 -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the conversion at the end of a gradient backwards through the ops that
// move, scale or add it, to the ops that sum over samples. Ops are changed in
// place. Whoever else reads a result that got wide reads it rounded.
//
//===----------------------------------------------------------------------===//

#include "GradientSums.h"

#include "Soap/Dialect/Soap/LoopCorrespondence.h"
#include "Soap/Dialect/Soap/SumAttribute.h"

using namespace mlir;
using namespace mlir::soap;

bool mlir::soap::hasNarrowFloats(Value value) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(value.getType()));
  return element && element.getWidth() < 32;
}

/// Ops whose result is as wide as what they read, for little: they have no
/// product that tensor cores compute.
static bool followsOperands(Operation *op) {
  return isa<AccumulateOp, TransposeOp, ReshapeOp, SliceOp, PadOp, ConcatOp,
             BroadcastOp, ReduceOp, ScaleOp, NegOp, AddOp, SubOp, MulOp, DivOp,
             WhereOp, ReluGradOp, TanhGradOp, SigmoidGradOp, SqrtGradOp,
             ErfGradOp, GeluGradOp, SwiGLUGradOp>(op);
}

GradientSums::GradientSums(Block &block,
                           llvm::function_ref<bool(BlockArgument)> hasSamples,
                           OpMaker::Namer setName)
    : builder(block.getParent()->getContext()), block(block),
      setName(std::move(setName)) {
  llvm::DenseSet<Value> samples;
  for (BlockArgument argument : block.getArguments())
    if (hasSamples(argument))
      samples.insert(argument);
  for (Operation &op : block) {
    if (op.hasAttr(SoapDialect::kGradOf))
      continue;
    if (llvm::any_of(op.getOperands(),
                     [&](Value value) { return samples.contains(value); })) {
      ofSamples.insert(&op);
      samples.insert_range(op.getResults());
    }
    if (Attribute name = op.getAttr(SoapDialect::kName))
      forwardOps[name] = &op;
  }
}

Operation *GradientSums::forwardOf(Operation *op) const {
  Attribute name = op->getAttr(SoapDialect::kGradOf);
  return name ? forwardOps.lookup(name) : nullptr;
}

/// Sums of several contributions are marked as of the op that makes the value.
bool GradientSums::isGradientOf(Operation *op, Origins origins) const {
  Operation *forward = op ? forwardOf(op) : nullptr;
  return forward && llvm::any_of(origins, [&](Value value) {
           return value.getDefiningOp() == forward ||
                  llvm::is_contained(forward->getOperands(), value);
         });
}

bool GradientSums::isOfWeights(Operation *forward) const {
  return !ofSamples.contains(forward);
}

llvm::DenseMap<Value, Value> GradientSums::widenConversions() {
  SmallVector<CastOp> ends;
  for (auto cast : block.getOps<CastOp>())
    if (Operation *forward = forwardOf(cast);
        isa_and_nonnull<CastOp>(forward) && isOfWeights(forward) &&
        hasNarrowFloats(cast.getX()) && OpMaker::elementOf(cast.getY()).isF32())
      ends.push_back(cast);
  llvm::DenseMap<Value, Value> replaced;
  for (CastOp cast : ends)
    if (Value wide = widen(cast.getX(), forwardOf(cast)->getResults())) {
      cast.getY().replaceAllUsesWith(wide);
      conversions.push_back(cast);
      replaced[cast.getY()] = wide;
    }
  return replaced;
}

Value GradientSums::roundedOnce(Value gradient, Value weight) {
  Operation *op = gradient.getDefiningOp();
  if (!hasNarrowFloats(gradient) || !widen(gradient, weight) ||
      hasNarrowFloats(op->getResult(0)))
    return gradient;
  for (CastOp conversion : conversions)
    if (conversion.getX() == op->getResult(0)) {
      wanted.insert(conversion);
      return conversion.getY();
    }
  return gradient;
}

void GradientSums::eraseUnused() {
  for (CastOp conversion : llvm::reverse(conversions))
    if (conversion->use_empty() && !wanted.contains(conversion))
      conversion->erase();
}

/// The same gradient in f32; null if it is not known how to sum it so.
Value GradientSums::widen(Value gradient, Origins origins) {
  if (!hasNarrowFloats(gradient))
    return gradient;
  Operation *op = gradient.getDefiningOp();
  if (!isGradientOf(op, origins) || op->getNumResults() != 1)
    return {};
  if (auto rounding = dyn_cast<CastOp>(op))
    return OpMaker::elementOf(rounding.getX()).isF32() ? rounding.getX()
                                                       : Value();
  bool ofWeights = isOfWeights(forwardOf(op));
  if (ofWeights && !followsOperands(op))
    roundOperands(op, origins);
  // Between samples and weights: the op that sums.
  if (mayHaveSumType(op) && !(ofWeights && followsOperands(op))) {
    op->setAttr(kSumType, TypeAttr::get(builder.getF32Type()));
    return setWide(op);
  }
  if (!followsOperands(op))
    return {};
  for (OpOperand &operand : op->getOpOperands())
    if (hasNarrowFloats(operand.get())) {
      Value wide = widenOperand(operand, origins);
      operand.set(wide ? wide : converted(operand));
    }
  return setWide(op);
}

/// An operand is a gradient of the same values, or of results of the op that
/// it belongs to.
Value GradientSums::widenOperand(OpOperand &operand, Origins origins) {
  Operation *maker = operand.get().getDefiningOp();
  if (isGradientOf(maker, origins))
    return widen(operand.get(), origins);
  Operation *forward = forwardOf(operand.getOwner());
  if (isOfWeights(forward) && isGradientOf(maker, forward->getResults()))
    return widen(operand.get(), forward->getResults());
  return {};
}

/// An op that computes with gradients of weights in 16 bits, as a product of
/// weights, reads sums that have been rounded once.
void GradientSums::roundOperands(Operation *op, Origins origins) {
  for (OpOperand &operand : op->getOpOperands())
    if (hasNarrowFloats(operand.get()))
      widenOperand(operand, origins);
}

/// Sets the type of the op's result to f32. All that read it so far read it
/// rounded.
Value GradientSums::setWide(Operation *op) {
  Value result = op->getResult(0);
  auto narrow = cast<RankedTensorType>(result.getType());
  result.setType(narrow.clone(Type(builder.getF32Type())));
  builder.setInsertionPointAfter(op);
  auto rounded =
      CastOp::create(builder, op->getLoc(), result, narrow.getElementType());
  mark(rounded, 0, op, op->getNumOperands(), "rounded");
  result.replaceAllUsesExcept(rounded.getY(), rounded);
  conversions.push_back(rounded);
  return result;
}

Value GradientSums::converted(OpOperand &operand) {
  Operation *op = operand.getOwner();
  builder.setInsertionPoint(op);
  auto wide = CastOp::create(builder, op->getLoc(), operand.get(),
                             Type(builder.getF32Type()));
  mark(wide, 1, op, operand.getOperandNumber(), "wide");
  return wide.getY();
}

void GradientSums::mark(CastOp conversion, unsigned tensor, Operation *op,
                        unsigned opTensor, StringRef suffix) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  setName(conversion,
          ((name ? name.getValue() : "gradient") + "." + suffix).str());
  // Loops of the op as loops of its forward op.
  auto loops = op->getAttrOfType<DictionaryAttr>(SoapDialect::kLoopMap);
  auto pairs = correspondingLoops(conversion, tensor, op, opTensor);
  for (auto &[own, other] : pairs)
    if (auto known = loops ? loops.getAs<StringAttr>(other) : StringAttr())
      other = known.str();
  SmallVector<std::pair<StringRef, StringRef>> views(pairs.begin(),
                                                     pairs.end());
  setGradientOf(conversion, forwardOf(op), views);
}
