//===- KernelPatterns.cpp - Kernels as LLVM functions ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KernelPatterns.h.
//
//===----------------------------------------------------------------------===//

#include "KernelPatterns.h"

#include "KernelHandles.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::soap;

void mlir::soap::addBufferConversion(LLVMTypeConverter &converter) {
  converter.addConversion([](MemRefType type) -> std::optional<Type> {
    if (!type.hasStaticShape() || !type.getLayout().isIdentity())
      return std::nullopt;
    return LLVM::LLVMPointerType::get(type.getContext());
  });
}

namespace {

/// The type of elements in memory: LLVM has no 8-bit floats.
Type elementOf(MemRefType type) {
  Type element = type.getElementType();
  bool isFloat8 = isa<FloatType>(element) && type.getElementTypeBitWidth() == 8;
  return isFloat8 ? IntegerType::get(type.getContext(), 8) : element;
}

/// Address of an element.
Value elementAddress(OpBuilder &builder, Location loc, MemRefType type,
                     Value base, ValueRange indices) {
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, i64,
                                    builder.getI64IntegerAttr(value));
  };
  Value position;
  int64_t stride = 1;
  auto wraps = LLVM::IntegerOverflowFlags::nsw;
  for (size_t d = indices.size(); d-- > 0;) {
    Value term = indices[d];
    if (type.getDimSize(d) != 1) {
      if (stride != 1)
        term = LLVM::MulOp::create(builder, loc, term, constant(stride), wraps);
      position = position
                     ? LLVM::AddOp::create(builder, loc, position, term, wraps)
                     : term;
    }
    stride *= type.getDimSize(d);
  }
  if (!position)
    return base;
  return LLVM::GEPOp::create(builder, loc, base.getType(), elementOf(type),
                             base, ArrayRef<LLVM::GEPArg>{position},
                             LLVM::GEPNoWrapFlags::inbounds);
}

struct LoadPattern : public ConvertOpToLLVMPattern<memref::LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value address = elementAddress(rewriter, op.getLoc(), op.getMemRefType(),
                                   adaptor.getMemref(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, elementOf(op.getMemRefType()),
                                              address);
    return success();
  }
};

struct StorePattern : public ConvertOpToLLVMPattern<memref::StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value address = elementAddress(rewriter, op.getLoc(), op.getMemRefType(),
                                   adaptor.getMemref(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, adaptor.getValue(), address);
    return success();
  }
};

/// Counts of blocks, by several threads.
struct AtomicPattern : public ConvertOpToLLVMPattern<memref::AtomicRMWOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getKind() != arith::AtomicRMWKind::addi)
      return rewriter.notifyMatchFailure(op, "kernels only count");
    Value address = elementAddress(rewriter, op.getLoc(), op.getMemRefType(),
                                   adaptor.getMemref(), adaptor.getIndices());
    rewriter.replaceOpWithNewOp<LLVM::AtomicRMWOp>(
        op, LLVM::AtomicBinOp::add, address, adaptor.getValue(),
        LLVM::AtomicOrdering::acq_rel);
    return success();
  }
};

/// A few numbers that only one kernel knows.
struct AllocaPattern : public ConvertOpToLLVMPattern<memref::AllocaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(memref::AllocaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    Value count = LLVM::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getI64Type(),
        rewriter.getI64IntegerAttr(type.getNumElements()));
    rewriter.replaceOpWithNewOp<LLVM::AllocaOp>(
        op, LLVM::LLVMPointerType::get(op.getContext()), elementOf(type), count,
        /*alignment=*/64);
    return success();
  }
};

/// The same elements in another shape.
template <typename Op>
struct ReshapePattern : public ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSrc());
    return success();
  }
};

struct FunctionPattern : public ConvertOpToLLVMPattern<func::FuncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(func::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getNumResults() != 0)
      return rewriter.notifyMatchFailure(op, "kernels have no results");
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(),
                                                        signature)))
      return failure();
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(op.getContext()),
                                    signature.getConvertedTypes());
    auto function = LLVM::LLVMFuncOp::create(
        rewriter, op.getLoc(), op.getName(), type, LLVM::Linkage::Internal);
    if (Attribute passthrough = op->getAttr("passthrough"))
      function->setAttr("passthrough", passthrough);
    // A buffer is one argument before and after.
    StringRef noAlias = LLVM::LLVMDialect::getNoAliasAttrName();
    for (unsigned i = 0; i < op.getNumArguments(); ++i)
      if (op.getArgAttr(i, noAlias))
        function.setArgAttr(i, noAlias, rewriter.getUnitAttr());
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(),
                                           *getTypeConverter(), &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnPattern : public ConvertOpToLLVMPattern<func::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(func::ReturnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, adaptor.getOperands());
    return success();
  }
};

/// The buffers go through memory, as the runtime knows one signature only.
struct ParallelCallPattern : public ConvertOpToLLVMPattern<ParallelCallOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ParallelCallOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    Type i64 = rewriter.getI64Type();
    auto runtime = LLVM::lookupOrCreateFn(
        rewriter, module, "soap_rt_parallel", {pointer, pointer, i64, i64},
        LLVM::LLVMVoidType::get(op.getContext()));
    if (failed(runtime))
      return failure();
    LLVM::LLVMFuncOp range = rangeFunction(op, module, rewriter);
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, i64,
                                      rewriter.getI64IntegerAttr(value));
    };
    Value buffers = LLVM::AllocaOp::create(rewriter, loc, pointer, pointer,
                                           constant(op.getBuffers().size()));
    for (auto [i, buffer] : llvm::enumerate(adaptor.getBuffers()))
      LLVM::StoreOp::create(rewriter, loc, buffer,
                            placeOf(rewriter, loc, buffers, i));
    Value body = LLVM::AddressOfOp::create(rewriter, loc, range);
    LLVM::CallOp::create(rewriter, loc, *runtime,
                         ValueRange{body, buffers, constant(op.getExtent()),
                                    constant(op.getGrain())});
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value placeOf(OpBuilder &builder, Location loc, Value list, size_t i) {
    return LLVM::GEPOp::create(builder, loc, list.getType(), list.getType(),
                               list,
                               ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
  }
};

/// A function that LLVM has no exact intrinsic for: a call of the C library's
/// `name`, in f64, or of `name` with an f behind it, in f32.
template <typename Op>
struct LibraryPattern : public ConvertOpToLLVMPattern<Op> {
  LibraryPattern(const LLVMTypeConverter &converter, StringRef name)
      // Before upstream's log(1 + x) and e^x - 1, which lose small x.
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2), name(name) {}
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return failure();
    SmallVector<Type> operands(op->getNumOperands(), type);
    auto function = LLVM::lookupOrCreateFn(
        rewriter, op->template getParentOfType<ModuleOp>(),
        type.isF32() ? name + "f" : name, operands, type);
    if (failed(function))
      return failure();
    rewriter.template replaceOpWithNewOp<LLVM::CallOp>(op, *function,
                                                       adaptor.getOperands());
    return success();
  }

private:
  std::string name;
};

/// An assertion that does not hold ends the process with its message.
struct AssertPattern : public ConvertOpToLLVMPattern<cf::AssertOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    Type pointer = LLVM::LLVMPointerType::get(op.getContext());
    auto function = LLVM::lookupOrCreateFn(
        rewriter, module, "soap_rt_assertion_failed", {pointer},
        LLVM::LLVMVoidType::get(op.getContext()));
    if (failed(function))
      return failure();
    LLVM::GlobalOp text = messageOf(op, module, rewriter);
    Block *before = op->getBlock();
    Block *after = rewriter.splitBlock(before, op->getIterator());
    Block *fails = rewriter.createBlock(after);
    Value address = LLVM::AddressOfOp::create(rewriter, loc, text);
    LLVM::CallOp::create(rewriter, loc, *function, ValueRange{address});
    LLVM::UnreachableOp::create(rewriter, loc);
    rewriter.setInsertionPointToEnd(before);
    LLVM::CondBrOp::create(rewriter, loc, adaptor.getArg(), after, fails);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The constant with the message; equal messages are one.
  static LLVM::GlobalOp messageOf(cf::AssertOp op, ModuleOp module,
                                  OpBuilder &builder) {
    std::string text = op.getMsg().str();
    text.push_back('\0');
    StringAttr value = builder.getStringAttr(text);
    for (unsigned i = 0;; ++i) {
      std::string name = "assertion_" + std::to_string(i);
      Operation *known = module.lookupSymbol(name);
      if (auto global = dyn_cast_or_null<LLVM::GlobalOp>(known);
          global && global.getValueAttr() == value)
        return global;
      if (known)
        continue;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(module.getBody());
      return LLVM::GlobalOp::create(
          builder, module.getLoc(),
          LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()),
          /*isConstant=*/true, LLVM::Linkage::Internal, name, value);
    }
  }
};

} // namespace

void mlir::soap::populateKernelPatterns(const LLVMTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, FunctionPattern, ReturnPattern,
               AssertPattern, AllocaPattern, AtomicPattern, ParallelCallPattern,
               ReshapePattern<memref::CollapseShapeOp>,
               ReshapePattern<memref::ExpandShapeOp>>(converter);
  patterns.add<LibraryPattern<math::ErfOp>>(converter, "erf");
  patterns.add<LibraryPattern<math::Atan2Op>>(converter, "atan2");
  patterns.add<LibraryPattern<math::AcosOp>>(converter, "acos");
  patterns.add<LibraryPattern<math::AcoshOp>>(converter, "acosh");
  patterns.add<LibraryPattern<math::AsinOp>>(converter, "asin");
  patterns.add<LibraryPattern<math::AsinhOp>>(converter, "asinh");
  patterns.add<LibraryPattern<math::AtanOp>>(converter, "atan");
  patterns.add<LibraryPattern<math::AtanhOp>>(converter, "atanh");
  patterns.add<LibraryPattern<math::CoshOp>>(converter, "cosh");
  patterns.add<LibraryPattern<math::SinhOp>>(converter, "sinh");
  patterns.add<LibraryPattern<math::Log1pOp>>(converter, "log1p");
  patterns.add<LibraryPattern<math::ExpM1Op>>(converter, "expm1");
}
