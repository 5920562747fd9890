//===- ExactBounds.h - Lower bounds of partial strategies -------*- C++ -*-===//
//
// Bounds that hold whatever the order of tasks: paths through kernels and work
// of devices. Each bound is a sum of a term per group and of a term per pair of
// groups, so that the least over all ways to complete a partial strategy comes
// from tables.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_EXACTBOUNDS_H
#define SOAP_LIB_SEARCH_EXACTBOUNDS_H

#include "Soap/Core/StrategyPlan.h"
#include "Soap/Search/ParallelizationProblem.h"

namespace soap {

class ExactBounds {
public:
  /// `configs`: by group, of leaders; groups get them in this order.
  ExactBounds(const ParallelizationProblem &problem,
              const std::vector<std::vector<Config>> &configs);

  /// A bound of all completions, without any group assigned.
  int64_t root() const;
  /// Assigns the next group. Returns a bound of all completions.
  int64_t push(int config);
  /// Undoes the last `push`.
  void pop();

private:
  /// A sum to minimize.
  struct Term {
    std::vector<std::vector<double>> unary; ///< by group, config
    /// By group: edges to groups before it; costs[b * size(before) + a].
    struct Edge {
      int before;
      std::vector<double> costs;
    };
    std::vector<std::vector<Edge>> edges;
    std::vector<int> parent; ///< by group: entry of `edges`, -1: none
    /// By group, config of its parent's group (or one entry): the least of the
    /// group and all that hangs on it.
    std::vector<std::vector<double>> rest;
    std::vector<std::vector<int>> children;
    double least = 0;
    std::vector<double> value; ///< by depth: assigned, plus the least of others
  };

  const std::vector<std::vector<Config>> &configs;
  int devices;
  std::vector<Term> terms;
  int forwardTerm = -1; ///< the time before the backward pass
  /// Work of devices by group, config: all, and what the backward pass leads.
  std::vector<std::vector<std::vector<int64_t>>> work, lateWork;
  std::vector<int> chosen;
  std::vector<std::vector<int64_t>> load, lateLoad; ///< by depth

  struct KernelTerms;
  void finishTerm(Term term);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_EXACTBOUNDS_H
