//===- ShardPosition.cpp - Where a shard's tile begins, as operand --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ShardPosition.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/ShardPosition.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

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

bool mlir::soap::makesPositions(Operation *op) {
  return isa_and_nonnull<LocalIndexOp, PlacedStepOp>(op);
}

std::optional<int64_t> mlir::soap::firstElement(DropoutOp op) {
  ArrayRef<int64_t> extents = op.getExtents(), offsets = op.getOffsets();
  auto shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  if (!op.getStep() || offsets.empty() || shape == extents)
    return std::nullopt;
  int64_t first = 0, elements = 1;
  for (auto [offset, extent] : llvm::zip(offsets, extents)) {
    elements *= extent;
    first = first * extent + offset;
    if (elements > std::numeric_limits<int32_t>::max())
      return std::nullopt;
  }
  return first;
}

void mlir::soap::usePlacedStep(DropoutOp op, Value both) {
  op.setOffsets(ArrayRef<int64_t>());
  op.getStepMutable().assign(both);
}
