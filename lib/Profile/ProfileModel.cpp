//===- ProfileModel.cpp - Times of any shape from a profile ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Gaussian process over the logarithms of sizes predicts by how much a curve
// is off; its predictions on a lattice are made monotone, and the lattice is
// interpolated, which keeps that. Between measured shapes that are no larger
// and no smaller, the result is clamped to their times.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/ProfileModel.h"

#include "ProductModel.h"
#include "SizeLattice.h"
#include "Soap/Model/OpShape.h"
#include "Soap/Profile/AttentionModel.h"
#include "Soap/Profile/CollectiveCurve.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>

using namespace soap;

//===----------------------------------------------------------------------===//
// Curves
//===----------------------------------------------------------------------===//

/// Times are L f(W / (L P)) of launch time L, work W and peak P: a term that
/// grows with a power of the work scales with that power of 1 / P, and with
/// what is left of L.
static double scaleOf(const CurveScale &scale, const CurveTerm &term,
                      size_t sizes) {
  switch (term.resource) {
  case CurveResource::Launch:
    return scale.launch;
  case CurveResource::Memory:
    return scale.memory;
  case CurveResource::Compute:
    break;
  }
  // Strides, and bytes, are no factors of the work.
  size_t factors = sizes > 2 ? std::min<size_t>(sizes, 4) : 1;
  double power = 0;
  for (size_t i = 0; i < std::min(factors, term.powers.size()); ++i)
    power += term.powers[i] / static_cast<double>(factors);
  return std::pow(scale.compute, power) * std::pow(scale.launch, 1 - power);
}

/// ns of a curve.
static double evaluate(const CostCurve &curve, const std::vector<double> &sizes,
                       const CurveScale &scale = {}) {
  double sum = 0;
  for (const CurveTerm &term : curve.terms) {
    double ns =
        term.ns * (scale.isOne() ? 1 : scaleOf(scale, term, sizes.size()));
    for (size_t i = 0; i < term.powers.size() && i < sizes.size(); ++i) {
      double power = term.powers[i], size = std::max(sizes[i], 1.0);
      // The usual powers without a library call.
      if (power == 1)
        ns *= size;
      else if (power == 0.5)
        ns *= std::sqrt(size);
      else if (power == 0.25)
        ns *= std::sqrt(std::sqrt(size));
      else if (power != 0)
        ns *= std::pow(size, power);
    }
    sum += ns;
  }
  return std::max(sum, 1.0);
}

/// ns of a curve's launch.
static double launchOf(const CostCurve &curve, const CurveScale &scale) {
  double sum = 0;
  for (const CurveTerm &term : curve.terms)
    if (term.resource == CurveResource::Launch)
      sum += term.ns * scale.launch;
  return sum;
}

/// A curve of points and bytes, of a kernel that is part of a larger one.
static double evaluatePart(const CostCurve &curve, std::vector<double> sizes,
                           const CurveScale &scale, const KernelPart &part) {
  sizes.back() -= static_cast<double>(part.registerBytes);
  if (!part.joins)
    return evaluate(curve, sizes, scale);
  CostCurve inner = curve;
  std::erase_if(inner.terms, [](const CurveTerm &term) {
    return term.resource == CurveResource::Launch;
  });
  return evaluate(inner, sizes, scale);
}

/// Improves terms so that times add up: what is summed over tasks matters, and
/// the same copy takes a tenth of the time right behind the one that made its
/// source. (Smallest Kullback-Leibler divergence, by multiplicative updates,
/// under which no term gets negative, and the sum of all times is kept.)
/// `column`: by term and entry, ns of the term for 1.
static void fitSums(CostCurve &curve, const std::vector<ProfileEntry> &entries,
                    const std::vector<std::vector<double>> &column) {
  size_t terms = curve.terms.size(), rows = entries.size();
  double all = 0;
  for (const ProfileEntry &entry : entries)
    all += static_cast<double>(entry.ns);
  std::vector<double> sums(terms);
  for (size_t c = 0; c < terms; ++c) {
    for (double ns : column[c])
      sums[c] += ns;
    // A term that is zero would stay so.
    curve.terms[c].ns = std::max(
        curve.terms[c].ns, 1e-3 * all / static_cast<double>(terms) / sums[c]);
  }
  constexpr int rounds = 2000;
  std::vector<double> factors(terms);
  for (int round = 0; round < rounds; ++round) {
    factors.assign(terms, 0);
    for (size_t r = 0; r < rows; ++r) {
      double predicted = 0;
      for (size_t c = 0; c < terms; ++c)
        predicted += curve.terms[c].ns * column[c][r];
      double ratio = static_cast<double>(entries[r].ns) / predicted;
      for (size_t c = 0; c < terms; ++c)
        factors[c] += ratio * column[c][r];
    }
    for (size_t c = 0; c < terms; ++c)
      curve.terms[c].ns *= factors[c] / sums[c];
  }
  // The rest of terms that go to zero.
  constexpr double nothing = 1e-6;
  for (size_t c = 0; c < terms; ++c)
    if (curve.terms[c].ns * sums[c] < nothing * all)
      curve.terms[c].ns = 0;
}

CostCurve soap::fitCurve(const ProfileTable &table) {
  CostCurve curve{table.op, table.direction, table.dtype, {}};
  size_t sizes =
      sizesOf(table.op, table.loops,
              std::vector<int64_t>(table.loops.size(), 1),
              std::vector<int64_t>(table.strides, 1), table.direction, 1)
          .size();
  bool isGeneric = sizes == 2;
  curve.terms = {{CurveResource::Launch, 0, {}}};
  if (isCopy(table.op)) {
    // Each size by itself.
    for (size_t s = 1; s < sizes; ++s) {
      std::vector<double> powers(s + 1, 0);
      powers[s] = 1;
      curve.terms.push_back({CurveResource::Memory, 0, std::move(powers)});
    }
  } else if (isGeneric) {
    curve.terms.push_back({CurveResource::Compute, 0, {1, 0}});
    curve.terms.push_back({CurveResource::Memory, 0, {0, 1}});
  } else {
    // All of the work, and the tensors: products without one of the factors.
    size_t factors = std::min<size_t>(sizes, 4);
    curve.terms.push_back(
        {CurveResource::Compute, 0, std::vector<double>(factors, 1)});
    for (size_t without = 0; without < factors; ++without) {
      std::vector<double> powers(factors, 1);
      powers[without] = 0;
      curve.terms.push_back({CurveResource::Memory, 0, std::move(powers)});
    }
  }
  // Columns are relative to what was measured; coordinate descent on a sum of
  // squares with one minimum.
  size_t rows = table.entries.size(), columns = curve.terms.size();
  std::vector<std::vector<double>> column(columns, std::vector<double>(rows));
  for (size_t r = 0; r < rows; ++r) {
    const ProfileEntry &entry = table.entries[r];
    std::span<const int64_t> shape(entry.shape);
    std::vector<double> sizes =
        sizesOf(table.op, table.loops, shape.first(table.loops.size()),
                shape.subspan(table.loops.size(), table.strides),
                table.direction, entry.shape.back());
    for (size_t c = 0; c < columns; ++c) {
      CostCurve one{"", "", "", {curve.terms[c]}};
      one.terms[0].ns = 1;
      column[c][r] = evaluate(one, sizes) / static_cast<double>(entry.ns);
    }
  }
  std::vector<double> residual(rows, 1);
  for (int round = 0; round < 400; ++round)
    for (size_t c = 0; c < columns; ++c) {
      double up = 0, down = 0;
      for (size_t r = 0; r < rows; ++r) {
        up += column[c][r] * residual[r];
        down += column[c][r] * column[c][r];
      }
      double before = curve.terms[c].ns;
      double after = std::max(0.0, before + up / std::max(down, 1e-300));
      for (size_t r = 0; r < rows; ++r)
        residual[r] -= (after - before) * column[c][r];
      curve.terms[c].ns = after;
    }
  if (isCopy(table.op) && !table.loops.empty()) {
    for (std::vector<double> &ns : column)
      for (size_t r = 0; r < rows; ++r)
        ns[r] *= static_cast<double>(table.entries[r].ns);
    fitSums(curve, table.entries, column);
  }
  std::erase_if(curve.terms, [](const CurveTerm &term) {
    return term.ns == 0 && term.resource != CurveResource::Launch;
  });
  return curve;
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// Measurements of one op, ready to predict.
class ProfileModel::Table {
public:
  Table(const ProfileTable &table, const CostCurve *curve)
      : data(table), curve(curve ? *curve : fitCurve(table)) {}

  bool isFor(const OpShape &shape, const std::string &dtype) const {
    return data.op == shape.op && data.direction == shape.direction &&
           data.dtype == dtype && data.loops == shape.loops &&
           static_cast<size_t>(data.strides) == shape.strides.size();
  }
  bool isByPoints() const { return soap::isByPoints(data); }

  /// Each loop is between the least and the most that was measured.
  bool isWithinMeasured(const OpShape &shape) const {
    for (size_t i = 0; i < shape.extents.size(); ++i) {
      auto [least, most] =
          std::ranges::minmax(data.entries, {}, [&](const ProfileEntry &entry) {
            return entry.shape[i];
          });
      if (shape.extents[i] < least.shape[i] || shape.extents[i] > most.shape[i])
        return false;
    }
    return true;
  }

  /// Searches ask for few shapes, many times.
  double ns(const OpShape &shape) const {
    std::vector<int64_t> key = shape.extents;
    key.insert(key.end(), shape.strides.begin(), shape.strides.end());
    key.push_back(shape.bytes);
    {
      std::shared_lock<std::shared_mutex> lock(cacheMutex);
      if (auto it = cache.find(key); it != cache.end())
        return it->second;
    }
    double result = isExact() ? measuredNs(key) : 0;
    if (result == 0)
      result = predict(shape);
    std::unique_lock<std::shared_mutex> lock(cacheMutex);
    constexpr size_t most = 1 << 18;
    if (cache.size() >= most)
      cache.clear();
    cache[std::move(key)] = result;
    return result;
  }

private:
  /// Measured where models run: right for each shape by itself, even where a
  /// smaller one takes longer because the library has no fast kernel for it.
  bool isExact() const { return data.noise <= exactProfileNoise; }

  /// 0: not measured.
  double measuredNs(const std::vector<int64_t> &key) const {
    for (const ProfileEntry &entry : data.entries)
      if (entry.shape == key)
        return static_cast<double>(entry.ns);
    return 0;
  }

  double predict(const OpShape &shape) const {
    bool isOddShape = !isAligned(shape.sizes, data.dtype);
    const Lattice &lattice = latticeFor(shape.strides, isOddShape);
    double log = lattice.at(shape.sizes);
    // Between the measured shapes that are no larger and those that are no
    // smaller; at a measured shape, these are its own time.
    double low = -infinity, high = infinity;
    for (size_t e : lattice.entries) {
      const std::vector<int64_t> &other = data.entries[e].shape;
      bool below = true, above = true;
      for (size_t i = 0; i < shape.extents.size(); ++i) {
        below &= other[i] <= shape.extents[i];
        above &= other[i] >= shape.extents[i];
      }
      below &= other.back() <= shape.bytes;
      above &= other.back() >= shape.bytes;
      if (below && (isOddShape || !odd[e]))
        low = std::max(low, settled[e]);
      if (above && (odd[e] || !isOddShape))
        high = std::min(high, settled[e]);
    }
    return std::exp(std::max(low, std::min(log, high)));
  }

  /// log ns at the nodes of a grid over log2 of sizes, for one choice of
  /// strides, and for aligned or odd sizes.
  struct Lattice : SizeLattice {
    std::vector<size_t> entries; ///< with these strides
  };
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  const ProfileTable &data;
  CostCurve curve;
  mutable std::mutex mutex;
  mutable bool prepared = false;
  mutable std::vector<std::vector<double>> logSizes; ///< by entry
  mutable std::vector<double> lengths, weights;
  mutable std::vector<bool> odd;       ///< by entry
  mutable std::vector<double> settled; ///< log ns, no disorder left
  /// By strides, and whether sizes are odd.
  mutable std::map<std::pair<std::vector<int64_t>, bool>, Lattice> lattices;
  mutable std::shared_mutex cacheMutex;
  mutable std::map<std::vector<int64_t>, double> cache;

  const Lattice &latticeFor(const std::vector<int64_t> &strides,
                            bool isOddShape) const {
    std::lock_guard<std::mutex> lock(mutex);
    if (!prepared)
      prepare();
    prepared = true;
    return findLattice(strides, isOddShape);
  }

  const Lattice &findLattice(const std::vector<int64_t> &strides,
                             bool isOddShape) const {
    std::pair key(strides, isOddShape);
    auto it = lattices.find(key);
    if (it == lattices.end())
      it = lattices.emplace(key, makeLattice(strides, isOddShape)).first;
    return it->second; // nodes of a map stay where they are
  }

  std::vector<double> sizesOfEntry(const ProfileEntry &entry) const {
    std::span<const int64_t> shape(entry.shape);
    return sizesOf(data.op, data.loops, shape.first(data.loops.size()),
                   shape.subspan(data.loops.size(), data.strides),
                   data.direction, entry.shape.back());
  }

  /// How alike two sizes are, one dimension.
  double kernel(size_t dim, double a, double b) const {
    return std::exp(-std::abs(a - b) / lengths[dim]);
  }

  void prepare() const {
    size_t n = data.entries.size();
    std::vector<double> residual(n);
    odd.resize(n);
    for (size_t e = 0; e < n; ++e) {
      std::vector<double> sizes = sizesOfEntry(data.entries[e]);
      odd[e] = !isAligned(sizes, data.dtype);
      residual[e] = std::log(static_cast<double>(data.entries[e].ns)) -
                    std::log(evaluate(curve, sizes));
      for (double &size : sizes)
        size = std::log2(std::max(size, 1.0));
      logSizes.push_back(std::move(sizes));
    }
    lengths = data.lengths;
    lengths.resize(logSizes.front().size(), 3);
    solve(std::move(residual));
    settle();
  }

  /// Weights of the entries: (spread^2 kernel + noise)^-1 residual, by
  /// Cholesky.
  void solve(std::vector<double> residual) const {
    size_t n = residual.size(), dims = lengths.size();
    std::vector<double> lower(n * n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double distance = odd[i] != odd[j] ? data.alignment : 0;
        for (size_t d = 0; d < dims; ++d)
          distance += std::abs(logSizes[i][d] - logSizes[j][d]) / lengths[d];
        lower[i * n + j] = data.spread * data.spread * std::exp(-distance) +
                           (i == j ? data.noise * data.noise : 0);
      }
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        double sum = lower[i * n + j];
        for (size_t k = 0; k < j; ++k)
          sum -= lower[i * n + k] * lower[j * n + k];
        lower[i * n + j] =
            i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / lower[j * n + j];
      }
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < i; ++k)
        residual[i] -= lower[i * n + k] * residual[k];
      residual[i] /= lower[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
      for (size_t k = i + 1; k < n; ++k)
        residual[i] -= lower[k * n + i] * residual[k];
      residual[i] /= lower[i * n + i];
    }
    for (double &weight : residual)
      weight *= data.spread * data.spread;
    weights = std::move(residual);
  }

  /// Whether entry a may not take longer than entry b: no larger in any
  /// respect, and not odd where b is aligned.
  bool isWithin(size_t a, size_t b) const {
    if (odd[a] && !odd[b])
      return false;
    const std::vector<int64_t> &small = data.entries[a].shape,
                               &large = data.entries[b].shape;
    size_t loops = data.loops.size();
    for (size_t i = 0; i < small.size(); ++i) {
      bool isStride = i >= loops && i < loops + data.strides;
      if (isStride ? small[i] != large[i] : small[i] > large[i])
        return false;
    }
    return true;
  }

  /// Takes the disorder out of measured times: halfway between the largest time
  /// of those within and the smallest of those around.
  void settle() const {
    size_t n = data.entries.size();
    std::vector<double> logs(n);
    for (size_t e = 0; e < n; ++e)
      logs[e] = std::log(static_cast<double>(data.entries[e].ns));
    settled.resize(n);
    for (size_t e = 0; e < n; ++e) {
      double low = -infinity, high = infinity;
      for (size_t other = 0; other < n; ++other) {
        if (isWithin(other, e))
          low = std::max(low, logs[other]);
        if (isWithin(e, other))
          high = std::min(high, logs[other]);
      }
      settled[e] = (low + high) / 2;
    }
  }

  /// Sizes that a lattice is over: strides have one each.
  size_t latticeDims() const { return std::min<size_t>(lengths.size(), 4); }

  Lattice makeLattice(const std::vector<int64_t> &strides,
                      bool isOddShape) const {
    Lattice lattice;
    size_t n = data.entries.size(), dims = latticeDims(),
           loops = data.loops.size();
    double strideSize = 0; // log2 of the product
    for (int64_t stride : strides)
      strideSize +=
          std::log2(static_cast<double>(std::max<int64_t>(stride, 1)));
    for (size_t e = 0; e < n; ++e)
      if (std::equal(strides.begin(), strides.end(),
                     data.entries[e].shape.begin() + loops))
        lattice.entries.push_back(e);
    // Half doublings, or more where sizes differ by so much that these would be
    // too many.
    constexpr size_t maxNodes = 400000;
    size_t nodes = 0;
    for (double step = 0.5; nodes == 0 || nodes > maxNodes; step *= 2) {
      lattice.axes.clear();
      nodes = 1;
      for (size_t d = 0; d < dims; ++d) {
        lattice.axes.push_back(makeAxis(d, step));
        nodes *= lattice.axes[d].size();
      }
    }
    lattice.values.assign(nodes, 0);
    addWeights(lattice, strideSize, isOddShape);
    addCurve(lattice, strideSize);
    // Odd sizes are never faster than the same aligned ones.
    if (isOddShape) {
      const Lattice &aligned = findLattice(strides, false);
      for (size_t i = 0; i < nodes; ++i)
        lattice.values[i] = std::max(lattice.values[i], aligned.values[i]);
    }
    lattice.makeMonotone();
    return lattice;
  }

  /// Steps over what was measured, and a little beyond; the values themselves
  /// where there are few.
  std::vector<double> makeAxis(size_t dim, double step) const {
    std::vector<double> axis;
    for (const std::vector<double> &sizes : logSizes)
      axis.push_back(sizes[dim]);
    std::sort(axis.begin(), axis.end());
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
    constexpr size_t few = 7;
    double low = axis.front(), high = axis.back();
    if (axis.size() > few) {
      axis.clear();
      low = std::floor(low);
      high = std::ceil(high);
      for (double at = low; at < high; at += step)
        axis.push_back(at);
      axis.push_back(high);
    }
    constexpr double beyond = 3;
    if (low > 0)
      axis.insert(axis.begin(), std::max(0.0, low - beyond));
    axis.push_back(high + beyond);
    return axis;
  }

  /// Kernels are products over dims: sums over entries are made axis by axis.
  void addWeights(Lattice &lattice, double strideSize, bool isOddShape) const {
    size_t dims = lattice.axes.size();
    std::vector<std::vector<double>> factor(dims);
    for (size_t e = 0; e < data.entries.size(); ++e) {
      double weight = weights[e];
      if (odd[e] != isOddShape)
        weight *= std::exp(-data.alignment);
      if (dims < lengths.size())
        weight *= kernel(dims, logSizes[e][dims], strideSize);
      for (size_t d = 0; d < dims; ++d) {
        factor[d].clear();
        for (double at : lattice.axes[d])
          factor[d].push_back(kernel(d, at, logSizes[e][d]));
      }
      double *out = lattice.values.data();
      addProduct(factor, 0, weight, out);
    }
  }
  static void addProduct(const std::vector<std::vector<double>> &factor,
                         size_t dim, double weight, double *&out) {
    if (dim + 1 < factor.size()) {
      for (double f : factor[dim])
        addProduct(factor, dim + 1, weight * f, out);
      return;
    }
    for (double f : factor[dim])
      *out++ += weight * f;
  }

  void addCurve(Lattice &lattice, double strideSize) const {
    size_t dims = lattice.axes.size();
    std::vector<size_t> at(dims);
    std::vector<double> sizes(lengths.size());
    if (dims < sizes.size())
      sizes[dims] = std::exp2(strideSize);
    for (double &value : lattice.values) {
      for (size_t d = 0; d < dims; ++d)
        sizes[d] = std::exp2(lattice.axes[d][at[d]]);
      value += std::log(evaluate(curve, sizes));
      for (size_t d = dims; d-- > 0;) {
        if (++at[d] < lattice.axes[d].size())
          break;
        at[d] = 0;
      }
    }
  }
};

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// The curve that stands for an op without one of its own; empty: none can.
static std::string classOf(const std::string &op) {
  if (op == "conv2d" || op == "matmul")
    return "";
  auto contains = [&](const char *part) {
    return op.find(part) != std::string::npos;
  };
  if (op.starts_with("lstm") || isAttention(op))
    return "matmul";
  if (contains("norm"))
    return "normalization";
  if (contains("softmax") || contains("cross_entropy"))
    return "softmax";
  return "elementwise";
}

/// Of a profile without attention: the time of its products, in one launch.
/// Forward they are q k^T and p v, backward five of these sizes.
static double attentionNs(const CostCurve &products, const OpShape &shape,
                          const CurveScale &scale) {
  double rows = 1;
  for (size_t l = 0; l < shape.loops.size(); ++l)
    if (shape.loops[l] != "k")
      rows *= static_cast<double>(shape.extents[l]);
  double visible = shape.points / std::max(rows, 1.0);
  int count = shape.direction == "backward" ? 5 : 2;
  double width = shape.flopsPerPoint / (2 * count);
  double launch = launchOf(products, scale), ns = launch;
  if (visible <= 0)
    return ns;
  for (int i = 0; i < count; ++i) {
    bool isScores = i % 2 == 0;
    ns +=
        evaluate(products,
                 {rows, isScores ? visible : width, isScores ? width : visible},
                 scale) -
        launch;
  }
  return ns;
}

ProfileModel::ProfileModel(Profile given) : profile(std::move(given)) {
  if (!profile.base.empty()) {
    Expected<std::shared_ptr<const ProfileModel>> loaded =
        loadProfileModel(profile.base);
    assert(loaded && "the reader knows built-in profiles");
    base = *loaded;
    addCollectives(base->getProfile());
  }
  for (const ProfileTable &table : profile.tables)
    tables.push_back(std::make_unique<Table>(
        table, findCurve(table.op, table.direction, table.dtype)));
  for (const CostCurve &curve : profile.curves)
    if (isCopy(curve.op)) {
      copies.push_back(&curve);
      assembleKnowsRuns |=
          curve.op == "assemble" &&
          std::any_of(curve.terms.begin(), curve.terms.end(),
                      [](const CurveTerm &term) {
                        return term.powers.size() > 2 && term.ns > 0;
                      });
    }
  if (!profile.attention.empty())
    attention = std::make_unique<AttentionModel>(profile);
}
ProfileModel::~ProfileModel() = default;

/// Kinds of collectives that were not measured are the base's, on links like
/// its own.
void ProfileModel::addCollectives(const Profile &of) {
  double &links = profile.linkBandwidthBytesPerSecond;
  if (profile.leavesCollectivesToLinks)
    return;
  if (profile.collectives.empty())
    links = of.linkBandwidthBytesPerSecond;
  else if (links <= 0 || !isMeasuredBandwidth(of, links))
    return;
  std::set<CollectiveKind> measured;
  for (const CollectiveEntries &entries : profile.collectives)
    measured.insert(entries.kind);
  for (const CollectiveEntries &entries : of.collectives)
    if (!measured.count(entries.kind))
      profile.collectives.push_back(entries);
}

const ProductModel *ProfileModel::productsOf(const OpShape &shape,
                                             const std::string &dtype,
                                             const CurveScale &scale) const {
  if (shape.op != "matmul")
    return nullptr;
  // Both 16-bit types have the same units.
  const std::string &measured = dtype == "f16" ? "bf16" : dtype;
  for (const ProductGrid &grid : profile.products)
    if (grid.dtype == measured) {
      std::lock_guard<std::mutex> lock(productsMutex);
      std::unique_ptr<ProductModel> &model =
          products[{measured, scale.launch, scale.memory, scale.compute}];
      if (!model)
        model = std::make_unique<ProductModel>(grid, scale);
      return model.get();
    }
  return nullptr;
}

/// Rows, columns and depth of the product that a layer or one of its gradients
/// is.
static std::array<double, 3> productSizes(const OpShape &shape) {
  double m = shape.sizes[0], n = shape.sizes[1], k = shape.sizes[2];
  if (shape.direction == "input_grad")
    return {m, k, n};
  if (shape.direction == "weight_grad")
    return {n, k, m};
  return {m, n, k};
}

const CostCurve *ProfileModel::findCurve(const std::string &op,
                                         const std::string &direction,
                                         const std::string &dtype) const {
  for (const CostCurve &curve : profile.curves)
    if (curve.op == op && curve.direction == direction && curve.dtype == dtype)
      return &curve;
  return nullptr;
}

bool ProfileModel::knows(const OpShape &shape, const std::string &dtype) const {
  if (productsOf(shape, dtype, {}))
    return true;
  if (findCurve(shape.op, shape.direction, dtype))
    return true;
  for (const std::unique_ptr<Table> &table : tables)
    if (table->isFor(shape, dtype))
      return true;
  std::string kind = classOf(shape.op);
  return !kind.empty() && (findCurve(kind, shape.direction, dtype) ||
                           findCurve(kind, "forward", dtype));
}

bool ProfileModel::isWithinMeasured(const OpShape &shape,
                                    const std::string &dtype) const {
  for (const std::unique_ptr<Table> &table : tables)
    if (table->isFor(shape, dtype))
      return table->isWithinMeasured(shape);
  if (const ProductModel *model = productsOf(shape, dtype, {})) {
    auto [m, n, k] = productSizes(shape);
    return model->isWithinMeasured(m, n, k);
  }
  return false;
}

bool soap::isByPoints(const ProfileTable &table) {
  return table.loops.size() == 1 && table.loops[0] == "points";
}

std::optional<double> ProfileModel::opNs(const OpShape &shape,
                                         const std::string &dtype,
                                         const KernelPart &part) const {
  for (const std::unique_ptr<Table> &table : tables)
    if (table->isFor(shape, dtype))
      return table->ns(shape);
  if (const ProductModel *model = productsOf(shape, dtype, {})) {
    auto [m, n, k] = productSizes(shape);
    return model->ns(m, n, k, shape.converts);
  }
  // Measured by points, whatever the loops, as a kernel of its own.
  if (!part.joins && part.registerBytes == 0 && shape.sizes.size() == 2)
    for (const std::unique_ptr<Table> &table : tables)
      if (table->isByPoints()) {
        OpShape merged = shape;
        merged.loops = {"points"};
        merged.extents = {static_cast<int64_t>(shape.sizes[0])};
        merged.strides.clear();
        if (table->isFor(merged, dtype))
          return table->ns(merged);
      }
  return curveNs(shape, dtype, {}, part);
}

std::optional<double> ProfileModel::curveNs(const OpShape &shape,
                                            const std::string &dtype,
                                            const CurveScale &scale,
                                            const KernelPart &part) const {
  if (const ProductModel *model = productsOf(shape, dtype, scale)) {
    auto [m, n, k] = productSizes(shape);
    return model->ns(m, n, k, shape.converts);
  }
  // Of products; of softmax the curve is the library's, below.
  std::string kind = classOf(shape.op);
  if (kind != "softmax")
    if (const CostCurve *curve = findCurve(shape.op, shape.direction, dtype))
      return evaluate(*curve, shape.sizes, scale);
  // Curves of bytes hold for narrow elements, too.
  const CostCurve *curve = nullptr;
  for (const std::string &candidate : {dtype, std::string("f32")})
    for (const std::string &direction :
         {shape.direction, std::string("forward")})
      if (!curve)
        curve = findCurve(kind, direction, candidate);
  if (!curve)
    return std::nullopt;
  if (kind == "elementwise")
    return evaluatePart(*curve, shape.sizes, scale, part) +
           (part.launches - 1) * launchOf(*curve, scale);
  if (kind != "matmul") {
    double libraryNs = evaluatePart(*curve, shape.sizes, scale, part);
    const CostCurve *generated = findCurve("elementwise", "forward", "f32");
    if (!generated)
      return libraryNs;
    // Or generated: over all operands a second time, once the sums are there.
    KernelPart twice = part;
    twice.registerBytes -= part.operandBytes;
    return std::min(libraryNs,
                    evaluatePart(*generated, shape.sizes, scale, twice));
  }
  if (isAttention(shape.op))
    return attentionNs(*curve, shape, scale);
  // Small products, one time step after the other: four gates of a features.
  double steps = 1, rows = 1, features = 4;
  for (size_t i = 0; i < shape.loops.size(); ++i) {
    double extent = static_cast<double>(shape.extents[i]);
    if (shape.loops[i] == "t")
      steps *= extent;
    else if (shape.loops[i] == "n")
      rows *= extent;
    else if (shape.loops[i] == "a")
      features *= extent;
  }
  double flops = shape.flopsPerPoint;
  for (int64_t extent : shape.extents)
    flops *= static_cast<double>(extent);
  double depth = std::max(1.0, flops / (2 * steps * rows * features));
  return steps * evaluate(*curve, {rows, features, depth}, scale);
}

std::optional<double> ProfileModel::copyNs(const std::string &kind,
                                           double bytes,
                                           const CopySizes &sizes) const {
  auto of = [](int64_t size) { return static_cast<double>(size); };
  for (const CostCurve *curve : copies)
    if (curve->op == kind)
      return evaluate(*curve, {1, bytes, of(sizes.copiedBytes), of(sizes.runs),
                               of(sizes.coldBytes), of(sizes.coldRuns)});
  return std::nullopt;
}

Expected<std::shared_ptr<const ProfileModel>>
soap::loadProfileModel(const std::string &nameOrFile) {
  // A profile loads its base.
  static std::recursive_mutex mutex;
  static std::map<std::string, std::shared_ptr<const ProfileModel>> loaded;
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (auto it = loaded.find(nameOrFile); it != loaded.end())
    return it->second;
  Expected<Profile> profile = loadProfile(nameOrFile);
  if (!profile)
    return profile.takeError();
  auto model = std::make_shared<const ProfileModel>(std::move(*profile));
  loaded[nameOrFile] = model;
  return std::shared_ptr<const ProfileModel>(std::move(model));
}
