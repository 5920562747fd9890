//===- Metropolis.h - One Markov chain --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain with its own random numbers and its own plans. It may have several
// threads, which evaluate the next proposals in advance: the first that is
// accepted is taken, in the order of the draws, and the rest is drawn again, so
// the chain is the same for any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_MCMC_METROPOLIS_H
#define SOAP_LIB_SEARCH_MCMC_METROPOLIS_H

#include "ProposalSampler.h"
#include "Search/Evaluator/SearchRun.h"
#include "Soap/Search/MCMC/MCMC.h"

#include <memory>

namespace soap {

/// The search that a chain belongs to, called from any thread of the chain.
class McmcMonitor {
public:
  virtual ~McmcMonitor() = default;
  virtual bool isOver() const = 0;
  /// A proposal has been decided.
  virtual void count() = 0;
  /// A chain has a new best.
  virtual void found(const Evaluation &evaluation) = 0;
};

class McmcChain {
public:
  /// Keeps references. `evaluator`: for the first thread.
  McmcChain(const ParallelizationProblem &problem, const McmcOptions &options,
            const ProposalSampler &sampler, McmcMonitor &monitor, int threads,
            std::unique_ptr<StrategyEvaluator> evaluator);
  ~McmcChain();

  /// Budget of this chain; 0: none. It is over when that is spent, or half of
  /// it without gain.
  int64_t maxProposals = 0;
  double maxSeconds = 0;
  /// Proposals between two basin-hopping restarts (Wales and Doye, 1997); 0: no
  /// restarts. At a restart some groups of the best strategy get random
  /// configs, the temperature begins anew, and the chain goes on from there.
  /// Such a chain is not over before its budget is spent.
  int64_t restartProposals = 0;
  /// Before cooling: a proposal that is slower by this is accepted with
  /// probability 1/e.
  double temperatureNs = 0;
  McmcChainState state;

  /// Starts from `state.current`.
  void begin();
  /// Takes the state of a former search.
  void resume();
  /// Goes on until so many proposals have been made by the chain, or it is
  /// over.
  void run(int64_t until);

  EvaluatorStatistics statistics() const;

private:
  struct Draw {
    Proposal proposal;
    int64_t thresholdNs;
    std::array<uint64_t, 4> after; ///< the generator, once it is decided
    Evaluation evaluation;
  };
  class Team;

  const ParallelizationProblem &problem;
  const McmcOptions &options;
  const ProposalSampler &sampler;
  McmcMonitor &monitor;
  std::vector<std::unique_ptr<StrategyEvaluator>> evaluators; ///< by thread
  std::vector<Draw> draws;
  std::unique_ptr<Team> team;

  Draw draw(RandomGenerator &random, size_t ahead) const;
  bool evaluate(StrategyEvaluator &evaluator, Draw &draw) const;
  size_t decide(size_t count);
  size_t drawsAhead() const;
  double spentShare(size_t ahead) const;
  double cooledNs(size_t ahead) const;
  void accept(const Draw &draw);
  void startAll();
  void updateWeights();
  void considerBest();
  void restartNearBest(RandomGenerator &random);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_MCMC_METROPOLIS_H
