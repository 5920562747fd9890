//===- BatchNorm.cpp - Kernels of batch norm, its stages and gradients ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics are [3, C]: count, mean, M2 (sum of squared deviations), or of
// groups of samples [3, G * C]. The whole ops are their stages one after the
// other.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Tensors [N, C, ...] by sample, channel and position; samples in groups that
/// follow each other.
struct Image {
  Image(const Tensor &tensor, uint64_t groups)
      : groups(static_cast<int64_t>(groups)),
        samples(tensor.dim(0) / this->groups), channels(tensor.dim(1)),
        spatial(tensor.shape().drop_front(2)) {}

  int64_t groups, samples; ///< samples of a group
  int64_t channels;
  ArrayRef<int64_t> spatial;

  /// Calls `body(sample of the tensor, channel, channel of the group)` for all
  /// samples and channels.
  void forEachSample(KernelBuilder &k,
                     function_ref<void(Index, Index, Index)> body) const {
    if (groups == 1)
      return k.forEach({samples, channels},
                       [&](Index n, Index c) { body(n, c, c); });
    k.forEach({groups, samples, channels}, [&](Index g, Index n, Index c) {
      body(g * samples + n, c, g * channels + c);
    });
  }
  /// Calls `body(first sample, channel, channel of the group)` for all groups
  /// and channels.
  void forEachGroup(KernelBuilder &k,
                    function_ref<void(Index, Index, Index)> body) const {
    if (groups == 1)
      return k.forEach({channels}, [&](Index c) { body(k.constant(0), c, c); });
    k.forEach({groups, channels}, [&](Index g, Index c) {
      body(g * samples, c, g * channels + c);
    });
  }
  /// Loops over samples and positions of a group, channels fixed.
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

void emitStats(KernelBuilder &k, const Image &image, const Tensor &x,
               const Tensor &stats) {
  image.forEachGroup(k, [&](Index first, Index c, Index of) {
    auto element = [&](ArrayRef<Index> i) {
      return x(Image::at(first + i[0], c, i.drop_front()));
    };
    Scalar count = k.number(static_cast<double>(image.count()));
    Scalar mean = k.sumOf(image.reduction(), element) / count;
    Scalar m2 = k.sumOf(image.reduction(), [&](ArrayRef<Index> i) {
      return square(element(i) - mean);
    });
    stats.set({k.constant(0), of}, count);
    stats.set({k.constant(1), of}, mean);
    stats.set({k.constant(2), of}, m2);
  });
}

void emitApply(KernelBuilder &k, const Image &image, const Tensor &x,
               const Tensor &stats, const Tensor &gamma, const Tensor &beta,
               const Tensor &y, const APFloat &epsilon) {
  image.forEachSample(k, [&](Index n, Index c, Index of) {
    Channel channel(k, stats, of, epsilon);
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
  Image image(x, 1);
  k.forEach({image.samples, image.channels}, [&](Index n, Index c) {
    Scalar inverse = inverseDeviation(k, variance({c}), op.getEpsilon());
    Scalar center = mean({c}), scale = gamma({c}), shift = beta({c});
    k.forEachOf(image.spatial, [&](ArrayRef<Index> i) {
      y.set(Image::at(n, c, i),
            (x(Image::at(n, c, i)) - center) * inverse * scale + shift);
    });
  });
}

void emitGradReduce(KernelBuilder &k, const Image &image, const Tensor &dy,
                    const Tensor &x, const Tensor &stats, const Tensor &dgamma,
                    const Tensor &dbeta, const APFloat &epsilon) {
  image.forEachGroup(k, [&](Index first, Index c, Index of) {
    Channel channel(k, stats, of, epsilon);
    dbeta.set({of}, k.sumOf(image.reduction(), [&](ArrayRef<Index> i) {
      return dy(Image::at(first + i[0], c, i.drop_front()));
    }));
    dgamma.set({of}, k.sumOf(image.reduction(), [&](ArrayRef<Index> i) {
      SmallVector<Index> at = Image::at(first + i[0], c, i.drop_front());
      return dy(at) * channel.normalized(x(at));
    }));
  });
}

void emitGradApply(KernelBuilder &k, const Image &image, const Tensor &dy,
                   const Tensor &x, const Tensor &stats, const Tensor &gamma,
                   const Tensor &dgamma, const Tensor &dbeta, const Tensor &dx,
                   const APFloat &epsilon) {
  image.forEachSample(k, [&](Index n, Index c, Index of) {
    Channel channel(k, stats, of, epsilon);
    Scalar scale = gamma({c}) * channel.inverse;
    Scalar meanGrad = dbeta({of}) / channel.count;
    Scalar slope = dgamma({of}) / channel.count;
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
  auto groups = static_cast<int64_t>(op.getGroups());
  int64_t channels = mean.dim(0);
  // One sample has no variance: M2 is 0, and so is the quotient.
  auto unbiased = [&](const Index &c) {
    Scalar count = stats({k.constant(0), c});
    return stats({k.constant(2), c}) / max(count - one, one);
  };
  auto meanOf = [&](function_ref<Scalar(const Index &)> of, const Index &c) {
    if (groups == 1)
      return of(c);
    Scalar sum = k.sum({groups}, [&](Index g) { return of(g * channels + c); });
    return sum / k.number(static_cast<double>(groups));
  };
  k.forEach({channels}, [&](Index c) {
    Scalar batchVariance = meanOf(unbiased, c);
    Scalar newMean =
        rest * mean({c}) +
        momentum *
            meanOf([&](const Index &i) { return stats({k.constant(1), i}); },
                   c);
    Scalar newVariance = rest * variance({c}) + momentum * batchVariance;
    k.out(0).set({c}, newMean);
    k.out(1).set({c}, newVariance);
  });
}

} // namespace

bool mlir::soap::emitBatchNormKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](BatchNormOp norm) { return emitInference(norm, k), true; })
      .Case([&](BatchNormTrainOp norm) {
        Tensor x = imageOf(k.in(0));
        Image image(x, norm.getGroups());
        emitStats(k, image, x, k.out(1));
        emitApply(k, image, x, k.out(1), k.in(1), k.in(2), imageOf(k.out(0)),
                  norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormStatsOp norm) {
        Tensor x = imageOf(k.in(0));
        return emitStats(k, Image(x, norm.getGroups()), x, k.out()), true;
      })
      .Case([&](BatchNormApplyOp norm) {
        Tensor x = imageOf(k.in(0));
        emitApply(k, Image(x, norm.getGroups()), x, k.in(1), k.in(2), k.in(3),
                  imageOf(k.out()), norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormGradOp norm) {
        Tensor x = imageOf(k.in(1));
        Image image(x, norm.getGroups());
        emitGradReduce(k, image, imageOf(k.in(0)), x, k.in(2), k.out(1),
                       k.out(2), norm.getEpsilon());
        emitGradApply(k, image, imageOf(k.in(0)), x, k.in(2), k.in(3), k.out(1),
                      k.out(2), imageOf(k.out(0)), norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormGradReduceOp norm) {
        Tensor x = imageOf(k.in(1));
        emitGradReduce(k, Image(x, norm.getGroups()), imageOf(k.in(0)), x,
                       k.in(2), k.out(0), k.out(1), norm.getEpsilon());
        return true;
      })
      .Case([&](BatchNormGradApplyOp norm) {
        Tensor x = imageOf(k.in(1));
        emitGradApply(k, Image(x, norm.getGroups()), imageOf(k.in(0)), x,
                      k.in(2), k.in(3), k.in(4), k.in(5), imageOf(k.out()),
                      norm.getEpsilon());
        return true;
      })
      .Case([&](RunningStatsUpdateOp update) {
        return emitRunningStats(update, k), true;
      })
      .Default(false);
}
