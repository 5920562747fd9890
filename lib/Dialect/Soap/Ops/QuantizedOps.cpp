//===- QuantizedOps.cpp - Products of 8-bit floats ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and iteration spaces. Where neighbours share a scale, a loop counts
// blocks and a serial one their elements: shards have whole blocks.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"
#include "Dialect/Soap/OpSyntax.h"

#include "Soap/Dialect/Soap/SoapQuantized.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::soap;

#define GET_OP_CLASSES
#include "Soap/Dialect/Soap/SoapQuantized.cpp.inc"

void mlir::soap::registerQuantizedOps(SoapDialect *dialect) {
  RegisteredOperationName::insert<AmaxOp>(*dialect);
  RegisteredOperationName::insert<BlockScalesOp>(*dialect);
  RegisteredOperationName::insert<QuantizeOp>(*dialect);
  RegisteredOperationName::insert<MatmulScaledOp>(*dialect);
  RegisteredOperationName::insert<DequantizeOp>(*dialect);
  RegisteredOperationName::insert<UnscaleOp>(*dialect);
}

bool mlir::soap::isScaledElement(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType>(element);
}

int64_t mlir::soap::blockAxis(ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> scales) {
  if (shape.size() != scales.size())
    return -1;
  int64_t axis = -1;
  for (auto [d, extents] : llvm::enumerate(llvm::zip(shape, scales))) {
    auto [extent, blocks] = extents;
    if (extent == blocks)
      continue;
    if (axis >= 0 || blocks * kScaleBlock != extent)
      return -1;
    axis = static_cast<int64_t>(d);
  }
  return axis;
}

/// Loops d0, d1, ... of the dims of `shape`, of dim `axis` its blocks, and a
/// last one inside of a block. No axis: the dims alone.
static std::vector<Loop> blockLoops(ArrayRef<int64_t> shape, int64_t axis) {
  std::vector<Loop> loops = dimLoops(shape);
  if (axis < 0)
    return loops;
  loops[static_cast<size_t>(axis)].extent /= kScaleBlock;
  loops.push_back({"in_block", kScaleBlock, IteratorType::Serial});
  return loops;
}

/// The map of a tensor of which dim `axis` is in blocks, to `blockLoops`.
static AccessMap blockMap(size_t rank, int64_t axis) {
  AccessMap map = identityMap(rank);
  if (axis >= 0)
    map[static_cast<size_t>(axis)] = DimMap::radix(
        {{static_cast<int>(axis), kScaleBlock}, {static_cast<int>(rank), 1}});
  return map;
}

/// `scales` of a tensor of `shape`: one f32, or one E8M0 for each block.
static LogicalResult checkScales(EmitError emitError, StringRef what,
                                 Value scales, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(scales.getType());
  bool isOne = type.getElementType().isF32();
  if (isOne ? type.getRank() == 0 : blockAxis(shape, type.getShape()) >= 0)
    return success();
  return emitError() << "expected " << what
                     << " of type tensor<f32>, or of f8E8M0FNU with the shape "
                     << shapeString(shape) << " with a 32nd of one dim, got "
                     << type;
}

//===----------------------------------------------------------------------===//
// AmaxOp
//===----------------------------------------------------------------------===//

LogicalResult AmaxOp::verify() {
  return checkRank([&] { return emitOpError(); }, "a result", getY(), 0);
}

IterationSpace AmaxOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX());
  IterationSpace space;
  space.loops = dimLoops(x, IteratorType::Reduction);
  space.operands = {{identityMap(x.size())}};
  space.results = {{{}, Combiner::Max}};
  return space;
}

//===----------------------------------------------------------------------===//
// BlockScalesOp
//===----------------------------------------------------------------------===//

LogicalResult BlockScalesOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  ArrayRef<int64_t> x = shapeOf(getX());
  auto axis = static_cast<int64_t>(getAxis());
  if (failed(checkAxis(emitError, axis, static_cast<int64_t>(x.size()))))
    return failure();
  if (x[axis] % kScaleBlock != 0)
    return emitOpError() << "has " << x[axis] << " elements along dim " << axis
                         << ", expected a multiple of the " << kScaleBlock
                         << " of a block";
  if (!isa<Float8E4M3FNType, Float8E5M2Type>(getType()))
    return emitOpError() << "'type' is " << getType()
                         << ", expected f8E4M3FN or f8E5M2";
  SmallVector<int64_t> shape(x);
  shape[axis] /= kScaleBlock;
  return checkShape(emitError, "a result", getY().getType(), shape);
}

IterationSpace BlockScalesOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX());
  auto axis = static_cast<int64_t>(getAxis());
  IterationSpace space;
  space.loops = blockLoops(x, axis);
  space.operands = {{blockMap(x.size(), axis)}};
  space.results = {{identityMap(x.size()), Combiner::Max}};
  return space;
}

//===----------------------------------------------------------------------===//
// QuantizeOp
//===----------------------------------------------------------------------===//

LogicalResult QuantizeOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkScales(emitError, "scales", getScales(), shapeOf(getX()))))
    return failure();
  return checkShape(emitError, "a result", getY().getType(), shapeOf(getX()));
}

IterationSpace QuantizeOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX()), scales = shapeOf(getScales());
  int64_t axis = blockAxis(x, scales);
  IterationSpace space;
  space.loops = blockLoops(x, axis);
  space.operands = {{blockMap(x.size(), axis)}, {identityMap(scales.size())}};
  space.results = {{blockMap(x.size(), axis)}};
  space.flopsPerPoint = 2;
  return space;
}

//===----------------------------------------------------------------------===//
// MatmulScaledOp
//===----------------------------------------------------------------------===//

/// The contracted dim of an operand of this rank.
static int64_t depthDim(int64_t rank, bool isFirst, bool isTransposed) {
  return rank - (isFirst == isTransposed ? 2 : 1);
}

LogicalResult MatmulScaledOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  ArrayRef<int64_t> a = shapeOf(getA()), b = shapeOf(getB());
  if (a.size() < 2 || b.size() < 2 || b.size() > a.size() ||
      b.drop_back(2) != a.take_front(b.size() - 2))
    return emitOpError() << "expected operands of rank 2 or more, the batch "
                            "dims of b the first of a's, got shapes "
                         << shapeString(a) << " and " << shapeString(b);
  auto rankA = static_cast<int64_t>(a.size()),
       rankB = static_cast<int64_t>(b.size());
  int64_t depthA = depthDim(rankA, true, getTransposeA()),
          depthB = depthDim(rankB, false, getTransposeB());
  if (a[depthA] != b[depthB])
    return emitOpError() << "contracted dims differ: " << a[depthA]
                         << " of shape " << shapeString(a) << " and "
                         << b[depthB] << " of shape " << shapeString(b);
  for (auto [what, scales, shape, depth] :
       {std::tuple("scales of a", getAScales(), a, depthA),
        {"scales of b", getBScales(), b, depthB}}) {
    if (failed(checkScales(emitError, what, scales, shape)))
      return failure();
    int64_t axis = blockAxis(shape, shapeOf(scales));
    if (axis >= 0 && axis != depth)
      return emitOpError() << "has " << what << " along dim " << axis
                           << ", expected the contracted dim " << depth;
  }
  bool hasBlocks = !shapeOf(getAScales()).empty();
  if (hasBlocks != !shapeOf(getBScales()).empty())
    return emitOpError() << "has scales of types " << getAScales().getType()
                         << " and " << getBScales().getType()
                         << ", expected both of tensors or both of blocks";
  if (std::optional<ArrayRef<int64_t>> factors = getKFactors()) {
    int64_t product = 1;
    bool isPositive = !factors->empty();
    for (int64_t factor : *factors)
      isPositive = isPositive && factor > 0 &&
                   !llvm::MulOverflow(product, factor, product);
    if (!isPositive || product != a[depthA])
      return emitOpError() << "'k_factors' [" << *factors
                           << "]: expected positive numbers whose product is "
                           << a[depthA] << ", the contracted dim";
    if (hasBlocks && factors->back() % kScaleBlock != 0)
      return emitOpError() << "'k_factors' [" << *factors
                           << "]: expected a last one that is a multiple of "
                              "the "
                           << kScaleBlock << " of a block";
  }
  SmallVector<int64_t> shape(a.drop_back(2));
  shape.push_back(a[depthA == rankA - 1 ? rankA - 2 : rankA - 1]);
  shape.push_back(b[depthB == rankB - 1 ? rankB - 2 : rankB - 1]);
  return checkShape(emitError, "a result", getY().getType(), shape);
}

IterationSpace MatmulScaledOp::getIterationSpace() {
  ArrayRef<int64_t> a = shapeOf(getA()), b = shapeOf(getB()),
                    y = shapeOf(getY());
  int batch = static_cast<int>(y.size()) - 2;
  int m = batch, n = batch + 1;
  bool hasBlocks = !shapeOf(getAScales()).empty();
  int64_t block = hasBlocks ? kScaleBlock : 1;
  IterationSpace space;
  for (int i = 0; i < batch; ++i)
    space.loops.push_back({"b" + std::to_string(i), y[i]});
  space.loops.push_back({"m", y[m]});
  space.loops.push_back({"n", y[n]});
  // Loops of the contracted dim: of its blocks, and in them.
  int64_t depth = a[depthDim(batch + 2, true, getTransposeA())];
  SmallVector<int64_t> factors{depth};
  bool isNumbered = getKFactors().has_value();
  if (isNumbered)
    factors.assign(getKFactors()->begin(), getKFactors()->end());
  DimMap k, blocks;
  int64_t inner = depth;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    inner /= factor;
    bool isLast = i + 1 == factors.size();
    auto loop = static_cast<int>(space.loops.size());
    k.terms.push_back({loop, isLast ? block : inner});
    blocks.terms.push_back({loop, isLast ? 1 : inner / block});
    space.loops.push_back({isNumbered ? "k" + std::to_string(i) : "k",
                           isLast ? factor / block : factor,
                           IteratorType::Reduction});
  }
  if (hasBlocks) {
    k.terms.push_back({static_cast<int>(space.loops.size()), 1});
    space.loops.push_back({"k_in_block", kScaleBlock, IteratorType::Serial});
  }
  auto matrix = [&](AccessMap map, bool isFirst, const DimMap &contracted) {
    bool isTransposed = isFirst ? getTransposeA() : getTransposeB();
    DimMap other = DimMap::loop(isFirst ? m : n);
    bool depthIsLast = isFirst != isTransposed;
    map.push_back(depthIsLast ? other : contracted);
    map.push_back(depthIsLast ? contracted : other);
    return map;
  };
  AccessMap batchA = identityMap(batch), batchB = identityMap(b.size() - 2);
  space.operands = {{matrix(batchA, true, k)}, {matrix(batchB, false, k)}};
  if (hasBlocks)
    space.operands.insert(
        space.operands.end(),
        {{matrix(batchA, true, blocks)}, {matrix(batchB, false, blocks)}});
  else
    space.operands.resize(4);
  AccessMap result = identityMap(batch + 2);
  space.results = {{result}};
  space.flopsPerPoint = 2;
  return space;
}

Operation *MatmulScaledOp::localize(OpBuilder &builder, const LoopBox &box,
                                    ArrayRef<TileRegion>,
                                    ArrayRef<TileRegion> resultRegions,
                                    ValueRange operands) {
  auto local = cast<MatmulScaledOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  if (std::optional<ArrayRef<int64_t>> factors = getKFactors()) {
    size_t first = shapeOf(getY()).size();
    SmallVector<int64_t> extents;
    for (size_t i = 0; i < factors->size(); ++i)
      extents.push_back(box[first + i].size());
    if (!shapeOf(getAScales()).empty())
      extents.back() *= kScaleBlock;
    local.setKFactors(extents);
  }
  return local;
}

//===----------------------------------------------------------------------===//
// Of programs
//===----------------------------------------------------------------------===//

LogicalResult DequantizeOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (getScales() &&
      failed(checkScales(emitError, "scales", getScales(), shapeOf(getX()))))
    return failure();
  return checkShape(emitError, "a result", getY().getType(), shapeOf(getX()));
}

LogicalResult UnscaleOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  for (auto [what, amax] :
       {std::pair("a maximum of a", getAAmax()), {"one of b", getBAmax()}})
    if (failed(checkRank(emitError, what, amax, 0)))
      return failure();
  return checkShape(emitError, "a result", getY().getType(), shapeOf(getX()));
}
