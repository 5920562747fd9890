//===- CrossEntropy.cpp - Kernels of softmax cross-entropy ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics are [3, N..]: maximum, sum of exponentials, logit of the label.
// Rows with a negative label count nothing.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// `last` behind the indices of a row, or `first` in front of them.
SmallVector<Index> behind(ArrayRef<Index> row, const Index &last) {
  SmallVector<Index> indices(row);
  indices.push_back(last);
  return indices;
}
SmallVector<Index> statistic(KernelBuilder &k, int64_t first,
                             ArrayRef<Index> row) {
  SmallVector<Index> indices{k.constant(first)};
  indices.append(row.begin(), row.end());
  return indices;
}

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

/// For threads, a long row is in pieces that stay in registers between their
/// maximum and their sum; the statistics of the row come from its pieces and
/// from what is left behind the last one.
void emitStatsInPieces(KernelBuilder &k, const Tensor &logits,
                       const Tensor &labels, const Tensor &stats,
                       int64_t classOffset, int64_t length) {
  int64_t classes = logits.shape().back(), pieces = classes / length,
          rest = classes % length;
  SmallVector<int64_t> shape(labels.shape());
  shape.push_back(pieces);
  Tensor maxima = k.allocate(shape, k.computeType());
  Tensor sums = k.allocate(shape, k.computeType());
  auto maximumOf = [&](int64_t count, const Scalar &initial,
                       function_ref<Scalar(Index)> value) {
    return Scalar{&k, k.foldOf({count}, {initial.value},
                               [&](ArrayRef<Index> i, ArrayRef<Value> acc) {
                                 return SmallVector<Value>{
                                     max({&k, acc[0]}, value(i[0])).value};
                               })[0]};
  };
  Scalar lowest = k.number(minusInfinity);
  k.forEachOf(shape, [&](ArrayRef<Index> at) {
    auto logit = [&](const Index &i) {
      return logits(behind(at.drop_back(), at.back() * length + i));
    };
    Scalar maximum = maximumOf(length, lowest, logit);
    Scalar sum =
        k.sum({length}, [&](Index i) { return expBelow(logit(i), maximum); });
    maxima.set(at, maximum);
    sums.set(at, sum);
  });
  k.forEachOf(labels.shape(), [&](ArrayRef<Index> n) {
    auto last = [&](const Index &i) {
      return logits(behind(n, i + pieces * length));
    };
    Scalar maximum = maximumOf(
        pieces, lowest, [&](const Index &i) { return maxima(behind(n, i)); });
    if (rest > 0)
      maximum = maximumOf(rest, maximum, last);
    Scalar sum = k.sum({pieces}, [&](Index i) {
      return sums(behind(n, i)) * expBelow(maxima(behind(n, i)), maximum);
    });
    if (rest > 0)
      sum = sum +
            k.sum({rest}, [&](Index i) { return expBelow(last(i), maximum); });
    Index label = labels.loadIndex(n) - classOffset;
    stats.set(statistic(k, 0, n), maximum);
    stats.set(statistic(k, 1, n), sum);
    stats.set(statistic(k, 2, n), logits.guarded(behind(n, label), 0));
  });
}

void emitStats(KernelBuilder &k, const Tensor &logits, const Tensor &labels,
               const Tensor &stats, int64_t classOffset) {
  int64_t classes = logits.shape().back();
  constexpr int64_t piece = 512, minPieces = 4;
  if (k.forThreads && classes >= piece * minPieces)
    return emitStatsInPieces(k, logits, labels, stats, classOffset, piece);
  k.forEachOf(labels.shape(), [&](ArrayRef<Index> n) {
    Scalar maximum =
        k.reduce({classes}, minusInfinity, [&](const Scalar &acc, Index i) {
          return max(acc, logits(behind(n, i)));
        });
    Scalar sum = k.sum({classes}, [&](Index i) {
      return expBelow(logits(behind(n, i)), maximum);
    });
    Index label = labels.loadIndex(n) - classOffset;
    stats.set(statistic(k, 0, n), maximum);
    stats.set(statistic(k, 1, n), sum);
    // 0 where the class is in another tile, or the row does not count.
    stats.set(statistic(k, 2, n), logits.guarded(behind(n, label), 0));
  });
}

void emitLoss(KernelBuilder &k, const Tensor &stats, const Tensor &labels,
              const Tensor &loss, const Tensor &correct, const APFloat &scale) {
  Scalar zero = k.number(0), one = k.number(1);
  SmallVector<Value> sums = k.foldOf(
      labels.shape(), {zero.value, zero.value},
      [&](ArrayRef<Index> n, ArrayRef<Value> sums) {
        Scalar maximum = stats(statistic(k, 0, n));
        Scalar sum = stats(statistic(k, 1, n));
        Scalar logit = stats(statistic(k, 2, n));
        Condition counts =
            within(labels.loadIndex(n), 0, std::numeric_limits<int64_t>::max());
        // maximum - logit is exact where they are equal, infinities apart.
        Condition hit = compare(arith::CmpFPredicate::OEQ, logit, maximum);
        Scalar row = select(counts, (maximum - logit) + log(sum), zero);
        Scalar hits = select(counts && hit, one, zero);
        return SmallVector<Value>{(Scalar{&k, sums[0]} + row).value,
                                  (Scalar{&k, sums[1]} + hits).value};
      });
  loss.set({}, k.number(scale.convertToDouble()) * Scalar{&k, sums[0]});
  correct.set({}, Scalar{&k, sums[1]});
}

void emitGrad(CrossEntropyGradOp op, KernelBuilder &k) {
  Tensor dloss = k.in(0), logits = k.in(1), labels = k.in(2), stats = k.in(3),
         dx = k.out();
  k.forEachOf(labels.shape(), [&](ArrayRef<Index> n) {
    Index label = labels.loadIndex(n);
    Condition counts = within(label, 0, std::numeric_limits<int64_t>::max());
    Scalar scale =
        dloss(ArrayRef<Index>()) * k.number(op.getScale().convertToDouble());
    Scalar maximum = stats(statistic(k, 0, n));
    Scalar inverse = k.number(1) / stats(statistic(k, 1, n));
    Index own = label - static_cast<int64_t>(op.getClassOffset());
    k.forEach({logits.shape().back()}, [&](Index i) {
      Scalar probability = expBelow(logits(behind(n, i)), maximum) * inverse;
      Scalar target = select(i == own, k.number(1), k.number(0));
      dx.set(behind(n, i),
             select(counts, scale * (probability - target), k.number(0)));
    });
  });
}

} // namespace

bool mlir::soap::emitCrossEntropyKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](CrossEntropyOp loss) {
        emitStats(k, k.in(0), k.in(1), k.out(2), 0);
        emitLoss(k, k.out(2), k.in(1), k.out(0), k.out(1), loss.getScale());
        return true;
      })
      .Case([&](SoftmaxStatsOp stats) {
        emitStats(k, k.in(0), k.in(1), k.out(),
                  static_cast<int64_t>(stats.getClassOffset()));
        return true;
      })
      .Case([&](CrossEntropyLossOp loss) {
        emitLoss(k, k.in(0), k.in(1), k.out(0), k.out(1), loss.getScale());
        return true;
      })
      .Case([&](CrossEntropyGradOp grad) { return emitGrad(grad, k), true; })
      .Default(false);
}
