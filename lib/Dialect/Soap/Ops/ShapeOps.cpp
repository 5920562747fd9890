//===- ShapeOps.cpp - Ops that move elements ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reshape, transpose, concat, slice, pad: linear, without arithmetic. And
// constants, whose shards hold a part of the elements, and buckets.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

namespace {
/// The loops of a reshape, built block by block. A block is the shortest run
/// of dims of both shapes with equal products, outermost first.
class ReshapeSpace {
public:
  ReshapeSpace(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

  IterationSpace space;

private:
  void addBlock(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                AccessMap &fromMap, AccessMap &toMap);
  void mapDims(ArrayRef<int64_t> dims, ArrayRef<int64_t> strides, int firstLoop,
               AccessMap &map);
  int addLoop(int64_t extent, IteratorType type);
};
} // namespace

int ReshapeSpace::addLoop(int64_t extent, IteratorType type) {
  int index = static_cast<int>(space.loops.size());
  space.loops.push_back({"f" + std::to_string(index), extent, type});
  return index;
}

/// Elements between two neighbours along each dim; a last entry of the whole
/// block's size at the front.
static void collectStrides(ArrayRef<int64_t> dims,
                           SmallVectorImpl<int64_t> &strides) {
  int64_t stride = 1;
  for (int64_t extent : llvm::reverse(dims)) {
    strides.push_back(stride);
    stride *= extent;
  }
  strides.push_back(stride);
}

/// Every dim as the digits (loops) between its own stride and the next one.
/// `strides`: descending, of the loops from `firstLoop` on, the first is the
/// size of the block.
void ReshapeSpace::mapDims(ArrayRef<int64_t> dims, ArrayRef<int64_t> strides,
                           int firstLoop, AccessMap &map) {
  int64_t high = strides.front();
  for (int64_t extent : dims) {
    int64_t low = high / extent;
    std::vector<Term> terms;
    for (size_t i = 1; i < strides.size(); ++i)
      if (strides[i] >= low && strides[i] < high)
        terms.push_back(
            {firstLoop + static_cast<int>(i) - 1, strides[i] / low});
    map.push_back(DimMap::radix(std::move(terms)));
    high = low;
  }
}

void ReshapeSpace::addBlock(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                            AccessMap &fromMap, AccessMap &toMap) {
  SmallVector<int64_t> strides;
  collectStrides(from, strides);
  collectStrides(to, strides);
  llvm::sort(strides, std::greater<int64_t>());
  strides.erase(llvm::unique(strides), strides.end());
  bool refines = true; // Each stride divides the next larger one.
  for (size_t i = 1; i < strides.size(); ++i)
    refines &= strides[i - 1] % strides[i] == 0;
  int firstLoop = static_cast<int>(space.loops.size());
  if (!refines) {
    addLoop(strides.front(), IteratorType::Serial);
    fromMap.insert(fromMap.end(), from.size(), DimMap::whole());
    toMap.insert(toMap.end(), to.size(), DimMap::whole());
    return;
  }
  for (size_t i = 1; i < strides.size(); ++i)
    addLoop(strides[i - 1] / strides[i], IteratorType::Parallel);
  mapDims(from, strides, firstLoop, fromMap);
  mapDims(to, strides, firstLoop, toMap);
}

ReshapeSpace::ReshapeSpace(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  AccessMap fromMap, toMap;
  while (!from.empty() || !to.empty()) {
    // Take dims from the side whose product is smaller until both agree.
    size_t f = 0, t = 0;
    int64_t fromSize = 1, toSize = 1;
    do {
      if (f < from.size() && (fromSize <= toSize || t == to.size()))
        fromSize *= from[f++];
      else
        toSize *= to[t++];
    } while (fromSize != toSize && (f < from.size() || t < to.size()));
    // Trailing ones belong to the last block.
    addBlock(from.take_front(f), to.take_front(t), fromMap, toMap);
    from = from.drop_front(f);
    to = to.drop_front(t);
  }
  space.operands = {{std::move(fromMap)}};
  space.results = {{std::move(toMap)}};
  space.linear = true;
  space.flopsPerPoint = 0;
}

LogicalResult ReshapeOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkTensorType(emitError, getX().getType())) ||
      failed(checkTensorType(emitError, getY().getType())))
    return failure();
  if (getX().getType().getElementType() != getY().getType().getElementType())
    return emitOpError() << "element types "
                         << getX().getType().getElementType() << " and "
                         << getY().getType().getElementType() << " differ";
  if (getX().getType().getNumElements() != getY().getType().getNumElements())
    return emitOpError() << "shapes " << shapeString(shapeOf(getX())) << " and "
                         << shapeString(shapeOf(getY()))
                         << " differ in their number of elements";
  return success();
}

IterationSpace ReshapeOp::getIterationSpace() {
  return ReshapeSpace(shapeOf(getX()), shapeOf(getY())).space;
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        ArrayRef<int64_t> x = shapeOf(op.getX());
        auto rank = static_cast<int64_t>(x.size());
        ArrayRef<int64_t> permutation = op.getPermutation();
        if (failed(checkArray(emitError, "permutation", permutation, x.size(),
                              0, rank - 1)))
          return failure();
        SmallVector<int64_t> shape;
        for (size_t i = 0; i < permutation.size(); ++i) {
          if (llvm::is_contained(permutation.take_front(i), permutation[i]))
            return emitError()
                   << "'permutation' has " << permutation[i] << " twice";
          shape.push_back(x[permutation[i]]);
        }
        types.push_back(tensorLike(op.getX(), shape));
        return success();
      });
}

IterationSpace TransposeOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getY()));
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    space.operands[0].map[dim] = DimMap::loop(static_cast<int>(i));
  space.linear = true;
  space.flopsPerPoint = 0;
  return space;
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

LogicalResult
ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      if (operands.empty())
                        return emitError() << "needs at least one operand";
                      SmallVector<int64_t> shape(shapeOf(operands[0]));
                      auto axis = static_cast<int64_t>(op.getAxis());
                      if (failed(checkAxis(emitError, axis,
                                           static_cast<int64_t>(shape.size()))))
                        return failure();
                      for (Value operand : operands.drop_front()) {
                        SmallVector<int64_t> other(shapeOf(operand));
                        bool fits = other.size() == shape.size();
                        if (fits) {
                          shape[axis] += other[axis];
                          other[axis] = shape[axis];
                          fits = other == shape;
                        }
                        if (!fits)
                          return emitError()
                                 << "shapes "
                                 << shapeString(shapeOf(operands[0])) << " and "
                                 << shapeString(shapeOf(operand))
                                 << " differ in other dims than " << axis;
                      }
                      types.push_back(tensorLike(operands[0], shape));
                      return success();
                    });
}

IterationSpace ConcatOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getY()));
  int axis = static_cast<int>(getAxis());
  int64_t offset = 0;
  for (auto [operand, access] : llvm::zip(getXs(), space.operands)) {
    access.map[axis] = DimMap::window({{axis, 1}}, -offset);
    offset += shapeOf(operand)[axis];
  }
  space.linear = true;
  space.allowsEmptyOperands = true;
  space.flopsPerPoint = 0;
  return space;
}

/// Operands that the shard does not touch are dropped.
Operation *ConcatOp::localize(OpBuilder &builder, const LoopBox &,
                              ArrayRef<TileRegion>,
                              ArrayRef<TileRegion> resultRegions,
                              ValueRange operands) {
  return localizeDefault(*this, builder, resultRegions, operands);
}

//===----------------------------------------------------------------------===//
// SliceOp
//===----------------------------------------------------------------------===//

LogicalResult
SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      ArrayRef<int64_t> x = shapeOf(op.getX());
                      ArrayRef<int64_t> offsets = op.getOffsets(),
                                        sizes = op.getSizes(),
                                        strides = op.getStrides();
                      if (failed(checkArray(emitError, "offsets", offsets,
                                            x.size(), 0, maxExtent)) ||
                          failed(checkArray(emitError, "sizes", sizes, x.size(),
                                            1, maxExtent)) ||
                          failed(checkArray(emitError, "strides", strides,
                                            x.size(), 1, maxStride)))
                        return failure();
                      for (size_t d = 0; d < x.size(); ++d) {
                        int64_t last = offsets[d] + (sizes[d] - 1) * strides[d];
                        if (last >= x[d])
                          return emitError()
                                 << "reads index " << last << " of dim " << d
                                 << ", whose extent is " << x[d];
                      }
                      types.push_back(tensorLike(op.getX(), sizes));
                      return success();
                    });
}

IterationSpace SliceOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getY()));
  for (auto [d, dim] : llvm::enumerate(space.operands[0].map))
    dim = DimMap::window({{static_cast<int>(d), getStrides()[d]}},
                         getOffsets()[d]);
  space.linear = true;
  space.flopsPerPoint = 0;
  return space;
}

Operation *SliceOp::localize(OpBuilder &builder, const LoopBox &box,
                             ArrayRef<TileRegion> operandRegions,
                             ArrayRef<TileRegion> resultRegions,
                             ValueRange operands) {
  SmallVector<int64_t> offsets, sizes;
  for (size_t d = 0; d < box.size(); ++d) {
    offsets.push_back(getOffsets()[d] + box[d].lo * getStrides()[d] -
                      operandRegions[0][d].lo());
    sizes.push_back(box[d].size());
  }
  auto local =
      cast<SliceOp>(localizeDefault(*this, builder, resultRegions, operands));
  local.setOffsets(offsets);
  local.setSizes(sizes);
  return local;
}

//===----------------------------------------------------------------------===//
// PadOp
//===----------------------------------------------------------------------===//

LogicalResult PadOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  size_t rank = shapeOf(getX()).size();
  return failure(failed(checkRank(emitError, "a result", getY(),
                                  static_cast<int64_t>(rank))) ||
                 failed(checkArray(emitError, "low", getLow(), rank,
                                   -4 * maxExtent, 4 * maxExtent)) ||
                 failed(checkArray(emitError, "interior", getInterior(), rank,
                                   0, maxStride)));
}

IterationSpace PadOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getY()));
  for (auto [d, dim] : llvm::enumerate(space.operands[0].map))
    dim = DimMap::window({{static_cast<int>(d), 1}}, -getLow()[d],
                         getInterior()[d] + 1);
  space.linear = getValue().isZero();
  space.flopsPerPoint = 0;
  return space;
}

Operation *PadOp::localize(OpBuilder &builder, const LoopBox &box,
                           ArrayRef<TileRegion> operandRegions,
                           ArrayRef<TileRegion> resultRegions,
                           ValueRange operands) {
  SmallVector<int64_t> low;
  for (size_t d = 0; d < box.size(); ++d)
    low.push_back(getLow()[d] - box[d].lo +
                  operandRegions[0][d].lo() * (getInterior()[d] + 1));
  auto local =
      cast<PadOp>(localizeDefault(*this, builder, resultRegions, operands));
  local.setLow(low);
  return local;
}

double PadOp::getNeutralValue() { return getValue().convertToDouble(); }

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType() != getY().getType())
    return emitOpError() << "elements of type " << getValue().getShapedType()
                         << " do not fit a result of type " << getY().getType();
  if (isa<DenseElementsAttr>(getValue()))
    return success();
  auto resource = dyn_cast<DenseResourceElementsAttr>(getValue());
  if (!resource)
    return emitOpError() << "elements must be dense or a dense resource";
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return emitOpError() << "resource '" << resource.getRawHandle().getKey()
                         << "' has no data";
  int64_t bytes =
      getY().getType().getNumElements() *
      llvm::divideCeil(getY().getType().getElementTypeBitWidth(), 8);
  if (static_cast<int64_t>(blob->getData().size()) != bytes)
    return emitOpError() << "resource '" << resource.getRawHandle().getKey()
                         << "' has " << blob->getData().size()
                         << " bytes, expected " << bytes;
  return success();
}

IterationSpace ConstantOp::getIterationSpace() {
  IterationSpace space = elementwiseSpace(*this, shapeOf(getY()));
  space.flopsPerPoint = 0;
  return space;
}

/// Calls `visit` with the linear positions of a region's elements of a tensor
/// of `shape`, in row-major order.
static void forEachPosition(ArrayRef<int64_t> shape, const TileRegion &region,
                            size_t dim, int64_t base,
                            function_ref<void(int64_t)> visit) {
  if (dim == shape.size())
    return visit(base);
  for (const ::soap::Interval &range : region[dim].intervals())
    for (int64_t i = range.lo; i < range.hi; ++i)
      forEachPosition(shape, region, dim + 1, base * shape[dim] + i, visit);
}

ElementsAttr mlir::soap::sliceElements(ElementsAttr value,
                                       const TileRegion &region,
                                       RankedTensorType type) {
  ArrayRef<int64_t> shape = value.getShapedType().getShape();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && dense.isSplat())
    return dense.resizeSplat(type);
  unsigned bits = type.getElementTypeBitWidth();
  if (dense && bits % 8 != 0) { // Packed bits and the like.
    auto values = dense.getValues<Attribute>();
    SmallVector<Attribute> elements;
    forEachPosition(shape, region, 0, 0,
                    [&](int64_t i) { elements.push_back(values[i]); });
    return DenseElementsAttr::get(type, elements);
  }
  ArrayRef<char> data = dense
                            ? dense.getRawData()
                            : cast<DenseResourceElementsAttr>(value).getData();
  size_t bytes = llvm::divideCeil(bits, 8);
  std::vector<char> elements;
  elements.reserve(type.getNumElements() * bytes);
  forEachPosition(shape, region, 0, 0, [&](int64_t i) {
    const char *from = data.data() + i * bytes;
    elements.insert(elements.end(), from, from + bytes);
  });
  return DenseElementsAttr::getFromRawBuffer(type, elements);
}

Operation *ConstantOp::localize(OpBuilder &builder, const LoopBox &,
                                ArrayRef<TileRegion>,
                                ArrayRef<TileRegion> resultRegions,
                                ValueRange) {
  RankedTensorType type = tileType(getY().getType(), resultRegions[0]);
  return ConstantOp::create(builder, getLoc(), type,
                            sliceElements(getValue(), resultRegions[0], type));
}

//===----------------------------------------------------------------------===//
// BucketOp, UnbucketOp
//===----------------------------------------------------------------------===//

/// No loops: every shard has all of all tensors.
static IterationSpace bucketSpace(Operation *op) {
  IterationSpace space;
  auto whole = [](Value value) {
    return AccessMap(shapeOf(value).size(), DimMap::whole());
  };
  for (Value operand : op->getOperands())
    space.operands.push_back({whole(operand)});
  for (Value result : op->getResults())
    space.results.push_back({whole(result)});
  space.flopsPerPoint = 0;
  return space;
}

LogicalResult BucketOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        if (operands.empty())
          return emitError() << "needs at least one operand";
        int64_t elements = 0;
        for (Value operand : operands) {
          elements +=
              cast<RankedTensorType>(operand.getType()).getNumElements();
          if (elements > maxExtent)
            return emitError() << "has more than " << maxExtent << " elements";
        }
        types.push_back(tensorLike(operands[0], {elements}));
        return success();
      });
}

IterationSpace BucketOp::getIterationSpace() {
  IterationSpace space = bucketSpace(*this);
  space.linear = true;
  return space;
}

LogicalResult UnbucketOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkRank(emitError, "a bucket", getBucket(), 1)))
    return failure();
  if (getYs().empty())
    return emitOpError() << "needs at least one result";
  int64_t elements = 0;
  Type type = getBucket().getType().getElementType();
  for (Value y : getYs()) {
    auto tensor = cast<RankedTensorType>(y.getType());
    if (tensor.getElementType() != type)
      return emitOpError() << "element types " << type << " and "
                           << tensor.getElementType() << " differ";
    elements += tensor.getNumElements();
  }
  if (int64_t held = shapeOf(getBucket())[0]; held != elements)
    return emitOpError() << "has a bucket of " << held
                         << " elements, expected the " << elements
                         << " of its results";
  return success();
}

IterationSpace UnbucketOp::getIterationSpace() { return bucketSpace(*this); }
