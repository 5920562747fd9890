//===- TensorModels.cpp - Ops of the tensor dialect -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshapes, slices, pads, concat, and constants. An op whose offsets or sizes
// are not static is whole: none of its loops may be split.
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "Soap/Dialect/Soap/KernelOpInterface.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::soap;
using ::soap::AccessMap;
using ::soap::DimMap;
using ::soap::IterationSpace;
using ::soap::LoopBox;
using Tile = ::soap::Region;

namespace {

ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}

/// No loop may be split, every tensor is whole.
IterationSpace wholeSpace(Operation *op) {
  IterationSpace space;
  space.loops = dimLoops(op->getResult(0).getType());
  for (::soap::Loop &loop : space.loops)
    loop.type = ::soap::IteratorType::Serial;
  auto whole = [](Type type) {
    return AccessMap(shapeOf(type).size(), DimMap::whole());
  };
  for (OpOperand *operand : readOperands(op))
    space.operands.push_back({whole(operand->get().getType())});
  for (Type type : op->getResultTypes())
    space.results.push_back({whole(type)});
  return space;
}

SmallVector<OpFoldResult> indices(OpBuilder &builder,
                                  ArrayRef<int64_t> numbers) {
  return getAsIndexOpFoldResult(builder.getContext(), numbers);
}

/// The same op, for ops that are the same on every tile.
Operation *localizeSame(Operation *op, OpBuilder &builder,
                        ArrayRef<Tile> resultRegions, ValueRange tiles) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(localOperands(op, builder, tiles));
  state.addTypes(localTypes(op, resultRegions));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *local = builder.create(state);
  return local;
}

/// The common part of the models of all ops here.
template <typename Model, typename Op>
struct SpaceModel : public IterationSpaceOpInterface::ExternalModel<Model, Op> {
  Operation *localize(Operation *op, OpBuilder &builder, const LoopBox &,
                      ArrayRef<Tile>, ArrayRef<Tile> resultRegions,
                      ValueRange tiles) const {
    return localizeSame(op, builder, resultRegions, tiles);
  }
};

template <typename Op>
struct Kernel : public KernelOpInterface::ExternalModel<Kernel<Op>, Op> {
  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    return emitTensorKernel(op, builder, inputs, outputs);
  }
};

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

/// The collapsed side, whose dims are digits of the loops; the loops are dims
/// of the expanded side.
AccessMap collapsedAccess(ArrayRef<int64_t> expanded,
                          ArrayRef<ReassociationIndices> groups) {
  AccessMap map;
  for (const ReassociationIndices &group : groups) {
    std::vector<::soap::Term> terms;
    int64_t coefficient = 1;
    for (int64_t dim : llvm::reverse(group)) {
      terms.push_back({static_cast<int>(dim), coefficient});
      coefficient *= expanded[dim];
    }
    std::reverse(terms.begin(), terms.end());
    map.push_back(DimMap::radix(std::move(terms)));
  }
  return map;
}

struct ExpandSpace : public SpaceModel<ExpandSpace, tensor::ExpandShapeOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    Type type = expand.getType();
    IterationSpace space;
    space.loops = dimLoops(type);
    space.operands = {
        {collapsedAccess(shapeOf(type), expand.getReassociationIndices())}};
    space.results = {{identityAccess(type)}};
    space.linear = true;
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder, const LoopBox &,
                      ArrayRef<Tile>, ArrayRef<Tile> resultRegions,
                      ValueRange tiles) const {
    auto expand = cast<tensor::ExpandShapeOp>(op);
    return tensor::ExpandShapeOp::create(
        builder, op->getLoc(), tileType(expand.getType(), resultRegions[0]),
        tiles[0], expand.getReassociationIndices());
  }
};

struct CollapseSpace
    : public SpaceModel<CollapseSpace, tensor::CollapseShapeOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    Type type = collapse.getSrc().getType();
    IterationSpace space;
    space.loops = dimLoops(type);
    space.operands = {{identityAccess(type)}};
    space.results = {
        {collapsedAccess(shapeOf(type), collapse.getReassociationIndices())}};
    space.linear = true;
    space.flopsPerPoint = 0;
    return space;
  }
};

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

template <typename Op>
bool isStatic(Op op) {
  return !ShapedType::isDynamicShape(op.getStaticOffsets()) &&
         !ShapedType::isDynamicShape(op.getStaticSizes()) &&
         !ShapedType::isDynamicShape(op.getStaticStrides());
}

struct ExtractSpace : public SpaceModel<ExtractSpace, tensor::ExtractSliceOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    if (!isStatic(slice))
      return wholeSpace(op);
    IterationSpace space = elementwiseSpaceOf(op);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    AccessMap map;
    int loop = 0;
    for (auto [d, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides()))
      map.push_back(dropped[d] ? DimMap::constant(offset)
                               : DimMap::window({{loop++, stride}}, offset));
    space.operands = {{std::move(map)}};
    space.linear = true;
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder, const LoopBox &box,
                      ArrayRef<Tile> operandRegions,
                      ArrayRef<Tile> resultRegions, ValueRange tiles) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    if (!isStatic(slice))
      return localizeSame(op, builder, resultRegions, tiles);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<int64_t> offsets, sizes;
    size_t loop = 0;
    for (auto [d, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      int64_t first = operandRegions[0][d].lo();
      if (dropped[d]) {
        offsets.push_back(offset - first);
        sizes.push_back(1);
        continue;
      }
      offsets.push_back(offset + box[loop].lo * stride - first);
      sizes.push_back(box[loop++].size());
    }
    return tensor::ExtractSliceOp::create(
        builder, op->getLoc(), tileType(slice.getType(), resultRegions[0]),
        tiles[0], indices(builder, offsets), indices(builder, sizes),
        indices(builder, slice.getStaticStrides()));
  }
};

/// All of a tile, as an op.
Operation *identity(OpBuilder &builder, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> zeros(type.getRank(), 0), ones(type.getRank(), 1);
  return tensor::ExtractSliceOp::create(
      builder, loc, type, tile, indices(builder, zeros),
      indices(builder, type.getShape()), indices(builder, ones));
}

struct InsertSpace : public SpaceModel<InsertSpace, tensor::InsertSliceOp> {
  static bool isExpressible(tensor::InsertSliceOp insert) {
    return isStatic(insert) &&
           llvm::all_of(insert.getStaticStrides(),
                        [](int64_t stride) { return stride == 1; });
  }

  IterationSpace getIterationSpace(Operation *op) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    if (!isExpressible(insert))
      return wholeSpace(op);
    IterationSpace space = elementwiseSpaceOf(op);
    llvm::SmallBitVector lacks = insert.getDroppedDims();
    AccessMap source;
    for (auto [d, offset] : llvm::enumerate(insert.getStaticOffsets()))
      if (!lacks[d])
        source.push_back(DimMap::window({{static_cast<int>(d), 1}}, -offset));
    space.operands[0] = {std::move(source)};
    space.allowsEmptyOperands = true;
    space.linear = true;
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder, const LoopBox &box,
                      ArrayRef<Tile> operandRegions,
                      ArrayRef<Tile> resultRegions, ValueRange tiles) const {
    auto insert = cast<tensor::InsertSliceOp>(op);
    if (!isExpressible(insert))
      return localizeSame(op, builder, resultRegions, tiles);
    llvm::SmallBitVector lacks = insert.getDroppedDims();
    SmallVector<int64_t> offsets, sizes;
    size_t s = 0;
    bool meets = tiles[0] != nullptr;
    for (auto [d, offset] : llvm::enumerate(insert.getStaticOffsets())) {
      if (lacks[d]) {
        meets &= offset >= box[d].lo && offset < box[d].hi;
        offsets.push_back(offset - box[d].lo);
        sizes.push_back(1);
        continue;
      }
      const ::soap::IndexSet &part = operandRegions[0][s++];
      meets &= !part.empty();
      offsets.push_back(offset + part.lo() - box[d].lo);
      sizes.push_back(part.size());
    }
    if (!meets)
      return identity(builder, op->getLoc(), tiles[1]);
    SmallVector<int64_t> ones(offsets.size(), 1);
    return tensor::InsertSliceOp::create(
        builder, op->getLoc(), tiles[0], tiles[1], indices(builder, offsets),
        indices(builder, sizes), indices(builder, ones));
  }
};

struct InsertKernel
    : public KernelOpInterface::ExternalModel<InsertKernel,
                                              tensor::InsertSliceOp> {
  LogicalResult emitKernel(Operation *op, OpBuilder &builder, ValueRange inputs,
                           ValueRange outputs) const {
    return emitTensorKernel(op, builder, inputs, outputs);
  }
  std::optional<unsigned> tiedOperand(Operation *, unsigned) const { return 1; }
};

struct ConcatSpace : public SpaceModel<ConcatSpace, tensor::ConcatOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    auto concat = cast<tensor::ConcatOp>(op);
    IterationSpace space = elementwiseSpaceOf(op);
    int axis = static_cast<int>(concat.getDim());
    int64_t offset = 0;
    for (auto [operand, access] :
         llvm::zip_equal(concat.getInputs(), space.operands)) {
      access.map[axis] = DimMap::window({{axis, 1}}, -offset);
      offset += shapeOf(operand.getType())[axis];
    }
    space.allowsEmptyOperands = true;
    space.linear = true;
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder, const LoopBox &,
                      ArrayRef<Tile>, ArrayRef<Tile> resultRegions,
                      ValueRange tiles) const {
    SmallVector<Value> inputs;
    for (Value tile : tiles)
      if (tile)
        inputs.push_back(tile);
    return tensor::ConcatOp::create(
        builder, op->getLoc(),
        tileType(op->getResult(0).getType(), resultRegions[0]),
        cast<tensor::ConcatOp>(op).getDim(), inputs);
  }
};

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

struct PadSpace : public SpaceModel<PadSpace, tensor::PadOp> {
  /// The number outside, if it is one that `soap.fill` can hold exactly.
  static std::optional<double> numberOf(tensor::PadOp pad) {
    if (ShapedType::isDynamicShape(pad.getStaticLow()) ||
        ShapedType::isDynamicShape(pad.getStaticHigh()))
      return std::nullopt;
    Value value = pad.getConstantPaddingValue();
    Attribute attribute;
    if (!value || !matchPattern(value, m_Constant(&attribute)))
      return std::nullopt;
    if (auto number = dyn_cast<FloatAttr>(attribute)) {
      bool isWide = number.getType().getIntOrFloatBitWidth() > 64;
      return isWide ? std::nullopt : std::optional(number.getValueAsDouble());
    }
    auto number = dyn_cast<IntegerAttr>(attribute);
    constexpr int64_t exact = int64_t(1) << 53;
    if (!number || number.getValue().getBitWidth() > 64 ||
        std::abs(number.getInt()) > exact)
      return std::nullopt;
    return static_cast<double>(number.getInt());
  }

  IterationSpace getIterationSpace(Operation *op) const {
    auto pad = cast<tensor::PadOp>(op);
    std::optional<double> number = numberOf(pad);
    if (!number)
      return wholeSpace(op);
    IterationSpace space = elementwiseSpaceOf(op);
    for (auto [d, dim] : llvm::enumerate(space.operands[0].map))
      dim = DimMap::window({{static_cast<int>(d), 1}}, -pad.getStaticLow()[d]);
    space.linear = *number == 0;
    space.flopsPerPoint = 0;
    return space;
  }
  double getNeutralValue(Operation *op) const {
    return numberOf(cast<tensor::PadOp>(op)).value_or(0);
  }
  Operation *localize(Operation *op, OpBuilder &builder, const LoopBox &box,
                      ArrayRef<Tile> operandRegions,
                      ArrayRef<Tile> resultRegions, ValueRange tiles) const {
    auto pad = cast<tensor::PadOp>(op);
    if (!numberOf(pad))
      return nullptr;
    SmallVector<int64_t> low, high;
    for (size_t d = 0; d < box.size(); ++d) {
      const ::soap::IndexSet &part = operandRegions[0][d];
      int64_t before = part.lo() + pad.getStaticLow()[d] - box[d].lo;
      low.push_back(before);
      high.push_back(box[d].size() - before - part.size());
    }
    Value number = cloneScalar(builder, pad.getConstantPaddingValue());
    return tensor::PadOp::create(
        builder, op->getLoc(), tileType(pad.getType(), resultRegions[0]),
        tiles[0], indices(builder, low), indices(builder, high), number);
  }
};

//===----------------------------------------------------------------------===//
// Tensors without tensor operands
//===----------------------------------------------------------------------===//

struct EmptySpace : public SpaceModel<EmptySpace, tensor::EmptyOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    IterationSpace space = elementwiseSpaceOf(op);
    space.flopsPerPoint = 0;
    return space;
  }
};

struct SplatSpace : public SpaceModel<SplatSpace, tensor::SplatOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    IterationSpace space = elementwiseSpaceOf(op);
    space.flopsPerPoint = 0;
    return space;
  }
};

struct FromElementsSpace
    : public SpaceModel<FromElementsSpace, tensor::FromElementsOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    return wholeSpace(op);
  }
};

struct ConstantSpace : public SpaceModel<ConstantSpace, arith::ConstantOp> {
  IterationSpace getIterationSpace(Operation *op) const {
    IterationSpace space = elementwiseSpaceOf(op);
    space.flopsPerPoint = 0;
    return space;
  }
  Operation *localize(Operation *op, OpBuilder &builder, const LoopBox &,
                      ArrayRef<Tile>, ArrayRef<Tile> resultRegions,
                      ValueRange) const {
    auto constant = cast<arith::ConstantOp>(op);
    auto elements = dyn_cast<ElementsAttr>(constant.getValue());
    if (!elements)
      return nullptr;
    RankedTensorType type = tileType(constant.getType(), resultRegions[0]);
    return arith::ConstantOp::create(builder, op->getLoc(), type,
                                     cast<TypedAttr>(Attribute(sliceElements(
                                         elements, resultRegions[0], type))));
  }
};

} // namespace

void mlir::soap::attachTensorModels(MLIRContext *context) {
  tensor::ExpandShapeOp::attachInterface<ExpandSpace>(*context);
  tensor::CollapseShapeOp::attachInterface<CollapseSpace>(*context);
  tensor::ExtractSliceOp::attachInterface<ExtractSpace,
                                          Kernel<tensor::ExtractSliceOp>>(
      *context);
  tensor::InsertSliceOp::attachInterface<InsertSpace, InsertKernel>(*context);
  tensor::ConcatOp::attachInterface<ConcatSpace, Kernel<tensor::ConcatOp>>(
      *context);
  tensor::PadOp::attachInterface<PadSpace, Kernel<tensor::PadOp>>(*context);
  tensor::EmptyOp::attachInterface<EmptySpace>(*context);
  tensor::SplatOp::attachInterface<SplatSpace, Kernel<tensor::SplatOp>>(
      *context);
  tensor::FromElementsOp::attachInterface<FromElementsSpace,
                                          Kernel<tensor::FromElementsOp>>(
      *context);
}

void mlir::soap::attachConstantModel(MLIRContext *context) {
  arith::ConstantOp::attachInterface<ConstantSpace>(*context);
}
