//===- Linear.cpp - Kernels of convolution, matmul and reductions ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of SoapLinearOps.td as loop nests.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// The attributes that convolution and its gradients share.
struct ConvShape {
  int64_t sh, sw, dh, dw, top, left, groups;

  template <typename Op>
  explicit ConvShape(Op op)
      : sh(op.getStrides()[0]), sw(op.getStrides()[1]),
        dh(op.getDilations()[0]), dw(op.getDilations()[1]),
        top(op.getPadding()[0]), left(op.getPadding()[1]),
        groups(op.getGroups()) {}
};

void emitConv(Conv2DOp op, KernelBuilder &k) {
  ConvShape c(op);
  Tensor x = k.in(0), w = k.in(1), y = k.out();
  int64_t groupOutputs = y.dim(1) / c.groups, groupInputs = w.dim(1);
  k.forEach({y.dim(0), c.groups, groupOutputs, y.dim(2), y.dim(3)},
            [&](Index n, Index g, Index o, Index h, Index v) {
              Index channel = g * groupOutputs + o;
              y.set({n, channel, h, v},
                    k.sum({groupInputs, w.dim(2), w.dim(3)},
                          [&](Index i, Index kh, Index kw) {
                            return x.guarded({n, g * groupInputs + i,
                                              h * c.sh + kh * c.dh - c.top,
                                              v * c.sw + kw * c.dw - c.left},
                                             0) *
                                   w({channel, i, kh, kw});
                          }));
            });
}

void emitConvInputGrad(Conv2DInputGradOp op, KernelBuilder &k) {
  ConvShape c(op);
  Tensor dy = k.in(0), w = k.in(1), dx = k.out();
  int64_t groupOutputs = dy.dim(1) / c.groups, groupInputs = w.dim(1);
  k.forEach({dx.dim(0), c.groups, groupInputs, dx.dim(2), dx.dim(3)},
            [&](Index n, Index g, Index i, Index h, Index v) {
              dx.set({n, g * groupInputs + i, h, v},
                     k.sum({groupOutputs, w.dim(2), w.dim(3)},
                           [&](Index o, Index kh, Index kw) {
                             // Only where the window's step divides, and not
                             // below zero, where division rounds up.
                             Index p = h + c.top - kh * c.dh;
                             Index q = v + c.left - kw * c.dw;
                             Condition exact = p % c.sh == k.constant(0) &&
                                               q % c.sw == k.constant(0) &&
                                               within(p, 0, dy.dim(2) * c.sh) &&
                                               within(q, 0, dy.dim(3) * c.sw);
                             Index channel = g * groupOutputs + o;
                             return dy.guarded({n, channel, p / c.sh, q / c.sw},
                                               0, exact) *
                                    w({channel, i, kh, kw});
                           }));
            });
}

void emitConvWeightGrad(Conv2DWeightGradOp op, KernelBuilder &k) {
  ConvShape c(op);
  Tensor x = k.in(0), dy = k.in(1), dw = k.out();
  int64_t groupOutputs = dw.dim(0) / c.groups, groupInputs = dw.dim(1);
  k.forEach({c.groups, groupOutputs, groupInputs, dw.dim(2), dw.dim(3)},
            [&](Index g, Index o, Index i, Index kh, Index kw) {
              Index channel = g * groupOutputs + o;
              dw.set({channel, i, kh, kw},
                     k.sum({dy.dim(0), dy.dim(2), dy.dim(3)},
                           [&](Index n, Index h, Index v) {
                             return x.guarded({n, g * groupInputs + i,
                                               h * c.sh + kh * c.dh - c.top,
                                               v * c.sw + kw * c.dw - c.left},
                                              0) *
                                    dy({n, channel, h, v});
                           }));
            });
}

void emitMatmul(MatmulOp op, KernelBuilder &k) {
  Tensor a = k.in(0), b = k.in(1), y = k.out();
  bool transposeA = op.getTransposeA(), transposeB = op.getTransposeB();
  int64_t depth = a.dim(a.rank() - (transposeA ? 2 : 1));
  k.forEachOf(y.shape(), [&](ArrayRef<Index> loops) {
    auto at = [&](const Tensor &tensor, const Index &row, const Index &column,
                  bool transposed) {
      SmallVector<Index> indices;
      indices.append(loops.begin(), loops.begin() + (tensor.rank() - 2));
      indices.push_back(transposed ? column : row);
      indices.push_back(transposed ? row : column);
      return tensor(indices);
    };
    Index m = loops[y.rank() - 2], n = loops[y.rank() - 1];
    y.set(loops, k.sum({depth}, [&](Index i) {
      return at(a, m, i, transposeA) * at(b, i, n, transposeB);
    }));
  });
}

double neutralOf(ReduceKind kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case ReduceKind::Sum:
    return 0;
  case ReduceKind::Max:
    return -infinity;
  case ReduceKind::Min:
    return infinity;
  }
  return 0;
}

Scalar fold(ReduceKind kind, const Scalar &a, const Scalar &b) {
  switch (kind) {
  case ReduceKind::Sum:
    return a + b;
  case ReduceKind::Max:
    return max(a, b);
  case ReduceKind::Min:
    return min(a, b);
  }
  return a;
}

/// Rows of few numbers, one after the other in memory, folded into one: eight
/// rows at a time, so that they fill vectors.
void emitReduceRows(ReduceKind kind, const Tensor &x, const Tensor &y,
                    int64_t rows, int64_t width, KernelBuilder &k) {
  constexpr int64_t together = 8;
  double neutral = neutralOf(kind);
  Tensor from = x.flattened(), to = y.flattened();
  Tensor sums(k, memref::AllocaOp::create(
                     k.builder, k.loc,
                     MemRefType::get({together * width}, y.elementType())));
  k.forEach({together * width},
            [&](Index i) { sums.set({i}, k.number(neutral)); });
  k.forEach({rows / together, together * width}, [&](Index n, Index i) {
    Index at = n * (together * width) + i;
    sums.set({i}, fold(kind, sums({i}), from({at})));
  });
  k.forEach({width}, [&](Index i) { to.set({i}, k.number(neutral)); });
  k.forEach({together, width}, [&](Index n, Index i) {
    to.set({i}, fold(kind, to({i}), sums({n * width + i})));
  });
  int64_t done = rows / together * together;
  k.forEach({rows - done, width}, [&](Index n, Index i) {
    to.set({i}, fold(kind, to({i}), from({(n + done) * width + i})));
  });
}

/// Every element of the result by itself.
void emitReduceElements(ReduceOp op, const Tensor &x, const Tensor &y,
                        ArrayRef<bool> reduced, ArrayRef<int64_t> extents,
                        double neutral, KernelBuilder &k) {
  k.forEachOf(y.shape(), [&](ArrayRef<Index> kept) {
    y.set(kept,
          k.reduceOf(extents, neutral, [&](Scalar acc, ArrayRef<Index> loops) {
            SmallVector<Index> indices;
            const Index *nextKept = kept.begin();
            const Index *nextLoop = loops.begin();
            for (bool isReduced : reduced)
              indices.push_back(isReduced ? *nextLoop++ : *nextKept++);
            return fold(op.getKind(), acc, x(indices));
          }));
  });
}

/// The same of dims side by side as one, so that a sum is one loop over what
/// lies together.
void emitReduceJoined(ReduceOp op, ArrayRef<bool> reduced, double neutral,
                      KernelBuilder &k) {
  SmallVector<int64_t> counts, kept, extents;
  SmallVector<bool> joined;
  for (bool isReduced : reduced) {
    if (joined.empty() || joined.back() != isReduced) {
      joined.push_back(isReduced);
      counts.push_back(0);
    }
    ++counts.back();
  }
  for (auto [isReduced, count] : llvm::zip(joined, counts))
    if (!isReduced)
      kept.push_back(count);
  Tensor x = k.in(0).joined(counts);
  for (auto [dim, isReduced] : llvm::enumerate(joined))
    if (isReduced)
      extents.push_back(x.dim(static_cast<unsigned>(dim)));
  emitReduceElements(op, x, k.out().joined(kept), joined, extents, neutral, k);
}

void emitReduce(ReduceOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  SmallVector<int64_t> reducedExtents;
  SmallVector<bool> reduced(x.rank(), false);
  for (int64_t axis : op.getAxes()) {
    reduced[axis] = true;
    reducedExtents.push_back(x.dim(axis));
  }
  double neutral = neutralOf(op.getKind());

  // Threads of GPUs: one for each channel, or for a part of its positions; of
  // other sums one for each element, or for a part of what it sums.
  if (k.forThreads) {
    if (x.getLayout() == ImageLayout::ChannelsLast &&
        op.getAxes() == ArrayRef<int64_t>{0, 2, 3}) {
      Tensor matrix = x.positionsByChannels(), row = y.flattened();
      k.forEach({matrix.dim(1)}, [&](Index c) {
        row.set({c}, k.reduce({matrix.dim(0)}, neutral,
                              [&](const Scalar &acc, Index position) {
                                return fold(op.getKind(), acc,
                                            matrix({position, c}));
                              }));
      });
      return;
    }
    if (x.getLayout() == ImageLayout::ChannelsFirst)
      return emitReduceJoined(op, reduced, neutral, k);
    return emitReduceElements(op, x, y, reduced, reducedExtents, neutral, k);
  }

  // Whether all kept dims are behind all reduced ones in memory.
  int64_t width = 1, rows = 1;
  bool keptLast = true;
  for (unsigned dim : x.bufferDims()) {
    keptLast &= reduced[dim] ? width == 1 : true;
    (reduced[dim] ? rows : width) *= x.dim(dim);
  }
  constexpr int64_t fewNumbers = 64;
  if (k.fast && keptLast && width <= fewNumbers && rows >= fewNumbers &&
      !channelBlock(x.getLayout()) && y.elementType() == k.computeType())
    return emitReduceRows(op.getKind(), x, y, rows, width, k);

  // A sum over rows of a matrix walks along the rows: contiguous, and the sums
  // are independent of each other.
  bool keepsLast =
      x.rank() > 0 &&
      !reduced[x.getLayout() == ImageLayout::ChannelsFirst ? reduced.size() - 1
                                                           : 1];
  if (k.fast && keepsLast && y.elementType() == k.computeType()) {
    k.forEachOf(y.shape(),
                [&](ArrayRef<Index> i) { y.set(i, k.number(neutral)); });
    k.forEachOf(x.shape(), [&](ArrayRef<Index> loops) {
      SmallVector<Index> kept;
      for (auto [d, loop] : llvm::enumerate(loops))
        if (!reduced[d])
          kept.push_back(loop);
      y.set(kept, fold(op.getKind(), y(kept), x(loops)));
    });
    return;
  }
  emitReduceElements(op, x, y, reduced, reducedExtents, neutral, k);
}

void emitBroadcast(BroadcastOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  k.forEachOf(y.shape(), [&](ArrayRef<Index> loops) {
    SmallVector<Index> indices;
    for (auto [d, loop] : llvm::enumerate(loops))
      if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(d)))
        indices.push_back(loop);
    y.set(loops, x(indices));
  });
}

} // namespace

bool mlir::soap::emitLinearKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](Conv2DOp conv) { return emitConv(conv, k), true; })
      .Case([&](Conv2DInputGradOp conv) {
        return emitConvInputGrad(conv, k), true;
      })
      .Case([&](Conv2DWeightGradOp conv) {
        return emitConvWeightGrad(conv, k), true;
      })
      .Case([&](MatmulOp matmul) { return emitMatmul(matmul, k), true; })
      .Case([&](ReduceOp reduce) { return emitReduce(reduce, k), true; })
      .Case([&](BroadcastOp broadcast) {
        return emitBroadcast(broadcast, k), true;
      })
      .Default(false);
}
