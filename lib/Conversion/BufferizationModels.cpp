//===- BufferizationModels.cpp - Bufferization of outlined programs -------===//
//
// How one-shot bufferization sees calls, sends and receives: attached to the
// dialect from here, so that the dialect does not link bufferization.
//
//===----------------------------------------------------------------------===//

#include "BufferizationModels.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"

#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
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
    CollectiveBufferOp::attachInterface<CollectiveModel>(*context);
  });
}
