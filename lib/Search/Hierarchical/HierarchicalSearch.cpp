//===- HierarchicalSearch.cpp - Search over hybrid plans ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HierarchicalSearch.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Hierarchical/HierarchicalSearch.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

using namespace soap;

/// All shapes of a problem, small microbatches first.
static std::vector<HybridShape> listShapes(const HybridModel &model,
                                           const Topology &topology) {
  std::vector<HybridShape> shapes;
  int devices = topology.deviceCount();
  for (int64_t samples = 1; samples <= model.getBatch(); samples *= 2)
    for (int tensor = 1; tensor <= devices; ++tensor)
      for (int stages = 1; stages <= devices / tensor; ++stages) {
        if (devices % (tensor * stages) != 0)
          continue;
        for (bool sequence : {false, true})
          for (int zero : {0, 1, 3})
            for (int chunks : {1, 2, 4}) {
              HybridShape shape{stages,  devices / tensor / stages,
                                tensor,  chunks,
                                samples, sequence,
                                zero};
              if (sequence && tensor == 1)
                continue;
              if (model.check(shape).empty())
                shapes.push_back(shape);
            }
      }
  return shapes;
}

std::vector<int> soap::deviceCounts(const Topology &topology) {
  std::vector<std::vector<int>> machines = topology.machines();
  auto all = topology.deviceCount(),
       inside = static_cast<int>(machines.front().size());
  std::vector<int> counts;
  for (int count = 1; count < inside; count *= 2)
    counts.push_back(count);
  for (int count = inside; count < all; count *= 2)
    counts.push_back(count);
  counts.push_back(all);
  return counts;
}

/// Whether a shape is the one of its stages and tensor parallelism that is
/// likely to be good.
static bool isUsual(const HybridShape &shape) {
  return shape.chunks == 1 && !shape.sequence &&
         shape.zero == (shape.data > 1 ? 1 : 0);
}

/// Sorts the shapes from the first one that have its samples: usual ones, then
/// by bound.
static void sortByBound(HybridModel &model, std::vector<HybridShape> &shapes,
                        size_t first, const std::function<bool()> &isOver) {
  using Entry = std::pair<std::pair<bool, int64_t>, HybridShape>;
  std::vector<Entry> bounded;
  for (size_t i = first;
       i < shapes.size() && shapes[i].samples == shapes[first].samples; ++i)
    bounded.push_back(
        {{!isUsual(shapes[i]), isOver() ? 0 : model.boundNs(shapes[i])},
         shapes[i]});
  std::stable_sort(
      bounded.begin(), bounded.end(),
      [](const Entry &a, const Entry &b) { return a.first < b.first; });
  for (size_t i = 0; i < bounded.size(); ++i)
    shapes[first + i] = bounded[i].second;
}

HierarchicalResult soap::searchHybrid(HybridModel &model,
                                      const ParallelizationProblem &problem,
                                      const HierarchicalOptions &options) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  auto isOver = [&] {
    return (options.stop && options.stop->load(std::memory_order_relaxed)) ||
           (options.seconds > 0 && elapsed() >= options.seconds);
  };
  HierarchicalResult result;
  std::vector<HybridShape> shapes = listShapes(model, problem.getTopology());
  result.shapes = static_cast<int64_t>(shapes.size());
  std::map<std::pair<int, int>, HybridPlan> byKind;
  result.complete = true;
  // By samples of a microbatch: whether anything was better than with fewer.
  int64_t lastGain = 1;
  for (size_t i = 0; i < shapes.size(); ++i) {
    // Of equal samples, what is likely to be good first.
    if (!options.exhaustive &&
        (i == 0 || shapes[i].samples != shapes[i - 1].samples))
      sortByBound(model, shapes, i,
                  [&] { return result.best.exists() && isOver(); });
    const HybridShape &shape = shapes[i];
    if (result.best.exists() && isOver()) {
      result.complete = false;
      break;
    }
    // Longer microbatches than twice the longest that gained do not gain.
    if (!options.exhaustive && shape.samples > 4 * lastGain &&
        result.best.excessBytes == 0 && result.best.exists())
      break;
    if (!options.exhaustive && result.best.exists() &&
        result.best.excessBytes == 0 &&
        model.boundNs(shape) >= result.best.makespanNs) {
      if (byKind.contains({shape.groups, shape.tensor}))
        continue;
    }
    constexpr Recompute none = Recompute::None;
    HybridPlan plan = model.price(shape, options.recompute ? nullptr : &none);
    if (!plan.exists())
      continue;
    ++result.priced;
    if (options.exhaustive)
      result.all.push_back(plan);
    auto [it, isNew] = byKind.try_emplace({shape.groups, shape.tensor}, plan);
    if (!isNew && isBetter(plan, it->second))
      it->second = plan;
    if (!result.best.exists() || isBetter(plan, result.best)) {
      result.best = plan;
      lastGain = shape.samples;
    }
  }
  for (auto &[kind, plan] : byKind)
    result.others.push_back(std::move(plan));
  std::stable_sort(
      result.others.begin(), result.others.end(),
      [](const HybridPlan &a, const HybridPlan &b) { return isBetter(a, b); });
  result.seconds = elapsed();
  return result;
}
