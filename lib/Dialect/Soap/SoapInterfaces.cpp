//===- SoapInterfaces.cpp - Interfaces of soap ops ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default shard of an op, and the verifier that every op with an iteration
// space has.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#include "Soap/Dialect/Soap/SoapQuantized.h"
#include "Soap/Dialect/Soap/SumAttribute.h"

using namespace mlir;
using namespace mlir::soap;

#include "Soap/Dialect/Soap/SoapInterfaces.cpp.inc"

RankedTensorType mlir::soap::tileType(Type tensor, const TileRegion &region) {
  return RankedTensorType::get(region.shape(),
                               cast<RankedTensorType>(tensor).getElementType());
}

Operation *mlir::soap::localizeDefault(Operation *op, OpBuilder &builder,
                                       ArrayRef<TileRegion> resultRegions,
                                       ValueRange operands) {
  SmallVector<Type> types;
  for (auto [type, region] :
       llvm::zip_equal(op->getResultTypes(), resultRegions))
    types.push_back(tileType(type, region));
  OperationState state(op->getLoc(), op->getName());
  state.addTypes(types);
  for (Value operand : operands)
    if (operand) // Ops that allow empty operands just drop them.
      state.operands.push_back(operand);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  if (Attribute sum = op->getDiscardableAttr(kSumType))
    state.addAttribute(kSumType, sum);
  return builder.create(state);
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

/// Ops whose statistics, and what is one number per channel or row, are f32
/// where the normalized tensor has floats of fewer bits.
static bool hasWideStatistics(Operation *op) {
  return isa<LayerNormOp, LayerNormGradOp, RmsNormOp, RmsNormGradOp,
             BatchNormTrainOp, BatchNormStatsOp, BatchNormApplyOp,
             BatchNormGradOp, BatchNormGradReduceOp, BatchNormGradApplyOp,
             CrossEntropyOp, SoftmaxStatsOp, CrossEntropyLossOp,
             CrossEntropyGradOp, AttentionOp, AttentionPartialOp,
             AttentionResultOp, AttentionGradOp>(op);
}

/// All floating-point operands and results have one element type, except where
/// the op is there to change it.
static LogicalResult verifyElementTypes(Operation *op) {
  if (isa<CastOp, AmaxOp, BlockScalesOp, QuantizeOp, MatmulScaledOp>(op))
    return success();
  Type first;
  SmallVector<Type> types(op->getOperandTypes());
  // Of `soap.sum_type`, which the dialect's verifier checks.
  if (!op->hasAttr(kSumType))
    llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (!isa<FloatType>(element) || (element.isF32() && hasWideStatistics(op)))
      continue;
    if (first && element != first)
      return op->emitOpError()
             << "operands and results must have one floating-point type, got "
             << first << " and " << element;
    first = element;
  }
  return success();
}

/// Result types are the inferred ones. The trait of InferTypeOpInterface checks
/// this too, but after this verifier, and it says less.
static LogicalResult verifyInferredTypes(Operation *op) {
  auto infer = dyn_cast<InferTypeOpInterface>(op);
  if (!infer)
    return success();
  SmallVector<Type> inferred;
  if (failed(infer.inferReturnTypes(
          op->getContext(), op->getLoc(), op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return failure();
  for (auto [i, types] :
       llvm::enumerate(llvm::zip_equal(inferred, op->getResultTypes())))
    if (std::get<0>(types) != std::get<1>(types))
      return op->emitOpError()
             << "result #" << i << " must be " << std::get<0>(types) << ", got "
             << std::get<1>(types);
  return success();
}

/// A map per operand and result, with a `DimMap` per dim, over loops that
/// exist: what the core relies on without checking.
static LogicalResult verifySpace(Operation *op, const IterationSpace &space) {
  auto fits = [&](const AccessMap &map, Type type) {
    if (map.size() != shapeOf(type).size())
      return false;
    for (const DimMap &dim : map)
      for (const Term &term : dim.terms)
        if (term.loop < 0 || term.loop >= static_cast<int>(space.loops.size()))
          return false;
    return true;
  };
  bool valid = space.operands.size() == op->getNumOperands() &&
               space.results.size() == op->getNumResults();
  for (size_t i = 0; valid && i < space.operands.size(); ++i)
    valid = fits(space.operands[i].map, op->getOperand(i).getType());
  for (size_t i = 0; valid && i < space.results.size(); ++i)
    valid = fits(space.results[i].map, op->getResult(i).getType());
  for (const Loop &loop : space.loops)
    valid = valid && loop.extent > 0;
  if (!valid)
    return op->emitOpError() << "has an iteration space that does not fit its "
                                "operands and results";
  return success();
}

LogicalResult mlir::soap::verifyIterationSpaceOp(Operation *op) {
  auto emitError = [&] { return op->emitOpError(); };
  for (Type type : op->getOperandTypes())
    if (failed(checkTensorType(emitError, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(checkTensorType(emitError, type)))
      return failure();
  if (failed(verifyElementTypes(op)) || failed(verifyInferredTypes(op)))
    return failure();
  IterationSpace space =
      cast<IterationSpaceOpInterface>(op).getIterationSpace();
  if (failed(verifySpace(op, space)))
    return failure();

  Attribute attr = op->getDiscardableAttr(SoapDialect::kConfig);
  auto config = dyn_cast_or_null<ConfigAttr>(attr);
  if (!config) // Of another type: the dialect's verifier says so.
    return success();
  std::string error;
  std::optional<::soap::Config> resolved = resolveConfig(config, space, error);
  if (!resolved)
    return op->emitOpError() << "has a bad config: " << error;
  ::soap::ConfigCheck check = ::soap::checkConfig(space, *resolved, -1);
  if (check.fault != ::soap::ConfigFault::None)
    return op->emitOpError() << "has a bad config: " << check.message;
  return success();
}
