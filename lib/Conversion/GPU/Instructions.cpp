//===- Instructions.cpp - Functions that GPUs have as instructions --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Instructions.h.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace {

/// Null if there is no instruction.
Value instructionFor(OpBuilder &builder, LLVM::CallOp call) {
  StringRef name = call.getCallee().value_or("");
  if (!name.consume_front("__nv_") || call.getNumResults() != 1)
    return nullptr;
  Location loc = call.getLoc();
  Type type = call.getResult().getType();
  ValueRange x = call.getArgOperands();
  if (!type.isF32() && !type.isF64())
    return nullptr;
  // The names of functions of f32 end in f, as in C.
  if (type.isF32() && !name.consume_back("f"))
    return nullptr;
  if (name == "fabs")
    return LLVM::FAbsOp::create(builder, loc, type, x[0]);
  if (name == "ceil")
    return LLVM::FCeilOp::create(builder, loc, type, x[0]);
  if (name == "copysign")
    return LLVM::CopySignOp::create(builder, loc, type, x[0], x[1]);
  // ex2.approx; of f64 there is none.
  if (name == "exp2" && type.isF32())
    return LLVM::Exp2Op::create(builder, loc, type, x[0]);
  if (name == "floor")
    return LLVM::FFloorOp::create(builder, loc, type, x[0]);
  if (name == "fma")
    return LLVM::FMAOp::create(builder, loc, type, x[0], x[1], x[2]);
  if (name == "sqrt")
    return LLVM::SqrtOp::create(builder, loc, type, x[0]);
  if (name == "trunc")
    return LLVM::FTruncOp::create(builder, loc, type, x[0]);
  if (name == "rsqrt") {
    Value one = LLVM::ConstantOp::create(builder, loc, type,
                                         builder.getFloatAttr(type, 1.0));
    Value root = LLVM::SqrtOp::create(builder, loc, type, x[0]);
    return LLVM::FDivOp::create(builder, loc, one, root);
  }
  return nullptr;
}

} // namespace

void mlir::soap::useInstructions(Operation *gpuModule) {
  gpuModule->walk([](LLVM::CallOp call) {
    OpBuilder builder(call);
    if (Value value = instructionFor(builder, call)) {
      call.getResult().replaceAllUsesWith(value);
      call.erase();
    }
  });
}
