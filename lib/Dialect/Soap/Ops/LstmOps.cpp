//===- LstmOps.cpp - LSTM: a chunk, its steps, their pointwise part -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `lstm` is one kernel unless its hidden dim is split; then it is a chain of
// `lstm_step`s, each of which needs the whole h of the step before. The CPU
// lowering makes of every step a library matmul and an `lstm_cell`. All of them
// read x, dy, gates and cells at a time step `t` without cutting them out
// first.
//
//===----------------------------------------------------------------------===//

#include "Dialect/Soap/OpSupport.h"

using namespace mlir;
using namespace mlir::soap;

/// Gates per hidden unit.
static constexpr int64_t kGates = 4;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
using Shaped = std::pair<StringRef, Value>;

LogicalResult
checkShapes(EmitError emitError,
            ArrayRef<std::pair<Shaped, SmallVector<int64_t>>> values) {
  for (const auto &[named, shape] : values)
    if (named.second && failed(checkShape(emitError, named.first,
                                          named.second.getType(), shape)))
      return failure();
  return success();
}

/// T, N and H of a tensor [T, N, 4, H].
struct GateShape {
  int64_t steps, samples, hidden;
};
FailureOr<GateShape> gateShape(EmitError emitError, StringRef what, Value x) {
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.size() != 4 || shape[2] != kGates) {
    emitError() << "expected " << what << " of shape [T, N, 4, H], got "
                << shapeString(shape);
    return failure();
  }
  return GateShape{shape[0], shape[1], shape[3]};
}

LogicalResult checkStep(EmitError emitError, StringRef name, uint64_t t,
                        Value of) {
  auto step = static_cast<int64_t>(t);
  if (step >= 0 && step < shapeOf(of)[0])
    return success();
  return emitError() << "'" << name << "' is " << step
                     << ", expected a time step of " << shapeOf(of)[0];
}

/// Sample loop, then hidden loop.
enum { n, a, k };
std::vector<Loop> stepLoops(int64_t samples, int64_t hidden) {
  return {{"n", samples}, {"a", hidden}};
}
/// [time step, n, a] and [time step, n, gate, a].
AccessMap unitsAt(int64_t t) {
  return {DimMap::constant(t), DimMap::loop(n), DimMap::loop(a)};
}
AccessMap gatesAt(int64_t t) {
  return {DimMap::constant(t), DimMap::loop(n), DimMap::whole(),
          DimMap::loop(a)};
}

/// The shard's tiles hold one time step.
template <typename OpTy>
Operation *localizeStep(OpTy op, OpBuilder &builder,
                        ArrayRef<TileRegion> resultRegions,
                        ValueRange operands) {
  auto local =
      cast<OpTy>(localizeDefault(op, builder, resultRegions, operands));
  local.setT(0);
  if constexpr (requires { local.setPreviousT(0); })
    local.setPreviousT(0);
  return local;
}

/// Writes the stages of an op that runs over time. Ops that are not steps say
/// which of their loops are n and a.
class TimeStages {
public:
  TimeStages(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  OpBuilder &builder;
  Location loc;

  /// One value per time step, as one tensor; `loops`: names of its dims.
  Value stack(ArrayRef<Value> steps, ArrayRef<StringRef> loops) {
    return rename(ConcatOp::create(builder, loc, steps, /*axis=*/0), loops);
  }
  Value reshape(Value x, ArrayRef<int64_t> shape,
                ArrayRef<std::pair<StringRef, StringRef>> loops) {
    auto op = ReshapeOp::create(builder, loc, tensorLike(x, shape), x);
    return setLoops(op, loops);
  }
  Value setLoops(Operation *op,
                 ArrayRef<std::pair<StringRef, StringRef>> loops) {
    SmallVector<NamedAttribute> entries;
    for (auto [own, name] : loops)
      entries.push_back(builder.getNamedAttr(own, builder.getStringAttr(name)));
    op->setAttr(SoapDialect::kLoopMap, builder.getDictionaryAttr(entries));
    return op->getResult(0);
  }

private:
  /// Loops d0, d1, ... are called `loops`; an empty name is no loop of the op.
  Value rename(Operation *op, ArrayRef<StringRef> loops) {
    SmallVector<std::string> own;
    SmallVector<std::pair<StringRef, StringRef>> pairs;
    for (size_t d = 0; d < loops.size(); ++d)
      own.push_back("d" + std::to_string(d));
    for (size_t d = 0; d < loops.size(); ++d)
      if (!loops[d].empty())
        pairs.emplace_back(own[d], loops[d]);
    return setLoops(op, pairs);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// LstmOp
//===----------------------------------------------------------------------===//

LogicalResult
LstmOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &types) {
  Adaptor op(operands, attributes, properties, regions);
  return inferTypes(
      getOperationName(), location, operands,
      [&](EmitError emitError) -> LogicalResult {
        auto shape = gateShape(emitError, "x", op.getX());
        if (failed(shape))
          return failure();
        auto [steps, samples, hidden] = *shape;
        if (failed(checkShapes(emitError,
                               {{{"r", op.getR()}, {kGates, hidden, hidden}},
                                {{"h0", op.getH0()}, {1, samples, hidden}},
                                {{"c0", op.getC0()}, {1, samples, hidden}}})))
          return failure();
        types.append(2, tensorLike(op.getX(), {steps, samples, hidden}));
        types.push_back(op.getX().getType());
        return success();
      });
}

/// Loops t, n, a of an op over all time steps, with `inner` flops per unit.
static IterationSpace sequenceSpace(ArrayRef<int64_t> gates, double inner) {
  IterationSpace space;
  space.loops = {{"t", gates[0], IteratorType::Serial},
                 {"n", gates[1]},
                 {"a", gates[3], IteratorType::Parallel, /*stage=*/true}};
  space.flopsPerPoint = 2.0 * kGates * static_cast<double>(gates[3]) + inner;
  return space;
}

IterationSpace LstmOp::getIterationSpace() {
  IterationSpace space = sequenceSpace(shapeOf(getX()), 50);
  space.operands = {{loopMap({0, 1, -1, 2})},
                    {loopMap({-1, 2, -1})},
                    {loopMap({-1, 1, -1})},
                    {loopMap({-1, 1, 2})}};
  space.results = {
      {loopMap({0, 1, 2})}, {loopMap({0, 1, 2})}, {loopMap({0, 1, -1, 2})}};
  return space;
}

FailureOr<SmallVector<Value>> LstmOp::decomposeStages(OpBuilder &builder) {
  TimeStages stages(builder, getLoc());
  ArrayRef<int64_t> x = shapeOf(getX());
  RankedTensorType state = tensorLike(getX(), {1, x[1], x[3]});
  RankedTensorType gates = tensorLike(getX(), {1, x[1], kGates, x[3]});
  Value h = getH0(), c = getC0();
  SmallVector<Value> hs, cs, gs;
  for (int64_t t = 0; t < x[0]; ++t) {
    auto step = LstmStepOp::create(builder, getLoc(), state, state, gates,
                                   getX(), getR(), h, c, t);
    hs.push_back(h = step.getNewH());
    cs.push_back(c = step.getNewC());
    gs.push_back(step.getGates());
  }
  return SmallVector<Value>{stages.stack(hs, {"t", "n", "a"}),
                            stages.stack(cs, {"t", "n", "a"}),
                            stages.stack(gs, {"t", "n", "", "a"})};
}

//===----------------------------------------------------------------------===//
// LstmStepOp and LstmCellOp
//===----------------------------------------------------------------------===//

LogicalResult LstmStepOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto shape = gateShape(emitError, "x", getX());
  if (failed(shape) || failed(checkStep(emitError, "t", getT(), getX())) ||
      failed(checkRank(emitError, "h", getH(), 3)))
    return failure();
  auto [steps, samples, hidden] = *shape;
  int64_t before = shapeOf(getH())[2];
  return checkShapes(emitError,
                     {{{"r", getR()}, {kGates, hidden, before}},
                      {{"h", getH()}, {1, samples, before}},
                      {{"c", getC()}, {1, samples, hidden}},
                      {{"a new h", getNewH()}, {1, samples, hidden}},
                      {{"a new c", getNewC()}, {1, samples, hidden}},
                      {{"gates", getGates()}, {1, samples, kGates, hidden}}});
}

IterationSpace LstmStepOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX());
  IterationSpace space;
  space.loops = stepLoops(x[1], x[3]);
  space.loops.push_back({"k", shapeOf(getH())[2], IteratorType::Serial});
  space.operands = {{gatesAt(static_cast<int64_t>(getT()))},
                    {loopMap({-1, a, k})},
                    {{DimMap::constant(0), DimMap::loop(n), DimMap::loop(k)}},
                    {unitsAt(0)}};
  space.results = {{unitsAt(0)}, {unitsAt(0)}, {gatesAt(0)}};
  space.flopsPerPoint = 2 * kGates;
  return space;
}

Operation *LstmStepOp::localize(OpBuilder &builder, const LoopBox &,
                                ArrayRef<TileRegion>,
                                ArrayRef<TileRegion> resultRegions,
                                ValueRange operands) {
  return localizeStep(*this, builder, resultRegions, operands);
}

LogicalResult LstmCellOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto shape = gateShape(emitError, "x", getX());
  if (failed(shape) || failed(checkStep(emitError, "t", getT(), getX())))
    return failure();
  auto [steps, samples, hidden] = *shape;
  return checkShapes(emitError,
                     {{{"a product", getProduct()}, {samples, kGates, hidden}},
                      {{"c", getC()}, {1, samples, hidden}},
                      {{"a new h", getNewH()}, {1, samples, hidden}},
                      {{"a new c", getNewC()}, {1, samples, hidden}},
                      {{"gates", getGates()}, {1, samples, kGates, hidden}}});
}

IterationSpace LstmCellOp::getIterationSpace() {
  ArrayRef<int64_t> x = shapeOf(getX());
  IterationSpace space;
  space.loops = stepLoops(x[1], x[3]);
  space.operands = {{gatesAt(static_cast<int64_t>(getT()))},
                    {loopMap({n, -1, a})},
                    {unitsAt(0)}};
  space.results = {{unitsAt(0)}, {unitsAt(0)}, {gatesAt(0)}};
  space.flopsPerPoint = 50;
  return space;
}

Operation *LstmCellOp::localize(OpBuilder &builder, const LoopBox &,
                                ArrayRef<TileRegion>,
                                ArrayRef<TileRegion> resultRegions,
                                ValueRange operands) {
  return localizeStep(*this, builder, resultRegions, operands);
}

//===----------------------------------------------------------------------===//
// LstmGradOp
//===----------------------------------------------------------------------===//

LogicalResult LstmGradOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto shape = gateShape(emitError, "gates", getGates());
  if (failed(shape))
    return failure();
  auto [steps, samples, hidden] = *shape;
  SmallVector<int64_t> all{steps, samples, hidden}, one{1, samples, hidden};
  return checkShapes(emitError,
                     {{{"dy", getDy()}, all},
                      {{"r", getR()}, {kGates, hidden, hidden}},
                      {{"cells", getCells()}, all},
                      {{"c0", getC0()}, one},
                      {{"dcells", getDcells()}, all},
                      {{"dx", getDx()}, {steps, samples, kGates, hidden}},
                      {{"dh0", getDh0()}, one},
                      {{"dc0", getDc0()}, one}});
}

IterationSpace LstmGradOp::getIterationSpace() {
  IterationSpace space = sequenceSpace(shapeOf(getGates()), 40);
  AccessMap units = loopMap({0, 1, 2}), gates = loopMap({0, 1, -1, 2}),
            state = loopMap({-1, 1, 2});
  space.operands = {{units}, {loopMap({-1, -1, 2})}, {gates}, {units}, {state}};
  if (getDcells())
    space.operands.push_back({units});
  space.results = {{gates}, {state}, {state}};
  return space;
}

FailureOr<SmallVector<Value>> LstmGradOp::decomposeStages(OpBuilder &builder) {
  TimeStages stages(builder, getLoc());
  ArrayRef<int64_t> gates = shapeOf(getGates());
  int64_t steps = gates[0], samples = gates[1], hidden = gates[3];
  RankedTensorType dzType =
      tensorLike(getGates(), {1, samples, kGates, hidden});
  RankedTensorType dcType = tensorLike(getGates(), {1, samples, hidden});
  Value dz, dc;
  SmallVector<Value> dzs(steps);
  for (int64_t t = steps; t-- > 0;) {
    auto step = LstmStepGradOp::create(
        builder, getLoc(), dzType, dcType, getDy(), getR(), getGates(),
        getCells(), t > 0 ? getCells() : getC0(), getDcells(), dz, dc, t,
        t > 0 ? t - 1 : 0);
    dzs[t] = dz = step.getDz();
    dc = step.getDc();
  }
  // dh0 = dz[0] * r, both as matrices.
  Value row = stages.reshape(dz, {samples, kGates * hidden}, {{"f0", "n"}});
  Value matrix =
      stages.reshape(getR(), {kGates * hidden, hidden}, {{"f2", "a"}});
  Value product = stages.setLoops(
      MatmulOp::create(builder, getLoc(), tensorLike(dz, {samples, hidden}),
                       row, matrix, false, false, {}),
      {{"m", "n"}, {"n", "a"}});
  Value dh0 =
      stages.reshape(product, {1, samples, hidden}, {{"f0", "n"}, {"f1", "a"}});
  return SmallVector<Value>{stages.stack(dzs, {"t", "n", "", "a"}), dh0, dc};
}

//===----------------------------------------------------------------------===//
// LstmStepGradOp and LstmCellGradOp
//===----------------------------------------------------------------------===//

namespace {
/// The checks that both ops share.
template <typename OpTy>
LogicalResult verifyStepGrad(OpTy op, GateShape &shape) {
  auto emitError = [&] { return op.emitOpError(); };
  auto gates = gateShape(emitError, "gates", op.getGates());
  if (failed(gates) ||
      failed(checkStep(emitError, "t", op.getT(), op.getGates())) ||
      failed(checkRank(emitError, "previous", op.getPrevious(), 3)) ||
      failed(checkStep(emitError, "previous_t", op.getPreviousT(),
                       op.getPrevious())))
    return failure();
  shape = *gates;
  auto [steps, samples, hidden] = shape;
  SmallVector<int64_t> all{steps, samples, hidden}, one{1, samples, hidden};
  return checkShapes(emitError,
                     {{{"dy", op.getDy()}, all},
                      {{"cells", op.getCells()}, all},
                      {{"previous", op.getPrevious()},
                       {shapeOf(op.getPrevious())[0], samples, hidden}},
                      {{"dcells", op.getDcells()}, all},
                      {{"next_dc", op.getNextDc()}, one},
                      {{"dz", op.getDz()}, {1, samples, kGates, hidden}},
                      {{"dc", op.getDc()}, one}});
}

/// Access maps of the operands that both ops have, by name.
template <typename OpTy>
IterationSpace stepGradSpace(OpTy op, double flops) {
  ArrayRef<int64_t> gates = shapeOf(op.getGates());
  auto t = static_cast<int64_t>(op.getT());
  IterationSpace space;
  space.loops = stepLoops(gates[1], gates[3]);
  space.operands.push_back({unitsAt(t)});
  if constexpr (std::is_same_v<OpTy, LstmStepGradOp>)
    space.operands.push_back({loopMap({-1, -1, a})});
  space.operands.push_back({gatesAt(t)});
  space.operands.push_back({unitsAt(t)});
  space.operands.push_back({unitsAt(static_cast<int64_t>(op.getPreviousT()))});
  if (op.getDcells())
    space.operands.push_back({unitsAt(t)});
  if constexpr (std::is_same_v<OpTy, LstmStepGradOp>) {
    if (op.getNextDz())
      space.operands.push_back({{DimMap::constant(0), DimMap::loop(n),
                                 DimMap::whole(), DimMap::whole()}});
  } else if (op.getProduct()) {
    space.operands.push_back({loopMap({n, a})});
  }
  if (op.getNextDc())
    space.operands.push_back({unitsAt(0)});
  space.results = {{gatesAt(0)}, {unitsAt(0)}};
  space.flopsPerPoint = flops;
  return space;
}
} // namespace

LogicalResult LstmStepGradOp::verify() {
  GateShape shape{};
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyStepGrad(*this, shape)) ||
      failed(checkRank(emitError, "r", getR(), 3)))
    return failure();
  int64_t next = shapeOf(getR())[1];
  return checkShapes(emitError, {{{"r", getR()}, {kGates, next, shape.hidden}},
                                 {{"next_dz", getNextDz()},
                                  {1, shape.samples, kGates, next}}});
}

IterationSpace LstmStepGradOp::getIterationSpace() {
  double product =
      getNextDz() ? 2.0 * kGates * static_cast<double>(shapeOf(getR())[1]) : 0;
  return stepGradSpace(*this, product + 40);
}

Operation *LstmStepGradOp::localize(OpBuilder &builder, const LoopBox &,
                                    ArrayRef<TileRegion>,
                                    ArrayRef<TileRegion> resultRegions,
                                    ValueRange operands) {
  return localizeStep(*this, builder, resultRegions, operands);
}

LogicalResult LstmCellGradOp::verify() {
  GateShape shape{};
  if (failed(verifyStepGrad(*this, shape)))
    return failure();
  return checkShapes(
      [&] { return emitOpError(); },
      {{{"a product", getProduct()}, {shape.samples, shape.hidden}}});
}

IterationSpace LstmCellGradOp::getIterationSpace() {
  return stepGradSpace(*this, 40);
}

Operation *LstmCellGradOp::localize(OpBuilder &builder, const LoopBox &,
                                    ArrayRef<TileRegion>,
                                    ArrayRef<TileRegion> resultRegions,
                                    ValueRange operands) {
  return localizeStep(*this, builder, resultRegions, operands);
}
