//===- RuntimeSymbols.cpp - What programs call and read -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RuntimeSymbols.h.
//
//===----------------------------------------------------------------------===//

#include "RuntimeSymbols.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::soap;

RuntimeSymbols::RuntimeSymbols(ModuleOp module)
    : module(module), symbols(module) {}

LLVM::LLVMFuncOp RuntimeSymbols::function(StringRef name, ArrayRef<Type> types,
                                          Type result) {
  if (auto known = symbols.lookup<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(module.getContext()), types);
  auto function =
      LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  symbols.insert(function);
  return function;
}

LLVM::GlobalOp RuntimeSymbols::create(StringRef name, Type type,
                                      Attribute value, LLVM::Linkage linkage) {
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto global = LLVM::GlobalOp::create(builder, module.getLoc(), type,
                                       /*isConstant=*/true, linkage, name,
                                       value, /*alignment=*/64);
  symbols.insert(global);
  return global;
}

void RuntimeSymbols::exportArray(StringRef name, ArrayRef<int64_t> values) {
  Builder builder(module.getContext());
  create(name, LLVM::LLVMArrayType::get(builder.getI64Type(), values.size()),
         builder.getI64TensorAttr(values), LLVM::Linkage::External);
}

LLVM::GlobalOp RuntimeSymbols::array(ArrayRef<int64_t> values, StringRef name) {
  Builder builder(module.getContext());
  auto value = builder.getI64TensorAttr(values);
  LLVM::GlobalOp &global = arrays[value];
  if (!global)
    global = create(
        name, LLVM::LLVMArrayType::get(builder.getI64Type(), values.size()),
        value);
  return global;
}

LLVM::GlobalOp RuntimeSymbols::elements(StringRef name, ElementsAttr values) {
  auto type = cast<ShapedType>(values.getShapedType());
  auto row =
      RankedTensorType::get({type.getNumElements()}, type.getElementType());
  Attribute flat = values;
  if (auto dense = dyn_cast<DenseElementsAttr>(values))
    flat = dense.reshape(row);
  else if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    flat = DenseResourceElementsAttr::get(row, resource.getRawHandle());
  return create(
      name,
      LLVM::LLVMArrayType::get(type.getElementType(), type.getNumElements()),
      flat);
}
