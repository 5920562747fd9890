//===- GroupCosts.h - Time of groups alone and in pairs ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of OptCNN (Jia et al., 2018): nothing overlaps, so an
// iteration takes the sum over ops of computing and synchronizing, and over
// edges of moving tensors. The terms are read off the plan of one group, or of
// two, cut out of the graph.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EVALUATOR_GROUPCOSTS_H
#define SOAP_LIB_SEARCH_EVALUATOR_GROUPCOSTS_H

#include "GroupSubgraph.h"

#include "Soap/Plan/StrategyPlan.h"

#include <functional>
#include <set>

namespace soap {

/// Prices of groups, by config or by pair of configs.
struct GroupPrices {
  std::vector<int64_t> timesNs;
  /// Bytes of the tiles of these values on the topology's first device: tiles
  /// where the value is written (or, of a graph input, is from the start), and
  /// copies in the form in which it is read. Entry `config * values.size() + i`
  /// is for `values[i]`; values have their numbers in the whole graph.
  std::vector<int> values;
  std::vector<int64_t> sourceBytes, copyBytes;
  /// Of pairs: what moving each value adds to the time, in the same order.
  std::vector<int64_t> movingNs;
};

/// Not safe from several threads.
class GroupCosts {
public:
  /// Keeps a reference.
  explicit GroupCosts(const ParallelizationProblem &problem)
      : problem(problem), cost(problem.getTopology()) {}

  /// Pairs of groups (first < second) with a value that one writes, or keeps,
  /// and the other reads. Values of one element make no pair: a factor of
  /// gradient clipping would tie the groups of all weights, and graphs with
  /// such ties resist elimination.
  std::set<std::pair<int, int>> pairs() const;

  using Configs = std::vector<Config>; ///< of a leader
  /// Computing and synchronizing a group, by config: sum over its kernels of
  /// the busiest device, and over its values of the busiest resource. Memory of
  /// all values that the group writes, updates, or is given as data.
  GroupPrices priceAlone(int group, const Configs &configs);
  std::vector<int64_t> alone(int group, const Configs &configs) {
    return priceAlone(group, configs).timesNs;
  }
  /// The price of moving values between two groups, by configs: entry
  /// `a * size(second) + b`. Memory of copies only, beyond those that the
  /// groups have alone. Empty if `stopped` says so, which is asked now and
  /// then.
  GroupPrices priceBetween(int first, int second, const Configs &firstConfigs,
                           const Configs &secondConfigs,
                           const std::function<bool()> &stopped);
  std::vector<int64_t> between(int first, int second,
                               const Configs &firstConfigs,
                               const Configs &secondConfigs,
                               const std::function<bool()> &stopped) {
    return priceBetween(first, second, firstConfigs, secondConfigs, stopped)
        .timesNs;
  }
  /// Values of `priceAlone` and `priceBetween`.
  std::vector<int> heldValues(int group) const;
  std::vector<int> crossingValues(int first, int second) const;
  /// Equal for groups that cost the same because they differ in names alone.
  std::string signature(int group, const Configs &configs) const;
  /// How the nodes and values of two groups hang together. Pairs of groups with
  /// equal signatures and equal glue cost the same.
  std::vector<int> glue(int first, int second) const;
  /// As `priceAlone` and `priceBetween`, but nothing is looked up or kept.
  GroupPrices computeAlone(int group, const Configs &configs);
  GroupPrices computeBetween(int first, int second, const Configs &firstConfigs,
                             const Configs &secondConfigs,
                             const std::function<bool()> &stopped);

private:
  const ParallelizationProblem &problem;
  CostModel cost;
  /// Groups, or pairs of them, that differ in names alone cost the same.
  std::map<std::string, GroupPrices> known; ///< values by number in the cut
  std::vector<int64_t> valueLoad; ///< by resource: memory of a value's price

  std::string signature(const GroupSubgraph &subgraph,
                        const std::vector<int> &groups,
                        const std::vector<const Configs *> &configs) const;
  /// Configs of the members that are kept.
  Configs members(int group, const Config &leader,
                  const std::vector<int> &kept) const;
  GroupPrices computeAlone(int group, const Configs &configs,
                           const GroupSubgraph &subgraph);
  GroupPrices computeBetween(int first, int second, const Configs &firstConfigs,
                             const Configs &secondConfigs, const PairCut &cut,
                             const std::function<bool()> &stopped);
  /// By config and value.
  GroupPrices valuePrices(int group, const Configs &configs,
                          const GroupSubgraph &alone,
                          const std::vector<int> &values);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EVALUATOR_GROUPCOSTS_H
