//===- MCMC.h - Search by Markov chain Monte Carlo --------------*- C++ -*-===//
//
// The search of the SOAP paper (section 6): a random op gets a random config; a
// Metropolis criterion decides; several initial strategies; stops on a budget,
// or on half of it without gain.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_MCMC_H
#define SOAP_SEARCH_MCMC_H

#include "Soap/Search/ParallelizationProblem.h"
#include "Soap/Search/StrategyEvaluator.h"

#include <atomic>
#include <functional>

namespace soap {

struct McmcProgress {
  int64_t proposals = 0;
  double proposalsPerSecond = 0;
  int64_t bestNs = 0;
  double secondsLeft =
      0; ///< of the time budget, or estimated from the proposals budget
};

struct McmcOptions {
  uint64_t seed = 1;
  /// Budgets of the whole search, shared by the initial strategies; 0: none. At
  /// least one must be set. With a budget of proposals alone, the result
  /// depends on nothing but the seed.
  double seconds = 0;
  int64_t proposals = 0;
  /// 1 / (beta x makespan of the first strategy): a proposal that is slower by
  /// this share is accepted with probability 1/e.
  double temperature = 0.005;
  /// Price every proposal from nothing, for comparisons.
  bool fullSimulation = false;
  /// Where chains start; empty: the presets and a random strategy.
  std::vector<Strategy> initial;
  /// What they are called in the result, one per entry of `initial`; may be
  /// left out.
  std::vector<std::string> initialNames;
  /// Set by a signal handler to stop early, with the best so far.
  const std::atomic<bool> *stop = nullptr;
  /// Called about twice a second.
  std::function<void(const McmcProgress &)> progress;
};

/// The best so far changed, or the search ended.
struct McmcPoint {
  double seconds = 0;
  int64_t proposals = 0; ///< made until then
  int64_t bestNs = 0;
};

struct McmcResult {
  Strategy best;
  Evaluation bestEvaluation; ///< `excessBytes` above 0: nothing that was seen
                             ///< fits into memory
  std::vector<int64_t>
      initialNs; ///< makespan per initial strategy that a chain started from
  std::vector<std::string> initialNames; ///< aligned with `initialNs`
  /// How the best makespan fell over time; strategies that do not fit into
  /// memory are left out.
  std::vector<McmcPoint> curve;
  int64_t proposals = 0, accepted = 0;
  double seconds = 0;
  EvaluatorStatistics statistics;
  /// No strategy is faster than this, as far as was proven; 0: nothing was.
  int64_t boundNs = 0;
  bool optimal = false; ///< `best` is as fast as the bound
};

/// Runs the search. The problem must have passed `check`.
McmcResult searchMcmc(const ParallelizationProblem &problem,
                      const McmcOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_MCMC_H
