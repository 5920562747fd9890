//===- ShardPosition.cpp - Where a shard's tile begins, as operand --------===//
//
// See ShardPosition.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/ShardPosition.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

static unsigned rankOf(Value value) {
  return static_cast<unsigned>(
      cast<RankedTensorType>(value.getType()).getRank());
}

std::optional<ShardPosition> mlir::soap::positionOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ShardPosition>>(op)
      .Case<GatherOp, GatherGradOp>([](auto gather) {
        return ShardPosition{static_cast<int64_t>(gather.getOffset()),
                             static_cast<int64_t>(gather.getWrap()),
                             gather.getIndicesMutable().getOperandNumber(),
                             rankOf(gather.getIndices())};
      })
      .Case<SoftmaxStatsOp, CrossEntropyGradOp>([](auto softmax) {
        return ShardPosition{static_cast<int64_t>(softmax.getClassOffset()), 0,
                             softmax.getLabelsMutable().getOperandNumber(),
                             rankOf(softmax.getLabels())};
      })
      .Default(std::nullopt);
}

void mlir::soap::useLocalIndices(Operation *op, Value indices) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<GatherOp, GatherGradOp>([&](auto gather) {
        gather.setOffset(0);
        gather.setWrap(0);
        gather.getIndicesMutable().assign(indices);
      })
      .Case<SoftmaxStatsOp, CrossEntropyGradOp>([&](auto softmax) {
        softmax.setClassOffset(0);
        softmax.getLabelsMutable().assign(indices);
      });
}
