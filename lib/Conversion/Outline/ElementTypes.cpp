//===- ElementTypes.cpp - Types that programs compute with ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ElementTypes.h.
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapQuantized.h"

using namespace mlir;
using namespace mlir::soap;

/// Floats that LLVM computes with on this kind of machine, and integers.
static bool isComputed(Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return true;
  unsigned bits = isa<IntegerType>(type) ? type.getIntOrFloatBitWidth() : 0;
  return bits >= 8 && bits <= 64 && bits % 8 == 0;
}

/// Ops of the soap dialect that only move elements: booleans, too, which are a
/// byte in memory.
static bool onlyMoves(Operation *op) {
  return isa<SendOp, RecvOp, AssembleOp>(op);
}

/// Ops with kernels of 8-bit floats: those that make and read them, and those
/// that move bytes.
static bool takesScaled(Operation *op) {
  return isa<QuantizeOp, BlockScalesOp, MatmulScaledOp, DequantizeOp,
             ReshapeOp>(op) ||
         onlyMoves(op) || isCollective(op);
}

/// Types of tensors that the runtime initializes, loads and stores.
static bool isHeld(Type type) {
  return type.isF32() || type.isF64() || type.isF16() || type.isBF16() ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

LogicalResult mlir::soap::checkComputedTypes(func::FuncOp program) {
  WalkResult result = program.walk([](Operation *op) {
    if (!isa_and_nonnull<SoapDialect>(op->getDialect()))
      return WalkResult::advance();
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || isComputed(tensor.getElementType()) ||
          (onlyMoves(op) && tensor.getElementType().isInteger(1)) ||
          (isScaledElement(tensor.getElementType()) && takesScaled(op)))
        continue;
      emitError(op->getLoc())
          << "element type " << tensor.getElementType()
          << " has no lowering: expected f16, bf16, f32, f64 or an integer of "
             "whole bytes, up to i64";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::soap::checkTensorTypes(ModuleOp module) {
  auto programs = module->getAttrOfType<ArrayAttr>(SoapDialect::kPrograms);
  if (!programs)
    return success();
  // A type that the table lacks is diagnosed where the manifest is written.
  for (auto entry : programs.getAsRange<DictionaryAttr>()) {
    auto tensors = entry.getAs<ArrayAttr>("tensors");
    if (!tensors)
      continue;
    for (Attribute row : tensors) {
      auto tensor = dyn_cast<DictionaryAttr>(row);
      auto type = tensor ? tensor.getAs<TypeAttr>("type") : TypeAttr();
      auto ranked = type ? dyn_cast<RankedTensorType>(type.getValue())
                         : RankedTensorType();
      if (!ranked || isHeld(ranked.getElementType()))
        continue;
      auto name = tensor.getAs<StringAttr>("name"),
           entryName = entry.getAs<StringAttr>("entry");
      return module.emitError("tensor '")
             << (name ? name.getValue() : "") << "' of '@"
             << (entryName ? entryName.getValue() : "") << "' has elements of "
             << ranked.getElementType()
             << ", which programs can not be given and can not return: "
                "expected f32, f64, f16, bf16, i32 or i64";
    }
  }
  return success();
}
