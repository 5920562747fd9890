//===- AttentionModel.cpp - Times of attention kernels --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AttentionModel.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/AttentionModel.h"

#include "SizeLattice.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace soap;

/// Key heads are counted for so many query heads.
static constexpr double headsOfShare = 64;

double AttentionShape::flops() const {
  return 4 * static_cast<double>(samples) * static_cast<double>(queryHeads) *
         static_cast<double>(width) * visiblePairs;
}

double AttentionShape::bytes() const {
  double rows =
      2 * (static_cast<double>(queryHeads) * static_cast<double>(queries) +
           static_cast<double>(keyHeads) * static_cast<double>(keys));
  return static_cast<double>(samples) * static_cast<double>(width) *
         static_cast<double>(elementBytes) * rows;
}

double soap::causalPairs(int64_t queries, int64_t keys) {
  auto q = static_cast<double>(queries), k = static_cast<double>(keys);
  // The first of more queries than keys look at nothing.
  if (q > k)
    return k * (k + 1) / 2;
  return q * k - q * (q - 1) / 2;
}

struct AttentionModel::Table {
  int64_t width;
  SizeLattice lattice;
};

AttentionModel::AttentionModel(const Profile &profile) : profile(profile) {
  assert(!profile.attention.empty() && "at least one grid");
  for (const AttentionGrid &grid : profile.attention) {
    auto table = std::make_unique<Table>();
    table->width = grid.width;
    for (const std::vector<int64_t> *axis :
         {&grid.heads, &grid.positions, &grid.keyHeads}) {
      std::vector<double> &logs = table->lattice.axes.emplace_back();
      for (int64_t size : *axis)
        logs.push_back(std::log2(static_cast<double>(size)));
    }
    for (int64_t ns : grid.ns)
      table->lattice.values.push_back(std::log(static_cast<double>(ns)));
    table->lattice.makeMonotone();
    (grid.isCausal ? causal : whole).push_back(std::move(table));
  }
  for (auto *tables : {&causal, &whole})
    std::ranges::sort(*tables, {}, [](const auto &it) { return it->width; });
}
AttentionModel::~AttentionModel() = default;

double
AttentionModel::tableNs(const std::vector<std::unique_ptr<const Table>> &tables,
                        const AttentionShape &shape, double positions) const {
  double sizes[] = {
      static_cast<double>(shape.samples) *
          static_cast<double>(shape.queryHeads),
      positions,
      std::max(headsOfShare * static_cast<double>(shape.keyHeads) /
                   static_cast<double>(shape.queryHeads),
               1.0)};
  auto width = static_cast<double>(shape.width);
  // Beyond the grid time grows in proportion to a size, and with the positions
  // once more.
  double last = std::exp2(tables.front()->lattice.axes[1].back());
  double beyond = std::max(positions / last, 1.0);
  // Never less for more width: the longest of no wider ones.
  double before = 0, beforeWidth = 0;
  for (const std::unique_ptr<const Table> &table : tables) {
    double ns = std::max(std::exp(table->lattice.at(sizes)), before);
    auto at = static_cast<double>(table->width);
    if (at >= width) {
      // Heads of 64 take 0.54 to 0.70 of the time of heads of 128 on GPUs
      // before Blackwell. Narrower ones are padded.
      constexpr double power = 0.75, narrowest = 64;
      if (beforeWidth == 0)
        return ns *
               std::pow(std::clamp(width, std::min(narrowest, at), at) / at,
                        power) *
               beyond;
      double part = std::log(width / beforeWidth) / std::log(at / beforeWidth);
      return before * std::pow(ns / before, part) * beyond;
    }
    before = ns;
    beforeWidth = at;
  }
  return before * width / beforeWidth * beyond;
}

/// Whether a mask leaves less than a causal one does.
static bool isWindow(const AttentionShape &shape) {
  return shape.visiblePairs < causalPairs(shape.queries, shape.keys);
}

/// The positions of causal attention that has as much to do. Of a window,
/// kernels look at whole tiles of keys at both ends, for each query.
static double causalLength(const AttentionShape &shape) {
  constexpr double keysAtEnds = 320;
  double pairs = shape.visiblePairs;
  if (isWindow(shape))
    pairs = std::min(pairs + keysAtEnds * static_cast<double>(shape.queries),
                     causalPairs(shape.queries, shape.keys));
  return (std::sqrt(1 + 8 * pairs) - 1) / 2;
}

double AttentionModel::forwardNs(const AttentionShape &shape) const {
  assert(shape.samples > 0 && shape.keyHeads > 0 &&
         shape.queryHeads >= shape.keyHeads && shape.width > 0 &&
         shape.visiblePairs > 0 && "a kernel has work");
  // Without a table of its own, attention without a mask is causal attention of
  // as many pairs.
  double masked = causalLength(shape), all = std::sqrt(shape.visiblePairs);
  bool isKnown =
      !whole.empty() && static_cast<double>(shape.width) <=
                            1.1 * static_cast<double>(whole.back()->width);
  double ns = (shape.isMasked() || !isKnown) && !causal.empty()
                  ? tableNs(causal, shape, masked)
                  : tableNs(whole, shape, all);
  double moving = shape.bytes() / profile.memoryBandwidthBytesPerSecond * 1e9;
  return std::max(ns, moving + static_cast<double>(profile.launchNs));
}

double AttentionModel::backwardNs(const AttentionShape &shape) const {
  return forwardNs(shape) * attentionBackwardFlops / attentionBackwardRate;
}

bool AttentionModel::isWithinMeasured(const AttentionShape &shape) const {
  const auto &tables = shape.isMasked() || whole.empty() ? causal : whole;
  if (tables.empty() || shape.elementBytes != 2 || isWindow(shape) ||
      shape.width < tables.front()->width || shape.width > tables.back()->width)
    return false;
  double sizes[] = {static_cast<double>(shape.samples) *
                        static_cast<double>(shape.queryHeads),
                    shape.isMasked() ? causalLength(shape)
                                     : std::sqrt(shape.visiblePairs)};
  const SizeLattice &lattice = tables.front()->lattice;
  for (size_t d = 0; d < 2; ++d)
    if (std::log2(sizes[d]) < lattice.axes[d].front() - 1e-3 ||
        std::log2(sizes[d]) > lattice.axes[d].back() + 1e-3)
      return false;
  return true;
}
