//===- Interpreter.cpp - Naive evaluation of soap ops ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per op or family, as close to the op descriptions as possible.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::soap;
using namespace soap_test;

using Index = llvm::ArrayRef<int64_t>;
using Tensors = std::vector<Tensor>;

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

Tensor::Tensor(Index shape, double value) : shape(shape.vec()) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  data.assign(n, value);
}

bool Tensor::inside(Index index) const {
  for (size_t d = 0; d < shape.size(); ++d)
    if (index[d] < 0 || index[d] >= shape[d])
      return false;
  return true;
}

static size_t linear(Index shape, Index index) {
  int64_t position = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    position = position * shape[d] + index[d];
  return position;
}

double &Tensor::at(Index index) { return data.at(linear(shape, index)); }
double Tensor::at(Index index) const { return data.at(linear(shape, index)); }
double Tensor::read(Index index, double outside) const {
  return inside(index) ? at(index) : outside;
}

void soap_test::forEachIndex(Index shape,
                             llvm::function_ref<void(Index)> visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

static Tensor resultOf(Operation *op, unsigned i = 0) {
  return Tensor(cast<RankedTensorType>(op->getResult(i).getType()).getShape());
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Calls visit(x index, w index, y index) for every term of a convolution,
/// terms that read outside of x included.
template <typename Op>
static void
forEachConvTerm(Op op, Index w, Index y,
                llvm::function_ref<void(Index, Index, Index)> visit) {
  int64_t groups = op.getGroups();
  int64_t I = w[1], O = w[0] / groups;
  auto s = op.getStrides(), d = op.getDilations(), p = op.getPadding();
  forEachIndex({y[0], groups, O, y[2], y[3], I, w[2], w[3]}, [&](Index t) {
    int64_t n = t[0], g = t[1], o = t[2], h = t[3], v = t[4], i = t[5],
            kh = t[6], kw = t[7];
    visit({n, g * I + i, h * s[0] + kh * d[0] - p[0],
           v * s[1] + kw * d[1] - p[1]},
          {g * O + o, i, kh, kw}, {n, g * O + o, h, v});
  });
}

static Tensors evaluateConv(Conv2DOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  forEachConvTerm(op, in[1].shape, y.shape, [&](Index x, Index w, Index out) {
    y.at(out) += in[0].read(x, 0) * in[1].at(w);
  });
  return {y};
}

static Tensors evaluateConvInputGrad(Conv2DInputGradOp op, const Tensors &in) {
  Tensor dx = resultOf(op);
  forEachConvTerm(op, in[1].shape, in[0].shape, [&](Index x, Index w, Index y) {
    if (dx.inside(x))
      dx.at(x) += in[0].at(y) * in[1].at(w);
  });
  return {dx};
}

static Tensors evaluateConvWeightGrad(Conv2DWeightGradOp op,
                                      const Tensors &in) {
  Tensor dw = resultOf(op);
  forEachConvTerm(op, dw.shape, in[1].shape, [&](Index x, Index w, Index y) {
    dw.at(w) += in[0].read(x, 0) * in[1].at(y);
  });
  return {dw};
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Calls visit(image index) for the taps of window `y`, in row-major order.
template <typename Op>
static void forEachTap(Op op, Index y, llvm::function_ref<void(Index)> visit) {
  auto k = op.getKernel(), s = op.getStrides(), d = op.getDilations(),
       p = op.getPadding();
  forEachIndex({k[0], k[1]}, [&](Index t) {
    visit({y[0], y[1], y[2] * s[0] + t[0] * d[0] - p[0],
           y[3] * s[1] + t[1] * d[1] - p[1]});
  });
}

static Tensors evaluateMaxPool(MaxPool2DOp op, const Tensors &in) {
  double lowest = -std::numeric_limits<double>::infinity();
  Tensor y = resultOf(op);
  forEachIndex(y.shape, [&](Index out) {
    y.at(out) = lowest;
    forEachTap(op, out, [&](Index x) {
      y.at(out) = std::max(y.at(out), in[0].read(x, lowest));
    });
  });
  return {y};
}

static Tensors evaluateMaxPoolGrad(MaxPool2DGradOp op, const Tensors &in) {
  const Tensor &dy = in[0], &x = in[1], &y = in[2];
  Tensor dx = resultOf(op);
  auto offset = op.getXOffset();
  forEachIndex(y.shape, [&](Index out) {
    bool found = false;
    forEachTap(op, out, [&](Index tap) {
      if (found || !x.inside(tap) || x.at(tap) != y.at(out))
        return;
      found = true;
      SmallVector<int64_t> own(tap);
      own[2] -= offset[0];
      own[3] -= offset[1];
      if (dx.inside(own))
        dx.at(own) += dy.at(out);
    });
  });
  return {dx};
}

/// Number of counted elements of window `y` on an image of `image`.
template <typename Op>
static double countOf(Op op, Index image, Index y) {
  auto p = op.getPadding();
  int64_t low[2] = {0, 0}, size[2] = {image[2], image[3]};
  for (int d = 0; d < 2; ++d) {
    if (op.getCountIncludePad()) {
      low[d] -= p[d];
      size[d] += p[d] + p[d + 2];
    }
    if (op.getCountLow()) {
      low[d] = (*op.getCountLow())[d];
      size[d] = (*op.getCountSize())[d];
    }
  }
  double count = 0;
  forEachTap(op, y, [&](Index x) {
    count += x[2] >= low[0] && x[2] < low[0] + size[0] && x[3] >= low[1] &&
             x[3] < low[1] + size[1];
  });
  return count;
}

static Tensors evaluateAvgPool(AvgPool2DOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  forEachIndex(y.shape, [&](Index out) {
    double count = countOf(op, in[0].shape, out), sum = 0;
    forEachTap(op, out, [&](Index x) { sum += in[0].read(x, 0); });
    y.at(out) = count == 0 ? 0 : sum / count;
  });
  return {y};
}

static Tensors evaluateAvgPoolGrad(AvgPool2DGradOp op, const Tensors &in) {
  Tensor dx = resultOf(op);
  forEachIndex(in[0].shape, [&](Index out) {
    double count = countOf(op, dx.shape, out);
    forEachTap(op, out, [&](Index x) {
      if (dx.inside(x) && count != 0)
        dx.at(x) += in[0].at(out) / count;
    });
  });
  return {dx};
}

//===----------------------------------------------------------------------===//
// Linear ops, elementwise ops
//===----------------------------------------------------------------------===//

static Tensors evaluateMatmul(MatmulOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  size_t rank = y.shape.size();
  size_t aRank = in[0].shape.size();
  int64_t depth = in[0].shape[op.getTransposeA() ? aRank - 2 : aRank - 1];
  forEachIndex(y.shape, [&](Index out) {
    for (int64_t k = 0; k < depth; ++k) {
      SmallVector<int64_t> a(out.drop_back(2)), b(a);
      b.resize(in[1].shape.size() - 2);
      int64_t m = out[rank - 2], n = out[rank - 1];
      a.append({m, k});
      b.append({k, n});
      if (op.getTransposeA())
        std::swap(a[a.size() - 1], a[a.size() - 2]);
      if (op.getTransposeB())
        std::swap(b[b.size() - 1], b[b.size() - 2]);
      y.at(out) += in[0].at(a) * in[1].at(b);
    }
  });
  return {y};
}

static Tensors evaluateReduce(ReduceOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  double infinity = std::numeric_limits<double>::infinity();
  if (op.getKind() == ReduceKind::Max)
    llvm::fill(y.data, -infinity);
  if (op.getKind() == ReduceKind::Min)
    llvm::fill(y.data, infinity);
  forEachIndex(in[0].shape, [&](Index x) {
    SmallVector<int64_t> out;
    for (size_t d = 0; d < x.size(); ++d)
      if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(d)))
        out.push_back(x[d]);
    double &to = y.at(out), value = in[0].at(x);
    to = op.getKind() == ReduceKind::Sum   ? to + value
         : op.getKind() == ReduceKind::Max ? std::max(to, value)
                                           : std::min(to, value);
  });
  return {y};
}

static Tensors evaluateBroadcast(BroadcastOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  forEachIndex(y.shape, [&](Index out) {
    SmallVector<int64_t> x;
    for (size_t d = 0; d < out.size(); ++d)
      if (!llvm::is_contained(op.getAxes(), static_cast<int64_t>(d)))
        x.push_back(out[d]);
    y.at(out) = in[0].at(x);
  });
  return {y};
}

static Tensors
evaluateBinary(Operation *op, const Tensors &in,
               llvm::function_ref<double(double, double)> function) {
  Tensor z = resultOf(op);
  auto operand = [&](const Tensor &t, Index out) {
    SmallVector<int64_t> index(out.take_back(t.shape.size()));
    for (size_t d = 0; d < index.size(); ++d)
      if (t.shape[d] == 1)
        index[d] = 0;
    return t.at(index);
  };
  forEachIndex(z.shape, [&](Index out) {
    z.at(out) = function(operand(in[0], out), operand(in[1], out));
  });
  return {z};
}

static Tensors evaluateBiasAdd(BiasAddOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  forEachIndex(y.shape, [&](Index out) {
    y.at(out) = in[0].at(out) + in[1].at({out[op.getAxis()]});
  });
  return {y};
}

static Tensors evaluateAccumulate(Operation *op, const Tensors &in) {
  Tensor sum = resultOf(op);
  for (const Tensor &x : in)
    for (size_t i = 0; i < sum.data.size(); ++i)
      sum.data[i] += x.data[i];
  return {sum};
}

static Tensors evaluateUnary(Operation *op, const Tensors &in,
                             llvm::function_ref<double(double)> function) {
  Tensor y = resultOf(op);
  for (size_t i = 0; i < y.data.size(); ++i)
    y.data[i] = function(in[0].data[i]);
  return {y};
}

//===----------------------------------------------------------------------===//
// Shape ops
//===----------------------------------------------------------------------===//

static Tensors evaluateReshape(Operation *op, const Tensors &in) {
  Tensor y = resultOf(op);
  y.data = in[0].data;
  return {y};
}

static Tensors evaluateTranspose(TransposeOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  forEachIndex(y.shape, [&](Index out) {
    SmallVector<int64_t> x(out.size());
    for (size_t d = 0; d < out.size(); ++d)
      x[op.getPermutation()[d]] = out[d];
    y.at(out) = in[0].at(x);
  });
  return {y};
}

static Tensors evaluateBucket(Operation *op, const Tensors &in) {
  Tensor bucket = resultOf(op);
  auto to = bucket.data.begin();
  for (const Tensor &x : in)
    to = std::copy(x.data.begin(), x.data.end(), to);
  return {bucket};
}

static Tensors evaluateUnbucket(Operation *op, const Tensors &in) {
  Tensors results;
  auto from = in[0].data.begin();
  for (unsigned r = 0; r < op->getNumResults(); ++r) {
    Tensor y = resultOf(op, r);
    auto to = from + static_cast<ptrdiff_t>(y.data.size());
    std::copy(from, to, y.data.begin());
    from = to;
    results.push_back(std::move(y));
  }
  return results;
}

static Tensors evaluateConcat(ConcatOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  int64_t offset = 0;
  for (const Tensor &x : in) {
    forEachIndex(x.shape, [&](Index from) {
      SmallVector<int64_t> to(from);
      to[op.getAxis()] += offset;
      y.at(to) = x.at(from);
    });
    offset += x.shape[op.getAxis()];
  }
  return {y};
}

static Tensors evaluateSlice(SliceOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  forEachIndex(y.shape, [&](Index out) {
    SmallVector<int64_t> x;
    for (size_t d = 0; d < out.size(); ++d)
      x.push_back(op.getOffsets()[d] + out[d] * op.getStrides()[d]);
    y.at(out) = in[0].at(x);
  });
  return {y};
}

static Tensors evaluatePad(PadOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  llvm::fill(y.data, op.getValue().convertToDouble());
  forEachIndex(in[0].shape, [&](Index x) {
    SmallVector<int64_t> out;
    for (size_t d = 0; d < x.size(); ++d)
      out.push_back(op.getLow()[d] + x[d] * (op.getInterior()[d] + 1));
    if (y.inside(out))
      y.at(out) = in[0].at(x);
  });
  return {y};
}

static Tensors evaluateConstant(ConstantOp op) {
  Tensor y = resultOf(op);
  auto values = cast<DenseElementsAttr>(op.getValue()).getValues<APFloat>();
  for (size_t i = 0; i < y.data.size(); ++i)
    y.data[i] = values[i].convertToDouble();
  return {y};
}

//===----------------------------------------------------------------------===//
// Batch norm, cross-entropy
//===----------------------------------------------------------------------===//

static Tensor momentsOf(const Tensor &x) {
  Tensor stats(Index{3, x.shape[1]});
  forEachIndex(x.shape, [&](Index i) {
    stats.at({0, i[1]}) += 1;
    stats.at({1, i[1]}) += x.at(i);
  });
  for (int64_t c = 0; c < x.shape[1]; ++c)
    stats.at({1, c}) /= stats.at({0, c});
  forEachIndex(x.shape, [&](Index i) {
    double difference = x.at(i) - stats.at({1, i[1]});
    stats.at({2, i[1]}) += difference * difference;
  });
  return stats;
}

static double normalized(const Tensor &x, Index i, const Tensor &stats,
                         double epsilon) {
  int64_t c = i[1];
  double variance = stats.at({2, c}) / stats.at({0, c});
  return (x.at(i) - stats.at({1, c})) / std::sqrt(variance + epsilon);
}

static Tensor normalize(const Tensor &x, const Tensor &stats,
                        const Tensor &gamma, const Tensor &beta,
                        double epsilon) {
  Tensor y(x.shape);
  forEachIndex(x.shape, [&](Index i) {
    y.at(i) =
        normalized(x, i, stats, epsilon) * gamma.at({i[1]}) + beta.at({i[1]});
  });
  return y;
}

static Tensors gradReduce(const Tensor &dy, const Tensor &x,
                          const Tensor &stats, double epsilon) {
  Tensor dgamma(Index{x.shape[1]}), dbeta(Index{x.shape[1]});
  forEachIndex(x.shape, [&](Index i) {
    dgamma.at({i[1]}) += dy.at(i) * normalized(x, i, stats, epsilon);
    dbeta.at({i[1]}) += dy.at(i);
  });
  return {dgamma, dbeta};
}

static Tensor gradApply(const Tensors &in, const Tensor &dgamma,
                        const Tensor &dbeta, double epsilon) {
  const Tensor &dy = in[0], &x = in[1], &stats = in[2], &gamma = in[3];
  Tensor dx(x.shape);
  forEachIndex(x.shape, [&](Index i) {
    int64_t c = i[1];
    double count = stats.at({0, c});
    double scale =
        gamma.at({c}) / std::sqrt(stats.at({2, c}) / count + epsilon);
    dx.at(i) =
        scale * (dy.at(i) - dbeta.at({c}) / count -
                 normalized(x, i, stats, epsilon) * dgamma.at({c}) / count);
  });
  return dx;
}

static Tensors evaluateBatchNorm(BatchNormOp op, const Tensors &in) {
  Tensor y = resultOf(op);
  forEachIndex(y.shape, [&](Index i) {
    int64_t c = i[1];
    y.at(i) = (in[0].at(i) - in[3].at({c})) /
                  std::sqrt(in[4].at({c}) + op.getEpsilon().convertToDouble()) *
                  in[1].at({c}) +
              in[2].at({c});
  });
  return {y};
}

static Tensors evaluateRunningStats(RunningStatsUpdateOp op,
                                    const Tensors &in) {
  Tensors out = {resultOf(op, 0), resultOf(op, 1)};
  double momentum = op.getMomentum().convertToDouble();
  for (int64_t c = 0; c < in[0].shape[0]; ++c) {
    double count = in[2].at({0, c});
    out[0].at({c}) =
        (1 - momentum) * in[0].at({c}) + momentum * in[2].at({1, c});
    out[1].at({c}) = (1 - momentum) * in[1].at({c}) +
                     momentum * in[2].at({2, c}) / (count - 1);
  }
  return out;
}

/// Rows of several dims as rows of a matrix: the elements lie the same.
static Tensor withShape(Tensor tensor, Index shape) {
  tensor.shape.assign(shape.begin(), shape.end());
  return tensor;
}
static Tensor matrixOf(const Tensor &logits) {
  int64_t classes = logits.shape.back();
  return withShape(
      logits, {static_cast<int64_t>(logits.data.size()) / classes, classes});
}
static Tensor rowOf(const Tensor &labels) {
  return withShape(labels, {static_cast<int64_t>(labels.data.size())});
}
static Tensor rowsOf(const Tensor &stats) {
  return withShape(stats, {3, static_cast<int64_t>(stats.data.size()) / 3});
}

static Tensor softmaxStats(const Tensor &logits, const Tensor &labels,
                           int64_t offset) {
  Tensor stats(Index{3, logits.shape[0]});
  for (int64_t n = 0; n < logits.shape[0]; ++n) {
    double maximum = -std::numeric_limits<double>::infinity();
    for (int64_t k = 0; k < logits.shape[1]; ++k)
      maximum = std::max(maximum, logits.at({n, k}));
    stats.at({0, n}) = maximum;
    for (int64_t k = 0; k < logits.shape[1]; ++k) {
      stats.at({1, n}) += std::exp(logits.at({n, k}) - maximum);
      if (k + offset == static_cast<int64_t>(labels.at({n})))
        stats.at({2, n}) = logits.at({n, k});
    }
  }
  return stats;
}

static Tensors crossEntropyLoss(const Tensor &stats, const Tensor &labels,
                                double scale) {
  Tensor loss(Index{}), correct(Index{});
  for (int64_t n = 0; n < labels.shape[0]; ++n) {
    if (labels.at({n}) < 0)
      continue;
    loss.data[0] += scale * (stats.at({0, n}) + std::log(stats.at({1, n})) -
                             stats.at({2, n}));
    correct.data[0] += stats.at({2, n}) == stats.at({0, n});
  }
  return {loss, correct};
}

static Tensors evaluateCrossEntropyGrad(CrossEntropyGradOp op,
                                        const Tensors &in) {
  Tensor logits = matrixOf(in[1]), labels = rowOf(in[2]), stats = rowsOf(in[3]);
  Tensor dx = matrixOf(resultOf(op));
  double scale = in[0].data[0] * op.getScale().convertToDouble();
  forEachIndex(dx.shape, [&](Index i) {
    int64_t label = static_cast<int64_t>(labels.at({i[0]}));
    if (label < 0)
      return;
    bool hit = i[1] + static_cast<int64_t>(op.getClassOffset()) == label;
    dx.at(i) = scale * (std::exp(logits.at(i) - stats.at({0, i[0]})) /
                            stats.at({1, i[0]}) -
                        hit);
  });
  return {withShape(dx, in[1].shape)};
}

static Tensors evaluateSgd(SgdOp op, const Tensors &in) {
  double rate = op.getLearningRate().convertToDouble(),
         momentum = op.getMomentum().convertToDouble(),
         decay = op.getWeightDecay().convertToDouble();
  Tensor weight = in[0], velocity(in[0].shape);
  for (size_t i = 0; i < weight.data.size(); ++i) {
    double g = in[1].data[i] + decay * in[0].data[i];
    velocity.data[i] = (in.size() > 2 ? momentum * in[2].data[i] : 0) + g;
    weight.data[i] -= rate * velocity.data[i];
  }
  return in.size() > 2 ? Tensors{weight, velocity} : Tensors{weight};
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// The state [1 + E, N, H, Q] over the keys of the operands.
template <typename Op>
static Tensor attentionState(Op op, const Tensors &in) {
  const Tensor &q = in[0], &k = in[1], &v = in[2];
  const Tensor *bias = op.getBias() ? &in[3] : nullptr;
  const Tensor *segments = op.getQuerySegments() ? &in[bias ? 4 : 3] : nullptr;
  double scale = op.getScale().convertToDouble(),
         cap = op.getSoftcap().convertToDouble();
  auto offset = static_cast<int64_t>(op.getOffset());
  int64_t heads = q.shape[1], groups = heads / k.shape[1];
  Tensor state({1 + v.shape[3], q.shape[0], heads, q.shape[2]});
  forEachIndex({q.shape[0], heads, q.shape[2]}, [&](ArrayRef<int64_t> at) {
    int64_t n = at[0], h = at[1], i = at[2];
    std::vector<double> powers;
    double sum = 0;
    for (int64_t j = 0; j < k.shape[2]; ++j) {
      double score = 0;
      for (int64_t d = 0; d < q.shape[3]; ++d)
        score += q.at({n, h, i, d}) * k.at({n, h / groups, j, d});
      score *= scale;
      if (cap > 0)
        score = cap * std::tanh(score / cap);
      if (bias)
        score += bias->at(
            {n, bias->shape[1] == 1 ? 0 : h, i, bias->shape[3] == 1 ? 0 : j});
      int64_t distance = j - i - offset;
      bool hidden =
          (op.getLeft() && distance < -static_cast<int64_t>(*op.getLeft())) ||
          (op.getRight() && distance > static_cast<int64_t>(*op.getRight())) ||
          (segments && segments[0].at({n, i}) != segments[1].at({n, j}));
      powers.push_back(hidden ? 0 : std::exp(score));
      sum += powers.back();
    }
    state.at({0, n, h, i}) = std::log(sum);
    for (int64_t e = 0; e < v.shape[3] && sum > 0; ++e)
      for (int64_t j = 0; j < k.shape[2]; ++j)
        state.at({1 + e, n, h, i}) +=
            powers[static_cast<size_t>(j)] / sum * v.at({n, h / groups, j, e});
  });
  return state;
}

static Tensors attentionResults(const Tensor &state) {
  const std::vector<int64_t> &s = state.shape;
  Tensor out({s[1], s[2], s[3], s[0] - 1}), lse({s[1], s[2], s[3]});
  forEachIndex(out.shape, [&](ArrayRef<int64_t> at) {
    out.at(at) = state.at({1 + at[3], at[0], at[1], at[2]});
    lse.at({at[0], at[1], at[2]}) = state.at({0, at[0], at[1], at[2]});
  });
  return {out, lse};
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

Tensors soap_test::evaluate(Operation *op, const Tensors &in) {
  using R = Tensors;
  auto binary = [&](auto function) { return evaluateBinary(op, in, function); };
  return llvm::TypeSwitch<Operation *, R>(op)
      .Case([&](Conv2DOp o) { return evaluateConv(o, in); })
      .Case([&](Conv2DInputGradOp o) { return evaluateConvInputGrad(o, in); })
      .Case([&](Conv2DWeightGradOp o) { return evaluateConvWeightGrad(o, in); })
      .Case([&](MaxPool2DOp o) { return evaluateMaxPool(o, in); })
      .Case([&](MaxPool2DGradOp o) { return evaluateMaxPoolGrad(o, in); })
      .Case([&](AvgPool2DOp o) { return evaluateAvgPool(o, in); })
      .Case([&](AvgPool2DGradOp o) { return evaluateAvgPoolGrad(o, in); })
      .Case([&](MatmulOp o) { return evaluateMatmul(o, in); })
      .Case([&](ReduceOp o) { return evaluateReduce(o, in); })
      .Case([&](BroadcastOp o) { return evaluateBroadcast(o, in); })
      .Case([&](BiasAddOp o) { return evaluateBiasAdd(o, in); })
      .Case([&](AccumulateOp) { return evaluateAccumulate(op, in); })
      .Case([&](ReluOp) {
        return evaluateUnary(op, in, [](double x) { return std::max(x, 0.0); });
      })
      .Case([&](NegOp) {
        return evaluateUnary(op, in, [](double x) { return -x; });
      })
      .Case([&](AddOp) {
        return binary([](double x, double y) { return x + y; });
      })
      .Case([&](SubOp) {
        return binary([](double x, double y) { return x - y; });
      })
      .Case([&](MulOp) {
        return binary([](double x, double y) { return x * y; });
      })
      .Case([&](GreaterEqualOp) {
        return binary([](double x, double y) { return double(x >= y); });
      })
      .Case([&](ReluGradOp) {
        return binary([](double dy, double y) { return y > 0 ? dy : 0; });
      })
      .Case([&](ReshapeOp) { return evaluateReshape(op, in); })
      .Case([&](TransposeOp o) { return evaluateTranspose(o, in); })
      .Case([&](ConcatOp o) { return evaluateConcat(o, in); })
      .Case([&](BucketOp o) { return evaluateBucket(o, in); })
      .Case([&](UnbucketOp o) { return evaluateUnbucket(o, in); })
      .Case([&](SliceOp o) { return evaluateSlice(o, in); })
      .Case([&](PadOp o) { return evaluatePad(o, in); })
      .Case([&](ConstantOp o) { return evaluateConstant(o); })
      .Case([&](BatchNormOp o) { return evaluateBatchNorm(o, in); })
      .Case([&](BatchNormTrainOp o) {
        Tensor stats = momentsOf(in[0]);
        return R{normalize(in[0], stats, in[1], in[2],
                           o.getEpsilon().convertToDouble()),
                 stats};
      })
      .Case([&](BatchNormStatsOp) { return R{momentsOf(in[0])}; })
      .Case([&](BatchNormApplyOp o) {
        return R{normalize(in[0], in[1], in[2], in[3],
                           o.getEpsilon().convertToDouble())};
      })
      .Case([&](BatchNormGradReduceOp o) {
        return gradReduce(in[0], in[1], in[2],
                          o.getEpsilon().convertToDouble());
      })
      .Case([&](BatchNormGradApplyOp o) {
        return R{gradApply(in, in[4], in[5], o.getEpsilon().convertToDouble())};
      })
      .Case([&](BatchNormGradOp o) {
        double epsilon = o.getEpsilon().convertToDouble();
        R sums = gradReduce(in[0], in[1], in[2], epsilon);
        return R{gradApply(in, sums[0], sums[1], epsilon), sums[0], sums[1]};
      })
      .Case([&](RunningStatsUpdateOp o) { return evaluateRunningStats(o, in); })
      .Case([&](SoftmaxStatsOp o) {
        return R{withShape(
            softmaxStats(matrixOf(in[0]), rowOf(in[1]), o.getClassOffset()),
            resultOf(o).shape)};
      })
      .Case([&](CrossEntropyLossOp o) {
        return crossEntropyLoss(rowsOf(in[0]), rowOf(in[1]),
                                o.getScale().convertToDouble());
      })
      .Case([&](CrossEntropyOp o) {
        Tensor labels = rowOf(in[1]),
               stats = softmaxStats(matrixOf(in[0]), labels, 0);
        R out = crossEntropyLoss(stats, labels, o.getScale().convertToDouble());
        out.push_back(withShape(stats, resultOf(o, 2).shape));
        return out;
      })
      .Case(
          [&](CrossEntropyGradOp o) { return evaluateCrossEntropyGrad(o, in); })
      .Case([&](AttentionOp o) {
        return attentionResults(attentionState(o, in));
      })
      .Case([&](AttentionPartialOp o) { return R{attentionState(o, in)}; })
      .Case([&](AttentionResultOp) { return attentionResults(in[0]); })
      .Case([&](SgdOp o) { return evaluateSgd(o, in); })
      .Default([&](Operation *) -> R {
        llvm::report_fatal_error("the interpreter does not know " +
                                 op->getName().getStringRef());
      });
}
