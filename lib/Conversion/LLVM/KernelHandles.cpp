//===- KernelHandles.cpp - GPU kernels as constants of a module -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelHandles.h.
//
//===----------------------------------------------------------------------===//

#include "KernelHandles.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

using namespace mlir;
using namespace mlir::soap;

LLVM::LLVMFuncOp mlir::soap::rangeFunction(ParallelCallOp call, ModuleOp module,
                                           OpBuilder &builder) {
  std::string name = (call.getCallee() + "_range").str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(module.getBody());
  Location loc = call.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(call.getContext());
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(call.getContext()), {pointer, i64, i64});
  auto function = LLVM::LLVMFuncOp::create(builder, loc, name, type,
                                           LLVM::Linkage::Internal);
  Block *body = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(body);
  SmallVector<Value> operands;
  for (size_t i = 0; i < call.getBuffers().size(); ++i) {
    Value place = LLVM::GEPOp::create(
        builder, loc, pointer, pointer, body->getArgument(0),
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    operands.push_back(LLVM::LoadOp::create(builder, loc, pointer, place));
  }
  operands.push_back(body->getArgument(1));
  operands.push_back(body->getArgument(2));
  LLVM::CallOp::create(builder, loc, TypeRange(), call.getCallee(), operands);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return function;
}

/// A text that ends with a zero byte, by its value.
static LLVM::GlobalOp textConstant(StringRef text, ModuleOp module,
                                   OpBuilder &builder) {
  std::string name = (text + "_name").str();
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  std::string bytes = text.str() + '\0';
  return LLVM::GlobalOp::create(
      builder, module.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size()),
      /*isConstant=*/true, LLVM::Linkage::Private, name,
      builder.getStringAttr(bytes));
}

FailureOr<LLVM::GlobalOp> mlir::soap::kernelHandle(ParallelCallOp call,
                                                   ModuleOp module,
                                                   bool hostReferences) {
  auto kernel = call->getAttrOfType<SymbolRefAttr>(kGpuKernel);
  if (!kernel)
    return call.emitOpError("'")
           << call.getCallee()
           << "' has no GPU kernel: expected --soap-kernels-to-gpu before";
  // Equal kernels are one, their host references are merged later.
  std::string name = (call.getCallee() + "_handle").str();
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  Location loc = module.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(call.getContext());
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMStructType::getLiteral(
      call.getContext(), {pointer, pointer, i64, i64, i64});
  LLVM::GlobalOp text =
      textConstant(kernel.getLeafReference(), module, builder);
  LLVM::LLVMFuncOp range;
  if (hostReferences)
    range = rangeFunction(call, module, builder);
  auto handle =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  builder.createBlock(&handle.getInitializerRegion());
  Value fields[] = {
      LLVM::AddressOfOp::create(builder, loc, text),
      range ? Value(LLVM::AddressOfOp::create(builder, loc, range))
            : Value(LLVM::ZeroOp::create(builder, loc, pointer)),
      LLVM::ConstantOp::create(builder, loc, i64, call.getExtentAttr()),
      LLVM::ConstantOp::create(builder, loc, i64, call.getGrainAttr()),
      LLVM::ConstantOp::create(builder, loc, i64,
                               builder.getI64IntegerAttr(static_cast<int64_t>(
                                   call.getBuffers().size())))};
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [i, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(builder, loc, value, field,
                                        static_cast<int64_t>(i));
  LLVM::ReturnOp::create(builder, loc, value);
  return handle;
}
