//===- MCMC.h - Search by Markov chain Monte Carlo --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of the SOAP paper (section 6): a random op gets a random config; a
// Metropolis criterion decides; several initial strategies; stops on a budget,
// or on half of it without gain. Chains run side by side in rounds; between two
// rounds they may exchange temperatures.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_MCMC_MCMC_H
#define SOAP_SEARCH_MCMC_MCMC_H

#include "Soap/Search/Evaluator/SearchResult.h"

#include <array>
#include <atomic>
#include <functional>

namespace soap {

/// How proposals are drawn.
enum class ProposalKind {
  Uniform, ///< any group, any config (section 6.2 of the paper)
  Mixed, ///< partly that; partly groups on the critical path first, configs of
         ///< neighbours, moved device lists, degrees halved and doubled
};

/// State of a chain between two proposals.
struct McmcChainState {
  std::string start; ///< name of the initial strategy
  std::array<uint64_t, 4> random = {};
  Strategy current, best;
  Evaluation currentEvaluation, bestEvaluation;
  int64_t proposals = 0, accepted = 0;
  int64_t gainProposals = 0;           ///< made when the best was found
  double seconds = 0, gainSeconds = 0; ///< spent, and when it was found
  int step = 0;                        ///< of the ladder of temperatures
  std::vector<int64_t> weights;        ///< of groups, for mixed proposals
  int64_t acceptedAtWeights = 0;       ///< when they were computed
  bool isOver = false;
};

/// State of a search: with the same problem and options, it goes on as if it
/// had never been stopped.
struct McmcState {
  int64_t round = 0;
  double seconds = 0;
  int64_t scaleNs = 0;     ///< makespan of the first initial strategy
  int64_t factorMoves = 0; ///< priced before chains began, part of the budget
  std::array<uint64_t, 4> exchanges = {}; ///< generator of exchanges
  std::vector<McmcChainState> chains;
  bool hasLast = false; ///< the last chain is the one that uses up the budget
  std::vector<std::string> initialNames;
  std::vector<int64_t> initialNs;
  std::vector<McmcPoint> curve;
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
  /// The temperature of a chain falls geometrically to this share of it while
  /// the chain's budget is spent; 1: it stays.
  double cooling = 1;
  /// Number of chains: they start from the best initial strategies; 0: one per
  /// initial strategy.
  int chains = 0;
  ProposalKind kind = ProposalKind::Uniform;
  /// Of a chain's first proposals for groups in repeated blocks, the share that
  /// changes all mates (GroupBlocks.h) together, 0 to 1. The share falls to 0
  /// while the chain's budget is spent, so that mates part where that gains.
  double mates = 0;
  /// Parallel tempering: chain i starts at `temperature * tempering^i`, and
  /// neighbours on this ladder exchange their temperatures now and then by a
  /// Metropolis criterion; 1: all chains stay at `temperature`.
  double tempering = 1;
  /// Threads; if there are more than chains, each chain evaluates its next
  /// proposals in advance. With a budget of proposals alone the result is the
  /// same for any number.
  int threads = 1;
  /// How proposals are priced; the result is the same.
  SimulatorKind simulator = SimulatorKind::Delta;
  /// Whether a proposal is given up as soon as a bound proves that it is
  /// refused; the result is the same.
  bool earlyRejection = true;
  /// Where chains start; empty: the presets and a random strategy.
  std::vector<Strategy> initial;
  /// Their names in the result, one per entry of `initial`; may be left out.
  std::vector<std::string> initialNames;
  /// Starts beside the presets, by name, where `initial` is empty. A checkpoint
  /// does not say them: a search that is resumed has begun already.
  std::vector<std::pair<std::string, Strategy>> further;
  /// Stops as soon as a strategy that fits is known to take at most so many ns,
  /// for measurements of how long that takes; 0: does not.
  int64_t targetNs = 0;
  /// Set by a signal handler to stop early, with the best so far.
  const std::atomic<bool> *stop = nullptr;
  /// Called about twice a second.
  std::function<void(const McmcProgress &)> progress;
  /// Called every `checkpointSeconds`, and at the end, with all chains at rest.
  std::function<void(const McmcState &)> checkpoint;
  double checkpointSeconds = 20;
  /// Ends as if stopped once this run has made so many proposals, to go on from
  /// a checkpoint later; 0: does not.
  int64_t pauseAfter = 0;
  /// Where to go on; must be of the same problem and options (see
  /// McmcCheckpoint.h). Null: start anew.
  const McmcState *resume = nullptr;
};

/// Runs the search. The problem must have passed `check`.
McmcResult searchMcmc(const ParallelizationProblem &problem,
                      const McmcOptions &options);

} // namespace soap

#endif // SOAP_SEARCH_MCMC_MCMC_H
