//===- FactorMoves.h - Descent by factor moves ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A factor move takes a prime factor of the degree of one loop, or of the
// number of replicas, or all of it, to another loop, on the same devices: a
// product that is split by samples in 64 is then split by samples in 32 and by
// features in 2. Groups that share weights move together, since each difference
// between them costs a synchronization. There are few factor moves, and a few
// of them lead from data parallelism to good strategies of recurrent networks.
// So the search tries them in turn before chains begin, and draws them as
// proposals (ProposalSampler.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_MCMC_FACTORMOVES_H
#define SOAP_LIB_SEARCH_MCMC_FACTORMOVES_H

#include "GroupMates.h"
#include "Soap/Search/Evaluator/StrategyEvaluator.h"

namespace soap {

/// Whether a group's leader may have this config, in the space of the problem.
bool isLegalFor(const ParallelizationProblem &problem, int group,
                const Config &config);

/// All moves of a prime factor, or of the whole degree, between two loops of a
/// group that may be split, or between a loop and the replicas; as many pieces
/// on the same devices. Degrees may be larger than extents: the caller checks.
std::vector<Config> factorMovesOf(const ParallelizationProblem &problem,
                                  int group, const Config &config);

/// From the evaluator's strategy, which fits into memory and takes `now`: takes
/// the first factor move that gains, with `tied` first of mates in repeated
/// blocks together until none gains, then of the groups that share weights
/// together or of one group, until none gains or `isOver` returns true.
/// `isOver` is called before each move with the best price so far. The
/// evaluator then has the result, whose price is returned.
Evaluation
descendByFactorMoves(const ParallelizationProblem &problem,
                     const GroupMates &mates, bool tied,
                     StrategyEvaluator &evaluator, Evaluation now,
                     const std::function<bool(const Evaluation &)> &isOver);

} // namespace soap

#endif // SOAP_LIB_SEARCH_MCMC_FACTORMOVES_H
