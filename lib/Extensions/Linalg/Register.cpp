//===- Register.cpp - linalg programs as Soap models ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, and what all models share.
//
//===----------------------------------------------------------------------===//

#include "Soap/Extensions/Linalg.h"

#include "Models.h"

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::soap;
using ::soap::AccessMap;
using ::soap::DimMap;

std::vector<::soap::Loop> mlir::soap::dimLoops(Type type) {
  std::vector<::soap::Loop> loops;
  for (auto [i, extent] :
       llvm::enumerate(cast<RankedTensorType>(type).getShape()))
    loops.push_back({"d" + std::to_string(i), extent});
  return loops;
}

AccessMap mlir::soap::identityAccess(Type type) {
  AccessMap map;
  for (int64_t d = 0; d < cast<RankedTensorType>(type).getRank(); ++d)
    map.push_back(DimMap::loop(static_cast<int>(d)));
  return map;
}

::soap::IterationSpace mlir::soap::elementwiseSpaceOf(Operation *op) {
  ::soap::IterationSpace space;
  Type type = op->getResult(0).getType();
  space.loops = dimLoops(type);
  space.operands.assign(readOperands(op).size(), {identityAccess(type)});
  space.results.assign(op->getNumResults(), {identityAccess(type)});
  return space;
}

SmallVector<Value> mlir::soap::localOperands(Operation *op, OpBuilder &builder,
                                             ValueRange tiles) {
  SmallVector<Value> operands(op->getNumOperands());
  for (auto [operand, tile] : llvm::zip_equal(readOperands(op), tiles))
    if (operand->getOwner() == op)
      operands[operand->getOperandNumber()] = tile;
  for (auto [own, operand] : llvm::zip_equal(operands, op->getOperands()))
    if (!own && !isa<TensorType>(operand.getType()))
      own = cloneScalar(builder, operand);
  return operands;
}

SmallVector<Type>
mlir::soap::localTypes(Operation *op, ArrayRef<::soap::Region> resultRegions) {
  SmallVector<Type> types;
  for (auto [type, region] :
       llvm::zip_equal(op->getResultTypes(), resultRegions))
    types.push_back(tileType(type, region));
  return types;
}

void mlir::soap::dropSoapAttributes(Operation *local) {
  SmallVector<StringAttr> names;
  for (NamedAttribute attribute : local->getDiscardableAttrs())
    if (attribute.getName().strref().starts_with("soap."))
      names.push_back(attribute.getName());
  for (StringAttr name : names)
    local->removeDiscardableAttr(name);
}

void mlir::soap::registerLinalgExtension(DialectRegistry &registry) {
  registry
      .insert<linalg::LinalgDialect, tensor::TensorDialect, arith::ArithDialect,
              math::MathDialect, cf::ControlFlowDialect, scf::SCFDialect>();
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    // Kernels are written with them.
    context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                         math::MathDialect, memref::MemRefDialect,
                         scf::SCFDialect, tensor::TensorDialect>();
    attachStructuredModels(context);
    attachSoftmaxModel(context);
    attachPackModels(context);
  });
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                         memref::MemRefDialect, scf::SCFDialect>();
    attachTensorModels(context);
    attachGatherModel(context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachElementwiseModels(context, "arith");
    attachConstantModel(context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachElementwiseModels(context, "math");
  });
}
