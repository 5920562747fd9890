//===- BufferizationModels.cpp - Bufferization of outlined programs -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one-shot bufferization sees calls, sends, receives and tiles that lie one
// after the other: attached to the
// dialect from here, so that the dialect does not link bufferization.
//
//===----------------------------------------------------------------------===//

#include "BufferizationModels.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"

#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::soap;

namespace {

/// Replaces an op on tensors by the same op on their buffers.
LogicalResult bufferizeCall(Operation *op, RewriterBase &rewriter,
                            const BufferizationOptions &options,
                            BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  auto destination = cast<DestinationStyleOpInterface>(op);
  SmallVector<Value> results;
  for (OpOperand &init : destination.getDpsInitsMutable())
    results.push_back(buffers[init.getOperandNumber()]);
  OperationState newState(op->getLoc(), op->getName(), buffers, TypeRange(),
                          op->getAttrs());
  rewriter.create(newState);
  replaceOpWithBufferizedValues(rewriter, op, results);
  return success();
}

/// Outputs are overwritten, not read.
template <typename Op>
struct CallModel
    : public DstBufferizableOpInterfaceExternalModel<CallModel<Op>, Op> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeCall(op, rewriter, options, state);
  }
};

struct KernelCallModel
    : public DstBufferizableOpInterfaceExternalModel<KernelCallModel,
                                                     KernelCallOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto call = cast<KernelCallOp>(op);
    return call.getInPlace() || !call.isDpsInit(&operand);
  }
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    // Operands of other shapes are read at other positions.
    auto call = cast<KernelCallOp>(op);
    Type type = call.getOutputs()[0].getType();
    return call.getElementwise() &&
           llvm::all_of(operands, [&](OpOperand *operand) {
             return operand->get().getType() == type;
           });
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeCall(op, rewriter, options, state);
  }
};

/// Sums are made in place, in the buffer of the device's own part.
struct CollectiveModel
    : public DstBufferizableOpInterfaceExternalModel<CollectiveModel,
                                                     CollectiveBufferOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto collective = cast<CollectiveBufferOp>(op);
    return collective.readsOutputs() || !collective.isDpsInit(&operand);
  }
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    return bufferizeCall(op, rewriter, options, state);
  }
};

/// A tile that is assembled of whole tiles, one after the other, is a buffer
/// with copies of them. It is one op, and not a chain of writes with one for
/// each tile.
struct AssembleModel
    : public BufferizableOpInterface::ExternalModel<AssembleModel, AssembleOp> {
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }

  /// Place of the first element of a region in its tile.
  static int64_t offsetOf(RankedTensorType tile, const ::soap::Region &region) {
    int64_t offset = 0;
    for (size_t d = 0; d < region.rank(); ++d)
      offset = offset * tile.getDimSize(d) + region[d].intervals()[0].lo;
    return offset;
  }

  /// The same buffer as one row.
  static Value rowOf(RewriterBase &rewriter, Location loc, Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    if (type.getRank() == 1)
      return buffer;
    SmallVector<ReassociationIndices> groups;
    if (type.getRank() > 1) {
      groups.emplace_back(
          llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
      return memref::CollapseShapeOp::create(rewriter, loc, buffer, groups);
    }
    return memref::ExpandShapeOp::create(rewriter, loc, SmallVector<int64_t>{1},
                                         buffer, groups);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto assemble = cast<AssembleOp>(op);
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(assemble.getResult().getType());
    auto rowType =
        MemRefType::get({type.getNumElements()}, type.getElementType());
    FailureOr<Value> row = options.createAlloc(rewriter, loc, rowType, {});
    if (failed(row))
      return failure();
    for (auto [tile, target] :
         llvm::zip(assemble.getTiles(),
                   assemble.getTargets().getAsRange<RegionAttr>())) {
      FailureOr<Value> buffer = getBuffer(rewriter, tile, options, state);
      if (failed(buffer))
        return failure();
      auto at = [&](int64_t number) {
        return SmallVector<OpFoldResult>{rewriter.getIndexAttr(number)};
      };
      ::soap::Region region = target.getRegion();
      Value part = memref::SubViewOp::create(rewriter, loc, *row,
                                             at(offsetOf(type, region)),
                                             at(region.volume()), at(1));
      if (failed(options.createMemCpy(rewriter, loc,
                                      rowOf(rewriter, loc, *buffer), part)))
        return failure();
    }
    Value whole = *row;
    auto shape = MemRefType::get(type.getShape(), type.getElementType());
    SmallVector<ReassociationIndices> groups;
    if (type.getRank() > 1) {
      groups.emplace_back(
          llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
      whole =
          memref::ExpandShapeOp::create(rewriter, loc, shape, whole, groups);
    } else if (type.getRank() == 0) {
      whole =
          memref::CollapseShapeOp::create(rewriter, loc, shape, whole, groups);
    }
    replaceOpWithBufferizedValues(rewriter, op, whole);
    return success();
  }
};

} // namespace

void mlir::soap::registerBufferizationModels(DialectRegistry &registry) {
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  registry.addExtension(+[](MLIRContext *context, SoapDialect *) {
    KernelCallOp::attachInterface<KernelCallModel>(*context);
    LibraryCallOp::attachInterface<CallModel<LibraryCallOp>>(*context);
    SendBufferOp::attachInterface<CallModel<SendBufferOp>>(*context);
    RecvBufferOp::attachInterface<CallModel<RecvBufferOp>>(*context);
    AssembleOp::attachInterface<AssembleModel>(*context);
    CollectiveBufferOp::attachInterface<CollectiveModel>(*context);
  });
}
