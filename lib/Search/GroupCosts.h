//===- GroupCosts.h - Time of groups alone and in pairs ---------*- C++ -*-===//
//
// The cost model of OptCNN (Jia et al., 2018): nothing overlaps, so an
// iteration takes the sum over ops of computing and synchronizing, and over
// edges of moving tensors. The terms are read off the plan of one group, or of
// two, cut out of the graph.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_GROUPCOSTS_H
#define SOAP_LIB_SEARCH_GROUPCOSTS_H

#include "Soap/Core/StrategyPlan.h"
#include "Soap/Search/ParallelizationProblem.h"

#include <functional>
#include <set>

namespace soap {

/// The nodes of some groups. What others write is an input that is wherever it
/// is needed.
struct GroupSubgraph {
  Graph graph;
  std::vector<std::vector<int>> nodes; ///< by group and member
  std::map<int, int> valueOf;          ///< number here of a value of the whole

  GroupSubgraph(const Graph &whole, const std::vector<OpGroup> &groups);
  /// Cuts all values but these (numbers here) off their writers: those that
  /// read them find them wherever they need them. Saves planning them.
  void keepOnly(const std::set<int> &values);
};

class GroupCosts {
public:
  /// Keeps a reference.
  explicit GroupCosts(const ParallelizationProblem &problem)
      : problem(problem), cost(problem.getTopology()) {}

  /// Pairs of groups (first < second) with a value that one writes, or keeps,
  /// and the other reads.
  std::set<std::pair<int, int>> pairs() const;

  using Configs = std::vector<Config>; ///< of a leader
  /// Computing and synchronizing a group, by config: sum over its kernels of
  /// the busiest device, and over its values of the busiest resource.
  std::vector<int64_t> alone(int group, const Configs &configs);
  /// What moving values between two groups adds, by configs: entry
  /// `a * size(second) + b`. Empty if `stopped` says so, which is asked now and
  /// then.
  std::vector<int64_t> between(int first, int second,
                               const Configs &firstConfigs,
                               const Configs &secondConfigs,
                               const std::function<bool()> &stopped);

private:
  const ParallelizationProblem &problem;
  CostModel cost;
  /// Groups, or pairs of them, that differ in names alone cost the same.
  std::map<std::string, std::vector<int64_t>> known;

  std::string signature(const GroupSubgraph &subgraph,
                        const std::vector<int> &groups,
                        const std::vector<const Configs *> &configs) const;
  Configs members(int group, const Config &leader) const;
  std::vector<std::vector<int64_t>> valueTimes(int group,
                                               const Configs &configs,
                                               const GroupSubgraph &alone,
                                               const std::vector<int> &values);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_GROUPCOSTS_H
