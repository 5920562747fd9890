//===- PackModels.cpp - linalg.pack and linalg.unpack ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor in tiles of static sizes. Loops are the dims of the packed side. Its
// outer dims may be cut, the dims of one tile may not: a shard holds whole
// tiles, so that it is the same op.
//
//===----------------------------------------------------------------------===//

#include "KernelLoops.h"
#include "Models.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::soap;
using linalg::PackOp;
using linalg::UnPackOp;
using ::soap::AccessMap;
using ::soap::DimMap;
using ::soap::IterationSpace;

namespace {

/// Where a dim of the unpacked side lies in the packed one.
struct PackedDim {
  int outer = 0;
  int inner = -1;   ///< -1: the dim has no tiles
  int64_t tile = 1; ///< extent of `inner`
};

template <typename Op>
SmallVector<PackedDim> packedDims(Op op, int64_t rank) {
  SmallVector<PackedDim> dims(rank);
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  for (int64_t i = 0; i < rank; ++i)
    dims[order.empty() ? i : order[i]].outer = static_cast<int>(i);
  for (auto [i, dim, tile] :
       llvm::enumerate(op.getInnerDimsPos(), op.getStaticInnerTiles())) {
    dims[dim].inner = static_cast<int>(rank + static_cast<int64_t>(i));
    dims[dim].tile = tile;
  }
  return dims;
}

template <typename Op>
bool hasStaticTiles(Op op) {
  return !ShapedType::isDynamicShape(op.getStaticInnerTiles());
}

/// Loops of the packed side; those within a tile may not be cut, and none may
/// if `cuts` is false.
std::vector<::soap::Loop> packedLoops(Type packed, int64_t rank, bool cuts) {
  std::vector<::soap::Loop> loops = dimLoops(packed);
  for (size_t d = cuts ? static_cast<size_t>(rank) : 0; d < loops.size(); ++d)
    loops[d].type = ::soap::IteratorType::Serial;
  return loops;
}

/// The op on tiles: other operands, the same attributes.
Operation *localizeRelayout(Operation *op, OpBuilder &builder,
                            ArrayRef<::soap::Region> resultRegions,
                            ValueRange tiles) {
  auto type = cast<RankedTensorType>(localTypes(op, resultRegions)[0]);
  SmallVector<Value> operands = localOperands(op, builder, tiles);
  operands[1] = tensor::EmptyOp::create(builder, op->getLoc(), type.getShape(),
                                        type.getElementType());
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(type);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  return builder.create(state);
}

struct PackSpace
    : public IterationSpaceOpInterface::ExternalModel<PackSpace, PackOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    auto pack = cast<PackOp>(op);
    int64_t rank = pack.getSourceType().getRank();
    IterationSpace space;
    space.loops =
        packedLoops(op->getResult(0).getType(), rank, hasStaticTiles(pack));
    AccessMap source;
    for (const PackedDim &dim : packedDims(pack, rank))
      source.push_back(
          !hasStaticTiles(pack) ? DimMap::whole()
          : dim.inner < 0
              ? DimMap::loop(dim.outer)
              : DimMap::window({{dim.outer, dim.tile}, {dim.inner, 1}}, 0));
    space.operands = {{std::move(source)}};
    space.results = {{identityAccess(op->getResult(0).getType())}};
    Value padding = pack.getPaddingValue();
    space.linear = !padding || matchPattern(padding, m_AnyZeroFloat()) ||
                   matchPattern(padding, m_Zero());
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder,
                      const ::soap::LoopBox &, ArrayRef<::soap::Region>,
                      ArrayRef<::soap::Region> resultRegions,
                      ValueRange tiles) const {
    return localizeRelayout(op, builder, resultRegions, tiles);
  }
};

struct PackKernel
    : public KernelOpInterface::ExternalModel<PackKernel, PackOp> {
  bool readsOperand(Operation *, unsigned number) const { return number == 0; }

  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    auto pack = cast<PackOp>(op);
    if (!hasStaticTiles(pack))
      return failure();
    Location loc = op->getLoc();
    Value source = inputs[0], target = outputs[0];
    ArrayRef<int64_t> shape = pack.getSourceType().getShape();
    SmallVector<PackedDim> dims =
        packedDims(pack, pack.getSourceType().getRank());
    forEach(builder, loc, cast<MemRefType>(target.getType()).getShape(),
            [&](OpBuilder &inner, ValueRange at) {
              SmallVector<Value> from;
              Value inside;
              for (auto [dim, extent] : llvm::zip_equal(dims, shape)) {
                Value index = at[dim.outer];
                if (dim.inner >= 0) {
                  index = affineIndex(inner, loc, index, 0, dim.tile);
                  index =
                      arith::AddIOp::create(inner, loc, index, at[dim.inner]);
                }
                from.push_back(index);
                if (dim.inner < 0 || extent % dim.tile == 0)
                  continue;
                Value fits = arith::CmpIOp::create(
                    inner, loc, arith::CmpIPredicate::ult, index,
                    arith::ConstantIndexOp::create(inner, loc, extent));
                inside =
                    inside
                        ? Value(arith::AndIOp::create(inner, loc, inside, fits))
                        : fits;
              }
              auto load = [&](OpBuilder &b) -> Value {
                return memref::LoadOp::create(b, loc, source, from);
              };
              Value element;
              if (inside)
                element =
                    scf::IfOp::create(
                        inner, loc, inside,
                        [&](OpBuilder &b, Location) {
                          scf::YieldOp::create(b, loc, load(b));
                        },
                        [&](OpBuilder &b, Location) {
                          scf::YieldOp::create(b, loc, pack.getPaddingValue());
                        })
                        .getResult(0);
              else
                element = load(inner);
              memref::StoreOp::create(inner, loc, element, target, at);
            });
    return success();
  }
};

/// Tiles that stick out are cut off: then tiles of shards are no tiles of the
/// result, and no loop may be cut.
bool fitsTiles(UnPackOp op) {
  if (!hasStaticTiles(op))
    return false;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  return llvm::all_of(
      llvm::zip_equal(op.getInnerDimsPos(), op.getStaticInnerTiles()),
      [&](auto pair) {
        auto [dim, tile] = pair;
        return shape[dim] % tile == 0;
      });
}

struct UnPackSpace
    : public IterationSpaceOpInterface::ExternalModel<UnPackSpace, UnPackOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    auto unpack = cast<UnPackOp>(op);
    Type packed = unpack.getSourceType();
    int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
    IterationSpace space;
    space.loops = packedLoops(packed, rank, fitsTiles(unpack));
    AccessMap result;
    for (const PackedDim &dim : packedDims(unpack, rank))
      result.push_back(!fitsTiles(unpack) ? DimMap::whole()
                       : dim.inner < 0 ? DimMap::loop(dim.outer)
                                       : DimMap::radix({{dim.outer, dim.tile},
                                                        {dim.inner, 1}}));
    space.operands = {{identityAccess(packed)}};
    space.results = {{std::move(result)}};
    space.linear = true;
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder,
                      const ::soap::LoopBox &, ArrayRef<::soap::Region>,
                      ArrayRef<::soap::Region> resultRegions,
                      ValueRange tiles) const {
    return localizeRelayout(op, builder, resultRegions, tiles);
  }
};

struct UnPackKernel
    : public KernelOpInterface::ExternalModel<UnPackKernel, UnPackOp> {
  bool readsOperand(Operation *, unsigned number) const { return number == 0; }

  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    auto unpack = cast<UnPackOp>(op);
    if (!hasStaticTiles(unpack))
      return failure();
    Location loc = op->getLoc();
    Value source = inputs[0], target = outputs[0];
    ArrayRef<int64_t> shape = cast<MemRefType>(target.getType()).getShape();
    SmallVector<PackedDim> dims =
        packedDims(unpack, static_cast<int64_t>(shape.size()));
    auto sourceRank = cast<MemRefType>(source.getType()).getRank();
    forEach(builder, loc, shape, [&](OpBuilder &inner, ValueRange at) {
      SmallVector<Value> from(sourceRank);
      for (auto [dim, index] : llvm::zip_equal(dims, at)) {
        if (dim.inner < 0) {
          from[dim.outer] = index;
          continue;
        }
        Value tile = arith::ConstantIndexOp::create(inner, loc, dim.tile);
        from[dim.outer] = arith::DivUIOp::create(inner, loc, index, tile);
        from[dim.inner] = arith::RemUIOp::create(inner, loc, index, tile);
      }
      Value element = memref::LoadOp::create(inner, loc, source, from);
      memref::StoreOp::create(inner, loc, element, target, at);
    });
    return success();
  }
};

} // namespace

void mlir::soap::attachPackModels(MLIRContext *context) {
  PackOp::attachInterface<PackSpace, PackKernel>(*context);
  UnPackOp::attachInterface<UnPackSpace, UnPackKernel>(*context);
}
