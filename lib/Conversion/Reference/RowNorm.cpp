//===- RowNorm.cpp - Kernels of softmax, layer norm, RMS norm -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Along each row: a reduction or two, then every element again. Where results
// are stored in the type of computation they hold what is needed again, and
// sums over rows; else that is computed twice.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Calls `body(at)` per row; `at(i)` are the indices of its element i.
template <typename Body>
void forEachRow(KernelBuilder &k, ArrayRef<int64_t> shape, uint64_t axis,
                Body body) {
  SmallVector<int64_t> outer(shape);
  outer[axis] = 1;
  k.forEachOf(outer, [&](ArrayRef<Index> row) {
    body([&](const Index &i) {
      SmallVector<Index> indices(row);
      indices[axis] = i;
      return indices;
    });
  });
}

void emitSoftmax(SoftmaxOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  int64_t extent = x.dim(op.getAxis());
  // Threads of a row hold no elements for each other.
  bool stores = y.elementType() == k.computeType() && !k.forThreads;
  forEachRow(k, x.shape(), op.getAxis(), [&](auto at) {
    Scalar maximum = k.reduce(
        {extent}, -std::numeric_limits<double>::infinity(),
        [&](const Scalar &acc, Index i) { return max(acc, x(at(i))); });
    auto power = [&](const Index &i) { return exp(x(at(i)) - maximum); };
    Scalar sum = k.sum({extent}, [&](Index i) {
      Scalar e = power(i);
      if (stores)
        y.set(at(i), e);
      return e;
    });
    Scalar inverse = k.number(1) / sum;
    k.forEach({extent}, [&](Index i) {
      y.set(at(i), (stores ? y(at(i)) : power(i)) * inverse);
    });
  });
}

void emitSoftmaxGrad(SoftmaxGradOp op, KernelBuilder &k) {
  Tensor dy = k.in(0), y = k.in(1), dx = k.out();
  int64_t extent = y.dim(op.getAxis());
  forEachRow(k, y.shape(), op.getAxis(), [&](auto at) {
    Scalar sum = k.sum({extent}, [&](Index i) { return dy(at(i)) * y(at(i)); });
    k.forEach({extent},
              [&](Index i) { dx.set(at(i), y(at(i)) * (dy(at(i)) - sum)); });
  });
}

//===----------------------------------------------------------------------===//
// Layer norm and RMS norm
//===----------------------------------------------------------------------===//

/// Rows and normalized dims of a tensor.
struct NormLoops {
  SmallVector<int64_t> rows, normalized;
  int64_t count = 1;

  NormLoops(const Tensor &x, uint64_t axis)
      : rows(x.shape().take_front(axis)),
        normalized(x.shape().drop_front(axis)) {
    for (int64_t extent : normalized)
      count *= extent;
  }
  static SmallVector<Index> at(ArrayRef<Index> row, ArrayRef<Index> i) {
    SmallVector<Index> indices(row);
    indices.append(i.begin(), i.end());
    return indices;
  }
};

void emitLayerNorm(LayerNormOp op, KernelBuilder &k) {
  Tensor x = k.in(0), gamma = k.in(1), beta = k.in(2), y = k.out(0),
         meanOut = k.out(1), rstdOut = k.out(2);
  NormLoops loops(x, op.getAxis());
  Scalar count = k.number(static_cast<double>(loops.count));
  Scalar epsilon = k.number(op.getEpsilon().convertToDouble());
  k.forEachOf(loops.rows, [&](ArrayRef<Index> row) {
    auto element = [&](ArrayRef<Index> i) { return x(loops.at(row, i)); };
    Scalar mean = k.sumOf(loops.normalized, element) / count;
    Scalar variance = k.sumOf(loops.normalized, [&](ArrayRef<Index> i) {
      Scalar centred = element(i) - mean;
      return centred * centred;
    }) / count;
    Scalar rstd = k.number(1) / sqrt(variance + epsilon);
    k.forEachOf(loops.normalized, [&](ArrayRef<Index> i) {
      y.set(loops.at(row, i), (element(i) - mean) * rstd * gamma(i) + beta(i));
    });
    meanOut.set(row, mean);
    rstdOut.set(row, rstd);
  });
}

void emitRmsNorm(RmsNormOp op, KernelBuilder &k) {
  Tensor x = k.in(0), gamma = k.in(1), y = k.out(0), rstdOut = k.out(1);
  NormLoops loops(x, op.getAxis());
  Scalar count = k.number(static_cast<double>(loops.count));
  Scalar epsilon = k.number(op.getEpsilon().convertToDouble());
  k.forEachOf(loops.rows, [&](ArrayRef<Index> row) {
    auto element = [&](ArrayRef<Index> i) { return x(loops.at(row, i)); };
    Scalar square = k.sumOf(loops.normalized, [&](ArrayRef<Index> i) {
      return element(i) * element(i);
    }) / count;
    Scalar rstd = k.number(1) / sqrt(square + epsilon);
    k.forEachOf(loops.normalized, [&](ArrayRef<Index> i) {
      y.set(loops.at(row, i), element(i) * rstd * gamma(i));
    });
    rstdOut.set(row, rstd);
  });
}

/// Gradients of both norms; RMS norm has neither a mean nor a beta.
struct NormGradient {
  KernelBuilder &k;
  Tensor dy, x, rstd, gamma, dx, dgamma;
  std::optional<Tensor> mean, dbeta;
  uint64_t axis;

  void emit() {
    NormLoops loops(x, axis);
    // Rows would wait for each other's sums of columns.
    bool accumulates = dgamma.elementType() == k.computeType() && !k.forThreads;
    Scalar count = k.number(static_cast<double>(loops.count));
    if (accumulates)
      k.forEachOf(loops.normalized, [&](ArrayRef<Index> i) {
        dgamma.set(i, k.number(0));
        if (dbeta)
          dbeta->set(i, k.number(0));
      });
    else
      sumColumns(loops);
    k.forEachOf(loops.rows, [&](ArrayRef<Index> row) {
      auto scaled = [&](ArrayRef<Index> i) {
        return dy(loops.at(row, i)) * gamma(i);
      };
      Scalar deviation = rstd(row);
      std::optional<Scalar> meanOfG;
      if (mean)
        meanOfG = k.sumOf(loops.normalized, scaled) / count;
      Scalar slope = k.sumOf(loops.normalized, [&](ArrayRef<Index> i) {
        return scaled(i) * normalized(row, i);
      }) / count;
      k.forEachOf(loops.normalized, [&](ArrayRef<Index> i) {
        Scalar xhat = normalized(row, i), g = scaled(i);
        Scalar centred = meanOfG ? g - *meanOfG : g;
        dx.set(loops.at(row, i), deviation * (centred - xhat * slope));
        if (!accumulates)
          return;
        Scalar gradient = dy(loops.at(row, i));
        dgamma.set(i, dgamma(i) + gradient * xhat);
        if (dbeta)
          dbeta->set(i, (*dbeta)(i) + gradient);
      });
    });
  }

private:
  Scalar normalized(ArrayRef<Index> row, ArrayRef<Index> i) {
    Scalar value = x(NormLoops::at(row, i));
    return (mean ? value - (*mean)(row) : value) * rstd(row);
  }
  /// Both sums of a column at once, as they read the same gradients.
  void sumColumns(const NormLoops &loops) {
    Value zero = k.number(0).value;
    SmallVector<Value> zeros(dbeta ? 2 : 1, zero);
    k.forEachOf(loops.normalized, [&](ArrayRef<Index> i) {
      SmallVector<Value> sums = k.foldOf(
          loops.rows, zeros, [&](ArrayRef<Index> row, ArrayRef<Value> sums) {
            Scalar gradient = dy(NormLoops::at(row, i));
            SmallVector<Value> next{
                (Scalar{&k, sums[0]} + gradient * normalized(row, i)).value};
            if (dbeta)
              next.push_back((Scalar{&k, sums[1]} + gradient).value);
            return next;
          });
      dgamma.set(i, Scalar{&k, sums[0]});
      if (dbeta)
        dbeta->set(i, Scalar{&k, sums[1]});
    });
  }
};

} // namespace

bool mlir::soap::emitRowNormKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](SoftmaxOp softmax) { return emitSoftmax(softmax, k), true; })
      .Case([&](SoftmaxGradOp grad) { return emitSoftmaxGrad(grad, k), true; })
      .Case([&](LayerNormOp norm) { return emitLayerNorm(norm, k), true; })
      .Case([&](RmsNormOp norm) { return emitRmsNorm(norm, k), true; })
      .Case([&](LayerNormGradOp grad) {
        NormGradient{k,        k.in(0),  k.in(1), k.in(3),  k.in(4),
                     k.out(0), k.out(1), k.in(2), k.out(2), grad.getAxis()}
            .emit();
        return true;
      })
      .Case([&](RmsNormGradOp grad) {
        NormGradient{
            k,        k.in(0),  k.in(1),      k.in(2),      k.in(3),
            k.out(0), k.out(1), std::nullopt, std::nullopt, grad.getAxis()}
            .emit();
        return true;
      })
      .Default(false);
}
