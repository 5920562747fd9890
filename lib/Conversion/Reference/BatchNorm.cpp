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

#include "BlockSums.h"
#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

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

/// Called for a channel and its place among all groups, inside of the
/// loops over them, with two numbers that were made there.
using ForChannel =
    function_ref<void(const Index &, const Index &, Scalar, Scalar)>;
void ignore(const Index &, const Index &, Scalar, Scalar) {}

/// Two sums in one pass.
ScalarPair sumsOf(KernelBuilder &k, ArrayRef<int64_t> extents,
                  function_ref<ScalarPair(ArrayRef<Index>)> body) {
  Value zero = k.number(0).value;
  SmallVector<Value> sums = k.foldOf(
      extents, {zero, zero}, [&](ArrayRef<Index> i, ArrayRef<Value> acc) {
        auto [a, b] = body(i);
        return SmallVector<Value>{(Scalar{&k, acc[0]} + a).value,
                                  (Scalar{&k, acc[1]} + b).value};
      });
  return {Scalar{&k, sums[0]}, Scalar{&k, sums[1]}};
}

/// Statistics in one pass, for threads: sums of the distances from the mean of
/// some elements of the channel and of their squares, of which
///
///   M2 = sum (x - s)^2 - (sum (x - s))^2 / count.
///
/// The loss of the difference is small where s is near the mean: with m
/// elements of n, (s - mean)^2 is at most (n - m) / m times the variance,
/// whatever the data, and about 1 / m of it where they are like the others.
/// So that they are, they are no lattice: n / m is often a multiple of a row or
/// an image, whose borders differ from the rest.
void emitStatsInOnePass(KernelBuilder &k, const Image &image, const Tensor &x,
                        const Tensor &stats, ForChannel more) {
  constexpr int64_t most = 64;
  int64_t count = image.count(), taken = std::min(count, most);
  // One of each `step` elements, whose place in the step the golden ratio says.
  int64_t step = count / taken;
  auto turn = std::max<int64_t>(
      std::llround(static_cast<double>(step) * (std::sqrt(5.0) - 1) / 2), 1);
  while (std::gcd(turn, step) != 1)
    --turn;
  // Short sums of many threads.
  int64_t pieces = taken == most ? 8 : 1, each = taken / pieces;
  Tensor sums =
      k.allocate({pieces, image.groups * image.channels}, k.computeType());
  auto sumPiece = [&](Index piece, Index g, Index c) {
    Scalar sum = k.sum({each}, [&](Index number) {
      Index sample = piece * each + number;
      Index rest = sample * step + sample * turn % step;
      SmallVector<int64_t> extents = image.reduction();
      SmallVector<Index> i(extents.size());
      for (size_t dim = extents.size(); dim-- > 1;) {
        i[dim] = rest % extents[dim];
        rest = rest / extents[dim];
      }
      i[0] = rest;
      return x(
          Image::at(g * image.samples + i[0], c, ArrayRef(i).drop_front()));
    });
    sums.set({piece, g * image.channels + c}, sum);
  };
  k.forEach({pieces, image.groups, image.channels}, sumPiece);
  image.forEachGroup(k, [&](Index first, Index c, Index of) {
    Scalar shift = sums({k.constant(0), of});
    for (int64_t piece = 1; piece < pieces; ++piece)
      shift = shift + sums({k.constant(piece), of});
    shift = shift / k.number(static_cast<double>(taken));
    Scalar number = k.number(static_cast<double>(count));
    auto [sum, squares] = sumsOf(k, image.reduction(), [&](ArrayRef<Index> i) {
      Scalar distance = x(Image::at(first + i[0], c, i.drop_front())) - shift;
      return ScalarPair(distance, square(distance));
    });
    stats.set({k.constant(0), of}, number);
    stats.set({k.constant(1), of}, shift + sum / number);
    Scalar m2 = max(squares - square(sum) / number, k.number(0));
    stats.set({k.constant(2), of}, m2);
    more(c, of, m2 / number, number);
  });
}

/// How threads take sums over positions together; none for images with channels
/// first and where positions or channels cannot be cut.
std::optional<BlockCut> blocksOf(const KernelBuilder &k, const Image &image) {
  if (!k.forThreads || !image.spatial.empty())
    return std::nullopt;
  return cutInBlocks(image.groups, image.samples, image.channels);
}

/// Statistics by blocks of threads. A thread takes distances from its first
/// element, so that what the difference loses is bounded by the number of
/// elements of a thread, whatever the data. Means are distances from the first
/// element of the channel: of large ones the roundings would be more than they
/// differ by.
void emitStatsInBlocks(KernelBuilder &k, const Image &image, BlockCut cut,
                       const Tensor &x, const Tensor &stats, ForChannel more) {
  auto originOf = [&](const GroupChannel &channel) {
    return x({channel.origin, channel.channel});
  };
  auto thread = [&](const ThreadPositions &positions,
                    const GroupChannel &channel) {
    Scalar shift = x({positions.first, channel.channel});
    Scalar far = shift - originOf(channel);
    if (positions.count == 1)
      return ScalarPair(far, k.number(0));
    Index second = positions.first + positions.step;
    auto [sum, squares] =
        sumsOf(k, {positions.count - 1}, [&](ArrayRef<Index> i) {
          Index position = second + i[0] * positions.step;
          Scalar distance = x({position, channel.channel}) - shift;
          return ScalarPair(distance, square(distance));
        });
    Scalar mean = sum * k.number(1 / static_cast<double>(positions.count));
    return ScalarPair(far + mean, max(squares - sum * mean, k.number(0)));
  };
  Scalar number = k.number(static_cast<double>(image.count()));
  emitInBlocks(k, image.groups, image.samples, image.channels, cut, thread,
               foldMoments,
               [&](const GroupChannel &channel, const ScalarPair &moments) {
                 const Index &of = channel.of;
                 auto [mean, m2] = moments;
                 stats.set({k.constant(0), of}, number);
                 stats.set({k.constant(1), of}, originOf(channel) + mean);
                 stats.set({k.constant(2), of}, m2);
                 more(channel.channel, of, m2 / number, number);
               });
}

/// `more` gets the variance and the count of a channel.
void emitStats(KernelBuilder &k, const Image &image, const Tensor &x,
               const Tensor &stats, ForChannel more = ignore) {
  if (std::optional<BlockCut> cut = blocksOf(k, image))
    return emitStatsInBlocks(k, image, *cut, x, stats, more);
  if (k.forThreads && image.count() > 1)
    return emitStatsInOnePass(k, image, x, stats, more);
  image.forEachGroup(k, [&](Index first, Index c, Index of) {
    auto element = [&](ArrayRef<Index> i) {
      return x(Image::at(first + i[0], c, i.drop_front()));
    };
    Scalar count = k.number(static_cast<double>(image.count()));
    Scalar mean = k.sumOf(image.reduction(), element) / count;
    // A long sum of numbers far from 0 gives a mean that is off by more than
    // their deviation: the distances from it say by how much.
    auto [sum, squares] = sumsOf(k, image.reduction(), [&](ArrayRef<Index> i) {
      Scalar distance = element(i) - mean;
      return ScalarPair(distance, square(distance));
    });
    Scalar m2 = max(squares - square(sum) / count, k.number(0));
    stats.set({k.constant(0), of}, count);
    stats.set({k.constant(1), of}, mean + sum / count);
    stats.set({k.constant(2), of}, m2);
    more(c, of, m2 / count, count);
  });
}

/// Numbers of each channel, which threads read that have one element of it
/// each; computed again by every sample where there are no threads.
class Rows {
public:
  Rows(KernelBuilder &k, const Image &image, size_t count) {
    for (size_t i = 0; i < count; ++i)
      rows.push_back(
          k.allocate({image.groups * image.channels}, k.computeType()));
  }
  void set(const Index &of, ArrayRef<Scalar> numbers) const {
    for (auto [row, number] : llvm::zip_equal(rows, numbers))
      row.set({of}, number);
  }
  SmallVector<Scalar> at(const Index &of) const {
    return llvm::map_to_vector(rows,
                               [&](const Tensor &row) { return row({of}); });
  }

private:
  SmallVector<Tensor> rows;
};

/// 1 / sqrt(variance + epsilon) of each channel where it is in memory.
using Inverses = std::optional<Rows>;

void emitApply(KernelBuilder &k, const Image &image, const Tensor &x,
               const Tensor &stats, const Tensor &gamma, const Tensor &beta,
               const Tensor &y, const APFloat &epsilon,
               const Inverses &inverses = {}) {
  image.forEachSample(k, [&](Index n, Index c, Index of) {
    Scalar mean = stats({k.constant(1), of});
    Scalar inverse =
        inverses ? inverses->at(of)[0] : Channel(k, stats, of, epsilon).inverse;
    Scalar scale = gamma({c}), shift = beta({c});
    k.forEachOf(image.spatial, [&](ArrayRef<Index> i) {
      y.set(Image::at(n, c, i),
            (x(Image::at(n, c, i)) - mean) * inverse * scale + shift);
    });
  });
}

/// The inverses of given statistics, in a nest of their own for threads.
Inverses inversesOf(KernelBuilder &k, const Image &image, const Tensor &stats,
                    const APFloat &epsilon) {
  if (!k.forThreads)
    return std::nullopt;
  Rows rows(k, image, 1);
  image.forEachGroup(k, [&](Index, Index, Index of) {
    rows.set(of, Channel(k, stats, of, epsilon).inverse);
  });
  return rows;
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

/// `more` gets dbeta and dgamma of a channel.
void emitGradReduce(KernelBuilder &k, const Image &image, const Tensor &dy,
                    const Tensor &x, const Tensor &stats, const Tensor &dgamma,
                    const Tensor &dbeta, const APFloat &epsilon,
                    ForChannel more = ignore) {
  if (std::optional<BlockCut> cut = blocksOf(k, image))
    return emitInBlocks(
        k, image.groups, image.samples, image.channels, *cut,
        [&](const ThreadPositions &positions, const GroupChannel &at) {
          Scalar mean = stats({k.constant(1), at.of});
          return sumsOf(k, {positions.count}, [&](ArrayRef<Index> i) {
            Index position = positions.first + i[0] * positions.step;
            Scalar grad = dy({position, at.channel});
            return ScalarPair(grad, grad * (x({position, at.channel}) - mean));
          });
        },
        foldSums,
        [&](const GroupChannel &at, const ScalarPair &sums) {
          Channel channel(k, stats, at.of, epsilon);
          Scalar slope = sums.second * channel.inverse;
          dbeta.set({at.of}, sums.first);
          dgamma.set({at.of}, slope);
          more(at.channel, at.of, sums.first, slope);
        });
  if (k.forThreads)
    return image.forEachGroup(k, [&](Index first, Index c, Index of) {
      Channel channel(k, stats, of, epsilon);
      auto [sum, product] =
          sumsOf(k, image.reduction(), [&](ArrayRef<Index> i) {
            SmallVector<Index> at = Image::at(first + i[0], c, i.drop_front());
            Scalar grad = dy(at);
            return ScalarPair(grad, grad * (x(at) - channel.mean));
          });
      Scalar slope = product * channel.inverse;
      dbeta.set({of}, sum);
      dgamma.set({of}, slope);
      more(c, of, sum, slope);
    });
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

/// Numbers of a channel that the gradient of its elements needs.
struct GradNumbers {
  Scalar mean, scale, meanGrad, slope;

  /// `dbeta` and `dgamma`: of the channel.
  static GradNumbers of(const Channel &channel, const Scalar &gamma,
                        const Scalar &dbeta, const Scalar &dgamma) {
    return {channel.mean, gamma * channel.inverse, dbeta / channel.count,
            channel.inverse * (dgamma / channel.count)};
  }
  SmallVector<Scalar> list() const { return {mean, scale, meanGrad, slope}; }
};

/// `rows` has the numbers where they are in memory.
void emitGradApply(KernelBuilder &k, const Image &image, const Tensor &dy,
                   const Tensor &x, const Tensor &stats, const Tensor &gamma,
                   const Tensor &dgamma, const Tensor &dbeta, const Tensor &dx,
                   const APFloat &epsilon, const std::optional<Rows> &rows) {
  image.forEachSample(k, [&](Index n, Index c, Index of) {
    if (rows) {
      SmallVector<Scalar> numbers = rows->at(of);
      GradNumbers channel{numbers[0], numbers[1], numbers[2], numbers[3]};
      k.forEachOf(image.spatial, [&](ArrayRef<Index> i) {
        SmallVector<Index> at = Image::at(n, c, i);
        dx.set(at, channel.scale * (dy(at) - channel.meanGrad -
                                    (x(at) - channel.mean) * channel.slope));
      });
      return;
    }
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

/// Both for the whole op.
void emitGrad(KernelBuilder &k, const Image &image, const Tensor &dy,
              const Tensor &x, const Tensor &stats, const Tensor &gamma,
              const Tensor &dx, const Tensor &dgamma, const Tensor &dbeta,
              const APFloat &epsilon) {
  std::optional<Rows> rows;
  if (k.forThreads)
    rows.emplace(k, image, 4);
  emitGradReduce(k, image, dy, x, stats, dgamma, dbeta, epsilon,
                 [&](const Index &c, const Index &of, const Scalar &sum,
                     const Scalar &slope) {
                   rows->set(of, GradNumbers::of(Channel(k, stats, of, epsilon),
                                                 gamma({c}), sum, slope)
                                     .list());
                 });
  emitGradApply(k, image, dy, x, stats, gamma, dgamma, dbeta, dx, epsilon,
                rows);
}

/// The numbers of given sums, in a nest of their own for threads.
std::optional<Rows> gradNumbersOf(KernelBuilder &k, const Image &image,
                                  const Tensor &stats, const Tensor &gamma,
                                  const Tensor &dgamma, const Tensor &dbeta,
                                  const APFloat &epsilon) {
  if (!k.forThreads)
    return std::nullopt;
  Rows rows(k, image, 4);
  image.forEachGroup(k, [&](Index, Index c, Index of) {
    rows.set(of, GradNumbers::of(Channel(k, stats, of, epsilon), gamma({c}),
                                 dbeta({of}), dgamma({of}))
                     .list());
  });
  return rows;
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
        Inverses inverses;
        if (k.forThreads)
          inverses.emplace(k, image, 1);
        emitStats(k, image, x, k.out(1),
                  [&](const Index &, const Index &of, const Scalar &variance,
                      const Scalar &) {
                    if (inverses)
                      inverses->set(
                          of, inverseDeviation(k, variance, norm.getEpsilon()));
                  });
        emitApply(k, image, x, k.out(1), k.in(1), k.in(2), imageOf(k.out(0)),
                  norm.getEpsilon(), inverses);
        return true;
      })
      .Case([&](BatchNormStatsOp norm) {
        Tensor x = imageOf(k.in(0));
        return emitStats(k, Image(x, norm.getGroups()), x, k.out()), true;
      })
      .Case([&](BatchNormApplyOp norm) {
        Tensor x = imageOf(k.in(0));
        Image image(x, norm.getGroups());
        emitApply(k, image, x, k.in(1), k.in(2), k.in(3), imageOf(k.out()),
                  norm.getEpsilon(),
                  inversesOf(k, image, k.in(1), norm.getEpsilon()));
        return true;
      })
      .Case([&](BatchNormGradOp norm) {
        Tensor x = imageOf(k.in(1));
        emitGrad(k, Image(x, norm.getGroups()), imageOf(k.in(0)), x, k.in(2),
                 k.in(3), imageOf(k.out(0)), k.out(1), k.out(2),
                 norm.getEpsilon());
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
        Image image(x, norm.getGroups());
        emitGradApply(k, image, imageOf(k.in(0)), x, k.in(2), k.in(3), k.in(4),
                      k.in(5), imageOf(k.out()), norm.getEpsilon(),
                      gradNumbersOf(k, image, k.in(2), k.in(3), k.in(4),
                                    k.in(5), norm.getEpsilon()));
        return true;
      })
      .Case([&](RunningStatsUpdateOp update) {
        return emitRunningStats(update, k), true;
      })
      .Default(false);
}
