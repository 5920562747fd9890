//===- ProductModel.cpp - Times of matrix products ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// utils/gpu_profiles/products.py fits the numbers of the same formula.
//
//===----------------------------------------------------------------------===//

#include "ProductModel.h"

#include "SizeLattice.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace soap;

/// Into how many parts a kernel may split the depth.
static constexpr std::array<double, 5> splits = {1, 2, 4, 8, 16};
/// Of the depth, what a kernel takes at a time.
static constexpr double depthStep = 64;
/// Multiples that rows are compared with; fewer rows are in one tile anyhow.
static constexpr double wholeRows = 16;

struct ProductModel::Lattice : SizeLattice {};

ProductModel::ProductModel(const ProductGrid &grid, const CurveScale &scale)
    : grid(grid), scale(scale) {}
ProductModel::~ProductModel() = default;

bool ProductModel::hasWholeRows(double m) const {
  return m <= wholeRows || std::fmod(m, wholeRows) == 0;
}

bool ProductModel::hasWholeFeatures(double n, double k) const {
  double multiple = grid.dtype == "f4" ? 32 : grid.dtype == "f8" ? 16 : 8;
  return std::fmod(n, multiple) == 0 && std::fmod(k, multiple) == 0;
}

bool ProductModel::isWithinMeasured(double m, double n, double k) const {
  auto within = [](double size, const std::vector<int64_t> &axis) {
    return size >= static_cast<double>(axis.front()) &&
           size <= static_cast<double>(axis.back());
  };
  return within(m, grid.rows) && within(n, grid.columns) &&
         within(k, grid.depths);
}

double ProductModel::tilesNs(double m, double n, double k) const {
  const ProductTimes &times = grid.times;
  double best = std::numeric_limits<double>::infinity();
  auto tryTile = [&](double rows, double columns, double tileNs) {
    double tiles = std::ceil(m / rows) * std::ceil(n / columns);
    for (double split : splits) {
      double waves = std::ceil(tiles * split / grid.processors);
      double ns =
          waves * (times.wave * scale.launch +
                   std::ceil(k / split / depthStep) * tileNs * scale.compute);
      if (split > 1)
        ns += times.wave * scale.launch +
              times.split * scale.memory * m * n * split;
      best = std::min(best, ns);
    }
  };
  for (size_t t = 0; t < productTiles.size(); ++t) {
    auto [rows, columns] = productTiles[t];
    tryTile(rows, columns, grid.tileNs[t]);
    if (rows != columns)
      tryTile(columns, rows, grid.tileNs[t]);
  }
  double element = grid.dtype == "f4" ? 0.5 : grid.dtype == "f8" ? 1 : 2;
  double bytes = element * (m * k + n * k) + 2 * m * n;
  auto cache = static_cast<double>(grid.cacheBytes);
  double moving = (std::min(bytes, cache) * times.cache +
                   std::max(bytes - cache, 0.0) * times.memory) *
                  scale.memory;
  return times.launch * scale.launch + conversionNs(m, k) +
         std::cbrt(best * best * best + moving * moving * moving);
}

double ProductModel::conversionNs(double m, double k) const {
  return (grid.times.row * m + grid.times.operand * m * k) * scale.memory;
}

/// The values of an axis, and as many between them that neighbours are at most
/// a quarter of a doubling apart. `multiple`: of the values between.
static std::vector<double> refine(const std::vector<int64_t> &axis,
                                  double multiple, double added) {
  constexpr double most = 0.26;
  std::vector<double> refined;
  for (size_t i = 0; i < axis.size(); ++i) {
    auto at = static_cast<double>(axis[i]);
    if (i > 0) {
      auto before = static_cast<double>(axis[i - 1]);
      double doublings = std::log2(at / before);
      int parts = static_cast<int>(std::ceil(doublings / most));
      for (int p = 1; p < parts; ++p) {
        double between = before * std::exp2(doublings * p / parts);
        between = std::round(between / multiple) * multiple;
        if (between > refined.back() - added && between < at)
          refined.push_back(between + added);
      }
    }
    refined.push_back(at + added);
  }
  refined.erase(std::unique(refined.begin(), refined.end()), refined.end());
  return refined;
}

const ProductModel::Lattice &ProductModel::latticeOf(bool hasOddRows,
                                                     bool converts) const {
  size_t at = (hasOddRows ? 1 : 0) + (converts ? 2 : 0);
  std::call_once(made[at],
                 [&] { lattices[at] = makeLattice(hasOddRows, converts); });
  return *lattices[at];
}

std::unique_ptr<const ProductModel::Lattice>
ProductModel::makeLattice(bool hasOddRows, bool converts) const {
  // Odd rows were measured one beyond whole ones.
  double added = hasOddRows ? 1 : 0;
  SizeLattice differences;
  for (const std::vector<int64_t> *axis :
       {&grid.rows, &grid.columns, &grid.depths}) {
    std::vector<double> &logs = differences.axes.emplace_back();
    for (int64_t size : *axis)
      logs.push_back(
          std::log2(static_cast<double>(size) +
                    (axis == &grid.rows && size >= wholeRows ? added : 0)));
  }
  differences.values = hasOddRows ? grid.oddDifferences : grid.differences;
  auto lattice = std::make_unique<Lattice>();
  std::array<std::vector<double>, 3> sizes = {
      refine(grid.rows, wholeRows, added), refine(grid.columns, depthStep, 0),
      refine(grid.depths, depthStep, 0)};
  for (const std::vector<double> &axis : sizes) {
    std::vector<double> &logs = lattice->axes.emplace_back();
    for (double size : axis)
      logs.push_back(std::log2(size));
  }
  for (double m : sizes[0])
    for (double n : sizes[1])
      for (double k : sizes[2])
        lattice->values.push_back(
            std::log(tilesNs(m, n, k) - (converts ? 0 : conversionNs(m, k))) +
            differences.at({{m, n, k}}));
  lattice->makeMonotone();
  return lattice;
}

double ProductModel::ns(double m, double n, double k, bool converts) const {
  assert(m > 0 && n > 0 && k > 0 && "sizes of a product");
  double log = latticeOf(false, converts).at({{m, n, k}});
  if (!hasWholeRows(m))
    log = std::max(log, latticeOf(true, converts).at({{m, n, k}}));
  double ns = std::exp(log);
  return hasWholeFeatures(n, k) ? ns : ns * grid.oddFeatures;
}
