//===- Empty.cpp - Tensors without elements -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No op of Soap has a dim of extent 0. Programs have such tensors for a while:
// where a recursion ends, they join nothing to something.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

bool shlo::isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         llvm::is_contained(tensor.getShape(), 0);
}

/// Every element of a result is the only one of an operand.
static LogicalResult spread(Importer &importer, Operation *op, unsigned result,
                            unsigned operand) {
  RankedTensorType type = importer.resultType(op, result);
  TensorRef number = importer.get(op, operand);
  if (!type)
    return failure();
  if (number->type.getRank() != 0)
    return importer.error(op)
           << "has a value of type " << op->getOperand(operand).getType()
           << ", expected a tensor of rank 0";
  return importer.set(
      op, result,
      importer.view(number, type.getShape(),
                    AffineMap::get(type.getRank(), 0, importer.context())));
}

FailureOr<bool> shlo::importEmpty(Importer &importer, Operation *op) {
  if (op->getNumResults() > 0 &&
      llvm::all_of(op->getResultTypes(),
                   [](Type type) { return isEmpty(type); })) {
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      RankedTensorType type = importer.typeOf(op, op->getResult(i).getType(),
                                              /*mayBeEmpty=*/true);
      if (!type)
        return failure();
      auto none = std::make_shared<ImportedTensor>();
      none->type = type;
      none->constant = DenseElementsAttr::get(type, ArrayRef<Attribute>());
      if (failed(importer.set(op, i, none)))
        return failure();
    }
    return true;
  }
  if (llvm::none_of(op->getOperands(), [&](Value operand) {
        return isEmpty(importer.get(operand)->type);
      }))
    return false;
  StringRef name = op->getName().getStringRef();
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  // Ops that join, hand on or call look at each operand themselves.
  if (name == "stablehlo.concatenate" ||
      name == "stablehlo.optimization_barrier" || name == "func.call" ||
      name == "stablehlo.composite" || name == "stablehlo.while")
    return false;
  if (name == "stablehlo.pad" && op->getNumOperands() == 2)
    return done(spread(importer, op, 0, 1));
  if (name == "stablehlo.reduce" &&
      op->getNumOperands() == 2 * op->getNumResults()) {
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (failed(spread(importer, op, i, op->getNumResults() + i)))
        return failure();
    return true;
  }
  if (name == "stablehlo.dot_general") {
    RankedTensorType type = importer.resultType(op);
    if (!type)
      return failure();
    return done(importer.set(
        op, 0,
        importer.splat(
            type,
            Builder(importer.context()).getZeroAttr(type.getElementType()))));
  }
  if (name == "stablehlo.dynamic_update_slice" || name == "stablehlo.scatter")
    if (op->getNumResults() == 1 && !isEmpty(importer.get(op, 0)->type))
      return done(importer.set(op, 0, importer.get(op, 0)));
  importer.error(op) << "has an operand without elements, which is not "
                        "supported there";
  return failure();
}
