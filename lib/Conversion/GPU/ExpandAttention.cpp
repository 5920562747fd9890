//===- ExpandAttention.cpp - Attention as products and kernels ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: what cuDNN does not compute becomes products, which libraries do,
// with the kernels of SoapAttentionTiles.h between them; tile by tile of the
// queries, each with the keys that it sees, so that scores of one tile are in
// memory. Heads that share keys are rows of one product.
//
//===----------------------------------------------------------------------===//

#include "AttentionTarget.h"
#include "TileWriter.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapAttentionTiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <limits>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPEXPANDATTENTION
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

ArrayRef<int64_t> shapeOf(Value value) { return typeOf(value).getShape(); }

/// Queries of some samples and heads of keys, and the keys that they see.
struct Tile {
  TileRange samples, keyHeads, queries, keys;
};

/// The common parts of an attention, its partial form and its gradient.
template <typename Op>
class Expansion {
public:
  Expansion(Op op, int64_t maxScores) : op(op), w(op) {
    ArrayRef<int64_t> q = shapeOf(op.getQ()), k = shapeOf(op.getK());
    samples = q[0], keyHeads = k[1], groups = q[1] / k[1];
    queries = q[2], keys = k[2];
    width = q[3], valueWidth = shapeOf(op.getV()).back();
    element = typeOf(op.getQ()).getElementType();
    compute = element.isF64() ? element : Builder(op).getF32Type();
    offset = static_cast<int64_t>(op.getOffset());
    if (op.getLeft())
      left = static_cast<int64_t>(*op.getLeft());
    if (op.getRight())
      right = static_cast<int64_t>(*op.getRight());
    findTiles(maxScores);
  }

protected:
  Op op;
  TileWriter w;
  int64_t samples, keyHeads, groups, queries, keys, width, valueWidth;
  int64_t offset;
  std::optional<int64_t> left, right;
  Type element, compute; ///< of the op, and of products and sums
  /// Of each range of samples and heads of keys, the tiles of its queries.
  SmallVector<SmallVector<Tile>> blocks;

  int64_t heads() const { return keyHeads * groups; }
  TileRange headsOf(const Tile &t) const {
    return {t.keyHeads.lo * groups, t.keyHeads.hi * groups};
  }

  /// Those that some of the queries see.
  TileRange seenBy(const TileRange &rows) const {
    TileRange seen{0, keys};
    if (left)
      seen.lo = std::clamp<int64_t>(rows.lo + offset - *left, 0, keys);
    if (right)
      seen.hi = std::clamp<int64_t>(rows.hi + offset + *right, 0, keys);
    return {seen.lo, std::max(seen.lo, seen.hi)};
  }

  /// One tile if its scores are few; else shorter ones, where bounds hide keys
  /// from most queries or scores are more than `maxScores`.
  void findTiles(int64_t maxScores) {
    constexpr int64_t longQueries = 1024, leastRows = 512, usualRows = 128;
    int64_t step = queries, someSamples = samples, someHeads = keyHeads;
    auto half = [](int64_t n) { return (n + 1) / 2; };
    if ((left || right) && queries >= longQueries)
      step = std::max(leastRows, (queries + 7) / 8);
    auto isLarge = [&] {
      int64_t most = 1;
      for (const TileRange &rows : splitExtent(queries, step))
        most = std::max(most, rows.size() * seenBy(rows).size());
      return most > maxScores / (someSamples * someHeads * groups);
    };
    while (isLarge()) {
      if (step > usualRows)
        step = half(step);
      else if (someSamples > 1)
        someSamples = half(someSamples);
      else if (someHeads > 1)
        someHeads = half(someHeads);
      else if (step > 1)
        step = half(step);
      else
        break;
    }
    for (const TileRange &n : splitExtent(samples, someSamples))
      for (const TileRange &h : splitExtent(keyHeads, someHeads)) {
        blocks.emplace_back();
        for (const TileRange &rows : splitExtent(queries, step))
          if (TileRange seen = seenBy(rows); seen.size() > 0)
            blocks.back().push_back({n, h, rows, seen});
      }
  }

  /// [n, heads, rows, width] of a tensor of queries, all heads that share keys
  /// as rows of one matrix, to be multiplied.
  Value rowsOf(Value x, const Tile &t) {
    int64_t columns = shapeOf(x).back();
    return matrices(w.part(x, {t.samples, headsOf(t), t.queries, {0, columns}}),
                    t);
  }
  Value matrices(Value x, const Tile &t) {
    return w.cast(w.reshape(x, {t.samples.size(), t.keyHeads.size(),
                                groups * t.queries.size(), shapeOf(x).back()}),
                  compute);
  }
  Value keysOf(Value x, const Tile &t) {
    return w.cast(
        w.part(x, {t.samples, t.keyHeads, t.keys, {0, shapeOf(x).back()}}),
        compute);
  }
  /// The other way: of products, the rows of each head.
  Value byHeads(Value x, const Tile &t) {
    return w.reshape(x, {t.samples.size(), headsOf(t).size(), t.queries.size(),
                         shapeOf(x).back()});
  }
  /// One number a query.
  Value numbersOf(Value x, const Tile &t) {
    return w.part(x, {t.samples, headsOf(t), t.queries});
  }

  /// Of queries, as `rowsOf` gives them, and keys.
  Value products(Value rows, const Tile &t) {
    Value columns = keysOf(op.getK(), t);
    return byHeads(w.matmul(rows, columns, /*transposeA=*/false,
                            /*transposeB=*/true),
                   t);
  }
  /// A product with a tensor of keys, rounded to `type`.
  Value mixed(Value weights, Value ofKeys, const Tile &t, Type type) {
    Value rows = matrices(weights, t), columns = keysOf(ofKeys, t);
    return byHeads(w.cast(w.matmul(rows, columns, false, false), type), t);
  }

  /// Bias, segments and attributes of a tile, as `create` of its ops takes them
  /// behind the other operands.
  template <typename TileOp, typename... Operands>
  TileOp createTile(const Tile &t, TypeRange types, Operands... operands) {
    Builder builder(op);
    Value bias = op.getBias(), querySegments, keySegments;
    if (bias) {
      TileBox box{t.samples, headsOf(t), t.queries, t.keys};
      for (auto [range, extent] : llvm::zip_equal(box, shapeOf(bias)))
        if (extent == 1)
          range = {0, 1};
      bias = w.part(bias, box);
    }
    if (op.getQuerySegments()) {
      querySegments = w.part(op.getQuerySegments(), {t.samples, t.queries});
      keySegments = w.part(op.getKeySegments(), {t.samples, t.keys});
    }
    // Bounds that hide nothing here are none: tiles share kernels.
    int64_t from = offset + t.queries.lo - t.keys.lo;
    IntegerAttr low, high;
    if (left && from + t.queries.size() - 1 - *left > 0)
      low = builder.getI64IntegerAttr(*left);
    if (right && from + *right < t.keys.size() - 1)
      high = builder.getI64IntegerAttr(*right);
    return w.template create<TileOp>(
        types, operands..., bias, querySegments, keySegments, op.getScaleAttr(),
        op.getSoftcapAttr(), low, high,
        builder.getI64IntegerAttr(low || high ? from : 0));
  }

  RankedTensorType scoresType(const Tile &t, Type type) const {
    return RankedTensorType::get(
        {t.samples.size(), headsOf(t).size(), t.queries.size(), t.keys.size()},
        type);
  }

  /// Results of tiles of queries, assembled.
  class Rows {
  public:
    void add(Value part, TileBox box) {
      parts.push_back(part);
      boxes.push_back(std::move(box));
    }
    /// `value` where no query sees a key.
    Value finish(Expansion &e, RankedTensorType type, double value) {
      int64_t covered = 0;
      for (Value part : parts)
        covered += typeOf(part).getNumElements();
      if (covered == 0)
        return e.w.fill(type, value);
      if (covered < type.getNumElements())
        addHidden(e, type, value);
      return e.w.put(type, parts, boxes);
    }

  private:
    SmallVector<Value> parts;
    SmallVector<TileBox> boxes;

    /// Queries of all samples and heads that are in no tile.
    void addHidden(Expansion &e, RankedTensorType type, double value) {
      int64_t next = 0;
      auto hide = [&](TileRange rows) {
        if (rows.size() <= 0)
          return;
        TileBox box{{0, e.samples}, {0, e.heads()}, rows};
        for (int64_t d = 3; d < type.getRank(); ++d)
          box.push_back({0, type.getDimSize(d)});
        SmallVector<int64_t> shape;
        for (const TileRange &range : box)
          shape.push_back(range.size());
        add(e.w.fill(type.clone(shape), value), box);
      };
      for (const Tile &t : e.blocks.front()) {
        hide({next, t.queries.lo});
        next = t.queries.hi;
      }
      hide({next, e.queries});
    }
  };

  RankedTensorType rowType(ArrayRef<int64_t> last, Type type) const {
    SmallVector<int64_t> shape{samples, heads(), queries};
    llvm::append_range(shape, last);
    return RankedTensorType::get(shape, type);
  }
};

/// Some of the first dim of a state, [1 + E, N, H, Q].
TileBox stateBox(RankedTensorType state, TileRange first) {
  TileBox box{first};
  for (int64_t extent : state.getShape().drop_front())
    box.push_back({0, extent});
  return box;
}

/// `soap.attention` and `soap.attention_partial`.
template <typename Op>
class Forward : Expansion<Op> {
  using Base = Expansion<Op>;
  using Base::compute, Base::element, Base::op, Base::valueWidth, Base::w;

public:
  using Base::Base;

  void run() {
    typename Base::Rows outs, sums;
    Type result = typeOf(op->getResult(0)).getElementType();
    for (ArrayRef<Tile> block : this->blocks)
      for (const Tile &t : block) {
        Value products = this->products(this->rowsOf(op.getQ(), t), t);
        RankedTensorType weights = this->scoresType(t, element);
        auto softened = this->template createTile<AttentionWeightsOp>(
            t,
            {weights,
             RankedTensorType::get(weights.getShape().drop_back(), compute)},
            products);
        Value out = this->mixed(softened.getWeights(), op.getV(), t, result);
        outs.add(out,
                 {t.samples, this->headsOf(t), t.queries, {0, valueWidth}});
        sums.add(softened.getLse(), {t.samples, this->headsOf(t), t.queries});
      }
    Value out = outs.finish(*this, this->rowType({valueWidth}, result), 0);
    Value lse = sums.finish(*this, this->rowType({}, compute),
                            -std::numeric_limits<double>::infinity());
    finish(out, lse);
  }

private:
  void finish(Value out, Value lse) {
    if constexpr (std::is_same_v<Op, AttentionOp>) {
      op.getOut().replaceAllUsesWith(out);
      op.getLse().replaceAllUsesWith(
          w.cast(lse, typeOf(op.getLse()).getElementType()));
    } else {
      RankedTensorType state = typeOf(op.getState());
      Value turned =
          w.template create<TransposeOp>(out, ArrayRef<int64_t>{3, 0, 1, 2})
              .getY();
      SmallVector<int64_t> one(state.getShape());
      one[0] = 1;
      lse = w.cast(w.reshape(lse, one), state.getElementType());
      op.getState().replaceAllUsesWith(w.put(
          state, {lse, turned},
          {stateBox(state, {0, 1}), stateBox(state, {1, 1 + valueWidth})}));
    }
    w.finish();
  }
};

void expandResult(AttentionResultOp op) {
  TileWriter w(op);
  RankedTensorType state = typeOf(op.getState());
  Value outs = w.part(op.getState(), stateBox(state, {1, state.getDimSize(0)}));
  Value out = w.create<TransposeOp>(outs, ArrayRef<int64_t>{1, 2, 3, 0}).getY();
  Value lse = w.part(op.getState(), stateBox(state, {0, 1}));
  lse = w.reshape(lse, shapeOf(op.getLse()));
  op.getOut().replaceAllUsesWith(
      w.cast(out, typeOf(op.getOut()).getElementType()));
  op.getLse().replaceAllUsesWith(
      w.cast(lse, typeOf(op.getLse()).getElementType()));
  w.finish();
}

class Gradient : Expansion<AttentionGradOp> {
public:
  using Expansion::Expansion;

  void run() {
    Value excess = excessOfRows();
    Value lse = w.cast(op.getLse(), compute);
    Rows ofQueries;
    SmallVector<Value> ofKeys, ofValues;
    SmallVector<TileBox> keyBoxes, valueBoxes;
    Value ofBias;
    for (ArrayRef<Tile> block : blocks) {
      Value dk, dv;
      for (const Tile &t : block) {
        Value gradients = rowsOf(op.getDout(), t),
              values = keysOf(op.getV(), t);
        Value dweights = byHeads(w.matmul(gradients, values, false, true), t);
        Value rows = rowsOf(op.getQ(), t), scores = products(rows, t),
              sums = numbersOf(lse, t), less = numbersOf(excess, t);
        SmallVector<Type> types(2, scoresType(t, element));
        if (op.getDbias())
          types.push_back(scoresType(t, compute));
        auto made = createTile<AttentionWeightsGradOp>(t, types, scores,
                                                       dweights, sums, less);
        ofQueries.add(mixed(made.getDproducts(), op.getK(), t,
                            typeOf(op.getDq()).getElementType()),
                      {t.samples, headsOf(t), t.queries, {0, width}});
        auto add = [&](Value &sum, Value part, int64_t columns) {
          int64_t n = t.samples.size(), h = t.keyHeads.size();
          sum = w.accumulate(sum, part, {{0, n}, {0, h}, t.keys, {0, columns}},
                             {n, h, keys, columns});
        };
        Value dproducts = matrices(made.getDproducts(), t);
        add(dk, w.matmul(dproducts, rows, true, false), width);
        Value weights = matrices(made.getWeights(), t);
        add(dv, w.matmul(weights, gradients, true, false), valueWidth);
        if (op.getDbias())
          ofBias = addToBias(ofBias, made.getDscores(), t);
      }
      if (!dk)
        continue;
      const Tile &any = block.front();
      ofKeys.push_back(dk);
      keyBoxes.push_back({any.samples, any.keyHeads, {0, keys}, {0, width}});
      ofValues.push_back(dv);
      valueBoxes.push_back(
          {any.samples, any.keyHeads, {0, keys}, {0, valueWidth}});
    }
    auto wholeOf = [&](Value like, ArrayRef<Value> parts,
                       ArrayRef<TileBox> boxes) {
      RankedTensorType type = typeOf(like).clone(compute);
      return parts.empty() ? w.fill(type, 0) : w.put(type, parts, boxes);
    };
    replace(
        op.getDq(),
        ofQueries.finish(
            *this, rowType({width}, typeOf(op.getDq()).getElementType()), 0));
    replace(op.getDk(), wholeOf(op.getDk(), ofKeys, keyBoxes));
    replace(op.getDv(), wholeOf(op.getDv(), ofValues, valueBoxes));
    if (op.getDbias())
      replace(op.getDbias(),
              ofBias ? ofBias
                     : w.fill(typeOf(op.getDbias()).clone(compute), 0));
    w.finish();
  }

private:
  void replace(Value result, Value made) {
    result.replaceAllUsesWith(w.cast(made, typeOf(result).getElementType()));
  }

  /// The sum of dout * out of each query, less the gradient of its lse.
  Value excessOfRows() {
    Value gradients = w.cast(op.getDout(), compute),
          outs = w.cast(op.getOut(), compute);
    Value both = w.create<MulOp>(gradients, outs).getZ();
    Value sum =
        w.create<ReduceOp>(both, ReduceKind::Sum, ArrayRef<int64_t>{3}).getY();
    if (!op.getDlse())
      return sum;
    return w.create<SubOp>(sum, w.cast(op.getDlse(), compute)).getZ();
  }

  /// Gradients of scores, summed over the dims in which the bias broadcasts.
  Value addToBias(Value sum, Value dscores, const Tile &t) {
    ArrayRef<int64_t> shape = shapeOf(op.getBias());
    TileBox box{t.samples, headsOf(t), t.queries, t.keys};
    SmallVector<int64_t> axes, kept;
    for (auto [d, extent] : llvm::enumerate(shape)) {
      if (extent == 1) {
        axes.push_back(static_cast<int64_t>(d));
        box[d] = {0, 1};
      }
      kept.push_back(box[d].size());
    }
    if (!axes.empty())
      dscores = w.reshape(
          w.create<ReduceOp>(dscores, ReduceKind::Sum, axes).getY(), kept);
    return w.accumulate(sum, dscores, box, shape);
  }
};

struct ExpandAttentionPass
    : public mlir::soap::impl::SoapExpandAttentionBase<ExpandAttentionPass> {
  using SoapExpandAttentionBase::SoapExpandAttentionBase;

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    if (tile < 1) {
      module.emitError("tile must be at least 1, got ") << int64_t(tile);
      return signalPassFailure();
    }
    FailureOr<AttentionTarget> target =
        AttentionTarget::of(module, {attention, chip, precision, library});
    if (failed(target))
      return signalPassFailure();
    for (func::FuncOp program : module.getOps<func::FuncOp>()) {
      if (program.isExternal() || !program.getBody().hasOneBlock())
        continue;
      for (Operation &op :
           llvm::make_early_inc_range(program.getBody().front()))
        if (!target->callOf(&op))
          expand(&op);
    }
  }

private:
  void expand(Operation *op) {
    if (auto attention = dyn_cast<AttentionOp>(op))
      Forward<AttentionOp>(attention, tile).run();
    else if (auto partial = dyn_cast<AttentionPartialOp>(op))
      Forward<AttentionPartialOp>(partial, tile).run();
    else if (auto grad = dyn_cast<AttentionGradOp>(op))
      Gradient(grad, tile).run();
    else if (auto result = dyn_cast<AttentionResultOp>(op))
      return expandResult(result);
    else
      return;
    addTo(expanded);
  }
};

} // namespace
