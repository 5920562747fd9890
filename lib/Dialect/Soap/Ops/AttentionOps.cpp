//===- AttentionOps.cpp - Attention, its stages, its gradient -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries and keys are two loops of one space, and the keys that a query sees
// are a band of it. So a shard is the same op with another offset, and pieces
// beside the band are left out.
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Loops of all of these ops, in their order.
enum { n, h, g, q, k };

/// N samples; `keyHeads` heads of keys, each for `groups` heads of queries; Q
/// queries of width D, K keys; values of width E.
struct AttentionDims {
  int64_t samples, keyHeads, groups, queries, keys, width, valueWidth;
  int64_t heads() const { return keyHeads * groups; }
};

template <typename Op>
AttentionDims dimsOf(Op op) {
  ArrayRef<int64_t> query = shapeOf(op.getQ()), key = shapeOf(op.getK());
  return {query[0], key[1],   query[1] / key[1],        query[2],
          key[2],   query[3], shapeOf(op.getV()).back()};
}

/// Operands and attributes of `Op`, or of its adaptor.
template <typename Op>
LogicalResult checkAttention(EmitError emitError, Op op) {
  Value query = op.getQ(), key = op.getK(), value = op.getV();
  if (failed(checkRank(emitError, "q", query, 4)) ||
      failed(checkRank(emitError, "k", key, 4)) ||
      failed(checkRank(emitError, "v", value, 4)))
    return failure();
  ArrayRef<int64_t> queries = shapeOf(query), keys = shapeOf(key);
  if (queries[1] % keys[1] != 0)
    return emitError() << "expected k with a number of heads that divides the "
                       << queries[1] << " heads of q, got " << keys[1];
  AttentionDims dims = dimsOf(op);
  if (failed(
          checkShape(emitError, "k", key.getType(),
                     {dims.samples, dims.keyHeads, dims.keys, dims.width})) ||
      failed(checkShape(
          emitError, "v", value.getType(),
          {dims.samples, dims.keyHeads, dims.keys, dims.valueWidth})))
    return failure();
  return checkAttentionMask(
      emitError, op, {dims.samples, dims.heads(), dims.queries, dims.keys});
}

SmallVector<int64_t> stateShape(const AttentionDims &dims) {
  return {1 + dims.valueWidth, dims.samples, dims.heads(), dims.queries};
}

//===----------------------------------------------------------------------===//
// The space
//===----------------------------------------------------------------------===//

/// Head of queries h * groups + g.
DimMap headMap(int64_t groups) {
  return groups == 1 ? DimMap::loop(h) : DimMap::radix({{h, groups}, {g, 1}});
}
AccessMap queryMap(int64_t groups) {
  return {DimMap::loop(n), headMap(groups), DimMap::loop(q), DimMap::whole()};
}
AccessMap rowMap(int64_t groups) {
  return {DimMap::loop(n), headMap(groups), DimMap::loop(q)};
}
AccessMap stateMap(int64_t groups) {
  return {DimMap::whole(), DimMap::loop(n), headMap(groups), DimMap::loop(q)};
}
AccessMap keyMap() {
  return {DimMap::loop(n), DimMap::loop(h), DimMap::loop(k), DimMap::whole()};
}
AccessMap biasMap(Value bias, int64_t groups) {
  AccessMap map = {DimMap::loop(n), headMap(groups), DimMap::loop(q),
                   DimMap::loop(k)};
  for (auto [d, extent] : llvm::enumerate(shapeOf(bias)))
    if (extent == 1)
      map[d] = DimMap::constant(0);
  return map;
}

/// The keys that queries see; none if each of them sees all.
template <typename Op>
std::optional<::soap::Band> bandOf(Op op, const AttentionDims &dims) {
  constexpr int64_t far = int64_t(1) << 42;
  auto offset = static_cast<int64_t>(op.getOffset());
  ::soap::Band band{q, k, -far, far};
  if (op.getLeft())
    band.low = offset - static_cast<int64_t>(*op.getLeft());
  if (op.getRight())
    band.high = offset + static_cast<int64_t>(*op.getRight());
  if (band.low <= -(dims.queries - 1) && band.high >= dims.keys - 1)
    return std::nullopt;
  return band;
}

/// Loops, and the accesses of q, k, v, bias and segments.
template <typename Op>
IterationSpace attentionSpace(Op op) {
  AttentionDims dims = dimsOf(op);
  IterationSpace space;
  space.loops = {{"n", dims.samples},
                 {"h", dims.keyHeads},
                 {"g", dims.groups},
                 {"q", dims.queries},
                 {"k", dims.keys, IteratorType::Reduction}};
  space.operands = {{queryMap(dims.groups)}, {keyMap()}, {keyMap()}};
  space.band = bandOf(op, dims);
  space.flopsPerPoint = 2 * static_cast<double>(dims.width + dims.valueWidth);
  return space;
}

template <typename Op>
void addMask(Op op, IterationSpace &space) {
  AttentionDims dims = dimsOf(op);
  if (Value bias = op.getBias())
    space.operands.push_back({biasMap(bias, dims.groups)});
  if (op.getQuerySegments()) {
    space.operands.push_back({{DimMap::loop(n), DimMap::loop(q)}});
    space.operands.push_back({{DimMap::loop(n), DimMap::loop(k)}});
  }
}

/// A tile begins at other queries and keys.
template <typename Op>
Operation *localizeAttention(Op op, OpBuilder &builder, const LoopBox &box,
                             ArrayRef<TileRegion> resultRegions,
                             ValueRange operands) {
  auto local = cast<Op>(localizeDefault(op, builder, resultRegions, operands));
  local.setOffset(static_cast<int64_t>(op.getOffset()) + box[q].lo - box[k].lo);
  return local;
}

} // namespace

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

LogicalResult
AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        if (failed(checkAttention(emitError, op)))
          return failure();
        AttentionDims dims = dimsOf(op);
        types.push_back(tensorLike(op.getQ(), {dims.samples, dims.heads(),
                                               dims.queries, dims.valueWidth}));
        types.push_back(statisticsLike(
            op.getQ(), {dims.samples, dims.heads(), dims.queries}));
        return success();
      });
}

IterationSpace AttentionOp::getIterationSpace() {
  int64_t groups = dimsOf(*this).groups;
  IterationSpace space = attentionSpace(*this);
  space.loops[k].stage = true;
  addMask(*this, space);
  space.results = {{queryMap(groups)}, {rowMap(groups)}};
  return space;
}

Operation *AttentionOp::localize(OpBuilder &builder, const LoopBox &box,
                                 ArrayRef<TileRegion>,
                                 ArrayRef<TileRegion> resultRegions,
                                 ValueRange operands) {
  return localizeAttention(*this, builder, box, resultRegions, operands);
}

FailureOr<SmallVector<Value>> AttentionOp::decomposeStages(OpBuilder &builder) {
  AttentionDims dims = dimsOf(*this);
  Value state = AttentionPartialOp::create(
      builder, getLoc(), statisticsLike(getQ(), stateShape(dims)), getQ(),
      getK(), getV(), getBias(), getQuerySegments(), getKeySegments(),
      getScaleAttr(), getSoftcapAttr(), getLeftAttr(), getRightAttr(),
      getOffsetAttr());
  auto result = AttentionResultOp::create(builder, getLoc(), getOut().getType(),
                                          getLse().getType(), state,
                                          static_cast<uint64_t>(dims.groups));
  return SmallVector<Value>{result.getOut(), result.getLse()};
}

//===----------------------------------------------------------------------===//
// AttentionPartialOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionPartialOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(getOperationName(), location, operands,
                    [&](EmitError emitError) -> LogicalResult {
                      if (failed(checkAttention(emitError, op)))
                        return failure();
                      types.push_back(
                          statisticsLike(op.getQ(), stateShape(dimsOf(op))));
                      return success();
                    });
}

IterationSpace AttentionPartialOp::getIterationSpace() {
  IterationSpace space = attentionSpace(*this);
  addMask(*this, space);
  space.results = {{stateMap(dimsOf(*this).groups), Combiner::LogSumExp}};
  return space;
}

Operation *AttentionPartialOp::localize(OpBuilder &builder, const LoopBox &box,
                                        ArrayRef<TileRegion>,
                                        ArrayRef<TileRegion> resultRegions,
                                        ValueRange operands) {
  return localizeAttention(*this, builder, box, resultRegions, operands);
}

//===----------------------------------------------------------------------===//
// AttentionResultOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionResultOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkRank(emitError, "a state", getState(), 4)))
    return failure();
  ArrayRef<int64_t> state = shapeOf(getState());
  if (state[0] < 2)
    return emitOpError() << "expected a state [1 + E, N, H, Q], got "
                         << getState().getType();
  auto groups = static_cast<int64_t>(getGroups());
  if (groups < 1 || state[2] % groups != 0)
    return emitOpError() << "'groups' must divide the " << state[2]
                         << " heads, got " << groups;
  return failure(
      failed(checkShape(emitError, "out", getOut().getType(),
                        {state[1], state[2], state[3], state[0] - 1})) ||
      failed(checkShape(emitError, "lse", getLse().getType(),
                        state.drop_front())));
}

IterationSpace AttentionResultOp::getIterationSpace() {
  ArrayRef<int64_t> state = shapeOf(getState());
  auto groups = static_cast<int64_t>(getGroups());
  IterationSpace space;
  space.loops = {{"n", state[1]},
                 {"h", state[2] / groups},
                 {"g", groups},
                 {"q", state[3]}};
  space.operands = {{stateMap(groups)}};
  space.results = {{queryMap(groups)}, {rowMap(groups)}};
  space.flopsPerPoint = static_cast<double>(state[0]);
  return space;
}

Operation *AttentionResultOp::localize(OpBuilder &builder, const LoopBox &box,
                                       ArrayRef<TileRegion>,
                                       ArrayRef<TileRegion> resultRegions,
                                       ValueRange operands) {
  auto local = cast<AttentionResultOp>(
      localizeDefault(*this, builder, resultRegions, operands));
  local.setGroups(static_cast<uint64_t>(box[g].size()));
  return local;
}

//===----------------------------------------------------------------------===//
// AttentionGradOp
//===----------------------------------------------------------------------===//

LogicalResult AttentionGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(checkAttention(emitError, *this)))
    return failure();
  AttentionDims dims = dimsOf(*this);
  SmallVector<int64_t> rows{dims.samples, dims.heads(), dims.queries};
  SmallVector<int64_t> out(rows);
  out.push_back(dims.valueWidth);
  auto hasShape = [&](StringRef what, Value value, ArrayRef<int64_t> shape) {
    return !value ||
           succeeded(checkShape(emitError, what, value.getType(), shape));
  };
  if (!hasShape("dout", getDout(), out) || !hasShape("out", getOut(), out) ||
      !hasShape("lse", getLse(), rows) || !hasShape("dlse", getDlse(), rows) ||
      !hasShape("dq", getDq(), shapeOf(getQ())) ||
      !hasShape("dk", getDk(), shapeOf(getK())) ||
      !hasShape("dv", getDv(), shapeOf(getV())))
    return failure();
  if (getDbias() && !getBias())
    return emitOpError()
           << "expected a bias, because there is a gradient of it";
  return success(!getDbias() ||
                 hasShape("dbias", getDbias(), shapeOf(getBias())));
}

IterationSpace AttentionGradOp::getIterationSpace() {
  int64_t groups = dimsOf(*this).groups;
  IterationSpace space = attentionSpace(*this);
  // Some results have the loop, so that it is none of a reduction.
  space.loops[k].type = IteratorType::Parallel;
  // dout, then q, k, v, then out and lse.
  space.operands.insert(space.operands.begin(), {queryMap(groups)});
  space.operands.push_back({queryMap(groups)});
  space.operands.push_back({rowMap(groups)});
  addMask(*this, space);
  if (getDlse())
    space.operands.push_back({rowMap(groups)});
  space.results = {{queryMap(groups)}, {keyMap()}, {keyMap()}};
  if (getDbias())
    space.results.push_back({biasMap(getBias(), groups)});
  // Five products: scores again, and one for p, dq, dk and dv each.
  AttentionDims dims = dimsOf(*this);
  space.flopsPerPoint =
      2 * static_cast<double>(3 * dims.width + 2 * dims.valueWidth);
  return space;
}

Operation *AttentionGradOp::localize(OpBuilder &builder, const LoopBox &box,
                                     ArrayRef<TileRegion>,
                                     ArrayRef<TileRegion> resultRegions,
                                     ValueRange operands) {
  return localizeAttention(*this, builder, box, resultRegions, operands);
}
