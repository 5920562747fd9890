//===- UnevenDevices.cpp - Data parallelism on unequal devices ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See UnevenDevices.h.
//
//===----------------------------------------------------------------------===//

#include "UnevenDevices.h"

#include "PresetSupport.h"
#include "Soap/Search/Presets/Presets.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

using namespace soap;

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

namespace {
/// Bandwidth, latency, and whether it leads to the device.
using LinkKind = std::tuple<double, int64_t, bool>;
/// The type and the sorted links.
using DeviceKind = std::pair<int, std::vector<LinkKind>>;
} // namespace

static LinkKind routeKind(const Topology &topology, int from, int to,
                          bool isInbound) {
  double bandwidth = 0;
  int64_t latency = 0;
  bool first = true;
  for (int link : topology.route(from, to)) {
    const Link &of = topology.links[static_cast<size_t>(link)];
    bandwidth = first ? of.bandwidthBytesPerSecond
                      : std::min(bandwidth, of.bandwidthBytesPerSecond);
    latency += of.latencyNs;
    first = false;
  }
  return {bandwidth, latency, isInbound};
}

static DeviceKind kindOf(const Topology &topology, int device) {
  constexpr int maxForRoutes = 64;
  DeviceKind kind{topology.devices[static_cast<size_t>(device)].type, {}};
  if (topology.deviceCount() <= maxForRoutes) {
    for (int other = 0; other < topology.deviceCount(); ++other)
      if (other != device) {
        kind.second.push_back(routeKind(topology, device, other, false));
        kind.second.push_back(routeKind(topology, other, device, true));
      }
  } else {
    for (const Link &link : topology.links)
      if (link.from == device || link.to == device)
        kind.second.emplace_back(link.bandwidthBytesPerSecond, link.latencyNs,
                                 link.to == device);
  }
  std::sort(kind.second.begin(), kind.second.end());
  return kind;
}

std::vector<std::vector<int>> soap::deviceClasses(const Topology &topology) {
  std::map<DeviceKind, size_t> known;
  std::vector<std::vector<int>> classes;
  for (int device = 0; device < topology.deviceCount(); ++device) {
    auto [place, isNew] =
        known.try_emplace(kindOf(topology, device), classes.size());
    if (isNew)
      classes.emplace_back();
    classes[place->second].push_back(device);
  }
  return classes;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {

/// Pieces per device, by class.
using Weights = std::vector<int>;

class WeightSearch {
public:
  WeightSearch(const ParallelizationProblem &problem,
               std::vector<std::vector<int>> classes)
      : classes(std::move(classes)) {
    for (const std::vector<int> &members : this->classes) {
      Strategy single;
      for (const GraphNode &node : problem.getGraph().nodes)
        single.push_back(Config::single(node.whole.space, members[0]));
      times.push_back(static_cast<double>(problem.evaluate(single).makespanNs));
    }
  }

  /// By estimated time, the least first; equal ones with fewer pieces first.
  std::vector<Weights> ranked() const {
    std::vector<Weights> all =
        classes.size() <= maxClasses ? everyVector() : proportionalVectors();
    std::erase_if(all, [](const Weights &weights) {
      return std::accumulate(weights.begin(), weights.end(), 0,
                             [](int a, int b) { return std::gcd(a, b); }) != 1;
    });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::stable_sort(all.begin(), all.end(),
                     [&](const Weights &a, const Weights &b) {
                       return std::pair(estimate(a), pieces(a)) <
                              std::pair(estimate(b), pieces(b));
                     });
    return all;
  }

  std::vector<int> listOf(const Weights &weights) const {
    std::map<int, int> perDevice;
    for (size_t c = 0; c < classes.size(); ++c)
      for (int device : classes[c])
        perDevice[device] = weights[c];
    std::vector<int> list;
    for (auto [device, count] : perDevice)
      list.insert(list.end(), static_cast<size_t>(count), device);
    return list;
  }

private:
  static constexpr size_t maxClasses = 4;
  static constexpr int maxWeight = 4;
  std::vector<std::vector<int>> classes;
  std::vector<double> times; ///< of the whole network, per class

  int pieces(const Weights &weights) const {
    int sum = 0;
    for (size_t c = 0; c < classes.size(); ++c)
      sum += weights[c] * static_cast<int>(classes[c].size());
    return sum;
  }

  /// How long the slowest device computes.
  double estimate(const Weights &weights) const {
    double longest = 0;
    for (size_t c = 0; c < classes.size(); ++c)
      longest = std::max(longest, weights[c] * times[c]);
    return longest / pieces(weights);
  }

  std::vector<Weights> everyVector() const {
    std::vector<Weights> all{{}}, longer;
    for (size_t c = 0; c < classes.size(); ++c) {
      longer.clear();
      for (const Weights &prefix : all)
        for (int weight = 0; weight <= maxWeight; ++weight) {
          longer.push_back(prefix);
          longer.back().push_back(weight);
        }
      std::swap(all, longer);
    }
    return all;
  }

  /// In proportion to speed with 1 to `maxWeight` pieces of the slowest or the
  /// fastest class, equal ones, and equal ones without each of the classes and
  /// without all that are slower than one.
  std::vector<Weights> proportionalVectors() const {
    std::vector<Weights> all{Weights(classes.size(), 1)};
    double slowest = *std::max_element(times.begin(), times.end()),
           fastest = *std::min_element(times.begin(), times.end());
    for (double unit : {slowest, fastest})
      for (int weight = 1; weight <= maxWeight; ++weight) {
        Weights weights;
        for (double time : times)
          weights.push_back(std::min(
              maxWeight, static_cast<int>(weight * unit / time + 0.5)));
        all.push_back(std::move(weights));
      }
    constexpr size_t most = 32;
    for (size_t c = 0; c < std::min(classes.size(), most); ++c) {
      Weights without(classes.size(), 1), above(classes.size(), 1);
      without[c] = 0;
      for (size_t other = 0; other < classes.size(); ++other)
        above[other] = times[other] <= times[c];
      all.push_back(std::move(without));
      all.push_back(std::move(above));
    }
    return all;
  }
};

} // namespace

std::vector<std::vector<int>>
soap::unevenDeviceLists(const ParallelizationProblem &problem,
                        size_t maxCount) {
  std::vector<std::vector<int>> lists;
  std::vector<std::vector<int>> classes = deviceClasses(problem.getTopology());
  if (classes.size() < 2)
    return lists;
  WeightSearch search(problem, std::move(classes));
  std::vector<Weights> ranked = search.ranked();
  // Messages may matter more than computing: the second half is for equal
  // pieces on some of the classes, whatever their estimate.
  auto isEqual = [](const Weights &weights) {
    return *std::max_element(weights.begin(), weights.end()) == 1;
  };
  size_t first = std::min(ranked.size(), maxCount / 2);
  std::stable_partition(ranked.begin() + static_cast<ptrdiff_t>(first),
                        ranked.end(), isEqual);
  for (const Weights &weights : ranked) {
    if (lists.size() == maxCount)
      break;
    lists.push_back(search.listOf(weights));
  }
  return lists;
}

//===----------------------------------------------------------------------===//
// Strategies
//===----------------------------------------------------------------------===//

Strategy soap::dataParallelOn(const ParallelizationProblem &problem,
                              const std::vector<int> &devices) {
  std::vector<int> distinct;
  for (int device : devices)
    if (std::find(distinct.begin(), distinct.end(), device) == distinct.end())
      distinct.push_back(device);
  Strategy strategy;
  for (size_t n = 0; n < problem.getGraph().nodes.size(); ++n) {
    const IterationSpace &space = problem.getGraph().nodes[n].whole.space;
    Config config = Config::single(space);
    std::vector<int> loops =
        loopsOf(problem, static_cast<int>(n), Role::Sample);
    if (loops.empty()) {
      config.replicas = static_cast<int64_t>(distinct.size());
      config.devices = distinct;
    } else {
      // Too few samples for a piece each: one for each of the first devices.
      int64_t extent = std::max<int64_t>(space.loops[loops[0]].extent, 1);
      config.devices =
          extent < static_cast<int64_t>(devices.size()) ? distinct : devices;
      if (extent < static_cast<int64_t>(config.devices.size()))
        config.devices.resize(static_cast<size_t>(extent));
      config.degrees[loops[0]] = static_cast<int64_t>(config.devices.size());
    }
    strategy.push_back(std::move(config));
  }
  return strategy;
}

/// The best of the lists that `isWanted` takes, by simulation; data parallelism
/// on all devices where there is none.
template <typename Wanted>
static Strategy bestDataParallel(const ParallelizationProblem &problem,
                                 Wanted isWanted) {
  constexpr size_t maxLists = 24;
  Strategy best = dataParallelStrategy(problem);
  std::optional<Evaluation> price;
  for (const std::vector<int> &list : unevenDeviceLists(problem, maxLists)) {
    if (!isWanted(list))
      continue;
    Strategy strategy = dataParallelOn(problem, list);
    Evaluation evaluation = problem.evaluate(strategy);
    if (price && !isBetter(evaluation, *price))
      continue;
    price = evaluation;
    best = std::move(strategy);
  }
  return best;
}

Strategy
soap::weightedDataParallelStrategy(const ParallelizationProblem &problem) {
  return bestDataParallel(problem,
                          [](const std::vector<int> &) { return true; });
}

Strategy soap::fastDevicesStrategy(const ParallelizationProblem &problem) {
  return bestDataParallel(problem, [](const std::vector<int> &list) {
    return std::adjacent_find(list.begin(), list.end()) == list.end();
  });
}
