//===- BatchNorm.cpp - Kernels of batch norm, its stages and gradients ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics are [3, C]: count, mean, M2 (sum of squared deviations). The whole
// ops are their stages one after the other.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Tensors [N, C, ...] by sample, channel and position.
struct Image {
  explicit Image(const Tensor &tensor)
      : samples(tensor.dim(0)), channels(tensor.dim(1)),
        spatial(tensor.shape().drop_front(2)) {}

  int64_t samples, channels;
  ArrayRef<int64_t> spatial;

  /// Loops over samples and positions, channels fixed.
  SmallVector<int64_t> reduction() const {
    SmallVector<int64_t> extents{samples};
    extents.append(spatial.begin(), spatial.end());
    return extents;
  }
  int64_t count() const {
    int64_t product = samples;
    for (int64_t extent : spatial)
      product *= extent;
    return product;
  }
  static SmallVector<Index> at(const Index &n, const Index &c,
                               ArrayRef<Index> position) {
    SmallVector<Index> indices{n, c};
    indices.append(position.begin(), position.end());
    return indices;
  }
};

/// With channels last: positions by channels, as rows of a matrix.
Tensor imageOf(const Tensor &tensor) { return tensor.positionsByChannels(); }

Scalar square(const Scalar &x) { return x * x; }

/// 1 / sqrt(variance + epsilon).
Scalar inverseDeviation(KernelBuilder &k, const Scalar &variance,
                        const APFloat &epsilon) {
  return k.number(1) / sqrt(variance + k.number(epsilon.convertToDouble()));
}

/// The values that the passes over one channel need.
struct Channel {
  Scalar mean, inverse, count;

  Channel(KernelBuilder &k, const Tensor &stats, const Index &c,
          const APFloat &epsilon)
      : mean(stats({k.constant(1), c})), count(stats({k.constant(0), c})) {
    inverse = inverseDeviation(k, stats({k.constant(2), c}) / count, epsilon);
  }
  Scalar normalized(const Scalar &x) const { return (x - mean) * inverse; }
};

void emitStats(KernelBuilder &k, const Tensor &x, const Tensor &stats) {
  Image image(x);
  k.forEach({image.channels}, [&](Index c) {
    auto element = [&](ArrayRef<Index> i) {
      return x(Image::at(i[0], c, i.drop_front()));
    };
    Scalar count = k.number(static_cast<double>(image.count()));
    Scalar mean = k.sumOf(image.reduction(), element) / count;
    Scalar m2 = k.sumOf(image.reduction(), [&](ArrayRef<Index> i) {
      return square(element(i) - mean);
    });
    stats.set({k.constant(0), c}, count);
    stats.set({k.constant(1), c}, mean);
    stats.set({k.constant(2), c}, m2);
  });
}

void emitApply(KernelBuilder &k, const Tensor &x, const Tensor &stats,
               const Tensor &gamma, const Tensor &beta, const Tensor &y,
               const APFloat &epsilon) {
  Image image(x);
  k.forEach({image.samples, image.channels}, [&](Index n, Index c) {
    Channel channel(k, stats, c, epsilon);
    Scalar scale = gamma({c}), shift = beta({c});
    k.forEachOf(image.spatial, [&](ArrayRef<Index> i) {
      y.set(Image::at(n, c, i),
            channel.normalized(x(Image::at(n, c, i))) * scale + shift);
    });
  });
}

void emitInference(BatchNormOp op, KernelBuilder &k) {
  Tensor x = imageOf(k.in(0)), gamma = k.in(1), beta = k.in(2), mean = k.in(3),
         variance = k.in(4), y = imageOf(k.out());
  Image image(x);
  k.forEach({image.samples, image.channels}, [&](Index n, Index c) {
    Scalar inverse = inverseDeviation(k, variance({c}), op.getEpsilon());
    Scalar center = mean({c}), scale = gamma({c}), shift = beta({c});
    k.forEachOf(image.spatial, [&](ArrayRef<Index> i) {
      y.set(Image::at(n, c, i),
            (x(Image::at(n, c, i)) - center) * inverse * scale + shift);
    });
  });
}

void emitGradReduce(KernelBuilder &k, const Tensor &dy, const Tensor &x,
                    const Tensor &stats, const Tensor &dgamma,
                    const Tensor &dbeta, const APFloat &epsilon) {
  Image image(x);
  k.forEach({image.channels}, [&](Index c) {
    Channel channel(k, stats, c, epsilon);
    dbeta.set({c}, k.sumOf(image.reduction(), [&](ArrayRef<Index> i) {
      return dy(Image::at(i[0], c, i.drop_front()));
    }));
    dgamma.set({c}, k.sumOf(image.reduction(), [&](ArrayRef<Index> i) {
      SmallVector<Index> at = Image::at(i[0], c, i.drop_front());
      return dy(at) * channel.normalized(x(at));
    }));
  });
}

void emitGradApply(KernelBuilder &k, const Tensor &dy, const Tensor &x,
                   const Tensor &stats, const Tensor &gamma,
                   const Tensor &dgamma, const Tensor &dbeta, const Tensor &dx,
                   const APFloat &epsilon) {
  Image image(x);
  k.forEach({image.samples, image.channels}, [&](Index n, Index c) {
    Channel channel(k, stats, c, epsilon);
    Scalar scale = gamma({c}) * channel.inverse;
    Scalar meanGrad = dbeta({c}) / channel.count;
    Scalar slope = dgamma({c}) / channel.count;
    k.forEachOf(image.spatial, [&](ArrayRef<Index> i) {
      SmallVector<Index> at = Image::at(n, c, i);
      dx.set(at,
             scale * (dy(at) - meanGrad - channel.normalized(x(at)) * slope));
    });
  });
}

void emitRunningStats(RunningStatsUpdateOp op, KernelBuilder &k) {
  Tensor mean = k.in(0), variance = k.in(1), stats = k.in(2);
  Scalar momentum = k.number(op.getMomentum().convertToDouble());
  Scalar one = k.number(1), rest = one - momentum;
  k.forEach({mean.dim(0)}, [&](Index c) {
    Scalar count = stats({k.constant(0), c});
    // One sample has no variance: M2 is 0, and so is the quotient.
    Scalar unbiased = stats({k.constant(2), c}) / max(count - one, one);
    Scalar newMean = rest * mean({c}) + momentum * stats({k.constant(1), c});
    Scalar newVariance = rest * variance({c}) + momentum * unbiased;
    k.out(0).set({c}, newMean);
    k.out(1).set({c}, newVariance);
  });
}

} // namespace

bool mlir::soap::emitBatchNormKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](BatchNormOp norm) { return emitInference(norm, k), true; })
      .Case([&](BatchNormTrainOp norm) {
        emitStats(k, imageOf(k.in(0)), k.out(1));
        emitApply(k, imageOf(k.in(0)), k.out(1), k.in(1), k.in(2),
                  imageOf(k.out(0)), norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormStatsOp) {
        return emitStats(k, imageOf(k.in(0)), k.out()), true;
      })
      .Case([&](BatchNormApplyOp norm) {
        emitApply(k, imageOf(k.in(0)), k.in(1), k.in(2), k.in(3),
                  imageOf(k.out()), norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormGradOp norm) {
        emitGradReduce(k, imageOf(k.in(0)), imageOf(k.in(1)), k.in(2), k.out(1),
                       k.out(2), norm.getEpsilon());
        emitGradApply(k, imageOf(k.in(0)), imageOf(k.in(1)), k.in(2), k.in(3),
                      k.out(1), k.out(2), imageOf(k.out(0)), norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormGradReduceOp norm) {
        emitGradReduce(k, imageOf(k.in(0)), imageOf(k.in(1)), k.in(2), k.out(0),
                       k.out(1), norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormGradApplyOp norm) {
        emitGradApply(k, imageOf(k.in(0)), imageOf(k.in(1)), k.in(2), k.in(3),
                      k.in(4), k.in(5), imageOf(k.out()), norm.getEpsilon());
        return true;
      })
      .Case([&](RunningStatsUpdateOp update) {
        return emitRunningStats(update, k), true;
      })
      .Default(false);
}
