//===- GatherModel.cpp - tensor.gather ------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops are the dims of the result: batch dims of the indices, then dims of the
// source. Every shard reads the gathered dims of the source as a whole.
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"
#include "Models.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::soap;
using ::soap::DimMap;

namespace {

/// Number of dims of the indices that say which slice it is.
int64_t batchRank(tensor::GatherOp op) {
  return op.getIndicesType().getRank() - 1;
}

/// The loop of each dim of the source; -1 for one that indices choose.
SmallVector<int> sourceLoops(tensor::GatherOp op) {
  int64_t rank = op.getSourceType().getRank();
  ArrayRef<int64_t> gathered = op.getGatherDims();
  // Gathered dims are dims of extent 1 of the result, or missing.
  bool dropped = op.getResultType().getRank() < batchRank(op) + rank;
  SmallVector<int> loops;
  auto loop = static_cast<int>(batchRank(op));
  for (int64_t d = 0; d < rank; ++d) {
    bool isGathered = llvm::is_contained(gathered, d);
    loops.push_back(isGathered ? -1 : loop);
    loop += !isGathered || !dropped;
  }
  return loops;
}

struct GatherSpace
    : public IterationSpaceOpInterface::ExternalModel<GatherSpace,
                                                      tensor::GatherOp> {
  ::soap::IterationSpace getIterationSpace(Operation *op) const {
    auto gather = cast<tensor::GatherOp>(op);
    ::soap::IterationSpace space;
    space.loops = dimLoops(gather.getType());
    ::soap::AccessMap source, indices;
    for (int loop : sourceLoops(gather))
      source.push_back(loop < 0 ? DimMap::whole() : DimMap::loop(loop));
    for (int64_t d = 0; d < batchRank(gather); ++d)
      indices.push_back(DimMap::loop(static_cast<int>(d)));
    indices.push_back(DimMap::whole());
    space.operands = {{std::move(source)}, {std::move(indices)}};
    space.results = {{identityAccess(gather.getType())}};
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder,
                      const ::soap::LoopBox &, ArrayRef<::soap::Region>,
                      ArrayRef<::soap::Region> resultRegions,
                      ValueRange tiles) const {
    auto gather = cast<tensor::GatherOp>(op);
    return tensor::GatherOp::create(
        builder, op->getLoc(), localTypes(op, resultRegions)[0], tiles[0],
        tiles[1], gather.getGatherDims(), gather.getUnique());
  }
};

struct GatherKernel
    : public KernelOpInterface::ExternalModel<GatherKernel, tensor::GatherOp> {
  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    auto gather = cast<tensor::GatherOp>(op);
    Location loc = op->getLoc();
    Value source = inputs[0], indices = inputs[1], result = outputs[0];
    ArrayRef<int64_t> extents = gather.getSourceType().getShape();
    SmallVector<int> loops = sourceLoops(gather);
    forEach(builder, loc, gather.getResultType().getShape(),
            [&](OpBuilder &inner, ValueRange at) {
              SmallVector<Value> from(loops.size());
              for (auto [d, loop] : llvm::enumerate(loops))
                if (loop >= 0)
                  from[d] = at[loop];
              SmallVector<Value> place(at.take_front(batchRank(gather)));
              place.push_back({});
              for (auto [i, d] : llvm::enumerate(gather.getGatherDims())) {
                place.back() = arith::ConstantIndexOp::create(
                    inner, loc, static_cast<int64_t>(i));
                Value number =
                    memref::LoadOp::create(inner, loc, indices, place);
                if (!number.getType().isIndex())
                  number = arith::IndexCastOp::create(
                      inner, loc, inner.getIndexType(), number);
                // Unsigned: negative numbers are beyond the end.
                Value inside = arith::CmpIOp::create(
                    inner, loc, arith::CmpIPredicate::ult, number,
                    arith::ConstantIndexOp::create(inner, loc, extents[d]));
                cf::AssertOp::create(inner, loc, inside,
                                     "index is outside of the source");
                from[d] = number;
              }
              Value element = memref::LoadOp::create(inner, loc, source, from);
              memref::StoreOp::create(inner, loc, element, result, at);
            });
    return success();
  }
};

} // namespace

void mlir::soap::attachGatherModel(MLIRContext *context) {
  tensor::GatherOp::attachInterface<GatherSpace, GatherKernel>(*context);
}
