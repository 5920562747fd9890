//===- Attention.cpp - Kernels of attention -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row by row, with the online softmax (Milakov and Gimelshein, 2018): no scores
// are in memory, so each is computed again where it is read.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapAttentionTiles.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

/// From a product of queries and keys to its score.
class ScoreRule {
public:
  /// `next`: the number of the first of bias and segments among the operands.
  template <typename Op>
  ScoreRule(Op op, KernelBuilder &k, size_t next)
      : k(k), scale(op.getScale().convertToDouble()),
        softcap(op.getSoftcap().convertToDouble()),
        offset(static_cast<int64_t>(op.getOffset())) {
    constexpr int64_t far = int64_t(1) << 42;
    low = op.getLeft() ? -static_cast<int64_t>(*op.getLeft()) : -far;
    high = op.getRight() ? static_cast<int64_t>(*op.getRight()) : far;
    if (op.getBias())
      bias = k.in(next++);
    if (op.getQuerySegments()) {
      querySegments = k.in(next);
      keySegments = k.in(next + 1);
    }
  }

  /// Whether query i sees key j.
  Condition sees(const Index &n, const Index &i, const Index &j) const {
    Condition visible = within(j - i - offset, low, high + 1);
    if (querySegments)
      visible = visible && (*querySegments).loadIndex({n, i}) ==
                               (*keySegments).loadIndex({n, j});
    return visible;
  }
  /// The scaled product, in the range of the softcap, without the bias.
  Scalar capped(const Scalar &product) const {
    Scalar score = k.number(scale) * product;
    if (softcap == 0)
      return score;
    return k.number(softcap) * tanh(score * k.number(1 / softcap));
  }
  /// The score of what `capped` gives; -inf for a hidden key.
  Scalar score(const Scalar &capped, const Index &n, const Index &head,
               const Index &i, const Index &j) const {
    return select(sees(n, i, j), biased(capped, n, head, i, j),
                  k.number(minusInfinity));
  }
  /// exp(score - lse); 0 for a score of -inf, also where lse is.
  Scalar share(const Scalar &score, const Scalar &lse) const {
    return select(
        compare(arith::CmpFPredicate::UNE, score, k.number(minusInfinity)),
        exp(score - lse), k.number(0));
  }
  /// The derivative of the score without bias, by the product.
  Scalar slope(const Scalar &capped) const {
    if (softcap == 0)
      return k.number(scale);
    Scalar part = capped * k.number(1 / softcap);
    return k.number(scale) * (k.number(1) - part * part);
  }

private:
  KernelBuilder &k;
  std::optional<Tensor> bias, querySegments, keySegments;
  double scale, softcap;
  int64_t offset, low, high;

  Scalar biased(const Scalar &score, const Index &n, const Index &head,
                const Index &i, const Index &j) const {
    if (!bias)
      return score;
    auto at = [&](size_t d, const Index &index) {
      return bias->dim(d) == 1 ? k.constant(0) : index;
    };
    return score + (*bias)({at(0, n), at(1, head), at(2, i), at(3, j)});
  }
};

/// The scores of queries and keys.
class Scores {
public:
  /// `first`: the number of q among the operands.
  template <typename Op>
  Scores(Op op, KernelBuilder &k, size_t first)
      : rule(op, k, first + (isa<AttentionGradOp>(op.getOperation()) ? 5 : 3)),
        k(k), q(k.in(first)), keys(k.in(first + 1)),
        groups(q.dim(1) / keys.dim(1)) {}

  const ScoreRule rule;

  int64_t queryCount() const { return q.dim(2); }
  int64_t keyCount() const { return keys.dim(2); }
  int64_t groupCount() const { return groups; }
  Index keyHead(const Index &head) const { return head / groups; }

  Scalar capped(const Index &n, const Index &head, const Index &i,
                const Index &j) const {
    return rule.capped(k.sum({q.dim(3)}, [&](Index d) {
      return q({n, head, i, d}) * keys({n, keyHead(head), j, d});
    }));
  }
  /// -inf for a hidden key.
  Scalar at(const Index &n, const Index &head, const Index &i,
            const Index &j) const {
    return rule.score(capped(n, head, i, j), n, head, i, j);
  }

private:
  KernelBuilder &k;
  Tensor q, keys;
  int64_t groups;
};

/// Log of the sum of exponentials of the scores of a query.
Scalar emitLse(KernelBuilder &k, const Scores &scores, const Index &n,
               const Index &head, const Index &i) {
  SmallVector<Value> folded = k.foldOf(
      {scores.keyCount()}, {k.number(minusInfinity).value, k.number(0).value},
      [&](ArrayRef<Index> j, ArrayRef<Value> sofar) {
        Scalar score = scores.at(n, head, i, j[0]);
        Scalar before{&k, sofar[0]}, sum{&k, sofar[1]};
        Scalar maximum = max(before, score);
        return SmallVector<Value>{
            maximum.value,
            (sum * expBelow(before, maximum) + expBelow(score, maximum)).value};
      });
  return Scalar{&k, folded[0]} + log(Scalar{&k, folded[1]});
}

using Place = function_ref<SmallVector<Index>(const Index &)>;

/// `rows` in the type of computation to be added to: themselves, or memory.
Tensor sumsOf(KernelBuilder &k, const Tensor &rows) {
  return rows.elementType() == k.computeType()
             ? rows
             : k.allocate(rows.shape(), k.computeType());
}
void clearRow(KernelBuilder &k, const Tensor &sums, Place at, int64_t width) {
  k.forEach({width}, [&](Index e) { sums.set(at(e), k.number(0)); });
}
void addTo(KernelBuilder &k, const Tensor &sums, Place at, int64_t width,
           function_ref<Scalar(const Index &)> term) {
  k.forEach({width}, [&](Index e) { sums.set(at(e), sums(at(e)) + term(e)); });
}
void writeRow(KernelBuilder &k, const Tensor &sums, const Tensor &rows,
              Place at, int64_t width) {
  if (sums.getBuffer() != rows.getBuffer())
    k.forEach({width}, [&](Index e) { rows.set(at(e), sums(at(e))); });
}

/// `out` and `lse`, or one state for both.
template <typename Op>
void emitForward(Op op, KernelBuilder &k) {
  Scores scores(op, k, 0);
  Tensor q = k.in(0), v = k.in(2), out = k.out();
  constexpr bool isState = std::is_same_v<Op, AttentionPartialOp>;
  Tensor sums = sumsOf(k, out);
  int64_t width = v.dim(3);
  k.forEach({q.dim(0), q.dim(1), q.dim(2)}, [&](Index n, Index head, Index i) {
    auto at = [&](const Index &e) {
      return isState ? SmallVector<Index>{e + 1, n, head, i}
                     : SmallVector<Index>{n, head, i, e};
    };
    Scalar lse = emitLse(k, scores, n, head, i);
    clearRow(k, sums, at, width);
    k.forEachInOrder({scores.keyCount()}, [&](ArrayRef<Index> j) {
      Scalar share = scores.rule.share(scores.at(n, head, i, j[0]), lse);
      addTo(k, sums, at, width, [&](const Index &e) {
        return share * v({n, scores.keyHead(head), j[0], e});
      });
    });
    writeRow(k, sums, out, at, width);
    if constexpr (isState)
      out.set({k.constant(0), n, head, i}, lse);
    else
      k.out(1).set({n, head, i}, lse);
  });
}

void emitResult(AttentionResultOp, KernelBuilder &k) {
  Tensor state = k.in(0), out = k.out(0), lse = k.out(1);
  k.forEach({lse.dim(0), lse.dim(1), lse.dim(2)},
            [&](Index n, Index head, Index i) {
              lse.set({n, head, i}, state({k.constant(0), n, head, i}));
              k.forEach({out.dim(3)}, [&](Index e) {
                out.set({n, head, i, e}, state({e + 1, n, head, i}));
              });
            });
}

/// The gradients: of a row of queries over its keys, of a row of keys over its
/// queries.
class Gradient {
public:
  Gradient(AttentionGradOp op, KernelBuilder &k)
      : op(op), k(k), scores(op, k, 1), dout(k.in(0)), q(k.in(1)),
        keys(k.in(2)), v(k.in(3)), out(k.in(4)), lse(k.in(5)) {
    if (op.getDlse())
      dlse = k.in(k.inputCount() - 1);
  }

  void run() {
    // The mean of the gradient of a row is subtracted from each element.
    excess = k.allocate(lse.shape(), k.computeType());
    k.forEachOf(lse.shape(), [&](ArrayRef<Index> at) {
      Scalar sum = k.sum({v.dim(3)}, [&](Index e) {
        SmallVector<Index> element(at);
        element.push_back(e);
        return dout(element) * out(element);
      });
      excess.set(at, dlse ? sum - (*dlse)(at) : sum);
    });
    ofQueries(k.out(0));
    ofKeys(k.out(1), k.out(2));
    if (op.getDbias())
      ofBias(k.out(3));
  }

private:
  AttentionGradOp op;
  KernelBuilder &k;
  Scores scores;
  Tensor dout, q, keys, v, out, lse, excess;
  std::optional<Tensor> dlse;

  struct Element {
    Scalar share;     ///< p
    Scalar ofScore;   ///< gradient of the score with bias
    Scalar ofProduct; ///< gradient of q times k
  };
  Element elementAt(const Index &n, const Index &head, const Index &i,
                    const Index &j) {
    Scalar capped = scores.capped(n, head, i, j);
    Scalar share = scores.rule.share(scores.rule.score(capped, n, head, i, j),
                                     lse({n, head, i}));
    Scalar ofShare = k.sum({v.dim(3)}, [&](Index e) {
      return dout({n, head, i, e}) * v({n, scores.keyHead(head), j, e});
    });
    Scalar ofScore = share * (ofShare - excess({n, head, i}));
    return {share, ofScore, ofScore * scores.rule.slope(capped)};
  }

  void ofQueries(const Tensor &dq) {
    Tensor sums = sumsOf(k, dq);
    int64_t width = dq.dim(3);
    k.forEach({q.dim(0), q.dim(1), q.dim(2)},
              [&](Index n, Index head, Index i) {
                auto at = [&](const Index &d) {
                  return SmallVector<Index>{n, head, i, d};
                };
                clearRow(k, sums, at, width);
                k.forEachInOrder({scores.keyCount()}, [&](ArrayRef<Index> j) {
                  Scalar ofProduct = elementAt(n, head, i, j[0]).ofProduct;
                  addTo(k, sums, at, width, [&](const Index &d) {
                    return ofProduct * keys({n, scores.keyHead(head), j[0], d});
                  });
                });
                writeRow(k, sums, dq, at, width);
              });
  }

  void ofKeys(const Tensor &dk, const Tensor &dv) {
    Tensor keySums = sumsOf(k, dk), valueSums = sumsOf(k, dv);
    int64_t groups = scores.groupCount();
    k.forEach({keys.dim(0), keys.dim(1), keys.dim(2)},
              [&](Index n, Index keyHead, Index j) {
                auto at = [&](const Index &d) {
                  return SmallVector<Index>{n, keyHead, j, d};
                };
                clearRow(k, keySums, at, dk.dim(3));
                clearRow(k, valueSums, at, dv.dim(3));
                k.forEachInOrder(
                    {groups, scores.queryCount()}, [&](ArrayRef<Index> row) {
                      Index head = keyHead * groups + row[0];
                      Element element = elementAt(n, head, row[1], j);
                      addTo(k, keySums, at, dk.dim(3), [&](const Index &d) {
                        return element.ofProduct * q({n, head, row[1], d});
                      });
                      addTo(k, valueSums, at, dv.dim(3), [&](const Index &e) {
                        return element.share * dout({n, head, row[1], e});
                      });
                    });
                writeRow(k, keySums, dk, at, dk.dim(3));
                writeRow(k, valueSums, dv, at, dv.dim(3));
              });
  }

  void ofBias(const Tensor &dbias) {
    SmallVector<int64_t> inner;
    for (auto [own, whole] : llvm::zip_equal(
             dbias.shape(),
             ArrayRef<int64_t>{q.dim(0), q.dim(1), q.dim(2), keys.dim(2)}))
      inner.push_back(own == whole ? 1 : whole);
    k.forEachOf(dbias.shape(), [&](ArrayRef<Index> at) {
      dbias.set(at, k.sumOf(inner, [&](ArrayRef<Index> rest) {
        SmallVector<Index> place;
        for (size_t d = 0; d < 4; ++d)
          place.push_back(inner[d] == 1 ? at[d] : rest[d]);
        return elementAt(place[0], place[1], place[2], place[3]).ofScore;
      }));
    });
  }
};

/// Rows of weights, from products that are in memory. What is computed again is
/// not kept between the loops of a row, which lanes share.
void emitWeights(AttentionWeightsOp op, KernelBuilder &k) {
  ScoreRule rule(op, k, 1);
  Tensor products = k.in(0), weights = k.out(0), lse = k.out(1);
  int64_t keys = products.dim(3);
  k.forEach({products.dim(0), products.dim(1), products.dim(2)},
            [&](Index n, Index head, Index i) {
              auto score = [&](const Index &j) {
                return rule.score(rule.capped(products({n, head, i, j})), n,
                                  head, i, j);
              };
              Scalar maximum = k.reduce({keys}, minusInfinity,
                                        [&](const Scalar &acc, Index j) {
                                          return max(acc, score(j));
                                        });
              // -inf if all of the row is.
              Scalar logarithm = maximum + log(k.sum({keys}, [&](Index j) {
                                   return expBelow(score(j), maximum);
                                 }));
              k.forEach({keys}, [&](Index j) {
                weights.set({n, head, i, j}, rule.share(score(j), logarithm));
              });
              lse.set({n, head, i}, logarithm);
            });
}

void emitWeightsGrad(AttentionWeightsGradOp op, KernelBuilder &k) {
  ScoreRule rule(op, k, 4);
  Tensor products = k.in(0), dweights = k.in(1), lse = k.in(2),
         excess = k.in(3), weights = k.out(0), dproducts = k.out(1);
  k.forEach(
      {products.dim(0), products.dim(1), products.dim(2), products.dim(3)},
      [&](Index n, Index head, Index i, Index j) {
        Scalar capped = rule.capped(products({n, head, i, j}));
        Scalar share =
            rule.share(rule.score(capped, n, head, i, j), lse({n, head, i}));
        Scalar ofScore =
            share * (dweights({n, head, i, j}) - excess({n, head, i}));
        weights.set({n, head, i, j}, share);
        dproducts.set({n, head, i, j}, ofScore * rule.slope(capped));
        if (op.getDscores())
          k.out(2).set({n, head, i, j}, ofScore);
      });
}

} // namespace

bool mlir::soap::emitAttentionKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<AttentionOp, AttentionPartialOp>(
          [&](auto attention) { return emitForward(attention, k), true; })
      .Case(
          [&](AttentionResultOp result) { return emitResult(result, k), true; })
      .Case([&](AttentionGradOp grad) { return Gradient(grad, k).run(), true; })
      .Case([&](AttentionWeightsOp op) { return emitWeights(op, k), true; })
      .Case([&](AttentionWeightsGradOp op) {
        return emitWeightsGrad(op, k), true;
      })
      .Default(false);
}
