//===- FinishKernels.cpp - Whole kernels as calls of parts ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: what no parallel loop covers becomes parts of one iteration, so
// that a kernel is nothing but memory of its own and calls of parts.
//
//===----------------------------------------------------------------------===//

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPFINISHKERNELS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Can be computed again wherever it is needed.
bool isRepeatable(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

/// Ops of a kernel that run one after the other in one thread.
using Part = SmallVector<Operation *>;

class Finisher {
public:
  explicit Finisher(ModuleOp module) : symbols(module) {}

  LogicalResult run(func::FuncOp kernel) {
    SmallVector<Part> parts = partsOf(kernel);
    for (const Part &part : parts)
      if (failed(keepResults(kernel, part)))
        return failure();
    // Results that were kept are stored by the part that computes them.
    parts = partsOf(kernel);
    for (const Part &part : parts)
      outline(kernel, part);
    eraseUnused(kernel);
    return success();
  }

private:
  SymbolTable symbols;

  /// Runs of ops between calls.
  static SmallVector<Part> partsOf(func::FuncOp kernel) {
    SmallVector<Part> parts(1);
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (isa<ParallelCallOp>(op)) {
        parts.emplace_back();
        continue;
      }
      if (!isRepeatable(&op) && !isa<memref::AllocaOp>(op))
        parts.back().push_back(&op);
    }
    llvm::erase_if(parts, [](const Part &part) { return part.empty(); });
    return parts;
  }

  /// Results that another part uses go through memory of the kernel.
  LogicalResult keepResults(func::FuncOp kernel, const Part &part) {
    Block &block = kernel.getBody().front();
    llvm::SmallPtrSet<Operation *, 8> own(part.begin(), part.end());
    for (Operation *op : part)
      for (Value result : op->getResults()) {
        SmallVector<OpOperand *> others;
        for (OpOperand &use : result.getUses())
          if (!own.contains(block.findAncestorOpInBlock(*use.getOwner())))
            others.push_back(&use);
        if (others.empty())
          continue;
        Type type = result.getType();
        if (!type.isIntOrFloat())
          return op->emitOpError("in kernel '")
                 << kernel.getName() << "' has a result of type " << type
                 << ", which another part of it uses: expected a number";
        OpBuilder builder(&block, block.begin());
        Value place = memref::AllocaOp::create(builder, op->getLoc(),
                                               MemRefType::get({}, type));
        builder.setInsertionPointAfter(op);
        memref::StoreOp::create(builder, op->getLoc(), result, place);
        for (OpOperand *use : others) {
          builder.setInsertionPoint(
              block.findAncestorOpInBlock(*use->getOwner()));
          use->set(memref::LoadOp::create(builder, op->getLoc(), place));
        }
      }
    return success();
  }

  static bool isBuffer(Value value) {
    return isa<MemRefType>(value.getType()) &&
           (isa<BlockArgument>(value) ||
            value.getDefiningOp<memref::AllocaOp>());
  }

  /// Buffers that ops need, and ops to repeat before them.
  static void addNeeds(Value value, const Part &part,
                       llvm::SetVector<Value> &buffers,
                       llvm::SetVector<Operation *> &repeated) {
    if (isBuffer(value)) {
      buffers.insert(value);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (llvm::is_contained(part, op) || repeated.contains(op))
      return;
    for (Value operand : op->getOperands())
      addNeeds(operand, part, buffers, repeated);
    repeated.insert(op);
  }

  /// `kernel`_rest(buffers, begin, end), whatever the range: it is one
  /// iteration.
  void outline(func::FuncOp kernel, const Part &part) {
    llvm::SetVector<Value> buffers, used;
    llvm::SetVector<Operation *> repeated;
    for (Operation *op : part) {
      used.insert(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), used);
    }
    for (Value value : used)
      addNeeds(value, part, buffers, repeated);
    OpBuilder builder(kernel.getContext());
    SmallVector<Type> types;
    for (Value buffer : buffers)
      types.push_back(buffer.getType());
    types.append(2, builder.getIndexType());
    Location loc = part.front()->getLoc();
    auto function =
        func::FuncOp::create(builder, loc, (kernel.getName() + "_rest").str(),
                             builder.getFunctionType(types, {}));
    function.setPrivate();
    function->setDiscardableAttrs(
        llvm::to_vector(kernel->getDiscardableAttrs()));
    symbols.insert(function);
    Block *body = function.addEntryBlock();
    IRMapping map;
    for (auto [buffer, argument] : llvm::zip(buffers, body->getArguments()))
      map.map(buffer, argument);
    builder.setInsertionPointToEnd(body);
    // Repeated ops may need results of the part: all in the kernel's order.
    for (Operation &op : kernel.getBody().front())
      if (repeated.contains(&op) || llvm::is_contained(part, &op))
        builder.clone(op, map);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointAfter(part.back());
    ParallelCallOp::create(builder, loc, function.getName(), /*extent=*/1,
                           /*grain=*/1, buffers.getArrayRef());
    done.insert(part.begin(), part.end());
  }

  llvm::SmallPtrSet<Operation *, 16> done;

  /// Erases outlined ops, and ops that only those used.
  void eraseUnused(func::FuncOp kernel) {
    SmallVector<Operation *> ops;
    for (Operation &op : kernel.getBody().front().without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty() &&
          (done.contains(op) || isRepeatable(op) || isa<memref::AllocaOp>(op)))
        op->erase();
    done.clear();
  }
};

struct FinishKernelsPass
    : public mlir::soap::impl::SoapFinishKernelsBase<FinishKernelsPass> {
  using SoapFinishKernelsBase::SoapFinishKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::SetVector<StringAttr> names;
    module.walk([&](KernelCallOp call) {
      names.insert(call.getCalleeAttr().getAttr());
    });
    Finisher finisher(module);
    for (StringAttr name : names) {
      auto kernel = module.lookupSymbol<func::FuncOp>(name);
      if (!kernel || !kernel.getBody().hasOneBlock()) {
        module.emitError() << "kernel '" << name.getValue()
                           << "' is no function of one block";
        return signalPassFailure();
      }
      if (failed(finisher.run(kernel)))
        return signalPassFailure();
    }
  }
};

} // namespace
